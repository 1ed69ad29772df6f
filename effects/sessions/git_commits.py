"""Asks git which commit a hash or a line of a file means."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from effects.projects.git import ask_git
from transforms.sessions.commits import GitCommit


def read_commit(folder: Path, revision: str) -> GitCommit | None:
    """Return the commit with this hash in the repository of a folder; None when there is none."""
    answer = ask_git(folder, "show", "--name-only", "--format=%H%n%s%n%at", f"{revision}^{{commit}}")
    return _parse(answer)


def read_blamed_commit(folder: Path, path: str, line: int) -> GitCommit | None:
    """Return the commit that last changed a line of a file; None when git does not know the line, or it is not committed."""
    file = Path(path).expanduser()
    file = file if file.is_absolute() else folder / file
    if not file.is_file():
        return None
    answer = ask_git(file.parent, "blame", "--porcelain", "-L", f"{line},{line}", "--", file.name)
    revision = answer.split(maxsplit=1)[0] if answer else ""
    return read_commit(file.parent, revision) if revision.strip("0") else None


def _parse(answer: str | None) -> GitCommit | None:
    lines = answer.splitlines() if answer else []
    if len(lines) < 3:
        return None
    moment = datetime.fromtimestamp(int(lines[2]), UTC) if lines[2].isdigit() else None
    return GitCommit(lines[0], lines[1], moment, tuple(line for line in lines[3:] if line))
