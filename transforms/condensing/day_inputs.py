"""The facts and narratives of each project's days as inputs of condensing, made of columns when a day asks for its own.

A history stays in columns: as rows of Python it would take ten times the memory, and most days of a night need names alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, cast

import polars as pl

from transforms.condensing.period_item import PeriodItem
from transforms.language.statement import split_claim
from transforms.memory.claim_clauses import extract_headline
from transforms.tables.enums import OPEN_KINDS, PERSON_KINDS, Origin
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ObservationRow, SegmentRow
from transforms.tables.schema import hash_groups
from transforms.tables.tokens import count_tokens

MAX_EARLIER_CHARS = 90
_STATES = frozenset({"state_change", "status", "fact"})
OBSERVATION_COLUMNS = (
    "observation_id", "project", "day", "said_at", "session_id", "kind", "priority", "text", "ordinals", "entry_ids", "files",
    "superseded_by", "also", "origin",
)  # fmt: skip
SEGMENT_COLUMNS = ("segment_id", "project", "day", "session_id", "narrative", "entry_ids", "started_at", "first_ordinal")
_DAY = ("project", "day")

Places = dict[Any, tuple[int, int]]
"""Key → the position of its first row in a frame that is sorted by key, and the number of its rows."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The texts of the facts of a session: those that hold, and those that later facts replaced; and what holds instead of a part
    of a fact, by its text."""

    holding: list[str]
    replaced: list[str]
    changed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PeriodInput:
    """An observation or a segment as an input: its item, the tokens of its text, its citations and its origin; a segment of a
    session with replaced facts has the session's facts. `said_by` are the facts whose words are said beside it."""

    item: PeriodItem
    tokens: int
    refs: tuple[str, ...]
    origin: Origin | None
    session_facts: SessionFacts | None = None
    said_by: frozenset[str] = frozenset()


