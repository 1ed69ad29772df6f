"""Names under which a person knows a project, and the projects that a question names.

Besides the last part of its path a project has the name of its repository: of its remote, of the folder of its common git
directory, and of the folder around or inside of which its worktrees lie. A name may be a word of the language, too ("labels"),
so its writing or its place in a question tells whether the project is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

LEAST_NAME_CHARS = 2
"""Shorter names are taken for letters of a text."""
SUBJECT_WORDS = frozenset({"about"})
"""Prepositions before a subject, which may be a project: its name stays a word."""
PLACE_WORDS = frozenset({"in", "on", "for", "of", "from", "at"}) | SUBJECT_WORDS
"""Prepositions before the place of work: "in cli", "on auth-go"."""
_LEADS = frozenset({"the", "our", "my"})
PROJECT_WORDS = frozenset({"project", "repo", "repository", "codebase"})
"""Words beside a name that say what it is."""
WORKTREES = frozenset({"worktrees", ".worktrees", "worktree", ".worktree"})
"""Folders in which programs put worktrees: inside of a repository, or outside of it in a folder with the repository's name."""
GIT_FOLDER = ".git"
PROJECTS_NAMED = 20
"""Known projects that an error names."""

Names = Mapping[str, tuple[str, ...]]
"""The projects of each name, in small letters."""


@dataclass(frozen=True, slots=True)
class NamedProjects:
    """The projects that a question names (full paths), and the question without the name that tells where.

    `is_written` tells of a name that no word is written like; any other one is known by its place alone. A name that is the
    subject, or one of several, stays.
    """

    projects: tuple[str, ...]
    rest: str
    is_written: bool


def list_repository_names(folder: str, remote: str | None = None, git_dir: str | None = None) -> set[str]:
    """Return the names of the repository of a folder: of its remote, its common git directory and its worktrees."""
    parts = _split_path(folder)
    names = {(remote or "").rstrip("/").rpartition("/")[2]}
    if git_dir:
        around, _, last = git_dir.replace("\\", "/").rstrip("/").rpartition("/")
        names.add(around.rpartition("/")[2] if last == GIT_FOLDER else last.removesuffix(GIT_FOLDER))
    for place, part in enumerate(parts):
        behind = parts[place + 1 :]
        if part.casefold() in WORKTREES and behind:
            names.add(behind[0] if len(behind) > 1 else parts[place - 1] if place else "")
    return {name for name in names if len(name) >= LEAST_NAME_CHARS}


def _split_path(folder: str) -> list[str]:
    return [part for part in folder.replace("\\", "/").split("/") if part]


def join_names(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the projects of each name, from pairs of a name and a project."""
    joined: dict[str, set[str]] = {}
    for name, project in pairs:
        if len(name) >= LEAST_NAME_CHARS:
            joined.setdefault(name.casefold(), set()).add(project)
    return {name: tuple(sorted(projects)) for name, projects in sorted(joined.items())}


def join_folder_names(folders: Iterable[tuple[str, str, str | None, str | None]]) -> dict[str, tuple[str, ...]]:
    """Return the projects of each name, of folders and repositories, from rows of folder, project, remote and git directory."""
    return join_names(
        (name, project)
        for folder, project, remote, git_dir in folders
        for name in (*_split_path(folder)[-1:], *list_repository_names(folder, remote, git_dir))
    )


def describe_known_projects(projects: Iterable[str]) -> str:
    """Return the names of the first projects, and how many more there are, for an error about an unknown one."""
    known = sorted({name for project in projects for name in _split_path(project)[-1:]})
    more = f" and {len(known) - PROJECTS_NAMED} more (recollect projects)" if len(known) > PROJECTS_NAMED else ""
    return f"known projects: {', '.join(known[:PROJECTS_NAMED]) or 'none yet'}{more}"


def find_question_projects(text: str, names: Names) -> NamedProjects | None:
    """Return the projects that a question names; None when it names none.

    A name is meant that is written like no word ("auth-go", "pi.dev"), or stands where a place of work does ("in labels",
    "the labels repo", "labels: which port?"). A number or a date is no name, whatever folder has it.
    """
    matches = list(_compile_names(tuple(names)).finditer(text)) if names else []
    matches = [match for match in matches if any(map(str.isalpha, match[0]))]
    written = [match for match in matches if not match[0].isalpha()]
    meant = written or [match for match in matches if _is_place(text, match)]
    if not meant:
        return None
    rest = text
    if len({match[0].casefold() for match in meant}) == 1:
        for match in reversed(meant):
            rest = _cut_name(rest, match) if _is_place(text, match) and not _is_subject(text, match) else rest
    projects = {project for match in meant for project in names[match[0].casefold()]}
    return NamedProjects(tuple(sorted(projects)), rest.strip(), bool(written))


@lru_cache(maxsize=8)
def _compile_names(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w@/.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-]|[./]\w)", re.I)


def _is_place(text: str, match: re.Match[str]) -> bool:
    before, behind = _split_around(text, match)
    is_label = not before and behind.startswith(":")
    is_beside = bool(before and before[-1].casefold() in PLACE_WORDS | PROJECT_WORDS)
    return is_label or is_beside or _find_project_word(behind) > 0 or _is_bracketed(text, match)


def _is_subject(text: str, match: re.Match[str]) -> bool:
    before, _ = _split_around(text, match)
    return bool(before and before[-1].casefold() in SUBJECT_WORDS)


def _split_around(text: str, match: re.Match[str]) -> tuple[list[str], str]:
    """Return the words before a name, without its article, and the text behind it."""
    before = text[: match.start()].split()
    return before[:-1] if before and before[-1].casefold() in _LEADS else before, text[match.end() :]


def _is_bracketed(text: str, match: re.Match[str]) -> bool:
    return text[: match.start()].endswith("(") and text[match.end() :].startswith(")")


def _find_project_word(behind: str) -> int:
    """Return the length of a word that says what the name before it is; 0 without one."""
    word = behind.split(maxsplit=1)[0].rstrip(",:;?!.") if behind[:1] == " " and behind.strip() else ""
    return len(word) + 1 if word.casefold() in PROJECT_WORDS else 0


def _cut_name(text: str, match: re.Match[str]) -> str:
    """Return a text without a name and the words that make it a place: "on auth-go", "in the auth-go repo", "(auth-go)"."""
    if _is_bracketed(text, match):
        return text[: match.start() - 1].rstrip() + text[match.end() + 1 :]
    words, behind = _split_around(text, match)
    behind = behind.removeprefix("'s").removeprefix("’s")
    if words and words[-1].casefold() in PROJECT_WORDS:
        words = words[:-1]
        words = words[:-1] if words and words[-1].casefold() in _LEADS else words
    words = words[:-1] if words and words[-1].casefold() in PLACE_WORDS else words
    behind = behind[_find_project_word(behind) :]
    return " ".join(words) + behind if words else behind.lstrip(" :,–—-")
