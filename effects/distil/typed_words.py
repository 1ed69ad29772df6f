"""Reads the owner's recent typed text, and judges its language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import polars as pl

from effects.store.run import Run
from transforms.attribution.typed_language import TypedLanguage, measure_language
from transforms.conversation.speakers import Attribution, attribute_user_text, extract_words_of, read_part_rows
from transforms.reading.session_row import HAS_OWNER_WORDS

PERIOD = timedelta(days=28)


def read_typed_language(run: Run) -> TypedLanguage:
    """Return the language of the messages that the owner typed in the PERIOD that ends with the last session before the run."""
    return measure_language(_read_typed_messages(run))


def _read_typed_messages(run: Run) -> Iterator[str]:
    past = [day for day in run.lake.list_days("entries") if day <= run.today]
    if not past:
        return
    days = [day for day in past if day >= max(past) - PERIOD]
    is_own = HAS_OWNER_WORDS & (pl.col("role") == "user") & ~pl.col("flags").list.contains("copied").fill_null(value=False)
    entries = run.lake.scan("entries", days).filter(is_own).select("text", "speaker", "speaker_reason", "speaker_parts").collect()
    for text, speaker, reason, parts in entries.iter_rows():
        attribution = Attribution(speaker, reason, read_part_rows(parts)) if speaker else attribute_user_text(text)
        if words := extract_words_of("owner", text, attribution):
            yield words
