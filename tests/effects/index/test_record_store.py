"""The rows beside the index stay in step with the lake, whatever interrupts a run."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effects.index.index_step import index, rebuild
from effects.index.lance_writer import open_tables
from effects.index.manifest import find_index_folder, read_manifest
from effects.index.record_store import RecordStore, create_record_store, open_record_store
from effects.recall.ask import ask, open_recall
from effects.store.run import Run
from tests.effects.index.test_index_step import rows_of
from tests.effects.recall_world import DAY, FACTS, entry, fact, filled, settle, write
from transforms.recall.ranking_record import list_neighbours, number_document


def test_an_interrupted_update_is_finished_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LanceDB has the new rows already when the run dies: no word is counted twice, no row is left behind."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    changed = [FACTS[0] | {"superseded_by": "o-new"}, FACTS[1], fact("new", "Session cache: TTL 5 minutes")]
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("observations", pl.DataFrame(changed, infer_schema_length=None), DAY)
    with monkeypatch.context() as broken, run.lake.writing("test"):
        broken.setattr(RecordStore, "add_document_frequencies", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            index(run)
    with run.lake.writing("test"):
        counts = index(run)
    assert (counts["written"], counts["rebuilt"]) == (2, False)
    upkept = rows_of(run)
    with run.lake.writing("test"):
        rebuild(run)
    assert rows_of(run) == upkept


def test_a_damaged_file_of_rows_is_built_anew_and_answers_come_meanwhile(tmp_path: Path) -> None:
    """Recall searches words in the lake meanwhile and says so; the next night that writes repairs the file."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    path = next(run.lake.root.glob("_index/g-*/rows.sqlite"))
    path.write_bytes(b"noise" * 2000)
    answer = ask(open_recall(run), "session cache TTL")
    assert answer.hits
    assert "recollect rebuild index" in answer.note
    write(run, "entries", [entry("blog-1", 1, "assistant", "Pages are now cached for an hour.")])
    assert settle(run)["index"]["rebuilt"]
    assert not ask(open_recall(run), "session cache TTL").note.startswith("the search index")


@pytest.mark.parametrize("damage", ["gone", "cut", "overwritten"])
def test_a_damaged_table_of_words_is_built_anew_by_the_next_night(tmp_path: Path, damage: str) -> None:
    """Of each of its files, one at a time: a night ended in an error of LanceDB, and so did each one after it."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    write(run, "entries", [entry("blog-1", 2, "assistant", "Pages are now cached for an hour.")])
    settle(run)
    copy = tmp_path / "copy"
    shutil.copytree(run.lake.root, copy)
    write(run, "entries", [entry("blog-1", 1, "assistant", "The cache of pages is empty at night.")])
    with run.lake.writing("test"):
        index(run)
    whole = rows_of(run)
    for path in [path.relative_to(copy) for path in copy.glob("_index/g-*/documents*.lance/**/*.lance")]:
        shutil.rmtree(run.lake.root)
        shutil.copytree(copy, run.lake.root)
        run.lake.refresh()
        broken = run.lake.root / path
        data = broken.read_bytes()
        broken.unlink() if damage == "gone" else broken.write_bytes(
            data[: len(data) // 2] if damage == "cut" else bytes(len(data))
        )
        write(run, "entries", [entry("blog-1", 1, "assistant", "The cache of pages is empty at night.")])
        with run.lake.writing("test"):
            index(run)
        assert rows_of(run)["words"] == whole["words"], path


def test_a_document_that_moves_to_another_part_is_counted_once(tmp_path: Path) -> None:
    """An observation may come to lie on another day; whichever part is written first, it stays one document."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    for day in (DAY - timedelta(days=3), DAY + timedelta(days=3)):
        before = run.lake.read("observations").drop("schema_version")
        with run.lake.writing("test"), run.lake.commit() as change:
            change.replace("observations", before.clear(), before["day"][0])
            change.replace("observations", before.with_columns(day=pl.lit(day)), day)
        with run.lake.writing("test"):
            index(run)
        upkept, kept = rows_of(run), count_of(run)
        with run.lake.writing("test"):
            rebuild(run)
        assert (rows_of(run), count_of(run)) == (upkept, kept)


def test_a_reader_goes_on_while_a_writer_changes_the_rows(tmp_path: Path) -> None:
    """The reader sees the whole change or nothing of it."""
    create_record_store(tmp_path).close()
    writer, reader = open_record_store(tmp_path, is_writing=True), open_record_store(tmp_path)
    with writer.transaction():
        writer.save_documents([(1, "p", "h", None, "[]", "[]")])
        assert reader.read_ranking_records([1]) == {}
    assert reader.read_ranking_records([1]) == {1: "[]"}
    with pytest.raises(ZeroDivisionError):
        _drop_and_fail(writer)
    assert reader.read_ranking_records([1]) == {1: "[]"}


@given(st.text(), st.integers(0, 2**20 - 3), st.text())
def test_numbers_of_documents(session: str, position: int, other: str) -> None:
    """Consecutive turns have consecutive numbers; all other documents have negative ones."""
    number = number_document(f"t:{session}:{position}")
    assert 0 <= number < 2**63
    assert number_document(f"t:{session}:{position + 1}") == number + 1
    assert -(2**63) <= number_document(f"o-{other}") < 0
    near = list_neighbours([number, number_document(f"o-{other}")], 2)
    assert near == [number_document(f"t:{session}:{position + step}") for step in (-2, -1, 1, 2) if position + step >= 0]


def count_of(run: Run) -> int:
    """Count the rows of the table that is searched by words."""
    tables = open_tables(find_index_folder(run.lake) / read_manifest(run.lake).generation)
    return int(tables.documents.count_rows() + tables.recent_documents.count_rows())


def _interrupted(rows: RecordStore, words: object) -> None:
    raise KeyboardInterrupt


def _drop_and_fail(rows: RecordStore) -> None:
    with rows.transaction():
        rows.delete_documents([1])
        raise ZeroDivisionError
