"""A pattern that is compiled when it is first used answers as a compiled one does; no module compiles one when it is imported."""

from __future__ import annotations

import ast
import gc
import pickle
import re
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.patterns.late_pattern import LatePattern, compile_late

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted(path for package in ("recollect", "flows", "effects", "transforms") for path in (ROOT / package).rglob("*.py"))
EXPRESSIONS = ("a+", r"(?P<word>\w+)\s", "(a|b)*c", "^a$", "(?<!a)b", "")
METHODS = ("search", "match", "fullmatch", "findall", "split")


@given(
    st.sampled_from(EXPRESSIONS), st.sampled_from([0, re.I, re.M | re.S]), st.lists(st.text("aAbc \n"), min_size=1), st.booleans()
)
def test_a_late_pattern_answers_as_a_compiled_one(expression: str, flags: int, texts: list[str], moves: bool) -> None:
    """It does at the first use and at each later one, in this process and in another one."""
    compiled, late = re.compile(expression, flags), compile_late(expression, flags)
    if moves:
        late = pickle.loads(pickle.dumps(late))
    for text in texts:
        for method in METHODS:
            assert repr(getattr(late, method)(text)) == repr(getattr(compiled, method)(text))
        assert late.sub("<>", text, 1) == compiled.sub("<>", text, 1)
        assert [match.span() for match in late.finditer(text)] == [match.span() for match in compiled.finditer(text)]
    assert (late.pattern, late.flags, late.groups, late.groupindex) == (
        compiled.pattern, compiled.flags, compiled.groups, compiled.groupindex,
    )  # fmt: skip


def test_it_is_compiled_once_and_at_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is known without that; a wrong expression is an error there."""
    compiled: list[str] = []
    compile_pattern = re.compile
    monkeypatch.setattr(re, "compile", lambda pattern, flags: compiled.append(pattern) or compile_pattern(pattern, flags))
    late, wrong, of_bytes = compile_late("a"), compile_late("("), compile_late(b"b")
    assert (late.pattern, compiled) == ("a", [])
    assert [late.search("ba"), late.match("ba"), of_bytes.search(b"xy")].count(None) == 2
    assert compiled == ["a", b"b"]
    with pytest.raises(re.error):
        wrong.search("a")


def compiles_when_imported(node: ast.AST) -> bool:
    """Whether a part of a module that runs when it is imported calls `re.compile`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return False
    is_call = isinstance(node, ast.Attribute) and node.attr == "compile"
    return is_call or any(map(compiles_when_imported, ast.iter_child_nodes(node)))


def test_no_module_compiles_a_pattern_when_it_is_imported() -> None:
    """All 700 would take each command and each worker that imports a night half a second."""
    texts = {path: text for path in MODULES if "re.compile" in (text := path.read_text(encoding="utf-8"))}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if compiles_when_imported(ast.parse(text))] == []


def test_every_pattern_of_the_product_can_be_compiled() -> None:
    """An import no longer shows that an expression is wrong."""
    for path in MODULES:
        if path.stem not in {"__init__", "__main__"}:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    gc.unfreeze()  # what was imported for the collection is frozen, and not listed
    patterns = [pattern for pattern in gc.get_objects() if isinstance(pattern, LatePattern) and pattern.pattern != "("]
    assert len(patterns) > 600
    assert all(re.compile(pattern.pattern).groups >= 0 for pattern in patterns)
