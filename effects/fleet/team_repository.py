"""Proposes the team page as a commit on a branch of its own; people merge it. Nothing that is checked out is touched."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from effects.projects.git import run_git
from effects.system.errors import PageError

PAGE = "MEMORY.md"
BRANCH = "recollect-team-memory"
AUTHOR = "recollect"


@dataclass(frozen=True, slots=True)
class AcceptedPage:
    """The page at the present commit of the repository, the lines that earlier commits had, and those that recollect wrote."""

    text: str
    removed: tuple[str, ...]
    written: tuple[str, ...] = ()


def read_accepted_page(repository: Path) -> AcceptedPage:
    """Return the team page as it is accepted; empty when there is none yet.

    Raises:
        PageError: when the folder is not a git repository.
    """
    if _run(repository, "rev-parse", "--git-dir")[0] != 0:
        if (repository / ".git").exists() or (repository / "HEAD").is_file():
            raise PageError(
                f"{repository} is a git repository that git refuses to this user, perhaps because another one owns it",
                f"git config --global --add safe.directory {repository}",
            )
        raise PageError(
            f"{repository} is not a git repository that this user may read, so nobody could review the team page",
            f"git init {repository}",
        )
    code, text = _run(repository, "show", f"HEAD:{PAGE}")
    page = text + "\n" if code == 0 else ""
    _, history = _run(repository, "log", "--format=", "--no-color", "-p", "--no-renames", "HEAD", "--", PAGE)
    lines = (line[1:] for line in history.splitlines() if line.startswith("-") and not line.startswith("---"))
    removed = list(lines)
    _, own = _run(repository, "log", "--format=", "--no-color", "-p", "--no-renames", f"--author=^{AUTHOR} <", "HEAD", "--", PAGE)
    written = [line[1:] for line in own.splitlines() if line.startswith("+- ")]
    present = set(page.splitlines())
    removed += [line for line in written if line not in present]  # a merge that reworded a line shows no removal
    return AcceptedPage(page, tuple(dict.fromkeys(removed)), tuple(dict.fromkeys(written)))


def withdraw_page(repository: Path) -> None:
    """Delete an earlier proposal, because the accepted page is what owners approve; a branch that others wrote to stays."""
    _, author = _run(repository, "log", "-1", "--format=%an", f"refs/heads/{BRANCH}")
    _, checked_out = _run(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
    if author.strip() == AUTHOR and checked_out.strip() != BRANCH:
        _ask(repository, "update-ref", "-d", f"refs/heads/{BRANCH}")


def propose_page(repository: Path, text: str, as_of: datetime) -> str:
    """Commit `text` as the team page on top of the present commit, on the branch of proposals; return the name of the branch.

    The same text on the same commit gives the same commit, and an earlier proposal that nobody merged is replaced.

    Raises:
        PageError: when git refuses.
    """
    stamp = f"{int(as_of.timestamp())} +0000"
    author = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _describe_author(stamp).items()}
    _, head = _run(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    if _is_proposed(repository, head, text):
        return BRANCH
    blob = _ask(repository, "hash-object", "-w", "--stdin", text=text)
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if head:
            _ask(repository, "read-tree", head, environment=index)
        _ask(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{PAGE}", environment=index)
        tree = _ask(repository, "write-tree", environment=index)
    parents = ("-p", head) if head else ()
    commit = _ask(repository, "commit-tree", tree, *parents, "-m", "Team memory: rules that owners approved", environment=author)
    _ask(repository, "update-ref", f"refs/heads/{BRANCH}", commit)
    return BRANCH


def _describe_author(stamp: str) -> dict[str, str]:
    return {"NAME": AUTHOR, "EMAIL": f"{AUTHOR}@localhost", "DATE": stamp}


def _is_proposed(repository: Path, head: str, text: str) -> bool:
    """Whether the branch already has this page on top of the present commit."""
    code, proposed = _run(repository, "show", f"refs/heads/{BRANCH}:{PAGE}")
    _, parent = _run(repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{BRANCH}^")
    return code == 0 and proposed.strip() == text.strip() and parent == head


def _run(
    repository: Path, *arguments: str, text: str = "", environment: Mapping[str, str] | None = None
) -> tuple[int | None, str]:
    """Run git in the repository that the fleet names, which may be one without checked-out files."""
    named = (
        {} if (repository / ".git").exists() or not (repository / "HEAD").is_file() else {"GIT_DIR": str(repository.absolute())}
    )
    return run_git(repository, *arguments, text=text, environment=named | dict(environment or {}))


def _ask(repository: Path, *arguments: str, text: str = "", environment: Mapping[str, str] | None = None) -> str:
    code, answer = _run(repository, *arguments, text=text, environment=environment)
    if code != 0:
        raise PageError(f"git {arguments[0]} failed in {repository}", f"git -C {repository} status")
    return answer
