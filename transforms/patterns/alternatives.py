"""Cuts a pattern of many alternatives in two: Rust's automaton of all of them can be slower than both halves together."""

from __future__ import annotations


def split_alternatives(pattern: str) -> list[str]:
    """Return the alternatives of a pattern; those in its groups stay together. A pattern with flags for all of it has none."""
    if pattern.startswith("(?") and pattern[2:3] not in (":", "P", "<"):
        return [pattern]
    alternatives, start, depth, opened = list[str](), 0, 0, -1
    is_escaped = False
    for place, char in enumerate(pattern):
        if is_escaped or char == "\\":
            is_escaped = not is_escaped
        elif opened >= 0:  # inside of a set, in which a bracket that stands first closes nothing
            opened = -1 if char == "]" and pattern[opened + 1 : place] not in ("", "^") else opened
        elif char == "[":
            opened = place
        elif char == "|" and depth == 0:
            alternatives.append(pattern[start:place])
            start = place + 1
        else:
            depth += (char == "(") - (char == ")")
    return [*alternatives, pattern[start:]]


def halve_alternatives(pattern: str) -> tuple[str, ...]:
    """Return two patterns of about the same length that together match where the pattern does; itself when it cannot be cut."""
    alternatives = split_alternatives(pattern)
    if len(alternatives) < 2:
        return (pattern,)
    cuts = range(1, len(alternatives))
    cut = min(cuts, key=lambda cut: max(len("|".join(alternatives[:cut])), len("|".join(alternatives[cut:]))))
    return "|".join(alternatives[:cut]), "|".join(alternatives[cut:])
