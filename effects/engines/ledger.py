"""The record of paid requests: answers are stored before they are used, and no request leaves when a budget forbids it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Any

import polars as pl

from effects.run import Run
from transforms.prices import cost_of, price_of
from transforms.redact import redact
from transforms.schema import TABLES
from transforms.spend import Limits, Spent, refusal

COMPACTED_AT = 64
"""Part files of `model_calls` before they become one."""


class BudgetError(Exception):
    """A budget forbids the request; the message names it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it is looked up and recorded: `key` is the hash of the rendered request."""

    key: str
    engine: str
    model: str
    template_hash: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: ok, invalid, refused or error, with the answer's text and the tokens billed or estimated."""

    outcome: str
    answer: str
    reason: str
    input_tokens: int
    output_tokens: int
    latency_ms: int = 0


@dataclass
class Ledger:
    """Cache, budgets and record of one run; safe to use from several threads. The caller holds the lake's lock."""

    run: Run
    limits: Limits
    counts: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    held: Spent = field(default_factory=Spent)
    before_today: float = 0.0
    _known: dict[str, int] = field(default_factory=dict)
    _answered: set[str] = field(default_factory=set)
    _lock: Condition = field(default_factory=Condition)
    _under_way: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))

    def __post_init__(self) -> None:
        columns = ("request_key", "outcome", "at", "cost_usd")
        for key, outcome, at, cost in self.run.lake.scan("model_calls").select(columns).collect().iter_rows():
            self._known[key] = self._known.get(key, 0) + 1
            if outcome != "error":
                self._answered.add(key)
            if at is not None and at.astimezone(self.run.zone).date() == self.run.today:
                self.before_today += cost or 0.0

    def alone(self, key: str) -> Lock:
        """Held while a request is looked up and sent: two windows that say the same are paid for once."""
        with self._lock:
            return self._under_way[key]

    def find(self, key: str) -> Outcome | None:
        """The stored answer of a request, paid for by this run or an earlier one."""
        with self._lock:
            if key not in self._answered:
                return None
        is_it = (pl.col("request_key") == key) & (pl.col("outcome") != "error")
        row = self.run.lake.scan("model_calls").filter(is_it).collect().row(0, named=True)
        with self._lock:
            self.counts["cached"] += 1
        return Outcome(
            row["outcome"], row["answer"] or "", row["reason"] or "", row["input_tokens"] or 0, row["output_tokens"] or 0
        )

    def reserve(self, model: str, input_tokens: int, output_tokens: int) -> Spent:
        """Sets aside what a request of at most this size may cost; waits while requests under way may still leave room for it.

        Raises:
            BudgetError: when it does not fit any more.
        """
        with self._lock:
            while why := self._refusal(model, input_tokens, output_tokens, self.spent.plus(self.held.usd, self.held.tokens)):
                if self._refusal(model, input_tokens, output_tokens, self.spent) or not self.held.tokens:
                    raise BudgetError(why)
                self._lock.wait()
            if price_of(model) is None:
                self.notes[f"nobody knows what {model} costs: only the budget in tokens limits it"] = None
            held = Spent(cost_of(model, input_tokens, output_tokens), input_tokens + output_tokens)
            self.held = self.held.plus(held.usd, held.tokens)
            self.counts["requests"] += 1
            return held

    def _refusal(self, model: str, input_tokens: int, output_tokens: int, run: Spent) -> str:
        return refusal(model, input_tokens, output_tokens, run, self.before_today + run.usd, self.limits)

    def release(self, held: Spent) -> None:
        """Gives back what was set aside for a request that nobody answered and nobody bills."""
        with self._lock:
            self.held = self.held.plus(-held.usd, -held.tokens)
            self._lock.notify_all()

    def unusable(self) -> None:
        """Counts an answer that was well formed and said nothing that can be used."""
        with self._lock:
            self.counts["unusable"] += 1

    def record(self, call: Call, held: Spent, outcome: Outcome) -> Outcome:
        """Stores what came of a request, in a commit of its own; the answer as stored, without secrets."""
        cost = cost_of(call.model, outcome.input_tokens, outcome.output_tokens)
        answer = redact(outcome.answer)
        with self._lock:
            self.spent = self.spent.plus(cost, outcome.input_tokens + outcome.output_tokens)
            self.held = self.held.plus(-held.usd, -held.tokens)
            self._lock.notify_all()
            self.counts["input_tokens"] += outcome.input_tokens
            self.counts["output_tokens"] += outcome.output_tokens
            self.counts[outcome.outcome] += 1
            row = {
                "request_key": call.key, "call_no": self._known.get(call.key, 0), "session_id": call.session_id,
                "engine": call.engine, "model": call.model, "template_hash": call.template_hash,
                "input_tokens": outcome.input_tokens, "output_tokens": outcome.output_tokens, "cost_usd": cost,
                "latency_ms": outcome.latency_ms, "outcome": outcome.outcome, "reason": redact(outcome.reason),
                "answer": answer, "at": self.run.as_of,
            }  # fmt: skip
            schema = {name: kind for name, kind in TABLES["model_calls"].schema.items() if name != "schema_version"}
            with self.run.lake.commit() as change:
                change.append("model_calls", pl.DataFrame([row], schema=schema))
            self._known[call.key] = self._known.get(call.key, 0) + 1
            if outcome.outcome != "error":
                self._answered.add(call.key)
        return Outcome(
            outcome.outcome, answer, outcome.reason, outcome.input_tokens, outcome.output_tokens, outcome.latency_ms
        )  # fmt: skip

    def close(self) -> dict[str, Any]:
        """Counts of the run; many part files become one."""
        if len(self.run.lake.files("model_calls")) >= COMPACTED_AT:
            self.run.lake.compact("model_calls")
        flat = {key: self.counts[key] for key in ("requests", "cached", "input_tokens", "output_tokens") if self.counts[key]}
        answers = {key: count for key, count in sorted(self.counts.items()) if key not in flat}
        counts: dict[str, Any] = {**flat, "answers": answers, "cost_usd": round(self.spent.usd, 6)}
        return counts | ({"notes": dict.fromkeys(self.notes, 1)} if self.notes else {})
