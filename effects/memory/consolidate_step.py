"""The consolidate step: condenses days, weeks, months and years of each project once they are old enough.

The reflector's models condense when some are set, else the offline engine. When no model can be asked about a period, it is
condensed offline for now and asked about again in the next run; a period that models answered badly stays offline. Both cases
are recorded in `reason`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from threading import Lock

import polars as pl

from effects.engines.call_notes import import_notes
from effects.engines.condenser import Condenser, ModelCondensed
from effects.engines.model_chain import Unanswered, ask_or_explain
from effects.engines.registry import build_reflector, format_owner_name, list_reflector_models
from effects.judging.told_relations import read_changed_parts, read_outdated_reports
from effects.store.content_key import compute_search_key, find_settled, read_part_keys, settle, write_part_keys
from effects.store.forgotten import read_forgotten
from effects.store.run import Counts, Run
from effects.system.garbage import forget_large_caches
from transforms.answers.changed_parts import describe_replaced_parts
from transforms.condensing.condense import CondensedText
from transforms.condensing.day_inputs import OBSERVATION_COLUMNS, SEGMENT_COLUMNS, DayInputs
from transforms.condensing.due_trees import DueTrees
from transforms.condensing.period_answer import amend_period, unpack_items
from transforms.condensing.tiers import (
    PeriodNode,
    TierPlan,
    apply_model_text,
    assign_offline_id,
    build_distillate_row,
    collect_items,
    collect_source_ids,
    condense_children,
    count_input_tokens,
    ensure_condensed,
    list_due_periods,
    plan_tiers,
    release_inputs,
    retell_text,
)
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.redaction.redact import redact
from transforms.tables.enums import APART_KINDS, OFFLINE
from transforms.tables.ids import hash_fields
from transforms.tables.periods import TIERS
from transforms.tables.rows import DistillateRow, QuarantineRow
from transforms.tables.schema import DISTILLATES, QUARANTINE, build_frame, read_rows

PERIODS = {1: "days", 2: "weeks", 3: "months", 4: "years"}
MAX_DISTILLATES = 5_000
"""Distillates made in one run. Due periods are found over everything first, so the rest follows in the next runs."""
WAITING_PREFIX = "waiting: "
MAX_HELD_CHARS = 160
PROGRESS_EVERY = 200

_LONG_COLUMNS = ("text", "child_ids", "entry_refs", "parts")
"""Columns of a distillate that only a text of a model is asked for again; most of a history's distillates are these."""
_ROWS_PER_BLOCK = 50
"""New distillates that are held as rows of Python before they become columns, and the analysed texts of large caches go."""


def consolidate(run: Run, cap: int = MAX_DISTILLATES, again_since: date | None = None) -> Counts:
    """Make the distillates that are due and not stored for exactly these inputs, at most `cap`; drop stale ones.

    With `again_since` periods that end on that day or later are condensed again when another engine or prompt wrote them.

    Returns the number of due, made, kept and waiting distillates, per tier the periods that could not be made smaller than
    their input (their children go into the next tier themselves), and with models their cost and failures.
    """
    imported = import_notes(run.lake)
    key = _compute_key(run, cap, again_since)
    if (settled := find_settled(run, "consolidate", key)) is not None:
        return settled
    stored = run.lake.read("distillates").drop("schema_version")
    has_models_text = stored["source_ids"].drop_nulls().len() > 0
    days, known = _read_inputs(run, has_models_text=has_models_text)
    trees = DueTrees(days, run.settings.tiers.after_days, run.today, stored)
    may_rest = not has_models_text and again_since is None and not list_reflector_models(run)
    noted = read_part_keys(run, "consolidate") if may_rest else {}
    resting = {name for name, value in trees.keys.items() if noted.get(name) == value}
    tier_plan = plan_tiers(days, run.settings.tiers.after_days, run.today, trees.list_days(resting))
    resting_rows = trees.list_rows(resting, stored)
    others = _read_stored(stored.filter(~pl.col("distillate_id").is_in(sorted(resting_rows))))
    build = _TierBuild(run, others, known, _build_condenser(run), cap, again_since)
    parents = build.build_rows(tier_plan)
    build.kept |= resting_rows
    resting_count, without_row = trees.count_periods(resting, stored)
    build.not_smaller.update(without_row)
    rows = _enter_successors(build.join_rows(stored), parents)
    held_rows = build.build_quarantine_rows()
    is_same = rows.equals(stored)
    if not is_same or held_rows:
        with run.lake.commit() as change:
            change.replace("distillates", rows)
            if held_rows:
                change.append("quarantine", build_frame(QUARANTINE, held_rows))
    counts: Counts = {
        "due": len(tier_plan.nodes) + resting_count,
        "made": {PERIODS[tier]: count for tier, count in sorted(build.made.items())},
        "kept": rows.height - build.made.total(),
        "not_smaller": {PERIODS[tier]: count for tier, count in sorted(build.not_smaller.items())},
        "waiting": len(build.waiting),
    }
    if may_rest and not build.waiting:
        keys = trees.keys if is_same else trees.compute_keys(rows)
        write_part_keys(run, "consolidate", {name: value for name, value in keys.items() if trees.keys[name] == value})
    if is_same and not held_rows and not build.made and not imported:
        settle(run, "consolidate", key, counts)
    return counts | build.count_requests() | ({"calls_taken_in": imported} if imported else {})


