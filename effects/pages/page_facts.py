"""Reads additions to facts for pages and openings: warnings of repositories, changed parts, ends that have passed, refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

import polars as pl

from effects.judging.told_relations import read_changed_parts
from effects.store.content_key import read_part_keys, write_part_keys
from effects.store.memory_file import read_memory
from effects.store.run import Run
from transforms.answers.changed_parts import ChangedPart, describe_changed_parts
from transforms.exchanges.offers import ADVICE
from transforms.language.relative_dates import MAY_END, has_ended
from transforms.language.sentences import split_words
from transforms.memory.line_evidence import list_refusals
from transforms.pages.fact_marks import join_marks, list_findings, word_marks
from transforms.pages.memory_md import parse_memory
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import PERSON_KINDS, STANDING_KINDS
from transforms.tables.ids import hash_fields
from transforms.tables.schema import CONFIRMATIONS, PROPOSALS, hash_groups, read_rows

ADVICE_CHARS = 60
"""The beginning of a fact that says that it is advice; further behind advice is a part of a report."""
PIECE_WORDS = 3
"""Words from which a piece of a quotation tells where it is from."""
_ABOUT = compile_late(r'\(about: "(?P<words>.*?)"\)')
_PIECE_BREAK = compile_late(r"…| — ")
ENDED_FACTS = "ended_facts"
ChangedParts = Mapping[str, Sequence[ChangedPart]]
OVER_IN_PART = ("replaced", "changed_number")
"""What a later fact says of one in force: a part of it is over."""


def read_marks(run: Run, parts: ChangedParts | None = None) -> Mapping[str, str]:
    """Return what stands beside facts and lines of MEMORY.md, by their ids: warnings of the ground check, and parts that later
    facts replaced (`parts`, where they were read)."""
    proposals = read_rows(PROPOSALS, run.lake.read("proposals"))
    warnings = word_marks(list_findings(read_rows(CONFIRMATIONS, run.lake.read("confirmations")), proposals))
    changed = describe_changed_parts(read_changed_parts(run) if parts is None else parts)
    return {key: join_marks(changed.get(key, ""), warnings.get(key, "")) for key in sorted({*warnings, *changed})}


def read_newer_facts(run: Run, parts: ChangedParts | None = None) -> Mapping[str, str]:
    """Return for facts of which a part is over the newest fact that holds there, by id; from `parts`, where they were read."""
    changed = read_changed_parts(run) if parts is None else parts
    over = {key: [part for part in own if part.kind in OVER_IN_PART] for key, own in changed.items()}
    return {key: own[-1].newer_id for key, own in sorted(over.items()) if own}


def drop_ended_facts(run: Run, observations: pl.DataFrame, project: str | None = None) -> pl.DataFrame:
    """Return the facts, or those of a project, without those whose stated end lies before the last day that memory knows.

    That day, not the clock nor the logical time, so that a page stays as it is: the keys of pages hold tables and no day. Lines
    of a session whose clock is more than a day ahead come into no table.
    """
    own = observations if project is None else observations.filter(pl.col("project") == project)
    return own.filter(~pl.col("observation_id").is_in(list_ended_facts(run, observations, project)))


def list_ended_facts(run: Run, observations: pl.DataFrame, project: str | None = None) -> list[str]:
    """Return the ids of the facts, or of those of a project, that `drop_ended_facts` drops."""
    own = observations if project is None else observations.filter(pl.col("project") == project)
    last_day = _find_last_day(run, observations)
    if last_day is None:
        return []
    may_end = own.filter(pl.col("text").str.contains(MAY_END)).select("observation_id", "text", "said_at")
    return [key for key, text, said_at in may_end.iter_rows() if has_ended(text, said_at.astimezone(run.zone).date(), last_day)]


def _find_last_day(run: Run, observations: pl.DataFrame) -> date | None:
    known = [observations["said_at"].max(), *run.lake.scan("sessions").select(pl.max("ended_at")).collect()["ended_at"]]
    moments = [moment for moment in known if isinstance(moment, datetime)]
    return max(moments).astimezone(run.zone).date() if moments else None


def keep_ended_facts(run: Run, observations: pl.DataFrame) -> list[str]:
    """Return what `list_ended_facts` returns of all facts, which reads every text only when a fact or the last day is another.

    `_logs/parts_ended_facts.log` has the key of both, and ids; it is no truth, and holds no word.
    """
    read = observations.select("observation_id", "text", "said_at", is_fact=True)
    key = hash_fields(repr(hash_groups(read, ["is_fact"])), str(_find_last_day(run, observations)), size=16)
    kept = read_part_keys(run, ENDED_FACTS)
    ids = kept.get(key)
    if isinstance(ids, str) and kept.get("sign") == hash_fields(key, ids, size=16):
        return ids.split()
    ended = list_ended_facts(run, observations)
    ids = " ".join(ended)
    write_part_keys(run, ENDED_FACTS, {key: ids, "sign": hash_fields(key, ids, size=16)})
    return ended


def list_answered_advice(observations: pl.DataFrame) -> list[str]:
    """Return the ids of the agents' facts that begin with advice which a fact of the owner answers: what he said of it holds.

    A fact of the owner cites his message first, and behind it the agent's turn before it that he answers. It answers what it
    quotes of that turn: one in words of its own may be about anything else of it.
    """
    is_wanted = (pl.col("origin") == "owner") & pl.col("kind").is_in(sorted(PERSON_KINDS | {"rejected"}))
    own = observations.filter(is_wanted).select("session_id", "entry_ids", "lines", "text")
    quoted = [
        ((session, entry), piece)
        for session, entries, lines, text in own.iter_rows()
        if (about := _ABOUT.search(text)) and (pieces := _list_quoted_pieces(about["words"]))
        for entry, line in zip(entries or (), lines or (), strict=False)
        if line < lines[0]
        for piece in pieces
    ]
    stated = observations.filter(pl.col("origin") == "agent").sort("observation_id")
    return [
        key
        for key, session, entries, text in stated.select("observation_id", "session_id", "entry_ids", "text").iter_rows()
        if entries
        and ADVICE.search(text[:ADVICE_CHARS])
        and any(piece in _join_words(split_words(text)) for turn, piece in quoted if turn == (session, entries[0]))
    ]


def _list_quoted_pieces(quotation: str) -> list[str]:
    """Return the words of the pieces that a quotation of an agent's turn puts together, but of very short ones."""
    pieces = [split_words(piece) for piece in _PIECE_BREAK.split(quotation)]
    return [_join_words(words) for words in pieces if len(words) >= PIECE_WORDS]


