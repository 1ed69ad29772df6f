"""Docstrings: every public definition has one, and that of a value stands right below it."""

from __future__ import annotations

import ast
from itertools import pairwise

from tests.test_layers import Source, sources

__all__ = ["sources"]


def test_every_public_function_and_class_has_a_docstring(sources: list[Source]) -> None:
    """This holds in every package."""
    silent = []
    for source in sources:
        if source.path.name != "__init__.py" and not ast.get_docstring(source.tree):
            silent.append(source.name())
        for node in source.tree.body:
            is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if is_definition and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{source.name(node)} {node.name}")
    assert silent == []


def test_the_text_below_a_value_is_about_that_value(sources: list[Source]) -> None:
    """A constant that was added between another one and its text took the text for itself."""
    strays = []
    for source in sources:
        bodies = [node.body for node in source.nodes if isinstance(node, ast.Module | ast.ClassDef)]
        pairs = [pair for body in bodies for pair in pairwise(body)]
        strays += [source.name(text) for value, text in pairs if _is_text(text) and not _takes_text(value)]
    assert strays == []


def _takes_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign | ast.AnnAssign)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
