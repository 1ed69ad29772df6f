"""Finds finished work of which its owner spoke: a model cites the output that shows it first, and their words behind that.

Such work ends what the owner said before ("skip it until Monday": "Monday is over, unskip it"); what only a command printed
takes no word of a person back.
"""

from __future__ import annotations

from collections import defaultdict

import polars as pl

from effects.store.forgotten import read_forgotten
from effects.store.run import Run
from transforms.conversation.entries import ENTRY_COLUMNS_READ, Entry, build_entries
from transforms.conversation.origins import is_said_by_owner
from transforms.forgetting.row_filter import drop_forgotten_rows


def list_owners_work(run: Run, work: pl.DataFrame) -> list[str]:
    """Return the ids of those facts that cite the owner's own words about the same; `work` has their citations and texts."""
    if work.is_empty():
        return []
    sessions = work["session_id"].unique().sort().to_list()
    cited = work.select("session_id", entry_id="entry_ids").explode("entry_id").unique()
    entries = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions))
    rows = entries.join(cited.lazy(), on=("session_id", "entry_id"), how="semi").select(ENTRY_COLUMNS_READ).collect()
    said: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in build_entries(drop_forgotten_rows(rows, read_forgotten(run.lake))):
        said[entry.session_id, entry.entry_id].append(entry)
    return [
        key
        for key, session, names, text in work.select("observation_id", "session_id", "entry_ids", "text").iter_rows()
        if is_said_by_owner(text, [entry for name in names or () for entry in said.get((session, name), ())])
    ]
