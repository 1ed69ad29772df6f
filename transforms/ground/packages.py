"""Packages that the manifests of a repository name, and those of them that a line of memory relies on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch

from transforms.ground.code_references import CodeReference
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import stem
from transforms.patterns.late_pattern import compile_late

MIN_PACKAGE_CHARS = 4
"""Shorter names are taken for words."""
_VERSION = r"[\^~<>=!*\d]"
_ENTRIES = {
    "requirements*.txt": compile_late(rf"^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:{_VERSION}.*|;.*)?$"),
    "pyproject.toml": compile_late(
        r"[\"']([A-Za-z][\w.-]*)(?:\[[^\]]*\](?=[\"'])|(?:\[[^\]]*\])?\s*[<>=!~]=?[^\"']*)[\"']"
        rf"|^([A-Za-z][\w-]*)\s*=\s*(?:[\"']{_VERSION}|\{{.*version)"
    ),
    "Cargo.toml": compile_late(r"^([A-Za-z][\w-]*)\s*=\s*(?:\"[\^~<>=*]*\d|\{.*(?:version|git|path)\s*=)"),
    "package.json": compile_late(rf"^\s*\"(@?[\w./-]+)\":\s*\"(?:{_VERSION}|workspace:|npm:|git)"),
    "go.mod": compile_late(r"^(?:require)?\s*((?:[\w-]+\.)+[a-z]+/\S+)\s+v\d"),
    "Gemfile": compile_late(r"^\s*gem\s+[\"']([\w-]+)[\"']"),
    "mix.exs": compile_late(r"\{:(\w+),\s*[\"\[\w]"),
}
MANIFESTS = tuple(_ENTRIES)
STRUCTURED = ("pyproject.toml", "Cargo.toml", "package.json")
"""Manifests whose rows do not tell what is a package: its table does, which may be rows away."""
_POSSIBLE = compile_late(r"[\"'](@?[A-Za-z0-9][\w./-]*)|^([A-Za-z][\w-]*)\s*[=.]|^\[.*dependencies\.([\w-]+)\]")
_VERSION_END = compile_late(r"[/.]v\d+$")
_OF_THE_PROJECT = frozenset({"version", "python", "requires-python", "edition", "rust-version", "node"})
"""Keys of manifests that look like packages."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The commit that removed a package from a manifest last, and the packages that it added."""

    commit: str
    added: frozenset[str]
    file: str = ""
    """The manifest that named it."""


@dataclass(frozen=True, slots=True)
class Packages:
    """The packages of a repository: those in manifests now, and by name the removal of those that were there."""

    current: frozenset[str] = frozenset()
    removed: Mapping[str, Removal] = field(default_factory=dict)


def read_package(file: str, row: str) -> list[str]:
    """Return the packages that a row of a manifest names; none for other files."""
    name = file.rsplit("/", 1)[-1]
    pattern = next((pattern for shape, pattern in _ENTRIES.items() if fnmatch(name, shape)), None)
    names = [group for match in (pattern.finditer(row) if pattern else ()) for group in match.groups() if group]
    return [package for package in names if package.lower() not in _OF_THE_PROJECT]


def read_possible_packages(file: str, row: str) -> list[str]:
    """Return all that may be a package in a row of a manifest: where its rows do not tell, every word in quotes and every key."""
    if file.rsplit("/", 1)[-1] not in STRUCTURED:
        return add_short_names(read_package(file, row))
    return [group for match in _POSSIBLE.finditer(row) for group in match.groups() if group]


def add_short_names(names: Iterable[str]) -> list[str]:
    """Return packages with the names that people say: a module of Go is known by the last part of its address."""
    return [short for name in names for short in dict.fromkeys((name, _VERSION_END.sub("", name).rsplit("/", 1)[-1]))]


def read_removals(log: Iterable[str]) -> dict[str, Removal]:
    """Return the removals that `git log -p -U0` of manifests tells, the newest of each name; `commit HASH` is before each.

    What `read_possible_packages` reads may be no package: the manifest before the commit tells.
    """
    removals: dict[str, Removal] = {}
    commit, file = "", ""
    added: set[str] = set()
    gone: dict[str, str] = {}

    def close() -> None:
        """Take over what the last commit removed and did not move."""
        for name in gone.keys() - added:
            removals.setdefault(name, Removal(commit, frozenset(added), gone[name]))

    for row in log:
        if row.startswith("commit "):
            close()
            commit, added, gone = row.removeprefix("commit ").strip(), set(), {}
        elif row.startswith(("--- a/", "+++ b/")):
            file = row[6:]
        elif row.startswith("-"):
            gone |= dict.fromkeys(read_possible_packages(file, row[1:]), file)
        elif row.startswith("+"):
            added.update(read_possible_packages(file, row[1:]))
    close()
    return removals


def list_package_references(line: str, packages: Packages) -> list[CodeReference]:
    """Return the packages that a line relies on, sorted: not those that it denies, nor one whose successor it names, too."""
    low = line.lower()
    named = {name for name in (*packages.current, *packages.removed) if len(name) >= MIN_PACKAGE_CHARS and name.lower() in low}
    named = {name for name in named if _stands_in(name.lower(), low)}
    if not named:
        return []
    signs = parse_statement(line).signs
    relied_on = {name for name in named if "-" not in signs.get(name.lower(), "") + signs.get(stem(name.lower()), "")}
    return sorted(
        CodeReference("package", name)
        for name in relied_on
        if name in packages.current or not packages.removed[name].added & named
    )


def _stands_in(name: str, low: str) -> bool:
    at = low.find(name)
    while at >= 0:
        before, after = low[at - 1 : at], low[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("/", "-", "_", ".", "@")) and not (after.isalnum() or after in ("/", "-", "_")):
            return True
        at = low.find(name, at + 1)
    return False
