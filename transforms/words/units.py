"""Units of values, how they are written, and what several of them measure."""

from __future__ import annotations

FORMS_OF_UNIT = {
    "ms": "ms millisecond milliseconds msec", "s": "s sec secs second seconds", "min": "min mins minute minutes m",
    "h": "h hr hrs hour hours", "d": "d day days", "w": "week weeks", "mo": "month months", "y": "year years",
    "kb": "kb kib k kilobyte kilobytes", "mb": "mb mib megabyte megabytes", "gb": "gb gib g gigabyte gigabytes",
    "%": "% percent", "px": "px pixel pixels", "x": "x times time",
    "tok": "token tokens", "line": "lines", "char": "characters chars", "col": "columns", "space": "spaces",
}  # fmt: skip
"""Unit → the words for it. "m" is a minute: metres are rare in work on software."""
TIME_UNITS = frozenset({"ms", "s", "min", "h", "d", "w", "mo", "y"})
SIZE_UNITS = frozenset({"kb", "mb", "gb"})
MEASURE_OF = dict.fromkeys(sorted(TIME_UNITS), "time") | dict.fromkeys(sorted(SIZE_UNITS), "bytes")
"""What units measure, where several do; a unit that is none of these is its own measure."""
