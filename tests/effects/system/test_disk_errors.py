"""Errors of the disk: whichever library words them, a person reads the place and what to do."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.distil.window_distillers import make_model_distiller
from effects.engines.observer import Observer
from effects.store.lake import Lake
from effects.store.run import open_run
from effects.store.table_files import find_fault, write_rows
from effects.system.disk_errors import DiskError, advise_on_disk, explaining_disk_errors
from effects.system.errors import LakeError, UsageError
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline
from transforms.tables.schema import TABLES, conform


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "df -h"),
        (OSError(errno.EROFS, os.strerror(errno.EROFS), "/other/file"), "findmnt -T"),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), "chmod u+rwX "),
        (pl.exceptions.ComputeError("No space left on device (os error 28)"), "df -h"),
        (sqlite3.OperationalError("database or disk is full"), "df -h"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "findmnt -T"),
        (
            RuntimeError("lance error: LanceError(IO): Generic LocalFileSystem error: No space left on device (os error 28)"),
            "df -h",
        ),
        (sqlite3.OperationalError("disk I/O error"), "recollect doctor"),
    ],
)
def test_each_library_s_error_names_the_place_and_what_to_do(error: Exception, hint: str, tmp_path: Path) -> None:
    """An error with a path is about this one."""
    with pytest.raises(DiskError) as caught, explaining_disk_errors(tmp_path):
        raise error
    assert caught.value.message.startswith(str(getattr(error, "filename", None) or tmp_path))
    assert hint in caught.value.hint


@pytest.mark.parametrize("error", [ValueError("a fault of our own"), FileNotFoundError(errno.ENOENT, "no"), UsageError("wrong")])
def test_other_errors_stay_unchanged(error: Exception, tmp_path: Path) -> None:
    """Only the disk is explained."""
    with pytest.raises(type(error)) as caught, explaining_disk_errors(tmp_path):
        raise error
    assert caught.value is error


def test_an_answer_that_the_disk_refuses_is_not_blamed_on_the_model(tmp_path: Path) -> None:
    """Before, the window was `failed`, and reflection went on without the model whose answer was paid for."""

    def observe(_window: object) -> None:
        raise DiskError("full")

    chain = SimpleNamespace(models=[SimpleNamespace(backend="instructor", name="openai/x")])
    observer = cast("Observer", SimpleNamespace(chain=chain, observe=observe))
    run = open_run(Settings(lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC"))
    distil = make_model_distiller(observer, run)
    with pytest.raises(DiskError):
        distil({"project": "", "kind": "closing", "attempts": 0, "status": "pending"}, [], [], [])  # type: ignore[typeddict-item]


def test_a_damaged_lake_is_not_blamed_on_the_session(tmp_path: Path) -> None:
    """Before, the session was refused, and the night went on over a lake that could not be read."""
    (tmp_path / "sessions").mkdir()
    text = '"timestamp":"2026-05-17T10:00:00Z","message":{"role":"user","content":"Hello"}'
    line = f'{{"type":"message","id":"e1","parentId":null,{text}}}\n'
    path = tmp_path / "sessions" / "a.jsonl"
    path.write_text('{"type":"session","version":3,"id":"a","timestamp":"2026-05-17T09:00:00Z","cwd":"/x"}\n' + line)
    settings = Settings(sessions=(path.parent,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC")
    run_pipeline(open_run(settings), nightly_pipeline(None))
    for file in Lake(settings.lake).list_files("entries"):
        file.write_bytes(b"nonsense")
    with path.open("a") as handle:
        handle.write(line.replace("e1", "e2"))
    with pytest.raises((LakeError, pl.exceptions.PolarsError)):
        run_pipeline(open_run(settings), nightly_pipeline(None))
    assert Lake(settings.lake).read("sources")["status"].to_list() == ["read"]
    noted = Lake(settings.lake).read("runs").sort("started_at")["error"].to_list()[-1]
    assert "entries/day=2026-05-17" in noted, "the doctor shows the file, not the words of a library"
    assert not any(words in noted for words in ("ComputeError", "out of specification"))


def test_a_table_s_file_that_does_not_fit_names_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a disk that fills up at the end of the file polars says "Invalid thrift": that named neither disk nor command."""
    rows = conform(TABLES["coverage"], pl.DataFrame({"session_id": ["s"], "ordinal": [1], "window_id": ["w"]}))
    write_parquet, path = pl.DataFrame.write_parquet, tmp_path / "data.parquet"

    def fail_at_the_end(self: pl.DataFrame, place: object, **options: object) -> None:
        """Stand for polars on a full disk."""
        if isinstance(place, Path):
            raise pl.exceptions.ComputeError("parquet: File out of specification: Invalid thrift: transport error")
        write_parquet(self, place, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail_at_the_end)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, former[1]))
    try:
        with pytest.raises(DiskError) as caught, explaining_disk_errors(tmp_path):
            write_rows(rows, path, TABLES["coverage"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert "df -h" in caught.value.hint
    write_rows(rows, path, TABLES["coverage"])
    assert find_fault(path, TABLES["coverage"], None) == ""


def test_the_advice_opens_all_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is replaced in its folder: to open the page alone, as it was advised, did not help."""
    folder, page = tmp_path / "workspace", tmp_path / "workspace" / "REVIEW.md"
    folder.mkdir()
    page.touch()
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) not in (folder, page))
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    assert advise_on_disk(error, page) == f"chmod u+rwX {folder} {page}, then run the same command again"
