"""The check of a purge sees words wherever a purge may have left them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.health.purge_check import check_purged
from effects.memory.forget_targets import ForgetScope
from effects.system.errors import LakeError
from tests.effects.recall_world import filled


def test_words_in_a_table_the_index_or_a_page_are_found(tmp_path: Path) -> None:
    """Compressed Parquet, LanceDB's words and Markdown, whatever the case; words that are nowhere pass."""
    run = filled(tmp_path, model=str(tmp_path / "none"))
    assert check_purged(run, ForgetScope(texts={"nobody ever said this"}))["rows_read"]
    for words in ("invoices must be sent", "SESSION CACHE TTL stays below"):
        with pytest.raises(LakeError, match="still contain the purged words"):
            check_purged(run, ForgetScope(texts={words}))
    (tmp_path / "workspace" / "note.md").write_text("a mock turtle\n", encoding="utf-8")
    with pytest.raises(LakeError, match="note"):
        check_purged(run, ForgetScope(texts={"mock turtle"}))


def test_another_text_with_the_same_stems_is_no_place_that_is_left(tmp_path: Path) -> None:
    """The index keeps stems without stop words: "commit messages in the imperative" is no "commit messages imperative"."""
    run = filled(tmp_path, model=str(tmp_path / "none"))
    for words in ("commit messages imperative", "invoice becomes"):
        assert check_purged(run, ForgetScope(texts={words}))["files_read"]


def test_words_that_only_the_index_still_has_are_found(tmp_path: Path) -> None:
    """A document whose row is gone from the lake, with its words between bytes that are no text."""
    run = filled(tmp_path, model=str(tmp_path / "none"))
    for path in run.lake.list_files("observations"):
        rows = pl.read_parquet(path, hive_partitioning=False)
        rows.filter(~pl.col("text").str.contains("imperative")).write_parquet(path)
    with pytest.raises(LakeError, match="2 places"):
        check_purged(run, ForgetScope(texts={"commit messages in the imperative"}))


def test_a_name_of_a_project_is_counted_once_however_many_rows_have_it(tmp_path: Path) -> None:
    """A purge of a word of a folder's name told of thousands of names, and never ended: the index names projects, too."""
    run = filled(tmp_path, model=str(tmp_path / "none"))
    counts = check_purged(run, ForgetScope(texts={"joel/code/blog"}))
    projects = set(run.lake.scan("sessions").collect()["project"])
    assert any("joel/code/blog" in (project or "") for project in projects)
    assert counts["names"] == 1
    (tmp_path / "workspace" / "note.md").write_text("joel/code/blog is a secret\n", encoding="utf-8")
    with pytest.raises(LakeError, match="note"):
        check_purged(run, ForgetScope(texts={"joel/code/blog"}))
