"""Pictures as inline SVG: bars over days and bars of counts. They hold numbers, dates and escaped labels only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

WIDTH, HEIGHT = 640, 180
MARGIN, BASE, TOP = 44, 30, 22
"""Space for the numbers on the left, the days below, and above the highest bar."""
ROW, LABEL = 30, 150
GRID_LINES = 2


@dataclass(frozen=True, slots=True)
class Series:
    """One value per day, drawn in a class of the style sheet (`c1` to `c4`)."""

    name: str
    style: str
    values: Mapping[date, float]


def draw_days(days: Sequence[date], series: Sequence[Series], title: str, unit: str = "") -> str:
    """Return stacked bars, one per day, with a scale; each bar says its numbers when it is pointed at."""
    totals = [sum(line.values.get(day, 0) for line in series) for day in days]
    top = _round_up(max(totals, default=0))
    step = (WIDTH - MARGIN) / max(1, len(days))
    parts = [_open_picture(HEIGHT, title), *_draw_grid(top, unit)]
    for place, day in enumerate(days):
        numbers = ", ".join(f"{line.values.get(day, 0):g} {line.name}" for line in series)
        parts.append(f"<g><title>{day.isoformat()}: {escape(numbers)}</title>")
        below = 0.0
        for line in series:
            tall = line.values.get(day, 0) / top * (HEIGHT - BASE - TOP)
            if tall > 0:
                at = HEIGHT - BASE - below - tall
                left, wide = MARGIN + place * step + step * 0.1, max(1.0, step * 0.8)
                parts.append(f'<rect class="{line.style}" x="{left:.1f}" y="{at:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>')
            below += tall
        parts.append("</g>")
    parts += _draw_day_names(days, step)
    return "".join([*parts, "</svg>"])


def draw_counts(counts: Sequence[tuple[str, float]], title: str) -> str:
    """Return horizontal bars with their labels and numbers."""
    top = max((count for _, count in counts), default=0) or 1
    parts = [_open_picture(ROW * len(counts) + 6, title)]
    for place, (label, count) in enumerate(counts):
        at, wide = place * ROW + 4, count / top * (WIDTH - LABEL - 70)
        parts.append(f'<text class="name" x="{LABEL - 8}" y="{at + 17}">{escape(label)}</text>')
        parts.append(f'<rect class="c1" x="{LABEL}" y="{at}" width="{max(wide, 1):.1f}" height="{ROW - 8}" rx="2"/>')
        parts.append(f'<text x="{LABEL + wide + 6:.1f}" y="{at + 17}">{count:,g}</text>')
    return "".join([*parts, "</svg>"])


def _open_picture(height: int, title: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'


def _draw_grid(top: float, unit: str) -> list[str]:
    parts = []
    for line in range(GRID_LINES + 1):
        value = top * line / GRID_LINES
        at = HEIGHT - BASE - value / top * (HEIGHT - BASE - TOP)
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="name" x="{MARGIN - 5}" y="{at + 4:.1f}">{value:g}{escape(unit)}</text>')
    return parts


def _draw_day_names(days: Sequence[date], step: float) -> list[str]:
    """Return the names of a few days, evenly spaced, the last one included."""
    every = max(1, round(len(days) / 4))
    shown = [place for place in range(len(days)) if (len(days) - 1 - place) % every == 0]
    last = len(days) - 1
    return [
        f'<text class="{"name" if place == last else "day"}" x="{WIDTH if place == last else MARGIN + (place + 0.5) * step:.1f}"'
        f' y="{HEIGHT - 6}">{days[place]:%d %b}</text>'
        for place in shown
    ]


def _round_up(value: float) -> float:
    """Return the next number with one digit that matters, at least 1 (0.01 for amounts below one)."""
    if value <= 0:
        return 1
    size = 1.0
    while size < value:
        size *= 10
    while size / 10 >= value:
        size /= 10
    return next(size * part for part in (0.2, 0.4, 0.5, 1.0) if size * part >= value)
