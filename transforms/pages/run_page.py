"""Formats the counts of a run: lines for a terminal, a Markdown table for Prefect's artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from transforms.tables.enums import OFFLINE

SHOWN_REASONS = 3
_PERIODS = frozenset({"days", "weeks", "months", "years"})
COUNT_NAMES: Mapping[str, Mapping[str, str]] = {
    "attribute": {"speakers": "messages judged"},
    "window": {"skipped": "", "reasons": "windows skipped"},
    "distil": {
        "due": "windows due", "distilled": "windows distilled", "failed": "windows failed", "segments": "topics",
        "allow": "facts kept", "hold": "", "discard": "", "stopped": "facts stopped",
    },
    "dedupe": {"read": "facts in all", "kept": "hold", "merged": "merged so far", "retired": "retired so far"},
    "consolidate": {"made": "periods made"},
    "render": {"kept_as_not_ours": "kept that this memory did not write", "superseded_removed": "old copies removed"},
    "timeline": {"kept_as_not_ours": "kept that this memory did not write"},
}  # fmt: skip
"""Step → count → what a line calls it, where its name does not say of what it is; nothing for one that another has with reasons.
The JSON has the names of the counts."""


def format_run_lines(counts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return one line per step with its counts, zeros left out: `ingest   3 read, 120 kept, 2 dropped (too_few)   0.3 s`."""
    width = max((len(name) for name in counts), default=0)
    return [
        f"{name:<{width}}  {values.get('seconds', 0):>6.1f} s  {_format_counts(name, values)}" for name, values in counts.items()
    ]


def format_engine_line(counts: Mapping[str, Mapping[str, Any]], missed: str = "") -> str:
    """Return the engine that distilled, the cost of its models, and the way to change it; empty when nothing was distilled.

    `missed` is what the offline engine misses, for an owner who has not chosen it.
    """
    distilled = counts.get("distil", {})
    if not (engine := str(distilled.get("engine", ""))):
        return ""
    usd = sum(float(values.get("cost_usd") or 0) for values in counts.values())
    reason = f" ({distilled['engine_reason']})" if distilled.get("engine_reason") else ""
    if engine == OFFLINE and not usd:
        note = f"; {distilled['language_note']}" if distilled.get("language_note") else ""
        note += f"; {missed}" if missed else ""
        return f"engine: offline{reason}, nothing was sent{note}; `recollect init` shows the models of this machine"
    return f"engine: {engine}{reason}, {usd:.2f} USD; change it with RECOLLECT_ENGINE__OBSERVER"


def describe_outcome(counts: Mapping[str, Mapping[str, Any]], usd: float) -> str:
    """Return what came of a run and what it cost: `3 sessions read, 12 facts kept, 1 proposal; engine offline, 0.00 USD`."""
    read = int(counts.get("ingest", {}).get("read") or 0)
    kept = int(counts.get("distil", {}).get("allow") or 0)
    proposed = sum(int(values.get("proposed") or 0) for values in counts.values())
    engine = str(counts.get("distil", {}).get("engine") or "")
    worked = f"engine {engine}" if engine else "no engine was needed"
    came = [f"{count_things(read, 'session')} read", f"{count_things(kept, 'fact')} kept", count_things(proposed, "proposal")]
    return f"{', '.join(came)}; {worked}, {usd:.2f} USD"


