"""A memory as a careful model would have kept it: each line that a person would sign, cited, among a season's sessions.

The sessions are those of `benchmarks/memory/season.py`; no night runs. The offline engine cuts them into segments and adds rows
that state none of the facts, as other rows of a model do. A `Condition` says how much of what was replaced is retired, and what
stands in MEMORY.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchmarks.memory.season_life import BY_HAND, SECRET, Life
from benchmarks.memory.season_voice import SeasonFact, State, mentions, scale_day
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.embedding.embed_step import embed
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest
from effects.store.memory_file import locate_memory, render_empty_memory
from effects.store.run import open_run
from transforms.language.tokenizer import tokenize
from transforms.pages.memory_md import add_bullet
from transforms.tables.enums import KINDS
from transforms.tables.ids import hash_fields
from transforms.tables.schema import OBSERVATIONS, build_frame
from transforms.tables.tokens import count_tokens

CITED = 3
"""Turns that a line cites at most: those of its dialogue that share most words with it."""
NOT_PROMOTED = 4
"""Of so many lasting facts one does not stand in MEMORY.md."""
SECTIONS = {"rule": "Hard Rules", "convention": "Patterns", "preference": "Mara"}
OTHER_SECTION = "System Architecture"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Condition:
    """How memory was kept: `retired` of `out_of` replaced states are superseded; `by_hand` lines of MEMORY.md are stale."""

    retired: int
    out_of: int
    is_reviewed: bool
    by_hand: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The text of a kept row and its project; a line of MEMORY.md has none."""

    text: str
    project: str | None


CONDITIONS = {
    "tended": Condition(1, 1, True, 0),
    "half": Condition(1, 2, True, BY_HAND // 2),
    "untended": Condition(0, 1, True, BY_HAND),
    "unreviewed": Condition(1, 2, False, 0),
}


class AskedWorld:
    """The lake of a voice, made once; `keep` changes what memory kept and brings the index up to date."""

    def __init__(self, life: Life) -> None:
        """Write the sessions, distil them offline, and leave out the rows that state a fact."""
        self.life = life
        for day in range(life.days):
            life.write_sessions(day)
        self.run = open_run(life.settings, life.find_night(life.days - 1))
        with self.run.lake.writing("benchmark"):
            ingest(self.run)
            window(self.run)
            distil(self.run)
        keys = [state["keys"] for fact in life.voice.facts for state in fact["states"]]
        kept = self.run.lake.read("observations")
        states_none = [not any(mentions(text, own) for own in keys) for text in kept["text"]]
        self.others = kept.filter(pl.Series(states_none)).drop("schema_version")
        self.entries = self.run.lake.scan("entries").select(
            "session_id", "entry_id", "line_no", "ordinal", "text", "said_at", "role", "day"
        )
        self.spoken = self.entries.collect().filter(pl.col("role").is_in(["user", "assistant"]) & (pl.col("text") != ""))
        self.projects = dict(self.run.lake.read("sessions").select("session_id", "project").iter_rows())

    def keep(self, condition: Condition) -> list[Kept]:
        """Keep each line as a row of its day and some in MEMORY.md; return what holds by recollect's own account."""
        rows = list(self._make_rows(condition))
        frame = pl.concat([self.others, build_frame(OBSERVATIONS, rows)], how="diagonal_relaxed")
        lines = self._list_promoted(condition)
        text = render_empty_memory(self.run)
        for fact, line in lines:
            text = add_bullet(text, SECTIONS.get(fact["kind"], OTHER_SECTION), "- " + line, ())
        with self.run.lake.writing("benchmark"):
            days = sorted({*self.run.lake.list_days("observations"), *frame["day"]})
            with self.run.lake.commit() as change:
                change.replace_days("observations", frame, days)
            locate_memory(self.run).parent.mkdir(parents=True, exist_ok=True)
            locate_memory(self.run).write_text(text if lines else "", encoding="utf-8")
            embed(self.run)
            index(self.run)
        open_rows = frame.filter(pl.col("superseded_by").is_null()).select("text", "project").iter_rows()
        return [*(Kept(line, None) for _, line in lines), *(Kept(text, project) for text, project in open_rows)]

    def _list_promoted(self, condition: Condition) -> list[tuple[SeasonFact, str]]:
        """Return the lines of MEMORY.md: of most lasting facts that hold, and first states of some that were replaced."""
        if not condition.is_reviewed:
            return []
        life, day = self.life, self.life.days - 1
        stale = {fact["id"] for fact in life.written_later[: condition.by_hand]}
        lines = []
        for number, fact in enumerate(fact for fact in life.voice.facts if fact["lasting"]):
            state = life.voice.find_state(fact, day, life.days)
            if fact["id"] in stale:
                lines.append((fact, fact["states"][0]["line"]))
            elif state and number % NOT_PROMOTED:
                lines.append((fact, state["line"]))
        return lines

    def _make_rows(self, condition: Condition) -> Iterator[Row]:
        replaced = 0
        for fact in self.life.voice.facts:
            rows = [self._make_row(fact, state) for state in fact["states"]]
            for row, newer in itertools.pairwise(rows):
                if replaced % condition.out_of < condition.retired:
                    row["superseded_by"] = newer["observation_id"]
                replaced += 1
            yield from rows

    def _make_row(self, fact: SeasonFact, state: State) -> Row:
        cited = [self._find_cited(said, state["line"]) for said in state["said"]]
        first = cited[0]
        session, text = first["session_id"][0], state["line"]
        return {
            "observation_id": "o-" + hash_fields(fact["id"], text), "segment_id": "", "window_id": "", "session_id": session,
            "project": self.projects[session], "day": first["day"][0], "said_at": first["said_at"][0],
            "kind": fact["kind"] if fact["kind"] in KINDS else "fact", "priority": "high" if fact["lasting"] else "medium",
            "category": "operations", "origin": "owner", "text": text, "ordinals": first["ordinal"].to_list(),
            "entry_ids": first["entry_id"].to_list(), "lines": first["line_no"].to_list(), "files": [], "line_numbers": [],
            "verdict": "allow", "verdict_reason": "", "confidence": 0.9, "tokens": count_tokens(text), "engine": "benchmark",
            "template_hash": "", "superseded_by": None, "merged_count": len(cited),
            "also": [f"{row['session_id']}:{row['entry_id']}" for more in cited[1:] for row in more.iter_rows(named=True)],
            "compared_with": None,
            "rests_on": [],
            "compared_keys": [],
        }  # fmt: skip

    def _find_cited(self, said: Mapping[str, Any], line: str) -> pl.DataFrame:
        """Return the spoken turns of a dialogue that share most words with the line, in their order."""
        day = self.life.find_night(scale_day(said["day"], self.life.days) - 1).date()
        spoken = [turn["text"] for turn in said["dialogue"] if turn["who"] in ("owner", "agent")]
        texts = [text.replace(SECRET, self.life.secret) for text in spoken]
        near = self.spoken.filter((pl.col("said_at").dt.date() == day) & pl.col("text").is_in(texts))
        sessions = near.group_by("session_id").len().sort("len", "session_id", descending=True)["session_id"]
        own = near.filter(pl.col("session_id") == sessions[0]).unique("text", keep="first", maintain_order=True)
        words = set(tokenize(line))
        shared = [len(words & set(tokenize(text))) for text in own["text"]]
        return (
            own.with_columns(shared=pl.Series(shared))
            .sort("shared", "ordinal", descending=[True, False])
            .head(CITED)
            .sort("ordinal")
        )
