"""Names are looked up in the objects of a repository as whole words, in its last commit and in its history."""

from __future__ import annotations

from pathlib import Path

from effects.ground.lookups import Lookup, look_up, read_head
from tests.effects.ground.test_ground_step import commit, git
from transforms.ground.code_references import CodeReference


def test_a_word_that_only_ever_was_a_part_of_another_one_is_not_gone(tmp_path: Path) -> None:
    """A repository of one commit never held `guet`, only its own name; what a commit took out is gone since that one."""
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, README_DOT_md="# tourdeguet\nretry(--max.tries)\n")
    commit(tmp_path, README_DOT_md="# tourdeguet\n")
    removal = (read_head(str(tmp_path)) or "")[:7]
    commit(tmp_path, README_DOT_md="# tourdeguet\nretrying, --max_tries, --max.tries2\n")
    head = read_head(str(tmp_path)) or ""
    fates = {name: look_up(str(tmp_path), head, CodeReference("symbol", name)) for name in ("guet", "retry", "--max.tries")}
    assert fates == {"guet": Lookup("unknown"), "retry": Lookup("gone", removal), "--max.tries": Lookup("gone", removal)}
