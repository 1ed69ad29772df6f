"""Looks many words up in a commit with few questions to git: starting git takes longer than reading a small repository.

Git compares every line with each word in turn, so a question has as many words as its bytes allow; in a large repository, where
git stops at the first place of a single word, each is asked for alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from effects.projects.git import ask_git, run_git

MAX_COMPARED_BYTES = 500_000_000
"""Bytes of a commit times words of a question: about a second."""

_known: dict[tuple[str, str, str], bool] = {}


def look_words_up(root: str, head: str, words: Iterable[str]) -> None:
    """Look up which of these words a commit has, for the `has_word` calls that follow."""
    waiting = sorted({word for word in words if word and "\n" not in word and (root, head, word) not in _known})
    at_once = min(len(waiting), MAX_COMPARED_BYTES // max(_measure_commit(root, head), 1)) if len(waiting) > 1 else 0
    for start in range(0, len(waiting) if at_once > 1 else 0, at_once or 1):
        _ask_for_words(root, head, set(waiting[start : start + at_once]))


def has_word(root: str, head: str, word: str) -> bool | None:
    """Return whether a commit has a word as a whole one; None when git does not tell."""
    if (is_there := _known.get((root, head, word))) is not None:
        return is_there
    code, _ = run_git(Path(root), "grep", "-q", "-F", "-w", "-e", word, head)
    return {0: True, 1: False}.get(-1 if code is None else code)


@cache
def has_history(root: str, head: str) -> bool:
    """Whether a commit has an earlier one: the only commit of a repository removed nothing."""
    return ask_git(Path(root), "rev-list", "--count", "--max-count=2", head) != "1"


def _ask_for_words(root: str, head: str, waiting: set[str]) -> None:
    """Ask for words until none of the others is there: where two overlap, git prints only the first one."""
    while waiting:
        patterns = "\n".join(sorted(waiting))
        code, text = run_git(Path(root), "grep", "-h", "-o", "-a", "--no-color", "-F", "-w", "-f", "-", head, text=patterns)
        if code not in (0, 1):
            return
        present = waiting & set(text.splitlines())
        _known.update({(root, head, word): True for word in present})
        waiting = waiting - present
        if not present:
            _known.update({(root, head, word): False for word in waiting})
            return


@cache
def _measure_commit(root: str, head: str) -> int:
    """Return the bytes of the files of a commit."""
    rows = (ask_git(Path(root), "ls-tree", "-r", "-l", head) or "").splitlines()
    sizes = (row.split(maxsplit=4)[3] for row in rows if row.count(" ") >= 3)
    return sum(int(size) for size in sizes if size.isdigit())
