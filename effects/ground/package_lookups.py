"""Looks packages up in the manifests of a repository's history, in git's objects alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from effects.ground.file_lookups import read_files
from effects.ground.lookups import Lookup, look_up, make_relative
from effects.projects.git import run_git
from transforms.ground.code_references import CodeReference, list_code_references
from transforms.ground.manifests import list_dependencies
from transforms.ground.packages import MANIFESTS, Packages, list_package_references, read_removals

MAX_COMMITS = 3000
"""Newest commits in which removals are looked for: the walk takes a second."""
_PLACES = tuple(f":(glob)**/{name}" for name in MANIFESTS)


def list_references(line: str, heads: Mapping[str, str]) -> list[CodeReference]:
    """Return the references of a line, with the packages that repositories at these commits have or had."""
    packages = {
        reference
        for root, head in heads.items()
        for reference in list_package_references(line, read_packages(root, head))
        if reference.name in read_packages(root, head).current or _was_declared(root, head, reference.name)
    }
    names = {reference.name for reference in packages}
    return sorted([*packages, *(reference for reference in list_code_references(line) if reference.name not in names)])


def look_up_reference(root: str, head: str, reference: CodeReference) -> Lookup:
    """Return whether the commit `head` has a reference, or its manifests a package."""
    if reference.kind == "package":
        return _look_up_package(root, head, reference.name)
    return look_up(root, head, make_relative(reference, root))


@cache
def read_packages(root: str, head: str) -> Packages:
    """Return the packages in the manifests of a commit, and those that its history removed."""
    files = read_files(root, head, _PLACES)
    current = {name for file, text in files.items() for name in list_dependencies(file, text)}
    _, oldest = run_git(Path(root), "rev-list", "-1", f"--skip={MAX_COMMITS}", head)
    code, log = run_git(
        Path(root), "log", "--format=commit %h", "-p", "-U0", "--no-color", "--no-renames",
        f"{oldest}..{head}" if oldest else head, "--", *_PLACES,
    )  # fmt: skip
    removals = read_removals(log.splitlines()) if code == 0 else {}
    return Packages(frozenset(current), {name: gone for name, gone in removals.items() if name not in current})


def _was_declared(root: str, head: str, name: str) -> bool:
    """Whether the manifest that lost a name declared it as a package."""
    removal = read_packages(root, head).removed[name]
    return name in _list_former_dependencies(root, removal.commit, removal.file)


@cache
def _list_former_dependencies(root: str, commit: str, file: str) -> frozenset[str]:
    """Return what a manifest declared before a commit."""
    code, text = run_git(Path(root), "show", f"{commit}~1:{file}")
    return list_dependencies(file, text) if code == 0 else frozenset()


def _look_up_package(root: str, head: str, name: str) -> Lookup:
    """Return whether a package is in a manifest. It is gone when a commit removed it and the word stands nowhere else: names of
    packages are words, too."""
    packages = read_packages(root, head)
    if name in packages.current:
        return Lookup("present")
    if name not in packages.removed or not _was_declared(root, head, name):
        return Lookup("unknown")
    code, _ = run_git(Path(root), "grep", "-q", "-i", "-F", "-w", "-e", name, head)
    return Lookup("gone", packages.removed[name].commit) if code == 1 else Lookup("unknown")
