"""The record of paid requests: an answer is stored before it is used, and no request leaves when a budget forbids it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from threading import Condition, Lock
from typing import NamedTuple

import polars as pl

from effects.engines.call_notes import import_notes, read_notes, write_note
from effects.store.run import Counts, Run
from transforms.pricing.prices import find_price
from transforms.pricing.spend import UNKNOWN_USD, BudgetLimits, Spend, compute_charge, find_exceeded_budget
from transforms.redaction.redact import redact
from transforms.tables.enums import CallOutcome, ModelBackend
from transforms.tables.rows import ModelCallRow
from transforms.tables.schema import MODEL_CALLS, build_frame, read_rows

COMPACT_FROM_FILES = 64
"""Number of part files of `model_calls` from which they become one."""


class BudgetError(Exception):
    """A budget forbids the request; the message names it."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A request as it is looked up and recorded. `key` is the hash of the rendered request."""

    key: str
    engine: ModelBackend
    model: str
    template_hash: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call: ok, invalid, refused or error, with the answer's text and the tokens read and written or estimated.

    `charged_tokens` are the tokens at the list price that those read cost; None: as many. `usd` are the dollars that the program
    counted that was asked; None: the price list decides.
    """

    outcome: CallOutcome
    answer: str
    reason: str
    input_tokens: int
    output_tokens: int
    latency_ms: int = 0
    charged_tokens: int | None = None
    usd: float | None = None


class _FormerCall(NamedTuple):
    """What counts of an earlier request: columns of `model_calls`."""

    request_key: str
    outcome: CallOutcome
    at: datetime | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None


@dataclass
class CallStore:
    """Cache, budgets and record of the requests of one step; safe to use from several threads.

    Spending of former steps of the same run (rows of the same logical time) counts towards the budget of the run. The caller
    holds the lake's lock, or says with `has_lock` that it does not: then rows become notes until the next run.
    """

    run: Run
    limits: BudgetLimits
    has_lock: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)
    spent: Spend = field(default_factory=Spend)
    held: Spend = field(default_factory=Spend)
    before: Spend = field(default_factory=Spend)
    before_today: float = 0.0
    _known: dict[str, int] = field(default_factory=dict)
    _answered: set[str] = field(default_factory=set)
    _lock: Condition = field(default_factory=Condition)
    _under_way: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))

    def __post_init__(self) -> None:
        lake = self.run.lake
        if self.has_lock:
            import_notes(lake)
        for row in lake.scan("model_calls").select(_FormerCall._fields).collect().iter_rows():
            self._count_former(_FormerCall(*row))
        for note in [] if self.has_lock else read_notes(lake):
            price, sizes = note["cost_usd"], (note["input_tokens"], note["output_tokens"])
            self._count_former(_FormerCall(note["request_key"], note["outcome"], note["at"], price, *sizes))

    def _count_former(self, call: _FormerCall) -> None:
        self._known[call.request_key] = self._known.get(call.request_key, 0) + 1
        if call.outcome != "error":
            self._answered.add(call.request_key)
        if call.at is not None and call.at.astimezone(self.run.zone).date() == self.run.today:
            self.before_today += call.cost_usd or 0.0
        if call.at == self.run.as_of:
            self.before = self.before.add(call.cost_usd or 0.0, (call.input_tokens or 0) + (call.output_tokens or 0))

    def lock_request(self, key: str) -> Lock:
        """Return a lock to hold while a request is looked up and sent, so that two equal requests are paid for once."""
        with self._lock:
            return self._under_way[key]

    def find(self, key: str) -> CallResult | None:
        """Return the stored answer of a request that this run or an earlier one paid for."""
        with self._lock:
            if key not in self._answered:
                return None
        is_answer = (pl.col("request_key") == key) & (pl.col("outcome") != "error")
        stored = self.run.lake.scan("model_calls").filter(is_answer).sort("call_no").collect()
        rows = list(read_rows(MODEL_CALLS, stored))
        rows += [row for row in read_notes(self.run.lake) if row["request_key"] == key and row["outcome"] != "error"]
        row = rows[0]
        with self._lock:
            self.counts["cached"] += 1
        return CallResult(
            row["outcome"], row["answer"] or "", row["reason"] or "", row["input_tokens"] or 0, row["output_tokens"] or 0
        )

    def is_answered(self, key: str) -> bool:
        """Whether the answer of a request is stored."""
        with self._lock:
            return key in self._answered

    def reserve(self, model: str, input_tokens: int, output_tokens: int, *, may_wait: bool = True) -> Spend:
        """Reserve the cost of a request of at most this size; wait while requests under way may still leave room for it.

        Raises:
            BudgetError: when it does not fit any more.
        """
        with self._lock:
            while reason := self._find_exceeded_budget(
                model, input_tokens, output_tokens, self.spent.add(self.held.usd, self.held.tokens)
            ):
                if self._find_exceeded_budget(model, input_tokens, output_tokens, self.spent) or not (
                    self.held.tokens and may_wait
                ):
                    raise BudgetError(reason)
                self._lock.wait()
            if note := _describe_unknown_price(model, self.limits):
                self.notes[note] = None
            held = Spend(compute_charge(model, input_tokens, output_tokens, self.limits), input_tokens + output_tokens)
            self.held = self.held.add(held.usd, held.tokens)
            self.counts["requests"] += 1
            return held

    def _find_exceeded_budget(self, model: str, input_tokens: int, output_tokens: int, run: Spend) -> str:
        all_spend = run.add(self.before.usd, self.before.tokens)
        return find_exceeded_budget(model, input_tokens, output_tokens, all_spend, self.before_today + run.usd, self.limits)

    def release(self, held: Spend) -> None:
        """Give back the reservation of a request that nobody answered and nobody bills."""
        with self._lock:
            self.held = self.held.add(-held.usd, -held.tokens)
            self._lock.notify_all()

    def count_unusable(self) -> None:
        """Count a well-formed answer that holds nothing usable."""
        with self._lock:
            self.counts["unusable"] += 1

    def record(self, call: ModelCall, held: Spend, outcome: CallResult, price: float = 1.0) -> CallResult:
        """Store the result of a request in a commit of its own; return it as stored, without secrets. `price` is the share of the
        list price that was charged."""
        charged = outcome.input_tokens if outcome.charged_tokens is None else outcome.charged_tokens
        listed = compute_charge(call.model, charged, outcome.output_tokens, self.limits) * price
        usd = listed if outcome.usd is None else outcome.usd
        answer = redact(outcome.answer)
        with self._lock:
            self.spent = self.spent.add(usd, outcome.input_tokens + outcome.output_tokens)
            self.held = self.held.add(-held.usd, -held.tokens)
            self._lock.notify_all()
            self.counts["input_tokens"] += outcome.input_tokens
            self.counts["output_tokens"] += outcome.output_tokens
            self.counts[outcome.outcome] += 1
            row: ModelCallRow = {
                "request_key": call.key, "call_no": self._known.get(call.key, 0), "session_id": call.session_id,
                "engine": call.engine, "model": call.model, "template_hash": call.template_hash,
                "input_tokens": outcome.input_tokens, "output_tokens": outcome.output_tokens, "cost_usd": usd,
                "latency_ms": outcome.latency_ms, "outcome": outcome.outcome, "reason": redact(outcome.reason),
                "answer": answer, "at": self.run.as_of,
            }  # fmt: skip
            self._store(row)
            self._known[call.key] = self._known.get(call.key, 0) + 1
            if outcome.outcome != "error":
                self._answered.add(call.key)
        return CallResult(
            outcome.outcome, answer, outcome.reason, outcome.input_tokens, outcome.output_tokens, outcome.latency_ms
        )  # fmt: skip

    def _store(self, row: ModelCallRow) -> None:
        if not self.has_lock:
            write_note(self.run.lake, row)
            return
        with self.run.lake.commit() as change:
            change.append("model_calls", build_frame(MODEL_CALLS, [row]))

    def close(self) -> Counts:
        """Return the counts of the step, and make one file of many part files."""
        if self.has_lock and len(self.run.lake.list_files("model_calls")) >= COMPACT_FROM_FILES:
            self.run.lake.compact("model_calls")
        flat = {key: self.counts[key] for key in ("requests", "cached", "input_tokens", "output_tokens") if self.counts[key]}
        answers = {key: count for key, count in sorted(self.counts.items()) if key not in flat}
        counts: Counts = {**flat, "answers": answers, "cost_usd": round(self.spent.usd, 6)}
        return counts | ({"notes": dict.fromkeys(self.notes, 1)} if self.notes else {})


def _describe_unknown_price(model: str, limits: BudgetLimits) -> str:
    """Return a note for people about a model without a known price; empty when it has one."""
    if find_price(model) is not None:
        return ""
    if model in limits.own:
        return f"the price of {model} is unknown: it runs on this machine and counts as free"
    return f"the price of {model} is unknown: it counts as {UNKNOWN_USD:.0f} USD per million tokens"