def describe_undistilled(counts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return how many of the due windows were distilled, and why the others were not; empty when all were."""
    distilled = counts.get("distil", {})
    due, done = distilled.get("due", 0), distilled.get("distilled", 0)
    reasons = {**distilled.get("failures", {}), **distilled.get("waiting", {})}
    if done >= due or not reasons:
        return ""
    words = [f"{count} × {reason}" for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))]
    more = [f"{len(words) - SHOWN_REASONS} other reasons"] if len(words) > SHOWN_REASONS else []
    return f"{done} of {due} windows were distilled: {'; '.join([*words[:SHOWN_REASONS], *more])}"


def is_nothing_distilled(counts: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether every engine failed at every due window. Windows that only wait, for a budget, are no failure."""
    distilled = counts.get("distil", {})
    return bool(distilled.get("failures")) and not distilled.get("distilled")


def render_run_page(
    flow: str, as_of: str, seconds: float, counts: Mapping[str, Mapping[str, Any]], links: Mapping[str, str] | None = None
) -> str:
    """Return Markdown with flow, time, a table of counts and one of `links` by name. It never holds words of a session."""
    lines = [f"## {flow}", "", f"As of {as_of}, {seconds:.1f} s.", "", "| step | seconds | counts |", "|---|---:|---|"]
    lines += [f"| {name} | {values.get('seconds', 0):.1f} | {_format_counts(name, values)} |" for name, values in counts.items()]
    if engine_line := format_engine_line(counts):
        lines += ["", f"{engine_line}."]
    if undistilled := describe_undistilled(counts):
        lines += ["", f"{undistilled}."]
    if links:
        lines += ["", "| page | where |", "|---|---|", *(f"| {name} | [{link}]({link}) |" for name, link in links.items())]
    return "\n".join(lines) + "\n"


def render_failure_page(flow: str, as_of: str, message: str, hint: str) -> str:
    """Return Markdown about a run that failed: the problem, and the next command."""
    lines = [f"## {flow} failed", "", f"As of {as_of}: {message}", ""]
    if hint:
        lines += [f"Next: `{hint.replace('`', '')}`", ""]
    return "\n".join([*lines, "Finished work is kept; the next run continues. `recollect doctor` checks everything."]) + "\n"


def name_run(flow: str, parameters: Mapping[str, Any], scheduled_at: datetime | None, zone: str) -> str:
    """Return a name for a run: `nightly 2026-11-20`, `backfill 2025-01-01 to 2025-12-31`, `session a1b2.jsonl`.

    Without a zone a scheduled run is named by its flow alone.
    """
    if since := parameters.get("since"):
        until = parameters.get("until")
        return f"{flow} {str(since)[:10]} to {str(until)[:10]}" if until else f"{flow} since {str(since)[:10]}"
    if path := parameters.get("path"):
        return f"{flow} {str(path).rpartition('/')[2]}"
    if as_of := parameters.get("as_of"):
        return f"{flow} {str(as_of)[:10]}"
    return f"{flow} {scheduled_at.astimezone(ZoneInfo(zone)):%Y-%m-%d}" if scheduled_at and zone else flow


def count_things(number: int, noun: str) -> str:
    """Return a number with its noun: `1 topic`, `2 topics`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def fit_noun(number: float, name: str) -> str:
    """Return the name of a count as its number needs it: of `windows skipped` one is a `window skipped`.

    The noun is the first word; one that does not end as a plural does stays.
    """
    noun, space, rest = name.partition(" ")
    if number != 1 or not noun.endswith("s") or noun.endswith(("ss", "us", "is")):
        return name
    singular = f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1]
    return f"{singular}{space}{rest}"


def _format_counts(step: str, values: Mapping[str, Any]) -> str:
    text = ", ".join(_list_counts(values, COUNT_NAMES.get(step, {})))
    return text or "nothing to do"


def _word_reason(number: float, reason: str) -> str:
    return fit_noun(number, reason) if reason in _PERIODS else reason.replace("_", " ")


def _format_number(number: float) -> str:
    """Return a count with all its digits: of a million documents `:g` makes `1.05349e+06`."""
    return f"{number:g}" if isinstance(number, float) else str(number)


def _list_counts(values: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    for key, value in values.items():
        name = names.get(key, key.replace("_", " "))
        if key == "seconds" or not name:
            continue
        if isinstance(value, Mapping):
            inner = {reason: n for reason, n in value.items() if isinstance(n, int | float) and n}
            if inner:
                reasons = ", ".join(f"{_format_number(n)} {_word_reason(n, reason)}" for reason, n in sorted(inner.items()))
                yield f"{_format_number(total := sum(inner.values()))} {fit_noun(total, name)} ({reasons})"
        elif isinstance(value, bool):
            if value:
                yield name
        elif isinstance(value, int | float):
            if value:
                yield f"{_format_number(value)} {fit_noun(value, name)}"
        elif isinstance(value, list | tuple) and value:
            yield f"{len(value)} {fit_noun(len(value), name)}"
