"""Reads the owner's recent typed text, and judges its language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

import polars as pl

from effects.store.run import Run
from transforms.attribution.typed_language import TypedLanguage, count_shared_words, measure_language
from transforms.conversation.speakers import Attribution, attribute_user_text, extract_words_of, read_part_rows
from transforms.reading.session_row import HAS_OWNER_WORDS

PERIOD = timedelta(days=28)


MOST_ANSWERS = 2000
"""Answers that are asked for their words, the newest: a vocabulary that hardly grows any more."""
_IS_TYPED = HAS_OWNER_WORDS & (pl.col("role") == "user") & ~pl.col("flags").list.contains("copied").fill_null(value=False)


def read_typed_language(run: Run) -> TypedLanguage:
    """Return the language of the messages that the owner typed in the PERIOD that ends with the last session before the run.

    What was typed several times in the same words counts once: it says no more about its writer. Where few messages are English
    sentences, the agents' answers tell whether their words are English ones.
    """
    past = [day for day in run.lake.list_days("entries") if day <= run.today]
    days = [day for day in past if day >= max(past) - PERIOD]
    said = list(_read_typed_messages(run, days))
    messages = list(dict.fromkeys(said))
    typed = replace(measure_language(messages), messages=len(said))
    if not typed.is_other:
        return typed
    return replace(typed, shared=count_shared_words(messages, _read_answers(run, days)))


def _read_answers(run: Run, days: Sequence[date]) -> list[str]:
    answers = run.lake.scan("entries", days).filter((pl.col("role") == "assistant") & (pl.col("text").str.len_bytes() > 0))
    return answers.select("text", "said_at").sort("said_at", "text").tail(MOST_ANSWERS).collect()["text"].to_list()


def _read_typed_messages(run: Run, days: Sequence[date]) -> Iterator[str]:
    if days:
        entries = run.lake.scan("entries", days).filter(_IS_TYPED).select("text", "speaker", "speaker_reason", "speaker_parts")
        yield from _list_words(entries.collect())


def list_typed_messages(entries: pl.DataFrame) -> Iterator[str]:
    """Yield the words of rows of `entries` that the owner typed."""
    return _list_words(entries.filter(_IS_TYPED).select("text", "speaker", "speaker_reason", "speaker_parts"))


def _list_words(entries: pl.DataFrame) -> Iterator[str]:
    for text, speaker, reason, parts in entries.iter_rows():
        attribution = Attribution(speaker, reason, read_part_rows(parts)) if speaker else attribute_user_text(text)
        if words := extract_words_of("owner", text, attribution):
            yield words
