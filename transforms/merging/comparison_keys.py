"""What the comparison of a row with others looks at, as numbers: hashes of its words, values and names, clause by clause.

They stand in the row (`compared_keys`), so that a later night finds the rows that a new one may merge with, retire or be retired
by without analysing the others again (`transforms.merging.find_partners`). Two equal hashes of different words only make a pair
that is then compared by its words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from zlib import crc32

from transforms.exchanges.replaced_values import list_named_starts, names_no_subject
from transforms.exchanges.rival_numbers import find_rival_numbers
from transforms.memory.claim_clauses import ClaimClause
from transforms.memory.supersession_candidates import DatedClaim, build_clauses
from transforms.merging.compared_row import READ_KINDS, STANDING_KIND, ComparedRow, build_compared_row
from transforms.merging.group_restatements import list_scopes
from transforms.merging.reassigned_names import list_given_names
from transforms.tables.rows import ObservationRow

CONTENT, GROUP, EMPTY = 1, 2, 3
"""Of the row: its content words; its class, scope and values; the same with its sequence of words when it has no content."""
GIVEN_NAME, IS_QUOTE, IS_STANDING = 15, 16, 17
"""Of the row: names of the code that it gives values; whether it quotes a person, and whether these words say what holds from now
on, whatever they were read as."""
ROW_TYPES = frozenset({CONTENT, GROUP, EMPTY, GIVEN_NAME, IS_QUOTE, IS_STANDING})
CORE, SUBJECT, VALUE, KIND, OLD_NAME, NEW_NAME, START, REPLACED_START, NAMED_START, FLAGS, SIZES = range(4, 15)
"""Of a clause: words of its subject that name no alternative, and the others; values; kinds and poles; names as an older and as a
newer clause; beginnings of its words, of the values that it replaces, and of all words beside these; flags; and sizes."""
IS_EXPLICIT, HAS_PURPOSE, IS_OLDER, IS_NEWER, NAMES_NO_SUBJECT = 8, 16, 32, 64, 128
"""Flags beside those of `transforms.memory.claim_clauses`: whether the clause may be the older, or the newer one of a pair, and
whether it replaces a value without all words of what that is for."""
HASH_BITS, TYPE_BITS, SIZE_BITS = 32, 8, 8
_MAX_SIZE = (1 << SIZE_BITS) - 1
"""Longer clauses count as this long, which only makes more pairs."""


def list_comparison_keys(observations: Iterable[ObservationRow], owner: str) -> dict[str, list[int]]:
    """Return the keys of each row, by its id."""
    return {row["observation_id"]: list_row_keys(build_compared_row(row, owner)) for row in observations}


def list_row_keys(row: ComparedRow) -> list[int]:
    """Return the keys of a row."""
    scopes = [f"{kind}\n{scope}\n{' '.join(sorted(row.values))}" for kind, scope in list_scopes(row)]
    keys = [*_pack(0, GROUP, scopes), *_pack(0, CONTENT, row.content)]
    if not row.content:
        keys += _pack(0, EMPTY, [f"{scope}\n{' '.join(row.statement.sequence)}" for scope in scopes])
    keys += [*_pack(0, GIVEN_NAME, list_given_names(row)), *([_place(0, IS_QUOTE, 0)] if row.is_quote else ())]
    keys += [_place(0, IS_STANDING, 0)] if row.stated_kind == STANDING_KIND and row.kind in READ_KINDS else []
    older, newer = build_clauses(DatedClaim(row.id, row.stated_kind, row.project, row.claim))
    olds = {clause.text for clause in older if not clause.is_event}
    news = {clause.text for clause in newer}
    clauses = {clause.text: clause for clause in (*older, *newer) if clause.text in olds or clause.text in news}
    for number, (text, clause) in enumerate(clauses.items(), 1):
        keys += _list_clause_keys(number, clause, IS_OLDER * (text in olds) | IS_NEWER * (text in news))
    return sorted(keys)


def _list_clause_keys(number: int, clause: ClaimClause, roles: int) -> list[int]:
    flags = clause.flags | IS_EXPLICIT * clause.is_explicit | HAS_PURPOSE * clause.has_purpose | roles
    is_open = bool(clause.replaced_starts and (names_no_subject(clause.text) or find_rival_numbers(clause.text)))
    flags |= NAMES_NO_SUBJECT * is_open
    sizes = 0
    for words in (clause.subject, clause.core, clause.values, clause.starts):
        sizes = sizes << SIZE_BITS | min(len(words), _MAX_SIZE)
    keys = [_place(number, FLAGS, flags), _place(number, SIZES, sizes)]
    keys += _pack(number, CORE, clause.core) + _pack(number, SUBJECT, clause.subject - clause.core)
    keys += _pack(number, VALUE, clause.values) + _pack(number, KIND, clause.slots | clause.poles)
    if roles & IS_OLDER:
        keys += _pack(number, OLD_NAME, clause.old_names) + _pack(number, START, clause.starts)
    if roles & IS_NEWER:
        keys += _pack(number, NEW_NAME, clause.new_names) + _pack(number, REPLACED_START, clause.replaced_starts)
        if clause.replaced_starts:
            keys += _pack(number, NAMED_START, list_named_starts(clause.text))
    return keys


def _pack(clause: int, kind: int, words: Iterable[str]) -> list[int]:
    place = _place(clause, kind, 0)
    return [place | _hash_word(word) for word in words]


def _place(clause: int, kind: int, value: int) -> int:
    return (clause << TYPE_BITS | kind) << HASH_BITS | value


@lru_cache(maxsize=65_536)
def _hash_word(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))
