"""Finds the command that a mistyped one means."""

from __future__ import annotations

from difflib import get_close_matches

from recollect.command_list import COMMANDS, DELETING


def find_similar_command(name: str) -> str | None:
    """Return the command that is the fewest slips away, among equals the most alike; None when none is near.

    One that deletes is at most one slip away: whoever follows the advice blindly loses nothing.
    """
    alike = get_close_matches(name, COMMANDS, len(COMMANDS))  # the most alike first
    slips = {command: count_slips(name, command) for command in COMMANDS}
    near = [command for command in [*alike, *COMMANDS] if slips[command] <= 1 or (command in alike and command not in DELETING)]
    return min(near, key=slips.__getitem__, default=None)


def count_slips(typed: str, meant: str) -> int:
    """Return how many letters were left out, added or mistaken, or pairs of neighbours swapped (Damerau and Levenshtein)."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(meant, 1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, typed[i - 2]) == (meant[j - 2], other):
                slips = min(slips, older[j - 2] + 1)
            row.append(slips)
    return row[-1]
