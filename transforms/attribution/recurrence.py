"""Finds, over the sketches of the whole lake, texts that recur in several sessions and prompts that agents hand over."""

from __future__ import annotations

import zlib

import polars as pl

from transforms.patterns.late_pattern import compile_late

MIN_RECURRING_SHARE = 0.8
"""Share of a text's hashes that must occur elsewhere for the text to recur nearly verbatim."""
LONG_WORDS = 100
"""A text of this many words recurs as soon as a second session has it: nobody types a page twice."""
MIN_RECURRING_SESSIONS = 3
"""Sessions in which a shorter text must occur: people do send a prompt again in a new session."""
PROMPT_SHARE = 0.7
"""Least share of the hashes of a handed-over prompt in the first message of the other session."""
PROMPT_SECONDS = 900
"""Longest time between an agent's call and the start of the session that it opens."""

TURN_KEY = ("session_id", "ordinal")
_WORD_OR_IDEOGRAPH = compile_late(r"[぀-ヿ㐀-鿿가-힯]|[^\W\d_]+")
RUN_WORDS = 4
WINDOW_RUNS = 4
MAX_WORDS = 3000
"""Further words of a text are not compared."""


def find_recurring(sketches: pl.DataFrame) -> set[tuple[str, int]]:
    """Return (session, ordinal) of the user entries whose text recurs nearly verbatim in other sessions."""
    spread = (
        sketches.lazy()
        .filter(pl.col("kind") == "message")
        .select(*TURN_KEY, "words", "hashes")
        .explode("hashes")
        .drop_nulls("hashes")
        .with_columns(sessions=pl.col("session_id").n_unique().over("hashes"))
        .group_by(*TURN_KEY, "words")
        .agg(
            again=(pl.col("sessions") >= 2).mean(),
            often=(pl.col("sessions") >= MIN_RECURRING_SESSIONS).mean(),
        )
    )
    is_template = (pl.col("again") >= MIN_RECURRING_SHARE) & (pl.col("words") >= LONG_WORDS)
    recurring = spread.filter(is_template | (pl.col("often") >= MIN_RECURRING_SHARE)).select(*TURN_KEY).collect()
    return set(recurring.iter_rows())


def find_parents(sketches: pl.DataFrame) -> dict[str, str]:
    """Return the sessions whose first message an agent of another session had handed over shortly before, with that session."""
    calls = sketches.lazy().filter(pl.col("kind") == "call")
    openings = sketches.lazy().filter((pl.col("kind") == "message") & pl.col("is_first"))
    handed = (
        calls.select("ordinal", "part", "hashes", parent="session_id", size=pl.col("hashes").list.len(), called_at="said_at")
        .explode("hashes")
        .join(openings.select("session_id", "said_at", "hashes").explode("hashes"), on="hashes")
        .filter(pl.col("parent") != pl.col("session_id"))
        .with_columns(seconds=(pl.col("said_at") - pl.col("called_at")).dt.total_seconds())
        .filter(pl.col("seconds").is_between(-1, PROMPT_SECONDS))
        .group_by("session_id", "parent", "ordinal", "part", "size", "seconds")
        .agg(shared=pl.len())
        .filter(pl.col("shared") >= PROMPT_SHARE * pl.col("size"))
        .sort("session_id", "seconds", "parent", "ordinal", "part")
        .unique("session_id", keep="first", maintain_order=True)
        .collect()
    )
    return dict(handed.select("session_id", "parent").iter_rows())


def split_sketch_words(text: str) -> list[str]:
    """Return the words that are compared, in lower case."""
    return _WORD_OR_IDEOGRAPH.findall(text.lower())[:MAX_WORDS]


def sketch_text(text: str) -> list[int]:
    """Return the hashes of a text, sorted, each once; none for a text of fewer than RUN_WORDS words."""
    words = split_sketch_words(text)
    runs = [zlib.crc32(" ".join(words[start : start + RUN_WORDS]).encode()) for start in range(len(words) - RUN_WORDS + 1)]
    if len(runs) <= WINDOW_RUNS:
        return sorted({min(runs)}) if runs else []
    return sorted({min(runs[start : start + WINDOW_RUNS]) for start in range(len(runs) - WINDOW_RUNS + 1)})
