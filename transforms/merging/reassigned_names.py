"""Finds rows of a person whose reply gave a name in the code a value, where a later reply gave that name another one.

"User said: "20" Reply: `SOC_MIN = 0.20`" is over once "`SOC_MIN = 0.18`" answers other words, in any language: what was typed may
have no word in common, and the name of the code is the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from sys import intern

from transforms.language.cue_phrases import CODE_SPAN
from transforms.language.entities import find_file_names
from transforms.memory.supersession_candidates import Succession
from transforms.merging.compared_row import ComparedRow
from transforms.tables.enums import SETTLING_KINDS, STANDING_KINDS

CHANGED_KINDS = SETTLING_KINDS - STANDING_KINDS | {"status", "request"}
"""Kinds of a person's rows that tell of one value: a rule or a wish holds whatever its number is, and a question sets nothing."""
MIN_CAPITALS = 4
"""Letters of a name in capitals that is specific without being composed."""


def find_reassigned(rows: Iterable[ComparedRow]) -> Succession:
    """Return rows of which a later one of their project gives at least half of the names another value, with the first that
    does. `rows` are sorted by the time when they were last said.

    Rows about different files leave each other alone.
    """
    by_name: defaultdict[tuple[str, str], list[ComparedRow]] = defaultdict(list)
    giving = [row for row in rows if list_given_names(row)]
    for row in giving:
        for name in list_given_names(row):
            by_name[row.project, name].append(row)
    succession = Succession({}, {})
    for row in giving:
        values = list_given_names(row)
        later = {other.id: other for name in values for other in by_name[row.project, name] if other.last_said > row.last_said}
        ordered = sorted(later.values(), key=lambda other: other.last_said)
        if (successor := _find_first_changing(row, values, ordered)) is not None:
            succession.newest[row.id] = successor.id
            succession.rests_on[row.id] = {successor.id}
    return succession


def _find_first_changing(row: ComparedRow, values: dict[str, str], later: Sequence[ComparedRow]) -> ComparedRow | None:
    files = set(find_file_names(row.text))
    for other in later:
        other_files = set(find_file_names(other.text))
        given = list_given_names(other)
        changed = sum(given.get(name, value) != value for name, value in values.items())
        if 2 * changed >= len(values) and changed and not (files and other_files and files.isdisjoint(other_files)):
            return other
    return None


def list_given_names(row: ComparedRow) -> dict[str, str]:
    """Return the names that a person's row gives values in code, each with its value; empty for other rows."""
    return _find_given_names(row.text) if row.is_quote and row.kind in CHANGED_KINDS else {}


@lru_cache(maxsize=16_384)
def _find_given_names(text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for span in CODE_SPAN.findall(text) if "`" in text and "=" in text else ():
        name, is_given, value = span.strip("`").partition("=")
        name, value = name.strip(), "".join(value.split())
        if is_given and _is_specific(name) and any(map(str.isdigit, value)) and value[:1] not in "=>~":
            given[intern(name)] = value
    return given


def _is_specific(name: str) -> bool:
    """Whether a name means one thing in a project: composed of words, or a constant."""
    if not name.isidentifier():
        return False
    is_composed = "_" in name.strip("_") or any(char.isupper() for char in name[1:])
    return is_composed and len(name) >= MIN_CAPITALS
