"""What was kept of planted sessions against their truth: recall and kind per planted kind, junk, inventions, topics."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from benchmarks.planting.matter import Keys
from benchmarks.planting.scenes import Planted, Truth

Row = dict[str, Any]

RIGHT: dict[str, frozenset[str]] = {
    "rule": frozenset({"rule", "convention"}),
    "preference": frozenset({"preference"}),
    "decision": frozenset({"decision", "state_change"}),
    "correction": frozenset({"correction"}),
    "state_change": frozenset({"state_change", "decision"}),
    "convention": frozenset({"convention", "rule"}),
    "request": frozenset({"request", "task", "decision"}),
    "wish": frozenset({"request", "decision", "task"}),
    "bug": frozenset({"request", "error", "question", "task"}),
    "root_cause": frozenset({"root_cause"}),
    "fix": frozenset({"fix", "completion", "state_change", "root_cause"}),
    "completion": frozenset({"completion"}),
    "error": frozenset({"error"}),
    "question": frozenset({"question", "task"}),
    "task": frozenset({"task", "status", "question"}),
}
NEVER_HIGH = frozenset({"request", "wish", "question", "task", "completion"})
ALWAYS_HIGH = frozenset({"rule", "preference", "decision", "correction", "convention", "root_cause"})
NEAR_LINES = 2
_SPECIFIC = re.compile(r"`[^`\n]+`|[\w./-]*[/_][\w./-]*\w|\b\w*\d\w*(?:\.\d+)*\b")
_OWN_COUNT = re.compile(r"\band \d+ more\b")


def holds(text: str, keys: Keys) -> bool:
    """Whether one alternative of each group occurs."""
    low = text.lower()
    return all(any(alternative in low for alternative in group) for group in keys)


def score(told: Iterable[tuple[Truth, list[Row], str]]) -> dict[str, Any]:
    """`told` has per session its truth, its rows (observations with kind and priority, segments) and its raw text."""
    facts: dict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    windows: list[float] = []
    examples: dict[str, list[str]] = defaultdict(list)
    for truth, rows, raw in told:
        for fact in truth.facts:
            _score_fact(fact, rows, facts[fact.kind], total, examples)
        _score_rows(truth, rows, raw.lower(), total, examples)
        windows.append(window_diff(truth, rows))
    kinds = {
        kind: {"n": one["n"], "recall": _share(one["kept"], one["n"]), "cited": _share(one["cited"], one["n"]),
               "kind": _share(one["right"], one["kept_fact"])}
        for kind, one in sorted(facts.items())
    }  # fmt: skip
    count, kept = (sum(one[key] for one in facts.values()) for key in ("n", "kept"))
    return {
        "facts": count, "recall": _share(kept, count),
        "kind_accuracy": _share(sum(one["right"] for one in facts.values()), sum(one["kept_fact"] for one in facts.values())),
        "priority_accuracy": _share(total["priority_right"], total["priority"]),
        "run_ins": _share(total["run_in"], total["aside"]),
        "rows": total["rows"], "junk_rate": _share(total["junk"], total["rows"]), "questions_as_decisions": total["asked"],
        "invented": total["invented"], "secrets": total["secret"],
        "window_diff": round(sum(windows) / max(len(windows), 1), 4), "kinds": kinds, "examples": dict(examples),
    }  # fmt: skip


def _score_fact(fact: Planted, rows: list[Row], one: Counter[str], total: Counter[str], examples: dict[str, list[str]]) -> None:
    one["n"] += 1
    found = [row for row in rows if holds(row["text"], fact.keys)]
    near = [row for row in found if any(abs(line - at) <= NEAR_LINES for line in row["lines"] for at in fact.lines)]
    one["kept"] += bool(found)
    one["cited"] += bool(near)
    if not found:
        examples[f"lost {fact.kind}"].append(fact.said)
    mine = [row for row in near if row["source"] == "observation"]
    if not mine:
        return
    one["kept_fact"] += 1
    right = [row for row in mine if row["kind"] in RIGHT[fact.kind]]
    one["right"] += bool(right)
    if not right:
        examples[f"kind {fact.kind}"].append(f"{mine[0]['kind']}: {mine[0]['text']}")
    if fact.kind in NEVER_HIGH | ALWAYS_HIGH:
        total["priority"] += 1
        is_high = any(row["priority"] == "high" for row in right or mine)
        total["priority_right"] += is_high == (fact.kind in ALWAYS_HIGH)
        if is_high != (fact.kind in ALWAYS_HIGH):
            examples[f"priority {fact.kind}"].append(f"{mine[0]['kind']} {mine[0]['priority']}: {mine[0]['text']}")
    if fact.aside:
        total["aside"] += 1
        runs = [row for row in mine if fact.aside.lower().rstrip(".") in row["text"].lower()]
        total["run_in"] += bool(runs)
        examples["run-in"] += [row["text"] for row in runs]


def _score_rows(truth: Truth, rows: list[Row], raw: str, total: Counter[str], examples: dict[str, list[str]]) -> None:
    for row in rows:
        total["rows"] += 1
        low = row["text"].lower()
        if any(mark in low for mark in (*truth.junk, *truth.injections)):
            total["junk"] += 1
            examples["junk"].append(row["text"])
        strange = [
            name
            for found in _SPECIFIC.findall(_OWN_COUNT.sub("", row["text"]))
            if (name := found.strip("`./()").lower()) not in raw
        ]
        if strange:
            total["invented"] += 1
            examples["invented"].append(f"{strange}: {row['text']}")
        total["secret"] += any(secret in row["text"] for secret in truth.secrets)
        if row.get("kind") in ("decision", "rule", "preference") and any(holds(low, keys) for keys in truth.asked):
            total["asked"] += 1
            examples["asked"].append(row["text"])


def window_diff(truth: Truth, rows: list[Row]) -> float:
    """WindowDiff (Pevzner and Hearst 2002) over the session's lines, window half of the mean length of its topics."""
    wanted = set(truth.starts[1:])
    mine = {row["first_line"] for row in rows if row["source"] == "segment"}
    mine.discard(min(mine, default=0))
    n = truth.last_line + 1
    k = max(2, round(n / (2 * len(truth.starts))))
    strange = sum(
        sum(at in wanted for at in range(start, start + k)) != sum(at in mine for at in range(start, start + k))
        for start in range(n - k)
    )
    return strange / max(n - k, 1)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
