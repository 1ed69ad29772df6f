"""Counts the wordings of what was said several times: words that are sent again are a prompt, other words are a restatement."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from effects.store.run import Run
from transforms.memory.normalise_claim import identify_wording
from transforms.tables.rows import ObservationRow


def count_wordings(run: Run, rows: Collection[ObservationRow]) -> dict[str, int]:
    """Return the id of each observation → in how many wordings it was said, those of the rows that were merged into it included.

    A merged row that is no longer there counts as one more wording.
    """
    wordings = {row["observation_id"]: {identify_wording(row["text"])} for row in rows}
    missing = {row["observation_id"]: set(row["also"]) for row in rows if row["also"]}
    columns = ("superseded_by", "session_id", "entry_ids", "text")
    below = run.lake.scan("observations").filter(pl.col("superseded_by").is_in(sorted(missing))).select(columns).collect()
    for heir, session_id, entry_ids, text in below.iter_rows():
        cited = {f"{session_id}:{entry}" for entry in entry_ids or ()}
        if missing[heir] & cited:  # one that was replaced is not cited
            wordings[heir].add(identify_wording(text))
            missing[heir] -= cited
    return {key: len(texts) + bool(missing.get(key)) for key, texts in wordings.items()}