def _compute_key(run: Run, cap: int, again_since: date | None) -> str:
    """Return the key of all that periods are condensed from, with those that are due; empty when models condense them.

    Models are asked again about what they could not answer.
    """
    if list_reflector_models(run):
        return ""
    days = {*run.lake.list_days("observations"), *run.lake.list_days("segments")}
    due = hash_fields(*list_due_periods(days, run.settings.tiers.after_days, run.today))
    return compute_search_key(
        run, ("observations", "segments", "distillates", "relations", "tombstones"), due, str(cap), str(again_since)
    )


def _read_inputs(run: Run, *, has_models_text: bool) -> tuple[DayInputs, set[str]]:
    """Return what days are condensed from and, when a model wrote some texts, the ids of all stored facts and narratives, also
    of replaced ones."""
    lake = run.lake
    facts = lake.scan("observations").filter(~pl.col("kind").is_in(APART_KINDS), verdict="allow").select(OBSERVATION_COLUMNS)
    allowed, segments = (rows.collect() for rows in (facts, lake.scan("segments").select(SEGMENT_COLUMNS)))
    forgotten = read_forgotten(lake)
    allowed, segments = drop_forgotten_rows(allowed, forgotten), drop_forgotten_rows(segments, forgotten)
    known = {*allowed["observation_id"].to_list(), *segments["segment_id"].to_list()} if has_models_text else set()
    parts = read_changed_parts(run)
    said_by = {key: {part.newer_id for part in said} for key, said in parts.items()}
    return DayInputs(allowed, segments, read_outdated_reports(run), describe_replaced_parts(parts), said_by), known


def _read_stored(stored: pl.DataFrame) -> dict[str, DistillateRow]:
    """Return the stored rows by id; those of the offline engine, which makes its texts again, without their long columns."""
    is_models = pl.col("engine") != OFFLINE
    short = stored.with_columns(pl.when(is_models).then(pl.col(name)).alias(name) for name in _LONG_COLUMNS)
    return {row["distillate_id"]: row for row in read_rows(DISTILLATES, short)}


def _enter_successors(rows: pl.DataFrame, parents: Mapping[str, str]) -> pl.DataFrame:
    """Return the rows, sorted by key, with the period that takes each in: that of this plan, else the former one, if there."""
    present = set(rows["distillate_id"])
    successors = (parents.get(name, former) for name, former in rows.select("distillate_id", "superseded_by").iter_rows())
    column = pl.Series("superseded_by", [name if name in present else None for name in successors], pl.String)
    return rows.with_columns(column).sort(DISTILLATES.key)


def _build_condenser(run: Run) -> Condenser | None:
    chain = build_reflector(run) if list_reflector_models(run) else None
    return Condenser(chain, format_owner_name(run), run.zone) if chain else None


