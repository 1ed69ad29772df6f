"""Packages that a manifest declares, read by its structure: what else stands in quotes there is none."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from transforms.ground.packages import add_short_names, read_package
from transforms.patterns.late_pattern import compile_late

_NAME = compile_late(r"\s*([A-Za-z0-9][\w.-]*)")
"""The name that begins a requirement."""
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies")
_NPM_TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_INTERPRETER = "python"
"""Stands among the dependencies of Poetry, and is none."""


def list_dependencies(file: str, text: str) -> frozenset[str]:
    """Return the packages that a manifest declares; of one that nobody can read, those that its rows show."""
    name = file.rsplit("/", 1)[-1]
    try:
        if name == "package.json":
            tables = orjson.loads(text)
            return frozenset(str(package) for table in _NPM_TABLES for package in tables.get(table) or ())
        if name in ("pyproject.toml", "Cargo.toml"):
            return frozenset(_list_of_toml(tomllib.loads(text))) - {_INTERPRETER}
    except (ValueError, AttributeError, TypeError):
        pass
    return frozenset(add_short_names(package for row in text.splitlines() for package in read_package(file, row)))


def _list_of_toml(tables: Mapping[str, Any]) -> Iterator[str]:
    """Yield the packages of a pyproject.toml (PEP 621, PEP 735, Poetry, uv, PDM) or of a Cargo.toml."""
    project, tool = tables.get("project") or {}, tables.get("tool") or {}
    yield from _read_requirements(project.get("dependencies") or ())
    yield from _read_requirements((tables.get("build-system") or {}).get("requires") or ())
    for groups in (project.get("optional-dependencies"), tables.get("dependency-groups")):
        for requirements in (groups or {}).values():
            yield from _read_requirements(requirements)
    workspace = tables.get("workspace") or {}
    for place in (tables, workspace, *(tables.get("target") or {}).values(), *(tool.values())):
        yield from _read_tables(place)
    for group in ((tool.get("poetry") or {}).get("group") or {}).values():
        yield from _read_tables(group)


def _read_tables(place: object) -> Iterator[str]:
    for table in _TABLES if isinstance(place, Mapping) else ():
        packages = place.get(table) if isinstance(place, Mapping) else None
        if isinstance(packages, Mapping):
            groups = [group for group in packages.values() if isinstance(group, list) and group and isinstance(group[0], str)]
            yield from [name for group in groups for name in _read_requirements(group)] if groups else map(str, packages)
        elif isinstance(packages, list):
            yield from _read_requirements(packages)


def _read_requirements(requirements: Iterable[object]) -> Iterator[str]:
    for requirement in requirements:
        if isinstance(requirement, str) and (match := _NAME.match(requirement)):
            yield match[1]