class DayInputs:
    """The inputs of each project's days: allowed observations that are not superseded, and the narratives of segments."""

    def __init__(
        self,
        observations: pl.DataFrame,
        segments: pl.DataFrame,
        outdated: Collection[str] = (),
        changed: Mapping[str, str] | None = None,
        said_by: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """`observations` and `segments` have the columns `OBSERVATION_COLUMNS` and `SEGMENT_COLUMNS`, in any order of rows;
        `outdated` are the ids of reports that are over although nothing replaced what they claim, `changed` says by id what holds
        instead of a part of a fact, and `said_by` by the same id whose words these are."""
        self._changed = dict(changed or {})
        self._said_by = dict(said_by or {})
        retired = _list_retired(observations)
        self._earlier = _find_retired_claims(retired.filter(~pl.col("observation_id").is_in(sorted(outdated))))
        holding = observations.filter(pl.col("superseded_by").is_null())
        marked = [
            frame.select("session_id", "text", self._name_change(), replaced=is_replaced)
            for frame, is_replaced in _mark(holding, retired)
        ]
        changing = holding.filter(pl.col("observation_id").is_in(sorted(self._changed)))
        has_retired = pl.col("session_id").is_in([*retired["session_id"].unique(), *changing["session_id"].unique()])
        self._session_texts = pl.concat(marked).filter(has_retired).sort("session_id")
        self._facts = _sort_by_day(holding, "observation_id")
        self._narratives = _sort_by_day(segments.filter(pl.col("narrative") != ""), "segment_id")
        self._session_places = {key[0]: place for key, place in _find_places(self._session_texts, ["session_id"]).items()}
        self._facts_at, self._narratives_at = (_find_places(frame, [*_DAY]) for frame in (self._facts, self._narratives))

    def list_days(self) -> list[tuple[str, date]]:
        """Return each day of a project that has an input, sorted."""
        return sorted({*self._facts_at, *self._narratives_at})

    def hash_days(self) -> dict[tuple[str, date], str]:
        """Return for each day of a project a hash of all that its inputs are made of."""
        claims = {name: self._tell_earlier(name) for name in {*self._earlier, *self._changed}}
        earlier = pl.col("observation_id").replace_strict(claims, default="", return_dtype=pl.String)
        texts = {name: value for (name,), value in hash_groups(self._session_texts, ["session_id"]).items()}
        session_texts = pl.col("session_id").replace_strict(texts, default="", return_dtype=pl.String)
        facts = hash_groups(self._facts.with_columns(earlier=earlier), _DAY)
        narratives = hash_groups(self._narratives.with_columns(session_texts=session_texts), _DAY)
        return {day: hash_fields(facts.get(day, ""), narratives.get(day, ""), size=16) for day in self.list_days()}

    def list_ids(self, project: str, day: date) -> list[str]:
        """Return the ids of a day's inputs, each with the claim that it retired and what holds instead of a part of it."""
        facts, narratives = self._select_day(project, day)
        named = [f"{name} {self._tell_earlier(name)}" for name in facts["observation_id"]]
        return named + [f"{name} " for name in narratives["segment_id"]]

    def list_citations(self, project: str, day: date) -> list[str]:
        """Return every citation of a day's inputs, each once, sorted."""
        facts, narratives = self._select_day(project, day)
        refs = {f"{session}:{entry}" for session, entries in _iterate_cited(facts, narratives) for entry in entries or ()}
        return sorted(refs.union(*(also or () for also in facts["also"].to_list())))

    def list_origins(self, project: str, day: date) -> set[Origin | None]:
        """Return the origins of a day's inputs."""
        facts, narratives = self._select_day(project, day)
        return cast(set[Origin | None], {*facts["origin"], *(("agent",) if len(narratives) else ())})

    def read(self, project: str, day: date) -> list[PeriodInput]:
        """Return a day's inputs, sorted by id."""
        facts, narratives = self._select_day(project, day)
        leaves = [
            replace(
                _build_fact_input(row, *(by_id.get(row["observation_id"], "") for by_id in (self._earlier, self._changed))),
                said_by=frozenset(self._said_by.get(row["observation_id"], ())),
            )
            for row in cast(Iterable[ObservationRow], facts.iter_rows(named=True))  # the columns above only
        ]
        session_facts = {
            session: self._read_session(session)
            for session in set(narratives["session_id"].to_list())
            if session in self._session_places
        }
        rows = cast(Iterable[SegmentRow], narratives.iter_rows(named=True))
        leaves += [_build_narrative_input(row, session_facts.get(row["session_id"])) for row in rows]
        return sorted(leaves, key=lambda leaf: leaf.item.id)

    def _name_change(self) -> pl.Expr:
        return pl.col("observation_id").replace_strict(self._changed, default="", return_dtype=pl.String).alias("changed")

    def _tell_earlier(self, name: str) -> str:
        changed = self._changed.get(name, "")
        return self._earlier.get(name, "") + (f" {changed}" if changed else "")

    def _select_day(self, project: str, day: date) -> tuple[pl.DataFrame, pl.DataFrame]:
        places = self._facts_at.get((project, day), (0, 0)), self._narratives_at.get((project, day), (0, 0))
        return self._facts.slice(*places[0]), self._narratives.slice(*places[1])

    def _read_session(self, session: str) -> SessionFacts:
        texts = self._session_texts.slice(*self._session_places[session])
        marked = list(zip(texts["text"].to_list(), texts["replaced"].to_list(), strict=True))
        return SessionFacts(
            [text for text, is_replaced in marked if not is_replaced],
            [text for text, is_replaced in marked if is_replaced],
            {text: changed for text, changed in texts.select("text", "changed").iter_rows() if changed},
        )


def _mark(holding: pl.DataFrame, retired: pl.DataFrame) -> list[tuple[pl.DataFrame, pl.Expr]]:
    return [(holding, pl.lit(value=False)), (retired, pl.lit(value=True))]


def _sort_by_day(rows: pl.DataFrame, key: str) -> pl.DataFrame:
    return rows.with_columns(pl.col("project").fill_null("")).sort(*_DAY, key)


def _find_places(rows: pl.DataFrame, by: Sequence[str]) -> Places:
    """Return the place of each key's rows in a frame that is sorted by it."""
    counted = rows.group_by(by, maintain_order=True).len()
    counted = counted.with_columns(start=pl.col("len").cum_sum() - pl.col("len"))
    return {tuple(key): (start, count) for *key, count, start in counted.iter_rows()}


def _iterate_cited(facts: pl.DataFrame, narratives: pl.DataFrame) -> Iterable[tuple[str, list[str] | None]]:
    for frame in (facts, narratives):  # a query for each of thousands of days costs ten times its rows
        yield from zip(frame["session_id"].to_list(), frame["entry_ids"].to_list(), strict=True)


def _list_retired(observations: pl.DataFrame) -> pl.DataFrame:
    """Return the facts that later ones retired, the oldest first: without those that were merged, and without requests, questions
    and tasks that were finished. What was asked for was asked for, so nothing that tells it is wrong now."""
    superseded = observations.filter(pl.col("superseded_by").is_not_null())
    heirs = observations.filter(pl.col("observation_id").is_in(superseded["superseded_by"].unique().to_list()))
    cited = {name: (kind, set(also or ())) for name, kind, also in heirs.select("observation_id", "kind", "also").iter_rows()}
    is_retired = []
    for kind, session, entries, heir in superseded.select("kind", "session_id", "entry_ids", "superseded_by").iter_rows():
        refs = {f"{session}:{entry}" for entry in entries or ()}
        heir_kind, also = cited.get(heir, ("", refs))
        is_finished = kind in OPEN_KINDS and heir_kind not in OPEN_KINDS | PERSON_KINDS
        is_retired.append(not is_finished and heir in cited and not (refs and refs <= also))
    return superseded.filter(pl.Series(is_retired, dtype=pl.Boolean)).sort("said_at", "observation_id")


def _find_retired_claims(retired: pl.DataFrame) -> dict[str, str]:
    """Return observation → the claim that it retired: of several what a person said, else what was so, else the newest report."""
    rows = retired.select("kind", "superseded_by", "text").iter_rows()
    ranked = sorted(rows, key=lambda row: (row[0] in PERSON_KINDS, row[0] in _STATES))
    texts = {heir: text for _, heir, text in ranked}
    claims = {name: extract_headline(split_claim(text).claim) for name, text in texts.items()}
    return {
        name: claim if len(claim) <= MAX_EARLIER_CHARS else claim[: MAX_EARLIER_CHARS - 1].rstrip() + "…"
        for name, claim in claims.items()
    }


def _build_fact_input(row: ObservationRow, earlier: str, changed: str) -> PeriodInput:
    moment = row["said_at"].timestamp() if row["said_at"] else 0.0
    item = PeriodItem(
        row["observation_id"], row["kind"], row["priority"], " ".join(row["text"].split()), row["day"],
        (moment, row["session_id"], min(row["ordinals"] or [0])), frozenset(row["files"] or ()), earlier,
        frozenset({row["observation_id"]}), changed=changed,
    )  # fmt: skip
    refs = [f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()] + list(row["also"] or ())
    return PeriodInput(item, count_tokens(row["text"] + changed), tuple(refs), row["origin"])


def _build_narrative_input(row: SegmentRow, session_facts: SessionFacts | None) -> PeriodInput:
    moment = row["started_at"].timestamp() if row["started_at"] else 0.0
    order = (moment, row["session_id"], row["first_ordinal"])
    item = PeriodItem(
        row["segment_id"], "narrative", "medium", " ".join(row["narrative"].split()), row["day"], order,
        sources=frozenset({row["segment_id"]}),
    )  # fmt: skip
    refs = tuple(f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ())
    return PeriodInput(item, count_tokens(row["narrative"]), refs, "agent", session_facts)
