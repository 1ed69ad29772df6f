"""Finds the entries of a session that tell facts again or have the words that these quote, in what was said and done there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

import polars as pl

from effects.judging.unread_clauses import load_english_counter
from effects.store.run import Run
from transforms.forgetting.own_strings import list_own_strings
from transforms.forgetting.retellings import IsCommon, find_retellings, is_written_as_name, list_quotations
from transforms.forgetting.scrub_text import compile_words, contains_words, has_words
from transforms.tables.session_tables import ENTRY_TEXTS


def find_telling_entries(
    run: Run, session: str, facts: Collection[str], cited: Collection[str]
) -> tuple[set[str], set[str], IsCommon]:
    """Return the entries that are cited or tell one of the facts again, the quotations these are known by, and what counts as a
    common word."""
    of_session = pl.col("session_id") == session
    entries = run.lake.scan("entries").filter(of_session).select("entry_id", "text").collect()
    said = [text or "" for text in entries["text"]]
    is_common = _judge_common_words(said)
    is_telling = find_retellings(said, facts, is_common)
    telling = {name for name, is_one in zip(entries["entry_id"], is_telling, strict=True) if is_one or name in cited}
    quotations = {words for fact in facts for words in list_quotations(fact, is_common)}
    return telling | _find_quoting(run, session, quotations), quotations, is_common


def _judge_common_words(said: Sequence[str]) -> IsCommon:
    @cache
    def is_common(word: str) -> bool:
        """Whether a word is one of English, which the bundled model knows as a whole, and no name in this session."""
        count_pieces = load_english_counter() if word.isascii() and word.isalpha() else None
        return count_pieces is not None and count_pieces(word.lower()) == 1 and not is_written_as_name(word, said)

    return is_common


def _find_quoting(run: Run, session: str, quotations: Collection[str]) -> set[str]:
    """Return the entries whose own words, not those of the envelope, have one of the quotations."""
    pattern = compile_words((), quotations)
    if pattern is None:
        return set()
    is_like = pl.any_horizontal(contains_words(name, pattern) for name in ENTRY_TEXTS)
    rows = run.lake.scan("entries").filter((pl.col("session_id") == session) & is_like).select("entry_id", *ENTRY_TEXTS).collect()
    return {
        name
        for name, text, thinking, raw in rows.iter_rows()
        if any(words and has_words(words, pattern) for words in (text, thinking, *list_own_strings(raw or "{}")))
    }
