"""Formats the counts of a run: lines for a terminal, a Markdown table for Prefect's artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MISSED_OFFLINE = "it misses about four of ten facts that a model keeps (docs/engines.md)"


def format_run_lines(counts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return one line per step with its counts, zeros left out: `ingest   3 read, 120 kept, 2 dropped (too_few)   0.3 s`."""
    width = max((len(name) for name in counts), default=0)
    return [f"{name:<{width}}  {values.get('seconds', 0):>6.1f} s  {_format_counts(values)}" for name, values in counts.items()]


def format_engine_line(counts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return which engine distilled, what the models of the run cost, and how to change it; empty when nothing was distilled."""
    distilled = counts.get("distil", {})
    if not (engine := str(distilled.get("engine", ""))):
        return ""
    usd = sum(float(values.get("cost_usd") or 0) for values in counts.values())
    reason = f" ({distilled['engine_reason']})" if distilled.get("engine_reason") else ""
    if engine == "offline" and not usd:
        return f"engine: offline{reason}, nothing was sent; {MISSED_OFFLINE}; a model: RECOLLECT_ENGINE__OBSERVER=auto"
    return f"engine: {engine}{reason}, {usd:.2f} USD; change it with RECOLLECT_ENGINE__OBSERVER"


def render_run_page(flow: str, as_of: str, seconds: float, counts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return Markdown with flow, time and a table of counts. It holds numbers and reasons, never words of a session."""
    lines = [f"## {flow}", "", f"As of {as_of}, {seconds:.1f} s.", "", "| step | seconds | counts |", "|---|---:|---|"]
    lines += [f"| {name} | {values.get('seconds', 0):.1f} | {_format_counts(values)} |" for name, values in counts.items()]
    return "\n".join(lines) + "\n"


def _format_counts(values: Mapping[str, Any]) -> str:
    text = ", ".join(_list_counts(values))
    return text or "nothing to do"


def _list_counts(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        name = key.replace("_", " ")
        if key == "seconds":
            continue
        if isinstance(value, Mapping):
            inner = {reason: n for reason, n in value.items() if isinstance(n, int | float) and n}
            if inner:
                reasons = ", ".join(f"{n:g} {reason.replace('_', ' ')}" for reason, n in sorted(inner.items()))
                yield f"{sum(inner.values()):g} {name} ({reasons})"
        elif isinstance(value, bool):
            if value:
                yield name
        elif isinstance(value, int | float):
            if value:
                yield f"{value:g} {name}"
        elif isinstance(value, list | tuple) and value:
            yield f"{len(value)} {name}"
