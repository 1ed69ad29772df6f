"""Finds the commits of a session in the output of git, and the sessions that worked on a commit's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late
from transforms.tables.periods import SECONDS_PER_DAY

COMMITTED = r"(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] \S"
"""Output of `git commit`: branch, hash and subject. Rust and Python read this pattern alike."""

_PRINTED_COMMIT = compile_late(r"^\[[^\]\n]+ (?P<hash>[0-9a-f]{7,40})\] (?P<subject>\S[^\n]*)", re.M)
_SPACES = compile_late(r"\s+")


_SUBJECT_WORD = compile_late(r"[A-Za-z0-9]+")
HALVED_EACH_DAYS = 1.0
"""A session counts half as much for each day between its work and the commit: whose work it was is soon committed."""


class GitCommit(NamedTuple):
    """A commit: the beginning of its hash, its subject, and, when git was asked, the author's time and the changed files."""

    hash: str
    subject: str
    authored_at: datetime | None = None
    files: tuple[str, ...] = ()


def find_commits(text: str) -> Iterator[GitCommit]:
    """Yield the commits that an output of git names as made."""
    for match in _PRINTED_COMMIT.finditer(text):
        yield GitCommit(match["hash"], match["subject"].strip())


def is_same_commit(made: GitCommit, wanted_hash: str | None, wanted_subject: str | None) -> bool:
    """Whether a commit that a session made is the wanted one: one hash begins the other, or the subjects are equal.

    A rebase gives a commit another hash and leaves its subject.
    """
    if wanted_hash and (made.hash.startswith(wanted_hash) or wanted_hash.startswith(made.hash)):
        return True
    return bool(wanted_subject) and _normalise(made.subject) == _normalise(wanted_subject or "")


def find_subject_word(subject: str) -> str:
    """Return the longest word of a subject as it stands in any quotation or JSON; empty without one."""
    return max(_SUBJECT_WORD.findall(subject), key=len, default="")


def rank_traces(
    commit: GitCommit, moment: datetime, changes: Iterable[tuple[str, datetime, Sequence[str]]]
) -> list[tuple[str, list[str]]]:
    """Return the sessions that changed files of a commit, with these files, the likeliest first.

    `changes` are the files that a session changed until a moment. A session is likelier the more of the commit's files it
    changed, and the less time passed until the commit.
    """
    best: dict[str, tuple[float, list[str]]] = {}
    for session_id, ended_at, paths in changes:
        own = [file for file in commit.files if any(_is_same_file(path, file) for path in paths)]
        days = max(0.0, (moment - ended_at).total_seconds() / SECONDS_PER_DAY)
        likelihood = len(own) / len(commit.files) * 0.5 ** (days / HALVED_EACH_DAYS)
        if own and likelihood > best.get(session_id, (-1.0, []))[0]:
            best[session_id] = (likelihood, own)
    return [(session_id, own) for session_id, (_, own) in sorted(best.items(), key=lambda item: (-item[1][0], item[0]))]


def _is_same_file(path: str, file: str) -> bool:
    """Whether a path of a tool call is a file of the repository: paths may be absolute or begin in a folder of it."""
    plain = path.removeprefix("./")
    return plain == file or plain.endswith(f"/{file}") or file.endswith(f"/{plain}")


def _normalise(subject: str) -> str:
    return _SPACES.sub(" ", subject).strip().casefold()
