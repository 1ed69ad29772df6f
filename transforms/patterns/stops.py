"""Takes the stops off a text whose last word may be a path or a range: `go test ./...`, `git log main..`, `cd ..`."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_STOP = compile_late(r"\.(?:\.\.+)?")
_STOP_BEHIND = compile_late(r"(?<=[^./])\.(?:\.\.+)?$")
"""One dot or three and more behind a word; two, and dots behind a slash, are part of it."""


def drop_end_stops(text: str) -> str:
    """Return a text without the stops and the space behind it; dots that belong to its last word stay."""
    text = text.rstrip()
    while (head := text.rpartition(" "))[0] and _STOP.fullmatch(head[2]):
        text = head[0].rstrip()
    return _STOP_BEHIND.sub("", text)


def drop_stops(text: str) -> str:
    """Return a text with single spaces and without the stops around it; `./run.sh` and `./...` keep theirs."""
    words = text.split()
    while words and _STOP.fullmatch(words[0]):
        words = words[1:]
    return "" if not words else drop_end_stops(" ".join(words))
