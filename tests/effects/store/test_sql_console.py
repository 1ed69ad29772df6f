"""DuckDB over the lake."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from effects.store.lake import Lake
from effects.store.sql_console import connect, run_statements
from effects.system.errors import LakeError, UsageError
from tests.effects.store.sql_query import run_query
from transforms.dictionary.comments import list_comments
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.tables.ids import hash_text
from transforms.tables.schema import TABLES


@pytest.mark.parametrize("name", ["lake", "it's a [lake]*"])
def test_every_table_is_a_view_whose_columns_are_those_of_the_schema(tmp_path: Path, name: str) -> None:
    """This holds for empty tables, and for folders whose names are special in SQL or a glob."""
    lake = Lake(tmp_path / name)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["r-1"], "flow": ["nightly"]}))
    with connect(lake) as connection:
        for table in TABLES.values():
            names, results = run_query(connection, f"SELECT * FROM {table.name}")
            assert names == list(table.schema)
            assert len(list(results)) == (1 if table.name == "runs" else 0)


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_table_that_an_older_version_did_not_have_is_empty(tmp_path: Path, is_forgotten: bool) -> None:
    """It is there before the next night makes its folder: `recollect sql` failed in a way that nobody foresaw."""
    lake = Lake(tmp_path)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["r-1"], "flow": ["nightly"]}))
        if is_forgotten:
            change.replace("tombstones", pl.DataFrame({"target": ["o-1"], "reason": ["id o-1"], "is_undone": [False]}))
    for name in ("tasks", "sketches", "observations"):
        shutil.rmtree(tmp_path / name)
    with connect(lake) as connection:
        for name in ("tasks", "sketches", "observations"):
            names, results = run_query(connection, f"FROM {name}")
            assert (names, list(results)) == (list(TABLES[name].schema), [])
        assert list(run_query(connection, "SELECT count(*) FROM items")[1]) == [(0,)]
        assert {name for (name,) in run_query(connection, "SHOW TABLES")[1]} == {*TABLES, "items", "own_sessions", "replaced"}


def test_a_bad_query_is_one_line_and_its_place(tmp_path: Path) -> None:
    """DuckDB's message, then the line of the query and a mark below the place."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    with connect(lake) as connection, pytest.raises(UsageError) as caught:
        run_query(connection, "SELECT nothing FROM nowhere")
    assert "nowhere" in caught.value.message
    problem, line, mark = caught.value.message.splitlines()
    assert problem.startswith("Catalog Error")
    assert line.index("nowhere") == mark.index("^")


def test_without_a_lake_the_next_command_is_named(tmp_path: Path) -> None:
    """Nothing is created by asking."""
    with pytest.raises(LakeError) as caught:
        connect(Lake(tmp_path / "none"))
    assert caught.value.hint == "recollect init"
    assert not (tmp_path / "none").exists()


