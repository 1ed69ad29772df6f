"""Names of projects: which of them a line names, and the file name of each one's page, which every file system takes and nobody
misreads."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from hashlib import blake2b

from transforms.patterns.late_pattern import compile_late

MAX_TITLE_CHARS = 58
"""Characters of a session's title beside its words."""
MAX_NAME_BYTES = 150
"""File systems take names of 255 bytes; a page's name gets an ending and, for a moment, a temporary one."""

SAFE_MARKS = frozenset("._-+@=, ")
"""Besides the letters, digits and accents of any script. Anything else may be a bracket of a mark, or turn the text around."""

INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Fillers that count as letters and show nothing."""

LEAST_NAME_CHARS = 2
"""Shorter names of projects are taken for letters of a text."""

_SEVERAL = compile_late(r"(?i)\b(?:both|all|every|each|any)\s(?:[\w']+\s)?(?:projects?|repo(?:s|sitory|sitories)?)\b")
_RESERVED = compile_late(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$")
"""Windows opens a device under these names, with any ending."""


def shorten_project(project: str | None) -> str:
    """Return the last part of a project's path."""
    return (project or "").replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "unknown"


def label_projects(projects: Iterable[str]) -> dict[str, str]:
    """Return a name for each project that no other one has, in any case: the last part of its path, or as many of its last parts
    as tell it from every other project with the same last part (`work/api` and `home/api`)."""
    known = sorted(set(projects))
    parts = {project: [part for part in project.replace("\\", "/").split("/") if part] for project in known}
    endings = Counter(_fold_end(parts[project], depth) for project in known for depth in range(1, len(parts[project]) + 1))
    labels = {}
    for project in known:
        own = parts[project]
        depth = next((depth for depth in range(1, len(own) + 1) if endings[_fold_end(own, depth)] == 1), 0)
        labels[project] = "/".join(own[-depth:]) if depth else project or "unknown"
    return labels


def ends_with_name(project: str, name: str) -> bool:
    """Whether a name is a project's path or the last parts of it."""
    path, end = (unicodedata.normalize("NFC", text).rstrip("/") for text in (project, name))
    return bool(end) and (path == end or path.endswith("/" + end.lstrip("/")))


def _fold_end(parts: list[str], depth: int) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts[-depth:])


def find_line_scope(line: str, home: str | None, projects: Iterable[str]) -> tuple[str, ...]:
    """Return those of `projects` for which a line of MEMORY.md was said, sorted; none when it holds in all of them.

    These are the projects that it names. A line that names none, and does not speak of several, holds in `home`, the project of
    the facts that it rests on; and of two projects with the name that it says, `home` is meant if it is one of them.
    """
    named = find_named_projects(line, projects)
    if home is None or (not named and says_where(line, ())):
        return named
    meant = tuple(project for project in named if project == home or _fold_name(project) != _fold_name(home))
    return meant if home in named else named or (home,)


def is_within_scope(project: str, scope: Collection[str]) -> bool:
    """Whether a line with this scope holds in a project: the scope has it, or no other one."""
    return project in scope or not any(_is_other(project, named) for named in scope)


def _is_other(project: str, named: str) -> bool:
    """Whether two projects differ. A folder around one, or inside of it, is no other: the owner's home bears the owner's name."""
    path, other = project.rstrip("/") + "/", named.rstrip("/") + "/"
    return not (path.startswith(other) or other.startswith(path))


def find_foreign_projects(line: str, own: Collection[str], projects: Iterable[str]) -> tuple[str, ...]:
    """Return those of `projects` that a line names, sorted; none when it names one of `own`, too, or no other project at all."""
    named = find_named_projects(line, {*projects, *own})
    if any(project in named for project in own):
        return ()
    return tuple(project for project in named if all(_is_other(known, project) for known in own))


def find_named_projects(text: str, projects: Iterable[str]) -> tuple[str, ...]:
    """Return those of `projects` whose name stands in a text as a whole word, in any case; sorted.

    The name is the last part of the path, or the longer one that tells two projects with the same last part from each other.
    """
    known = tuple(sorted(set(projects)))
    names = {match.casefold() for match in _compile_names(known).findall(text)} if known else set()
    if not names:
        return ()
    labels = label_projects(known)
    return tuple(project for project in known if names & {_fold_name(project), labels[project].casefold()})


def says_where(text: str, projects: Iterable[str]) -> bool:
    """Whether a line names one of the projects, or speaks of several: "in both projects", "all repositories"."""
    return bool(_SEVERAL.search(text) or find_named_projects(text, projects))


@lru_cache(maxsize=64)  # each line of a page, or each of a question's candidates, is compared with the same names
def _compile_names(projects: tuple[str, ...]) -> re.Pattern[str]:
    labels = label_projects(projects)
    names = {
        name for project in projects for name in (shorten_project(project), labels[project]) if len(name) >= LEAST_NAME_CHARS
    }
    longest_first = sorted(names, key=lambda name: (-len(name), name))  # "shop" is not named by "shop-admin"
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})(?![\w-])", re.I)


def _fold_name(project: str) -> str:
    return shorten_project(project).casefold()


def name_project_pages(projects: Iterable[str]) -> dict[str, str]:
    """Return a page name for each project: its last path part, longer where two projects share it.

    Names differ on file systems that ignore case, too. A name that had to be changed ends with a short hash of its project.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for project in sorted(set(projects)):
        composed = unicodedata.normalize("NFC", project.replace("\\", "/"))
        parts = [part for part in composed.split("/") if part] or ["unknown"]
        candidates = ("-".join(parts[-depth:]) for depth in range(1, len(parts) + 1))
        name = next((text for text in candidates if make_safe_name(text) == text and _fold(text) not in taken), None)
        if name is None:
            ending = blake2b(project.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            name = f"{make_safe_name(parts[-1])}-{ending}"
        names[project] = name
        taken.add(_fold(name))
    return names


def make_safe_name(text: str) -> str:
    """Return the text as a file name without ending: unsafe characters become `-`, its beginning hides and escapes nothing."""
    cleaned = "".join(char if _is_safe(char) else "-" for char in text).lstrip("-. ~").rstrip(". ")
    shortened = cleaned.encode()[:MAX_NAME_BYTES].decode(errors="ignore").rstrip(". ")
    return f"project-{shortened}".rstrip("-") if not shortened or _RESERVED.match(shortened) else shortened


def _is_safe(char: str) -> bool:
    return char in SAFE_MARKS or (unicodedata.category(char)[0] in "LMN" and char not in INVISIBLE_LETTERS)


def _fold(name: str) -> str:
    """Return the form in which file systems that ignore case and composition compare names."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def name_session(title: str, quote: str = "") -> str:
    """Return the title of a session in quotation marks, cut; empty where it is the beginning of the quotation behind it, or the
    other way round: a session without a name has its first words."""
    first, second = (" ".join(text.strip("“”….").casefold().split()) for text in (title, quote))
    if second and (first.startswith(second) or second.startswith(first)):
        return ""
    return f"“{title[: MAX_TITLE_CHARS - 1]}…”" if len(title) > MAX_TITLE_CHARS else f"“{title}”"
