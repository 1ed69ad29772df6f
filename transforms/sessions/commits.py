"""Finds the commits of a session in the output of git."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

COMMITTED = r"(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] \S"
"""Output of `git commit`: branch, hash and subject. Rust and Python read this pattern alike."""

_COMMITTED = re.compile(r"^\[[^\]\n]+ (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)", re.M)
_SPACES = re.compile(r"\s+")


class GitCommit(NamedTuple):
    """A commit: the beginning of its hash, and its subject."""

    hash: str
    subject: str


def find_commits(text: str) -> Iterator[GitCommit]:
    """Yield the commits that an output of git names as made."""
    for match in _COMMITTED.finditer(text):
        yield GitCommit(match["hash"], match["subject"].strip())


def is_same_commit(made: GitCommit, wanted_hash: str | None, wanted_subject: str | None) -> bool:
    """Whether a commit that a session made is the wanted one: one hash begins the other, or the subjects are equal.

    A rebase gives a commit another hash and leaves its subject.
    """
    if wanted_hash and (made.hash.startswith(wanted_hash) or wanted_hash.startswith(made.hash)):
        return True
    return bool(wanted_subject) and _normalise(made.subject) == _normalise(wanted_subject or "")


def _normalise(subject: str) -> str:
    return _SPACES.sub(" ", subject).strip().casefold()