def test_files_of_several_versions_are_one_view(tmp_path: Path) -> None:
    """An older file lacks a column and a newer one has another: the query runs all the same."""
    lake = Lake(tmp_path / "lake")
    days = [date(2026, 3, day) for day in (1, 2, 3)]
    with lake.writing("test"), lake.commit() as change:
        for day in days:
            change.replace("coverage", pl.DataFrame({"session_id": [f"s-{day}"], "ordinal": [0], "day": [day]}), day)
    older, newer = lake.list_files("coverage", days[:1]) + lake.list_files("coverage", days[1:2])
    pl.read_parquet(older).drop("window_id").write_parquet(older)
    pl.read_parquet(newer).with_columns(invented=pl.lit("x")).write_parquet(newer)
    with connect(lake) as connection:
        for query in ("SELECT session_id, window_id FROM coverage ORDER BY 1", "SELECT count(*), count(window_id) FROM coverage"):
            names, results = run_query(connection, query)
            assert len(list(results)) == (3 if "session_id" in names else 1)
        assert list(run_query(connection, "SELECT invented FROM coverage WHERE invented IS NOT NULL")[1]) == [("x",)]


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_text('{outside}/secret.txt')",
        "FROM '{lake}/../secret.txt'",
        "FROM glob('{outside}/*')",
        "FROM read_csv('{lake}x/table.csv')",
        "COPY (SELECT 1) TO '{outside}/made'",
        "COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{lake}/made'",
        "EXPLAIN /* */ ANALYZE COPY (SELECT 1) TO '{lake}/made'",
        "SELECT 1; COPY (SELECT 1) TO '{lake}/made'",
        "PREPARE p AS COPY (SELECT 1) TO '{lake}/made'; EXECUTE p",
        "EXPORT DATABASE '{lake}/made'",
        "ATTACH '{lake}/made'",
        "ATTACH '{outside}/made'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET temp_directory = '{outside}/made'",
        "CALL enable_logging(storage='file', storage_path='{lake}/made')",
        "INSTALL httpfs",
        "LOAD '{outside}/made.duckdb_extension'",
        "FROM read_csv('https://example.org/made.csv')",
    ],
)
def test_a_statement_reaches_no_other_file_and_writes_none(tmp_path: Path, query: str) -> None:
    """An agent may be told by a page to run a query: it can neither fetch a key of this machine nor leave something."""
    lake = Lake(tmp_path / "lake")
    (tmp_path / "lakex").mkdir()
    (tmp_path / "lakex" / "table.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    with lake.writing("test"):
        pass
    with connect(lake) as connection, pytest.raises(UsageError):
        list(run_query(connection, query.format(lake=lake.root, outside=tmp_path))[1])
    assert not list(tmp_path.rglob("made*"))


def test_tables_in_memory_and_plans_still_work(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    with connect(lake) as connection:
        names, rows = run_query(connection, "CREATE TABLE t AS SELECT 7 AS n; UPDATE t SET n = n + 1; FROM t")
        assert (names, list(rows)) == (["n"], [(8,)])
        assert list(run_query(connection, "EXPLAIN SELECT count(*) FROM entries")[1])


def test_every_statement_is_answered_and_a_wrong_one_is_quoted(tmp_path: Path) -> None:
    """Those before it have run; statements without a result are silent."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    answers = []

    def answer(query: str) -> None:
        answers.extend((names, list(rows)) for names, rows in run_statements(connection, query))

    with connect(lake) as connection, pytest.raises(UsageError) as caught:
        answer("SET VARIABLE n = 2; SELECT getvariable('n') AS n; SELECT 3 AS m; FROM  nowhere;")
    assert answers == [(["n"], [(2,)]), (["m"], [(3,)])]
    assert caught.value.message.startswith("in `FROM nowhere`: ")


def test_a_damaged_file_is_no_mistake_of_the_query(tmp_path: Path) -> None:
    """So the command names the file and its repair; also when DuckDB finds out before it reads the first row."""
    lake = Lake(tmp_path)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["r-1"]}))
    path = lake.list_files("runs")[0]
    with connect(lake) as connection:
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(LakeError, match=path.name):
            run_query(connection, "SELECT count(*) FROM runs")


def test_views_and_columns_have_their_words(tmp_path: Path) -> None:
    """Also in a lake whose files lack a column, and for the views that are computed."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    for path in lake.list_files("coverage"):
        pl.read_parquet(path).drop("window_id").write_parquet(path)
    with connect(lake) as connection:
        views = dict(run_query(connection, "FROM duckdb_views() SELECT view_name, comment WHERE NOT internal")[1])
        columns = list(run_query(connection, "FROM duckdb_columns() SELECT column_name, comment WHERE NOT internal")[1])
    assert {*TABLES, "items", "own_sessions", "replaced"} <= set(views)
    assert all(views.values())
    assert columns
    assert [name for name, comment in columns if not comment] == []


@pytest.mark.parametrize("catalog", ["DUCKDB_COLUMNS()", "information_schema.columns", "pg_catalog.pg_description"])
def test_comments_are_in_each_catalog_that_a_query_names(tmp_path: Path, catalog: str) -> None:
    """Also behind a statement after which the views were defined anew."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    with connect(lake) as connection:
        statements = f"FROM coverage; SELECT to_json(t)::VARCHAR FROM {catalog} t"
        *_, (_, rows) = ((names, list(rows)) for names, rows in run_statements(connection, statements))
    assert any(list_comments(TABLES["coverage"])["window_id"] in text for (text,) in rows if isinstance(text, str))


def test_a_query_that_shows_no_comments_does_not_wait_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are two thirds of what opening the lake took."""
    lake = Lake(tmp_path)
    with lake.writing("test"):
        pass
    monkeypatch.delattr("effects.store.sql_console._comment_views")
    with connect(lake) as connection:
        assert [list(rows) for _, rows in run_statements(connection, "SELECT count(*) FROM coverage")] == [[(0,)]]


TEXT = "the port is 4555"
ROWS: dict[str, list[dict[str, object]]] = {
    "sessions": [{"session_id": name, "title": f"title {name}"} for name in "abc"],
    "windows": [{"window_id": f"w-{name}", "session_id": name, "current_task": "x", "suggested_response": "y"} for name in "abc"],
    "segments": [{"segment_id": f"s-{name}", "window_id": f"w-{name}", "session_id": name} for name in "abc"],
    "observations": [
        {"observation_id": f"o-{name}{number}", "segment_id": f"s-{name}", "window_id": f"w-{name}", "session_id": name,
         "entry_ids": [f"e{number}"], "text": TEXT if number == 3 else f"{name}{number}", "verdict": "allow"}
        for name in "abc" for number in range(4)
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    "targets",
    [["b"], ["o-a1"], ["s-c"], ["w-a"], ["a:e2"], [hash_text(TEXT)], ["title:a", "task:w-b"], ["turn:a:e1", "c", "line:0"]],
)
def test_what_was_forgotten_is_in_no_view(tmp_path: Path, targets: list[str]) -> None:
    """Before it is purged, too; what was taken back is there again. The views leave out what every other reader leaves out."""
    lake = Lake(tmp_path)
    tombs = pl.DataFrame({"target": [*targets, "o-b1"], "reason": "t", "is_undone": [*(False for _ in targets), True]})
    with lake.writing("test"), lake.commit() as change:
        for name, rows in ROWS.items():
            change.add_days(name, pl.DataFrame(rows).with_columns(day=date(2026, 3, 1)))
        entries = [{"session_id": name, "ordinal": number, "entry_id": f"e{number}"} for name in "abc" for number in range(4)]
        change.add_days("entries", pl.DataFrame(entries).with_columns(day=date(2026, 3, 1)))
        change.replace("tombstones", tombs)
    with connect(lake) as connection:
        for name in ROWS:
            expected = drop_forgotten_rows(lake.read(name), targets)
            assert list(run_query(connection, f"FROM {name} ORDER BY ALL")[1]) == sorted(expected.rows(), key=str)
        items = {item for (item,) in run_query(connection, "SELECT item_id FROM items")[1]}
        assert items == set(drop_forgotten_rows(lake.read("observations"), targets)["observation_id"])
        shown = {":".join(row) for row in run_query(connection, "SELECT session_id, entry_id FROM entries")[1]}
    assert shown == {
        f"{name}:e{number}" for name in "abc" for number in range(4)
        if not {name, f"{name}:e{number}", f"turn:{name}:e{number}"} & set(targets)
    }  # fmt: skip
