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


def test_packages_without_a_version_and_on_one_row_are_noticed(tmp_path: Path) -> None:
    """What was in quotes elsewhere in a manifest was no package."""
    git(tmp_path, "init", "-q", "-b", "main")
    project = '[project]\nname="kiosk"\ndependencies=["{}","httpx"]\nkeywords=["{}"]\n'
    commit(
        tmp_path, pyproject_DOT_toml=project.format("asyncpg", "receipts"), go_DOT_mod="require example.org/web/goserve v1.2.0\n",
        web__package_DOT_json='{"dependencies":{"preact":"1"}}',
    )  # fmt: skip
    commit(
        tmp_path, pyproject_DOT_toml=project.format("psycopg", "tickets"), go_DOT_mod="require example.org/web/other v1.2.0\n",
        web__package_DOT_json='{"dependencies":{"svelte":"1"}}',
    )  # fmt: skip
    root, head = str(tmp_path), read_head(str(tmp_path)) or ""
    lines = ("We use asyncpg", "The frontend uses preact", "It is served by goserve", "It prints receipts", "svelte and httpx")
    found = {
        line: {item.name: look_up_reference(root, head, item).status for item in list_references(line, {root: head})}
        for line in lines
    }
    assert list(found.values()) == [
        {"asyncpg": "gone"}, {"preact": "gone"}, {"goserve": "gone"}, {}, {"httpx": "present", "svelte": "present"},
    ]  # fmt: skip
