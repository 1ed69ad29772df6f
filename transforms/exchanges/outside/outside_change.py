"""What a change outside of the working tree is: a deed, and what it was done to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Deed = Literal[
    "opened", "merged", "closed", "reopened", "created", "pushed", "deleted", "rebased", "tagged", "published", "deployed",
    "is open",
]  # fmt: skip
Thing = Literal["pull request", "issue", "branch", "tag", "repository", "release", ""]


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """One change. `names` are the numbers or names of what changed, `title` its title, or the messages of the commits of a push.

    `place` is where it went (a branch, an address, commits), `branch` that of a pull request. `command` is what ran and `printed`
    the last line of its output, both of a deployment alone; `titled` is the entry that gave the title. With `is_seen` the state
    was read, not made.
    """

    deed: Deed
    thing: Thing
    names: tuple[str, ...]
    ordinal: int
    result: int
    title: str = ""
    place: str = ""
    branch: str = ""
    command: str = ""
    printed: str = ""
    titled: int | None = None
    is_ok: bool = True
    is_seen: bool = False
    error: str = ""


FORGES = frozenset({"gh", "glab"})
