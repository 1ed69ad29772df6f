"""Scores rows of planted sessions against their truth: recall and kind per planted kind, junk, inventions, topics."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.distil.planting.matter import Keys
from benchmarks.distil.planting.scenes import Planted, Truth

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
    """Whether the text holds one alternative of each group."""
    low = text.lower()
    return all(any(alternative in low for alternative in group) for group in keys)


def score_sessions(sessions: Iterable[tuple[Truth, list[Row], str]], lines: Sequence[str] = ()) -> dict[str, Any]:
    """Return the scores of sessions, each given as truth, rows (observations, segments) and raw text.

    `lines` are those that were proposed for MEMORY.md, of all sessions.
    """
    facts: dict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    windows: list[float] = []
    examples: dict[str, list[str]] = defaultdict(list)
    for truth, rows, raw in sessions:
        for fact in truth.facts:
            _score_fact(fact, rows, facts[fact.kind], total, examples)
            _score_aside(fact, rows, lines, total, examples)
        _score_rows(truth, rows, raw.lower(), total, examples)
        windows.append(window_diff(truth, rows))
    kinds = {
        kind: {"n": counts["n"], "recall": _divide(counts["kept"], counts["n"]), "cited": _divide(counts["cited"], counts["n"]),
               "kind": _divide(counts["right"], counts["kept_fact"])}
        for kind, counts in sorted(facts.items())
    }  # fmt: skip
    count, kept = (sum(counts[key] for counts in facts.values()) for key in ("n", "kept"))
    return {
        "facts": count, "recall": _divide(kept, count),
        "kind_accuracy": _divide(
            sum(counts["right"] for counts in facts.values()), sum(counts["kept_fact"] for counts in facts.values())
        ),
        "priority_accuracy": _divide(total["priority_right"], total["priority"]),
        "asides_beside": _divide(total["beside"], total["aside"]), "asides_proposed": total["proposed"],
        "run_ins": _divide(total["run_in"], total["proposed"]),
        "rows": total["rows"], "junk_rate": _divide(total["junk"], total["rows"]), "questions_as_decisions": total["asked"],
        "invented": total["invented"], "secrets": total["secret"],
        "window_diff": round(sum(windows) / max(len(windows), 1), 4), "kinds": kinds, "examples": dict(examples),
    }  # fmt: skip


def _score_fact(
    fact: Planted, rows: list[Row], counts: Counter[str], total: Counter[str], examples: dict[str, list[str]]
) -> None:
    counts["n"] += 1
    stating = [row for row in rows if holds(row["text"], fact.keys)]
    near = [row for row in stating if any(abs(line - at) <= NEAR_LINES for line in row["lines"] for at in fact.lines)]
    counts["kept"] += bool(stating)
    counts["cited"] += bool(near)
    if not stating:
        examples[f"lost {fact.kind}"].append(fact.said)
    mine = [row for row in near if row["source"] == "observation"]
    if not mine:
        return
    counts["kept_fact"] += 1
    right = [row for row in mine if row["kind"] in RIGHT[fact.kind]]
    counts["right"] += bool(right)
    if not right:
        examples[f"kind {fact.kind}"].append(f"{mine[0]['kind']}: {mine[0]['text']}")
    if fact.kind in NEVER_HIGH | ALWAYS_HIGH:
        total["priority"] += 1
        is_high = any(row["priority"] == "high" for row in right or mine)
        total["priority_right"] += is_high == (fact.kind in ALWAYS_HIGH)
        if is_high != (fact.kind in ALWAYS_HIGH):
            examples[f"priority {fact.kind}"].append(f"{mine[0]['kind']} {mine[0]['priority']}: {mine[0]['text']}")


def _score_aside(
    fact: Planted, rows: list[Row], lines: Sequence[str], total: Counter[str], examples: dict[str, list[str]]
) -> None:
    """Count where a remark beside a fact stands with it: in its row, and in the line that is proposed."""
    if not fact.aside:
        return
    aside = fact.aside.lower().rstrip(".")
    stating = [row["text"] for row in rows if row["source"] == "observation" and holds(row["text"], fact.keys)]
    proposed = [line for line in lines if holds(line, fact.keys)]
    total["aside"] += 1
    total["beside"] += any(aside in text.lower() for text in stating)
    total["proposed"] += bool(proposed)
    run_ins = [line for line in proposed if aside in line.lower()]
    total["run_in"] += bool(run_ins)
    examples["run-in"] += run_ins


def _score_rows(truth: Truth, rows: list[Row], raw: str, total: Counter[str], examples: dict[str, list[str]]) -> None:
    for row in rows:
        total["rows"] += 1
        low = row["text"].lower()
        if any(mark in low for mark in (*truth.junk, *truth.injections)):
            total["junk"] += 1
            examples["junk"].append(row["text"])
        strange = [
            name
            for specific in _SPECIFIC.findall(_OWN_COUNT.sub("", row["text"]))
            if (name := specific.strip("`./()").lower()) not in raw
        ]
        if strange:
            total["invented"] += 1
            examples["invented"].append(f"{strange}: {row['text']}")
        total["secret"] += any(secret in row["text"] for secret in truth.secrets)
        if row.get("kind") in ("decision", "rule", "preference") and any(holds(low, keys) for keys in truth.questions):
            total["asked"] += 1
            examples["asked"].append(row["text"])


def window_diff(truth: Truth, rows: list[Row]) -> float:
    """Return WindowDiff (Pevzner and Hearst 2002) over the lines of a session, with a window of half its mean topic length."""
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


def _divide(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
