"""Targets are looked up in all folders of a commit, and the commit that removed one shows what it became."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.ground.file_lookups import find_removed_target, has_target, read_files
from effects.ground.lookups import Lookup, look_up, read_head
from tests.effects.ground.test_ground_step import commit, git
from transforms.ground.code_references import CodeReference


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A repository with a Makefile and, in a folder, scripts, of which one commit renamed some."""
    git(tmp_path, "init", "-q", "-b", "main")
    commit(
        tmp_path, Makefile="seed-db:\n\tpython seed.py\n", web__package_DOT_json='{"scripts":{"build:css":"x","lint":"y"}}',
        deploy_DOT_sh="case $1 in --dry-run) ;; esac\n",
    )  # fmt: skip
    commit(
        tmp_path, Makefile="db-seed:\n\tpython seed.py\ntest-%:\n\tpytest\n", web__package_DOT_json='{"scripts":{"css":"x"}}',
        deploy_DOT_sh="case $1 in --plan) ;; esac\n",
    )  # fmt: skip
    return str(tmp_path)


def test_targets_of_all_folders_are_there(root: str) -> None:
    """A pattern has whatever it stands for."""
    head = read_head(root) or ""
    found = {name: has_target(root, head, *name.rsplit(" ", 1)) for name in ("make db-seed", "npm run css", "make test-unit")}
    assert set(found.values()) == {True}
    assert not has_target(root, head, "make", "seed-db")
    assert list(read_files(root, head, ["deploy.sh"])) == ["deploy.sh"]


def test_a_removed_target_is_told_with_what_it_became(root: str) -> None:
    """One that nobody had is unknown; a script that went without a successor has none."""
    head = read_head(root) or ""
    assert find_removed_target(root, head, "make", "seed-db") == (head[:7], "db-seed")
    assert find_removed_target(root, head, "make", "nothing") is None
    assert look_up(root, head, CodeReference("command", "npm run build:css")) == Lookup("gone", head[:7], "npm run css")
    assert look_up(root, head, CodeReference("command", "npm run lint")) == Lookup("gone", head[:7])
    assert look_up(root, head, CodeReference("flag", "--dry-run")) == Lookup("gone", head[:7], "--plan")


def test_what_came_before_or_went_again_is_no_successor(root: str) -> None:
    """A flag that the repository had already, and a target that is not there any more."""
    commit(Path(root), Makefile="all:\n\tx\n", deploy_DOT_sh="case $1 in --plan) ;; --all) ;; esac\n", a_DOT_sh="x --fast\n")
    commit(Path(root), a_DOT_sh="x --all\n")
    head = read_head(root) or ""
    assert look_up(root, head, CodeReference("command", "make seed-db")).new_name == ""
    assert look_up(root, head, CodeReference("flag", "--fast")) == Lookup("gone", head[:7])
