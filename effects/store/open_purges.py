"""The purges that have begun and did not end: what each must remove, in `_purges.json` of the lake until it is proved.

A purge that was stopped has removed some of its rows, by which the same command would find the rest; so the rest is kept here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

import orjson

from effects.system.files import replace_file

if TYPE_CHECKING:
    from effects.store.lake import Lake

PURGES_FILE = "_purges.json"


class OpenPurge(TypedDict):
    """What a purge removes: targets of tombstones, words, entries to blank and whole sessions."""

    targets: list[str]
    texts: list[str]
    entries: list[str]
    sessions: list[str]


def read_open_purges(lake: Lake) -> dict[str, OpenPurge]:
    """Return the purges that did not end, by the name of what they forget (the tombstones' `reason`)."""
    try:
        purges: dict[str, OpenPurge] = orjson.loads((lake.root / PURGES_FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return purges


def describe_open_purges(lake: Lake) -> tuple[str, str]:
    """Return what is unfinished in a sentence, and the command that ends it; two empty texts when nothing is."""
    reasons = sorted(read_open_purges(lake))
    if not reasons:
        return "", ""
    count = "a purge is" if len(reasons) == 1 else f"{len(reasons)} purges are"
    return f"{count} unfinished: the words are in no answer, but still in files", word_purge_command(reasons[0])


def word_purge_command(reason: str) -> str:
    """Return the command that ends a purge; the words of `--match` are stored nowhere."""
    kind, _, name = reason.partition(" ")
    named = {"session": f"--session {name}", "id": name}.get(kind, "--match THE-SAME-WORDS")
    return f"recollect forget {named} --purge"


def save_open_purge(lake: Lake, reason: str, purge: Mapping[str, Iterable[str]]) -> None:
    """Store what a purge removes, before anything is removed."""
    stored = OpenPurge(**{name: sorted(purge[name]) for name in OpenPurge.__annotations__})  # type: ignore[typeddict-item]
    _write(lake, {**read_open_purges(lake), reason: stored})


def close_purge(lake: Lake, reason: str) -> None:
    """Take a purge off that removed everything."""
    purges = read_open_purges(lake)
    if purges.pop(reason, None) is not None:
        _write(lake, purges)


def _write(lake: Lake, purges: Mapping[str, OpenPurge]) -> None:
    if purges:
        replace_file(lake.root / PURGES_FILE, orjson.dumps(purges, option=orjson.OPT_SORT_KEYS))
    else:
        (lake.root / PURGES_FILE).unlink(missing_ok=True)
