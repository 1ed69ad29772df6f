"""Packages are looked up in the manifests of the history, and a word that stands elsewhere is not gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.ground.lookups import Lookup, read_head
from effects.ground.package_lookups import list_references, look_up_reference
from tests.effects.ground.test_ground_step import commit, git
from transforms.ground.code_references import CodeReference


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A repository that dropped two packages, of which one is a word of its code, too."""
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, pyproject_DOT_toml='dependencies = [\n    "alembic>=1.13",\n    "click>=8",\n    "polars>=1",\n]\n')
    commit(tmp_path, pyproject_DOT_toml='dependencies = [\n    "polars>=1.1",\n]\n', app_DOT_py="# a click on the button\n")
    return str(tmp_path)


def test_a_package_is_gone_when_no_manifest_and_no_file_names_it(root: str) -> None:
    """With the commit that removed it; an ordinary word and an unknown one are no finding."""
    head = read_head(root) or ""
    found = {
        name: look_up_reference(root, head, CodeReference("package", name)) for name in ("alembic", "click", "polars", "numpy")
    }
    assert {name: lookup.status for name, lookup in found.items()} == {
        "alembic": "gone", "click": "unknown", "polars": "present", "numpy": "unknown",
    }  # fmt: skip
    assert found["alembic"] == Lookup("gone", head[:7])


def test_a_line_s_packages_stand_beside_its_other_references(root: str) -> None:
    """A name in code that is a package is not looked up as a symbol, too."""
    heads = {root: read_head(root) or ""}
    assert list_references("`alembic` reads migrations/env.py", heads) == [
        CodeReference("package", "alembic"), CodeReference("path", "migrations/env.py"),
    ]  # fmt: skip
    assert list_references("No alembic here", heads) == []
