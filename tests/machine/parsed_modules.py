"""The modules of the repository as syntax, parsed once for all tests that judge code: one worker takes these side by side.

Each of five files parsed all modules for itself, which is most of what such a test costs. What is parsed has a million objects,
through which each search for garbage goes: there is none meanwhile, and it is forgotten after the last of these tests.
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
    """Return the nodes of a module in the order of `ast.walk`, in half of its time, and without loads and stores: each name and
    attribute has its own as `ctx`."""
    nodes: list[ast.AST] = [parse_module(path)]
    for node in nodes:  # grows on the way
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                nodes += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST) and field != "ctx":
                nodes.append(value)
    return tuple(nodes)


@cache
def list_imports(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the imports of a module, wherever in it they stand."""
    return tuple(node for node in list_nodes(path) if isinstance(node, ast.Import | ast.ImportFrom))


def forget_modules() -> None:
    """Give back what was parsed."""
    for parsed in (parse_module, list_nodes, list_imports):
        parsed.cache_clear()