def _join_words(words: list[str]) -> str:
    return f" {' '.join(words)} "


def read_refusals(run: Run, observations: pl.DataFrame) -> dict[str, datetime]:
    """Return when the owner refused facts as lines of MEMORY.md, by id."""
    lines = [bullet.line for bullet in parse_memory(read_memory(run)).bullets]
    return list_refusals(run.lake.read("proposals"), run.lake.read("memory_lines"), observations, lines)


def list_refused_facts(observations: pl.DataFrame, refusals: Mapping[str, datetime]) -> list[str]:
    """Return the ids of the rules and preferences that the owner refused as a line of MEMORY.md and has not said since.

    A decision or a finding may hold without a line; a wish for good that is none binds nobody.
    """
    if not refusals:
        return []
    said_again = observations.filter(pl.col("superseded_by").is_in(sorted(refusals)))
    last = pl.concat([
        observations.select("observation_id", "said_at"), said_again.select(observation_id="superseded_by", said_at="said_at")
    ]).group_by("observation_id").agg(pl.col("said_at").max())  # fmt: skip
    is_standing = pl.col("kind").is_in(sorted(STANDING_KINDS)) & pl.col("observation_id").is_in(sorted(refusals))
    wishes = observations.filter(is_standing).select("observation_id").join(last, on="observation_id").sort("observation_id")
    return [key for key, said_at in wishes.iter_rows() if said_at <= refusals[key]]
