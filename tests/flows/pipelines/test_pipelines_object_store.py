"""A lake in an object store is the lake that a folder would be, on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from effects.config.configuration import load_settings
from effects.config.stated_times import parse_time
from effects.health.health_checks import check_installation
from effects.health.repair_lake import restore_copy
from effects.memory.forget_targets import ForgetRequest
from effects.pages.fact_sheet_file import EMPTY_SHEET, SHEETS_FILE, are_sheets_current, compute_sheets_key, format_fact_sheets
from effects.recall.ask import Filters, ask
from effects.recall.recall_state import open_recall
from effects.remote.object_store import ObjectStore
from effects.remote.remote_lake import MANIFEST, unpack_manifest
from effects.store.run import Run, open_run
from effects.system.errors import LakeError, LockedError
from flows.pipelines import forget_pipeline, nightly_pipeline
from flows.runner import run_pipeline
from tests.effects.remote.object_stores import Faults, serve_s3
from tests.flows.test_fleet import write_owner
from transforms.opening.fact_sheet import FactSheet
from transforms.tables.schema import TABLES

URL = "s3://lakes/team/ana"
AS_OF, NEXT = "2026-05-18T04:00:00Z", "2026-05-19T04:00:00Z"
OWN = {"runs", "model_calls"}
"""Tables with times of the clock."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Faults]:
    home = write_owner(tmp_path, "ana", "zanzibar")
    monkeypatch.setenv("RECOLLECT_SESSIONS", str(home / "sessions"))
    monkeypatch.setenv("RECOLLECT_OWNER", "Ana")
    with serve_s3(monkeypatch, "lakes") as faults:
        yield faults


def open_machine(monkeypatch: pytest.MonkeyPatch, folder: Path, lake: str, day: str = AS_OF) -> Run:
    """Open a run on a machine of its own: with its own copies and pages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("RECOLLECT_LAKE", lake)
    monkeypatch.setenv("RECOLLECT_WORKSPACE", str(folder / "workspace"))
    return open_run(load_settings(), parse_time(day, "UTC"))


def read_tables(root: Path) -> dict[str, bytes]:
    paths = sorted(path.relative_to(root) for path in root.rglob("*.parquet"))
    return {
        str(path): (root / path).read_bytes() for path in paths if not path.parts[0].startswith("_") and path.parts[0] not in OWN
    }


def test_a_night_in_a_store_is_the_night_in_a_folder_and_another_machine_goes_on(
    server: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = open_machine(monkeypatch, tmp_path / "plain", str(tmp_path / "plain" / "lake"))
    run_pipeline(folder, nightly_pipeline(None))
    remote = open_machine(monkeypatch, tmp_path / "one", URL)
    run_pipeline(remote, nightly_pipeline(None))
    assert read_tables(remote.lake.root) == read_tables(folder.lake.root)

    second = open_machine(monkeypatch, tmp_path / "two", URL)
    assert read_tables(second.lake.root) == read_tables(remote.lake.root)
    before = unpack(ObjectStore(URL))
    run_pipeline(second, nightly_pipeline(None))
    changed = {name.partition("/")[0] for name, stored in unpack(ObjectStore(URL)).items() if before.get(name) != stored}
    assert changed <= {"runs", "pages"}
    answer = ask(open_recall(second), "what do we use for the cache?", Filters(project="all"))
    assert any("zanzibar" in hit.text for hit in answer.hits)

    assert not any(name.startswith("_") for name in unpack(ObjectStore(URL)))
    sheet: FactSheet = {**EMPTY_SHEET, "lines": ["- zanzibar"]}
    (second.lake.root / SHEETS_FILE).write_bytes(format_fact_sheets(compute_sheets_key(second), {"/w/shop": sheet}))
    assert are_sheets_current(second)
    first = open_machine(monkeypatch, tmp_path / "one", URL)
    run_pipeline(first, forget_pipeline(ForgetRequest(match="zanzibar", is_purge=True)))
    second = open_machine(monkeypatch, tmp_path / "two", URL, NEXT)
    assert not are_sheets_current(second), "the sheets of this machine still have the words: they are no longer shown"
    run_pipeline(second, nightly_pipeline(None))
    for machine in (first, second):
        assert "zanzibar" not in (machine.lake.root / SHEETS_FILE).read_text(encoding="utf-8")


def unpack(store: ObjectStore) -> dict[str, str]:
    manifest = store.get(MANIFEST)
    assert manifest is not None
    return unpack_manifest(manifest.data)


def test_a_run_on_another_machine_waits_for_the_one_that_writes(
    server: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    item, two = open_machine(monkeypatch, tmp_path / "one", URL), open_machine(monkeypatch, tmp_path / "two", URL)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "one" / "cache"))
    with item.lake.writing("recollect nightly"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "two" / "cache"))
        with pytest.raises(LockedError, match="recollect nightly"), two.lake.writing("recollect review"):
            raise AssertionError
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "one" / "cache"))


def test_a_store_that_cannot_be_reached_leaves_readers_the_copy_and_says_so(
    server: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("effects.remote.object_store.RETRIES", 0)
    first = open_machine(monkeypatch, tmp_path / "one", URL)
    with first.lake.writing("recollect nightly"):
        pass
    assert first.lake.note == ""
    server.is_down = True
    again = open_machine(monkeypatch, tmp_path / "one", URL)
    assert "this is the copy of this machine" in again.lake.note
    assert again.lake.exists()


def test_damage_of_a_copy_is_not_published_and_rebuild_lake_fetches_the_file_again(
    server: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The store is whole, so a night names the file and the command; after it, copy and store are as before."""
    run = open_machine(monkeypatch, tmp_path / "one", URL)
    with run.lake.writing("recollect nightly"), run.lake.commit() as change:
        change.append("tombstones", TABLES["tombstones"].make_empty())
    whole, stored = read_tables(run.lake.root), unpack(ObjectStore(URL))
    file = run.lake.list_files("tombstones")[0]
    file.write_bytes(file.read_bytes()[:-9])
    again = open_machine(monkeypatch, tmp_path / "one", URL)
    with pytest.raises(LakeError, match="the store has it") as error, again.lake.writing("recollect nightly"):
        pass
    assert error.value.hint == "recollect rebuild lake"
    assert unpack(ObjectStore(URL)) == stored
    assert restore_copy(again.lake) == 1
    assert read_tables(again.lake.root) == whole
    with again.lake.writing("recollect nightly"):
        pass
    assert unpack(ObjectStore(URL)) == stored


def test_doctor_names_a_store_that_cannot_be_read_although_the_copy_is_whole(
    server: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = open_machine(monkeypatch, tmp_path / "one", URL)
    run_pipeline(run, nightly_pipeline(None))
    ObjectStore(URL).delete([MANIFEST])
    checks = check_installation(open_machine(monkeypatch, tmp_path / "one", URL))
    (wrong,) = [check for check in checks if check.name == "store"]
    assert (wrong.level, "is gone" in wrong.detail) == ("wrong", True)
    assert [check.level for check in checks if check.name == "lake"] == ["ok"]
    nowhere = check_installation(open_machine(monkeypatch, tmp_path / "one", "s3://nobucket/lake"))
    assert [check.detail for check in nowhere if check.name == "store"] == [
        "s3://nobucket/lake is not there: the store knows no such bucket"
    ]
