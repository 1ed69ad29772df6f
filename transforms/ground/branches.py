"""The branch of git that a session worked on, read from the client's notes and the output of git in its entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late

_NOTED = compile_late(r'"gitBranch"\s*:\s*"([^"\\]+)"|"git"\s*:\s*\{[^{}]*"branch"\s*:\s*"([^"\\]+)"')
_BRANCH_COMMIT = compile_late(r"(?m)^\[([^\s\]]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] ")
_ON_BRANCH = compile_late(r"(?m)^On branch (\S+)$")
_SWITCHED = compile_late(r"(?m)^Switched to (?:a new )?branch '([^'\n]+)'")


class BranchEntry(NamedTuple):
    """An entry as far as it may name a branch. `line` is the raw line of the client."""

    ordinal: int
    is_tool_result: bool
    text: str
    line: str


@dataclass(frozen=True, slots=True)
class BranchSign:
    """A place that names the branch. A switch says nothing about the time before it; `commit` was made there."""

    ordinal: int
    branch: str
    commit: str = ""
    is_switch: bool = False


def read_branch_signs(entries: Iterable[BranchEntry]) -> list[BranchSign]:
    """Return the signs of a session in the order of its entries. Words of a person or an agent are not sign; git's output is."""
    signs: list[BranchSign] = []
    for entry in entries:
        if noted := _NOTED.search(entry.line):
            branch = noted[1] or noted[2]
            if branch != "HEAD" and (not signs or signs[-1].branch != branch):
                signs.append(BranchSign(entry.ordinal, branch))
        if not entry.is_tool_result:
            continue
        placed_signs = [
            (match.start(), BranchSign(entry.ordinal, match[1], match[2])) for match in _BRANCH_COMMIT.finditer(entry.text)
        ]
        placed_signs += [(match.start(), BranchSign(entry.ordinal, match[1])) for match in _ON_BRANCH.finditer(entry.text)]
        placed_signs += [
            (match.start(), BranchSign(entry.ordinal, match[1], is_switch=True)) for match in _SWITCHED.finditer(entry.text)
        ]
        signs += [sign for _, sign in sorted(placed_signs, key=lambda item: item[0])]
    return signs


def find_branch(signs: Sequence[BranchSign], ordinal: int) -> str | None:
    """Return the branch at an entry: that of the last sign before it, else of the first one after it, unless that is a switch."""
    before = [sign for sign in signs if sign.ordinal <= ordinal]
    if before:
        return before[-1].branch
    return signs[0].branch if signs and not signs[0].is_switch else None


def list_branch_commits(signs: Sequence[BranchSign], branch: str) -> list[str]:
    """Return the commits that the session made on a branch."""
    return [sign.commit for sign in signs if sign.branch == branch and sign.commit]
