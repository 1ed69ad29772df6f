"""Whether rows of the lake fit each other and the settings: facts, cited entries and vectors; days and the present time zone."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from effects.embedding.embed_step import read_vectors
from effects.embedding.embedder import find_obstacle
from effects.health.check import Check
from effects.store.forgotten import read_holding_facts
from effects.store.run import Run
from effects.system.errors import ModelMissing
from effects.tasks.task_step import ENGINE as TASKS_ENGINE
from transforms.pages.run_page import count_things
from transforms.tables.enums import APART_KINDS
from transforms.tables.ids import hash_text


def check_citations(run: Run) -> Check:
    """Check that each fact which was not discarded cites entries of the lake."""
    observations = run.lake.scan("observations")
    checked = observations.filter(pl.col("verdict").ne_missing("discard"))  # an invented reference is a reason to discard
    checked = checked.filter(pl.col("engine").ne_missing(TASKS_ENGINE))  # the agent or person who closed a task is its source
    cited = checked.select("observation_id", "session_id", ordinal="ordinals").explode("ordinal", empty_as_null=True)
    lost = cited.join(run.lake.scan("entries"), on=["session_id", "ordinal"], how="anti").collect()
    if not lost.is_empty():
        ids = ", ".join(lost["observation_id"].unique().sort().head(3))
        detail = f"{lost.height} citations are missing or lead nowhere, for example those of {ids}"
        return Check("citations", "wrong", detail, "recollect show ID")
    counts = dict(observations.group_by("verdict").len().collect().iter_rows())
    holding = read_holding_facts(run.lake).height
    others = (
        (counts.get("allow", 0) - holding, "replaced, said again or forgotten"),
        (counts.get("hold", 0), "held back"),
        (counts.get("discard", 0), "discarded"),
    )
    beside = ", ".join(f"{count} {fate}" for count, fate in others if count)
    detail = f"{word_holding(holding)}{f' (beside them {beside})' if beside else ''}; all cite entries that exist"
    return Check("citations", "ok", detail)


def check_embeddings(run: Run) -> Check:
    """Check that each allowed fact has a vector, but commands that ran, which words find. Those that hold are counted, the others
    only where they have none."""
    rows = run.lake.scan("observations").filter(pl.col("verdict") == "allow").select("observation_id", "kind", "text").collect()
    is_apart = pl.col("kind").is_in(sorted(APART_KINDS)).fill_null(value=False)
    wanted = {hash_text(text) for text in rows.filter(~is_apart)["text"]}
    facts = read_holding_facts(run.lake)
    apart = facts.join(rows.filter(is_apart), on="observation_id", how="semi")
    holding = [hash_text(text) for text in facts.join(apart, on="observation_id", how="anti")["text"]]
    try:
        stored = set(read_vectors(run.lake, run.settings.embedding.model, wanted)["text_hash"])
    except ModelMissing as missing:
        return Check("embeddings", "note", f"{missing.message}; {len(holding)} facts are found by words only", missing.hint)
    lacking = len(wanted - stored)
    with_vector = sum(text_hash in stored for text_hash in holding)
    detail = f"{with_vector} of {len(holding)} facts that hold have a vector"
    if lacking:
        obstacle = find_obstacle(run.settings.embedding.model)
        reason, command = (f" ({obstacle.message})", obstacle.hint) if obstacle else ("", "recollect nightly")
        others = "the others" if with_vector < len(holding) else f"{count_things(lacking, 'earlier one')} that they replaced"
        verb = "is" if others.startswith("1 ") else "are"
        return Check("embeddings", "note", f"{detail}; {others} {verb} found by words only{reason}", command)
    beside = f" (and {count_things(apart.height, 'command')} that ran, which words find)" if apart.height else ""
    return Check("embeddings", "ok", f"{detail}{beside}")


def word_holding(facts: int) -> str:
    """Return the number of facts that hold: `1 fact holds`, `917 facts hold`."""
    return f"{count_things(facts, 'fact')} {'holds' if facts == 1 else 'hold'}"


def check_days(run: Run) -> Iterator[Check]:
    """Yield a note when stored lines have the day of another zone: a day is that of the zone in which its line was read."""
    zone = run.settings.timezone
    entries = run.lake.scan("entries").select("day", local_day=pl.col("said_at").dt.convert_time_zone(zone).dt.date())
    moved = entries.filter(pl.col("day") != pl.col("local_day")).select(pl.len(), pl.col("day").max().alias("last")).collect()
    count, last = moved.row(0)
    if count:
        were = "line was" if count == 1 else "lines were"
        detail = (
            f"{count} {were} read in another time zone and keep its day, the last on {last}; in {zone} they are of the day before"
            " or after: pages give the date beside such a time"
        )
        command = f"nothing, or for days of {zone} alone: move {run.lake.root} away, then recollect backfill --all"
        yield Check("days", "note", detail, command)
