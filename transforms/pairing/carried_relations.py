"""Relations of facts that came back under another id: a window that is distilled or cut again writes all of its facts anew.

A relation keeps hashes of what its two facts said and cited, so that the fact that says or cites the same now takes it over. The
former row stays: who goes back to the former engine finds it again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from transforms.language.sentences import split_words
from transforms.pairing.candidates import LINE_ID
from transforms.tables.ids import hash_fields
from transforms.tables.rows import RelationRow

_HELD = ("replaces", "replaces_part", "outdates", "finishes", "perhaps_over")
"""Relations that other words with the same citations take over: that two facts said the same is no reason to join other words."""


class _Heirs(NamedTuple):
    by_words: Mapping[str, str]
    by_citations: Mapping[str, str]


def make_source(session_id: str, text: str, entry_ids: Sequence[str]) -> str:
    """Return the hash of a fact's words (case and punctuation are none) and the hash of its citations, both in its session."""
    cited = hash_fields(session_id, *sorted(entry_ids)) if entry_ids else ""
    return f"{hash_fields(session_id, *split_words(text.casefold()))} {cited}"


def add_sources(rows: Iterable[RelationRow], sources: Mapping[str, str]) -> list[RelationRow]:
    """Return the relations with the sources of those of their facts that are there, as far as they lack them."""
    return [
        {
            **row,
            "older_source": row["older_source"] or sources.get(row["older_id"]),
            "newer_source": row["newer_source"] or sources.get(row["newer_id"]),
        }
        for row in rows
    ]


def carry_relations(rows: Sequence[RelationRow], sources: Mapping[str, str]) -> list[RelationRow]:
    """Return the relations that the present facts (`sources`) take over from facts that are gone, without those that are known.

    The same words take over everything. Other words that alone cite what one gone fact cited take over that it was replaced, or
    replaced something; `newer_source` stays that of the words that were judged.
    """
    gone = {
        key: source
        for row in rows
        for key, source in ((row["older_id"], row["older_source"]), (row["newer_id"], row["newer_source"]))
        if source and key not in sources and not key.startswith(LINE_ID)
    }
    if not gone:
        return []
    heirs = _find_heirs(gone.values(), sources)
    known = {(row["older_id"], row["newer_id"]) for row in rows}
    carried: dict[tuple[str, str], RelationRow] = {}
    for row in rows:
        older, is_older_same = _find_heir(row["older_id"], gone, heirs)
        newer, is_newer_same = _find_heir(row["newer_id"], gone, heirs)
        key = (older, newer)
        if newer and older != newer and key not in known and (row["relation"] in _HELD or (is_older_same and is_newer_same)):
            keeps = row["keeps"] if is_older_same else []  # places in other words are none
            carried.setdefault(key, {**row, "older_id": older, "newer_id": newer, "keeps": keeps})
    return [row for row in carried.values() if row["older_id"] or not row["older_source"]]


def find_heirs(gone: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, str]:
    """Return, for facts that are gone (id → source), the present one that says the same words in its session or, in other words,
    alone cites what it alone cited."""
    heirs = _find_heirs(gone.values(), sources)
    return {key: heir for key in sorted(gone) if (heir := _find_heir(key, gone, heirs)[0])}


def list_judged(rows: Iterable[RelationRow], sources: Mapping[str, str]) -> set[str]:
    """Return the ids of the later facts of relations that were told about their present words."""
    return {
        row["newer_id"]
        for row in rows
        if not row["newer_source"]
        or row["newer_id"] not in sources
        or _have_same_words(row["newer_source"], sources[row["newer_id"]])
    }


def _find_heirs(gone: Collection[str], sources: Mapping[str, str]) -> _Heirs:
    by_words: dict[str, str] = {}
    citing: defaultdict[str, list[str]] = defaultdict(list)
    for key, source in sorted(sources.items()):
        words, _, cited = source.partition(" ")
        by_words.setdefault(words, key)
        citing[cited].append(key)
    former = Counter(source.partition(" ")[2] for source in set(gone))
    return _Heirs(by_words, {cited: keys[0] for cited, keys in citing.items() if cited and len(keys) == former[cited] == 1})


def _find_heir(key: str, gone: Mapping[str, str], heirs: _Heirs) -> tuple[str, bool]:
    """Return the present id of a fact, empty without one, and whether it says the same words."""
    if key not in gone:
        return key, True
    words, _, cited = gone[key].partition(" ")
    if words in heirs.by_words:
        return heirs.by_words[words], True
    return heirs.by_citations.get(cited, ""), False


def _have_same_words(first: str, second: str) -> bool:
    return first.partition(" ")[0] == second.partition(" ")[0]
