"""The consolidate step: days, weeks, months and years of each project condensed once they are old enough.

By the reflector's models when some are set, else by the offline engine. A period that no model could be asked about is
condensed offline for the time being and asked about again in the next run; one that models answered badly stays offline. Both
say so in `reason`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from typing import Any

import polars as pl

from effects.config.engine_chain import parse_engine_chain
from effects.engines.call_notes import import_notes
from effects.engines.condenser import Condenser, ModelCondensed
from effects.engines.model_chain import NoAnswerError
from effects.engines.registry import build_reflector, format_owner_name
from effects.store.run import Counts, Run
from transforms.memory.condense import CondensedText
from transforms.memory.period_answer import pack_items, unpack_items
from transforms.memory.tiers import (
    PeriodNode,
    TierPlan,
    apply_model_text,
    assign_offline_id,
    build_distillate_row,
    collect_inputs,
    condense_children,
    ensure_condensed,
    plan_tiers,
)
from transforms.redaction.redact import redact
from transforms.tables.periods import TIERS
from transforms.tables.schema import DISTILLATES, QUARANTINE, build_frame

PERIODS = {1: "days", 2: "weeks", 3: "months", 4: "years"}
MAX_DISTILLATES = 5_000
"""Distillates made in one run. What is due is found over everything first, so the rest follows in the next runs."""
WAITING_PREFIX = "waiting: "
MAX_HELD_CHARS = 160

_OBSERVATION_COLUMNS = (
    "observation_id", "project", "day", "said_at", "session_id", "kind", "priority", "text", "ordinals", "entry_ids", "files",
    "superseded_by", "also",
)  # fmt: skip
_SEGMENT_COLUMNS = ("segment_id", "project", "day", "session_id", "narrative", "entry_ids", "started_at", "first_ordinal")

Row = dict[str, Any]


def consolidate(run: Run, cap: int = MAX_DISTILLATES, again_since: date | None = None) -> Counts:
    """Makes the distillates that are due and not stored for exactly these inputs, at most `cap`; drops what is stale.

    With `again_since` periods that end on that day or later are condensed again when another engine or prompt wrote them.

    Returns what was due, made, kept and waiting, per tier the periods that could not be made smaller than their input (their
    children stay as they are and go into the next tier themselves), and with models what they cost and where they failed.
    """
    noted = import_notes(run.lake)
    wanted = _plan_run(run)
    stored = {row["distillate_id"]: row for row in run.lake.read("distillates").drop("schema_version").to_dicts()}
    made = _TierBuild(run, stored, _build_condenser(run), cap, again_since)
    rows = made.rows_of(wanted)
    parents = wanted.by_parent()
    for row in rows.values():
        successor = parents.get(row["distillate_id"], row["superseded_by"])
        row["superseded_by"] = successor if successor in rows else None
    held = made.held_rows()
    if rows != stored or held:
        with run.lake.commit() as change:
            change.replace("distillates", build_frame(DISTILLATES, rows.values()))
            if held:
                change.append("quarantine", build_frame(QUARANTINE, held))
    told: Counts = {
        "due": len(wanted.nodes),
        "made": {PERIODS[tier]: count for tier, count in sorted(made.made.items())},
        "kept": len(rows) - made.made.total(),
        "not_smaller": {PERIODS[tier]: count for tier, count in sorted(made.failures.items())},
        "waiting": len(made.waiting),
    }
    return told | made.told() | ({"calls_taken_in": noted} if noted else {})


def _plan_run(run: Run) -> TierPlan:
    lake = run.lake
    allowed = lake.scan("observations").filter(pl.col("verdict") == "allow").select(_OBSERVATION_COLUMNS).collect().to_dicts()
    segments = lake.scan("segments").select(_SEGMENT_COLUMNS).collect().to_dicts()
    return plan_tiers(collect_inputs(allowed, segments), run.settings.tiers.after_days, run.today)


def _build_condenser(run: Run) -> Condenser | None:
    chain = build_reflector(run) if parse_engine_chain(run.settings.engine.reflector) else None
    return Condenser(chain, format_owner_name(run), run.zone) if chain else None


@dataclass
class _TierBuild:
    """Rows for a plan, tier by tier: what is stored and still holds, what models write, what is condensed offline."""

    run: Run
    stored: dict[str, Row]
    condenser: Condenser | None
    cap: int
    again_since: date | None
    made: Counter[int] = field(default_factory=Counter)
    failures: Counter[int] = field(default_factory=Counter)
    waiting: set[str] = field(default_factory=set)
    by_models: int = 0
    offline: Counter[str] = field(default_factory=Counter)
    held: list[tuple[str, str, str]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def rows_of(self, wanted: TierPlan) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        for tier in TIERS:
            todo = []
            for node in (node for node in wanted.nodes if node.period.tier == tier):
                assign_offline_id(node)
                row = self.stored.get(node.paid_id) or self.stored.get(node.id)
                if row is not None and not self._is_due_again(row):
                    rows[row["distillate_id"]] = dict(row)
                    _restore_model_text(node, row)
                else:
                    todo.append(node)
            self._make(todo, rows)
        postponed = {(node.period.tier, node.project, node.period.start) for node in wanted.nodes if node.id in self.waiting}
        for name, row in self.stored.items():
            if name not in rows and (row["tier"], row["project"], row["period_start"]) in postponed:
                rows[name] = dict(row)  # the former text stays until its successor is made
        return rows

    def told(self) -> Counts:
        """With models: what they wrote, what became of the rest, and the ledger's counts."""
        if self.condenser is None:
            return {}
        reasons = Counter(reason for _, reason, _ in self.held)
        return {
            "by_models": self.by_models,
            "offline_instead": dict(sorted(self.offline.items())),
            "held": dict(sorted(reasons.items())),
            **self.condenser.chain.call_store.close(),
        }

    def held_rows(self) -> list[Row]:
        """Lines that were held back, as rows of `quarantine`: what is dropped leaves a row that says why."""
        new = {(rule, f"{name}: {redact(text)[:MAX_HELD_CHARS]}") for name, rule, text in self.held}
        if new:
            new -= set(self.run.lake.scan("quarantine").select("rule", "detail").collect().iter_rows())
        return [{"path": "distillates", "line_no": -1, "rule": rule, "detail": detail} for rule, detail in sorted(new)]

    def _is_due_again(self, row: Row) -> bool:
        """Whether a stored row is made anew: no model could be asked then, or the owner wants another engine's text."""
        if self.condenser and (row["reason"] or "").startswith(WAITING_PREFIX):
            return True
        if self.again_since is None or row["period_end"] < self.again_since:
            return False
        present = self.condenser.list_versions() if self.condenser else {("offline", None)}
        return (row["engine"], row["template_hash"]) not in present

    def _make(self, todo: Sequence[PeriodNode], rows: dict[str, Row]) -> None:
        ready = []
        for node in todo:
            if any(isinstance(child, PeriodNode) and child.id in self.waiting for child in node.inputs):
                self.waiting.add(node.id)
            else:
                ready.append(node)
        while ready and self.made.total() < self.cap:
            room = self.cap - self.made.total()
            for node, (row, is_new) in zip(ready[:room], self._written(ready[:room]), strict=True):
                if row is None:
                    self.failures[node.period.tier] += 1
                    continue
                rows[row["distillate_id"]] = row
                self.made[node.period.tier] += is_new
            ready = ready[room:]
        self.waiting |= {node.id for node in ready}

    def _written(self, nodes: Sequence[PeriodNode]) -> Iterator[tuple[Row | None, bool]]:
        """Row and whether it is new of every node, in order; models are asked side by side."""
        workers = self.run.settings.engine.concurrency if self.condenser else 1
        if workers < 2 or len(nodes) < 2:
            yield from map(self._row, nodes)
            return
        with ThreadPoolExecutor(workers, "consolidate") as pool:
            futures = [pool.submit(self._row, node) for node in nodes]
            try:
                for future in futures:
                    yield future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)  # answers under way are still stored, no new request leaves
                raise

    def _row(self, node: PeriodNode) -> tuple[Row | None, bool]:
        former = self.stored.get(node.paid_id) or self.stored.get(node.id)
        if self.made.total() % 200 == 199:
            self.run.progress(f"consolidate {self.made.total() + 1} distillates")
        condense_children(node)
        offline = ensure_condensed(node)
        if self.condenser is None or offline is None or not self.condenser.is_worth_asking(node):
            return build_distillate_row(node), True
        reason = ""
        try:
            written = self.condenser.condense(node)
            return self._by_model(node, written), True
        except NoAnswerError as error:
            reason = str(error) if error.is_asked else f"{WAITING_PREFIX}{error}"
        except Exception as error:  # noqa: BLE001  one period that breaks an engine must not stop the run
            reason = f"{type(error).__name__}: {redact(str(error))[:MAX_HELD_CHARS]}"
        with self.lock:
            self.offline[reason] += 1
        if former is not None and (former["engine"] != "offline" or former["reason"] == reason):
            _restore_model_text(node, former)  # asked again in vain: what there is stays
            return dict(former), False
        return build_distillate_row(node, reason=reason), former is None

    def _by_model(self, node: PeriodNode, written: ModelCondensed) -> Row | None:
        apply_model_text(node, written.condensed)
        with self.lock:
            self.by_models += 1
            self.held += [(node.paid_id, reason, text) for reason, text in written.held]
        return build_distillate_row(node, written.engine, written.template_hash, None, pack_items(written.condensed.items))


def _restore_model_text(node: PeriodNode, row: Row) -> None:
    """What a model wrote is read back from its row; what the offline engine wrote is made again when the tier above needs it."""
    if row["distillate_id"] == node.paid_id:
        apply_model_text(node, CondensedText(row["text"], row["level"], unpack_items(row["parts"] or ())))