@dataclass
class _RequestLog:
    """The results of requests to models; safe to use from several threads."""

    by_models: int = 0
    amended: int = 0
    offline: Counter[str] = field(default_factory=Counter)
    held: list[tuple[str, str, str]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def record_text(self, paid_id: str, held: Sequence[tuple[str, str]]) -> None:
        """Record a period that a model wrote, and its lines that were held back, with reasons."""
        with self._lock:
            self.by_models += 1
            self.held += [(paid_id, reason, text) for reason, text in held]

    def record_amendment(self) -> None:
        """Record that a model's text was kept although rows below it changed."""
        with self._lock:
            self.amended += 1

    def record_failure(self, reason: str) -> None:
        """Record that a period stays offline, with the reason."""
        with self._lock:
            self.offline[reason] += 1


@dataclass
class _TierBuild:
    """Builds the rows of a plan, tier by tier: stored rows that still hold, texts of models, texts of the offline engine.

    Stored rows are kept by id (`kept`); new ones become columns in blocks.
    """

    run: Run
    stored: dict[str, DistillateRow]
    known: set[str]
    condenser: Condenser | None
    cap: int
    again_since: date | None
    made: Counter[int] = field(default_factory=Counter)
    not_smaller: Counter[int] = field(default_factory=Counter)
    waiting: set[str] = field(default_factory=set)
    requests: _RequestLog = field(default_factory=_RequestLog)
    kept: set[str] = field(default_factory=set)
    new_rows: list[DistillateRow] = field(default_factory=list)
    blocks: list[pl.DataFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.written = {
            (row["tier"], row["project"], row["period_start"]): row
            for row in self.stored.values()
            if row["source_ids"] and self._tells_what_is_there(row)
        }

    def build_rows(self, tier_plan: TierPlan) -> dict[str, str]:
        """Find or make the distillate of every period; stored ones that still hold stay. Return the period that takes each in.

        One year of a project follows the other, each from days up to the year, so that the texts of one year are held at a time.
        """
        parents: dict[str, str] = {}
        for year in tier_plan.split_by_year():
            for tier in TIERS:
                self._build_tier(self._list_unmade(node for node in year.nodes if node.period.tier == tier))
            parents |= year.map_to_parents()
            year.release_texts()
        postponed = {(node.period.tier, node.project, node.period.start) for node in tier_plan.nodes if node.id in self.waiting}
        former = {name for name, row in self.stored.items() if (row["tier"], row["project"], row["period_start"]) in postponed}
        self._finish_block()
        self.kept |= former.difference(*(block["distillate_id"] for block in self.blocks))  # until their successors are made
        return parents

    def _list_unmade(self, nodes: Iterable[PeriodNode]) -> list[PeriodNode]:
        """Keep the stored rows that hold, and return the periods without one."""
        unmade = []
        for node in nodes:
            assign_offline_id(node)
            row = self._find_stored(node)
            if row is not None and not self._is_due_again(row):
                self.kept.add(row["distillate_id"])
                _restore_model_text(node, row)
            else:
                unmade.append(node)
        return unmade

    def join_rows(self, stored: pl.DataFrame) -> pl.DataFrame:
        """Return the kept ones of the stored rows, and the new ones."""
        return pl.concat([stored.filter(pl.col("distillate_id").is_in(self.kept)), *self.blocks])

    def _add_row(self, row: DistillateRow) -> None:
        if row is self.stored.get(row["distillate_id"]):
            self.kept.add(row["distillate_id"])
            return
        self.new_rows.append(row)
        if len(self.new_rows) >= _ROWS_PER_BLOCK:
            self._finish_block()
            forget_large_caches()

    def _finish_block(self) -> None:
        self.blocks.append(build_frame(DISTILLATES, self.new_rows))
        self.new_rows = []

    def _find_stored(self, node: PeriodNode) -> DistillateRow | None:
        row = self.stored.get(node.paid_id) or self.stored.get(node.id)
        return row if row is not None and self._tells_what_is_there(row) else None

    def _tells_what_is_there(self, row: DistillateRow) -> bool:
        """Whether nothing that a text was made from was forgotten or observed anew since."""
        return self.known.issuperset(row["source_ids"] or ())

    def count_requests(self) -> Counts:
        """Return, with models, how many texts they wrote, the reasons of the rest, and the counts of the call store."""
        if self.condenser is None:
            return {}
        reasons = Counter(reason for _, reason, _ in self.requests.held)
        return {
            "by_models": self.requests.by_models,
            **({"amended": self.requests.amended} if self.requests.amended else {}),
            "offline_instead": dict(sorted(self.requests.offline.items())),
            "held": dict(sorted(reasons.items())),
            **self.condenser.chain.call_store.close(),
        }

    def build_quarantine_rows(self) -> list[QuarantineRow]:
        """Return lines that were held back as rows of `quarantine`, each with its reason."""
        new = {(rule, f"{name}: {redact(text)[:MAX_HELD_CHARS]}") for name, rule, text in self.requests.held}
        if new:
            new -= set(self.run.lake.scan("quarantine").select("rule", "detail").collect().iter_rows())
        return [{"path": "distillates", "line_no": -1, "rule": rule, "detail": detail} for rule, detail in sorted(new)]

    def _is_due_again(self, row: DistillateRow) -> bool:
        """Whether a stored row is made again: no model could be asked then, or the owner wants another engine's text."""
        if self.condenser and (row["reason"] or "").startswith(WAITING_PREFIX):
            return True
        if self.again_since is None or row["period_end"] < self.again_since:
            return False
        versions = self.condenser.list_versions() if self.condenser else {(OFFLINE, None)}
        return (row["engine"], row["template_hash"]) not in versions

    def _build_tier(self, unmade: Sequence[PeriodNode]) -> None:
        ready = []
        for node in unmade:
            if any(child.id in self.waiting for child in node.below):
                self.waiting.add(node.id)
            else:
                ready.append(node)
        while ready and self.made.total() < self.cap:
            room = self.cap - self.made.total()
            for node, (row, is_new) in zip(ready[:room], self._build_in_parallel(ready[:room]), strict=True):
                release_inputs(node)
                if row is None:
                    self.not_smaller[node.period.tier] += 1
                    continue
                self._add_row(row)
                self.made[node.period.tier] += is_new
            ready = ready[room:]
        self.waiting |= {node.id for node in ready}

    def _build_in_parallel(self, nodes: Sequence[PeriodNode]) -> Iterator[tuple[DistillateRow | None, bool]]:
        """Yield the row of every node, in order, and whether it is new; models are asked in parallel."""
        workers = self.run.settings.engine.concurrency if self.condenser else 1
        if workers < 2 or len(nodes) < 2:
            yield from map(self._build_row, nodes)
            return
        with ThreadPoolExecutor(workers, "consolidate") as pool:
            futures = [pool.submit(self._build_row, node) for node in nodes]
            try:
                for future in futures:
                    yield future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)  # answers under way are still stored, no new request leaves
                raise

    def _build_row(self, node: PeriodNode) -> tuple[DistillateRow | None, bool]:
        former = self._find_stored(node)
        if self.made.total() % PROGRESS_EVERY == PROGRESS_EVERY - 1:
            self.run.progress(f"{self.made.total() + 1} distillates")
        condense_children(node)
        if amended := self._amend_model_row(node):
            return amended, True
        offline = ensure_condensed(node)
        if retell_text(node):
            return build_distillate_row(node), True
        condenser = self.condenser
        if condenser is None or offline is None or not condenser.is_worth_asking(node):
            return build_distillate_row(node), True
        row = ask_or_explain(self.run.settings.lake, lambda: self._build_model_row(node, condenser.condense(node)))
        if not isinstance(row, Unanswered):
            return row, True
        reason = row.reason if row.is_asked else f"{WAITING_PREFIX}{row.reason}"
        self.requests.record_failure(reason)
        if former is not None and (former["engine"] != OFFLINE or former["reason"] == reason):
            _restore_model_text(node, former)  # no new answer: the stored text stays
            return former, False
        return build_distillate_row(node, reason=reason), former is None

    def _build_model_row(self, node: PeriodNode, model_text: ModelCondensed) -> DistillateRow | None:
        source_ids = collect_source_ids(node)
        apply_model_text(node, model_text.condensed, source_ids, model_text.engine, model_text.template_hash)
        self.requests.record_text(node.paid_id, model_text.held)
        return build_distillate_row(node)

    def _amend_model_row(self, node: PeriodNode) -> DistillateRow | None:
        """Return a model's text about the period for earlier rows, as far as it still holds; None when it must be asked."""
        former = self.written.get((node.period.tier, node.project, node.period.start))
        if former is None or former["distillate_id"] == node.paid_id or self._is_due_again(former):
            return None
        written = CondensedText(former["text"], former["level"], unpack_items(former["parts"] or ()))
        source_ids = set(former["source_ids"] or ())
        amended = amend_period(collect_items(node), written, source_ids, node.period.tier, count_input_tokens(node))
        if amended is None:
            return None
        source_ids |= collect_source_ids(node)
        apply_model_text(node, amended, source_ids, former["engine"], former["template_hash"])
        self.requests.record_amendment()
        return build_distillate_row(node)


def _restore_model_text(node: PeriodNode, row: DistillateRow) -> None:
    """Read the text of a model back from its row; the tier above makes a text of the offline engine again when it needs it."""
    if row["distillate_id"] == node.paid_id:
        written = CondensedText(row["text"], row["level"], unpack_items(row["parts"] or ()))
        apply_model_text(node, written, row["source_ids"] or (), row["engine"], row["template_hash"])
