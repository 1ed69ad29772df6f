"""Pictures as inline SVG: stacked bars over days, weeks or months. They hold numbers, dates and escaped labels only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from transforms.report.time_bins import TimeBins

WIDTH, HEIGHT = 360, 140
"""About as wide as a telephone, so that the words are as large there as on a desk, where the picture is little wider."""
MARGIN, BASE, TOP = 34, 22, 12
"""Space for the numbers on the left, the days below, and above the highest bar."""
NAME_WIDTH = 52
"""Width of the longest name of a bin ("Mar 2026") with a gap beside it."""


@dataclass(frozen=True, slots=True)
class Series:
    """One value per day, drawn in a class of the style sheet (`c1` to `c4`)."""

    name: str
    style: str
    values: Mapping[date, float]


def draw_days(bins: TimeBins, series: Sequence[Series], title: str, unit: str = "") -> str:
    """Return stacked bars, one per bin, with a scale; each bar says its numbers when it is pointed at.

    The picture's description says the sum, the highest bin and the span, for readers who do not see it.
    """
    summed = [Series(line.name, line.style, bins.sum_days(line.values)) for line in series]
    totals = {start: sum(line.values.get(start, 0) for line in summed) for start in bins.starts}
    top = _round_up(max(totals.values(), default=0))
    step = (WIDTH - MARGIN) / max(1, len(bins.starts))
    parts = [_open_picture(title, _describe(bins, totals, unit)), *_draw_grid(top, unit)]
    for place, start in enumerate(bins.starts):
        if not totals[start]:
            continue
        numbers = ", ".join(_count(line.values[start], line.name) for line in summed if line.values.get(start))
        parts.append(f"<g><title>{_name_bin(bins, start)}: {escape(numbers)}</title>")
        below = 0.0
        for line in summed:
            tall = line.values.get(start, 0) / top * (HEIGHT - BASE - TOP)
            if tall > 0:
                top_edge = HEIGHT - BASE - below - tall
                left_edge, wide = MARGIN + place * step + step * 0.1, max(1.0, step * 0.8)
                parts.append(
                    f'<rect class="{line.style}" x="{left_edge:.1f}" y="{top_edge:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>'
                )
            below += tall
        parts.append("</g>")
    parts += _draw_names(bins, step)
    return "".join([*parts, "</svg>"])


def _count(number: float, name: str) -> str:
    """Return a number with the name of what it counts, of which one is no plural ("1 topic")."""
    return f"{number:g} {name.removesuffix('s') if number == 1 else name}"


def _open_picture(title: str, description: str) -> str:
    label = escape(f"{title}: {description}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'


def _describe(bins: TimeBins, totals: Mapping[date, float], unit: str) -> str:
    whole = sum(totals.values())
    if not whole:
        return "none"
    highest = max(totals, key=lambda start: totals[start])
    span = f"from {bins.starts[0].isoformat()} to {bins.starts[-1].isoformat()}"
    return f"{whole:,.6g}{unit} {span}, most in the {bins.unit} {_name_bin(bins, highest)} ({totals[highest]:g}{unit})"


def _name_bin(bins: TimeBins, start: date) -> str:
    return f"{'from ' if bins.unit == 'week' else ''}{start:%Y-%m}" + ("" if bins.unit == "month" else f"-{start:%d}")


def _draw_grid(top: float, unit: str) -> list[str]:
    parts = []
    lines = 1 if top == 1 and not unit else 2  # half a fact means nothing
    for line in range(lines + 1):
        value = top * line / lines
        line_y = HEIGHT - BASE - value / top * (HEIGHT - BASE - TOP)
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH}" y1="{line_y:.1f}" y2="{line_y:.1f}"/>')
        parts.append(f'<text class="name" x="{MARGIN - 5}" y="{line_y + 4:.1f}">{value:g}{escape(unit)}</text>')
    return parts


def _draw_names(bins: TimeBins, step: float) -> list[str]:
    """Return the names of the last bin, of the first and of a few between, as far as they do not touch."""
    last = len(bins.starts) - 1
    every, left_end, parts = max(1, round(len(bins.starts) / 3)), float(WIDTH - NAME_WIDTH), list[str]()
    if last >= 0:
        parts.append(f'<text class="name" x="{WIDTH}" y="{HEIGHT - 6}">{bins.name(bins.starts[last])}</text>')
    right_end = MARGIN + (NAME_WIDTH if last > 0 else 0)
    for place in range(last - every, 0, -every):
        center_x = MARGIN + (place + 0.5) * step
        if center_x + NAME_WIDTH / 2 <= left_end and center_x - NAME_WIDTH / 2 >= right_end:
            parts.append(f'<text class="day" x="{center_x:.1f}" y="{HEIGHT - 6}">{bins.name(bins.starts[place])}</text>')
            left_end = center_x - NAME_WIDTH / 2
    if last > 0:
        parts.append(f'<text class="first" x="{MARGIN}" y="{HEIGHT - 6}">{bins.name(bins.starts[0])}</text>')
    return parts[::-1]


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
