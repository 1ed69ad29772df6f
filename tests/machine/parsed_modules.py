"""The modules of the repository as syntax, parsed once for all tests that judge code: one worker takes these side by side.

Each of five files parsed all modules for itself, which is most of what such a test costs. What is parsed has a million objects,
through which each search for garbage goes: it is forgotten after the last of these tests.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def parse_module(path: Path) -> ast.Module:
    """Return the tree of a module; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def list_nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module, as `ast.walk` has them."""
    return tuple(ast.walk(parse_module(path)))


@cache
def list_imports(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the imports of a module, wherever in it they stand."""
    return tuple(node for node in list_nodes(path) if isinstance(node, ast.Import | ast.ImportFrom))


def forget_modules() -> None:
    """Give back what was parsed."""
    for parsed in (parse_module, list_nodes, list_imports):
        parsed.cache_clear()
