"""`recollect sql`: where the query comes from and how the answer looks."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from effects.store.lake import Lake
from recollect.cli import run


@pytest.fixture(autouse=True)
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Return a lake with two runs."""
    monkeypatch.setenv("RECOLLECT_LAKE", str(tmp_path))
    lake = Lake(tmp_path)
    with lake.writing("test"), lake.commit() as change:
        change.append("runs", pl.DataFrame({"run_id": ["r-1", "r-2"], "flow": ["nightly", "a, b"], "error": ["", "x" * 90]}))
    return lake


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the stdout of a successful query."""
    assert run(["sql", *arguments]) == 0
    return capsys.readouterr().out


QUERY = "SELECT run_id, flow FROM runs ORDER BY run_id"


def test_a_table_a_json_object_per_row_or_csv(capsys: pytest.CaptureFixture[str]) -> None:
    """All formats have the same rows."""
    assert out(capsys, QUERY) == "run_id  flow\n------  -------\nr-1     nightly\nr-2     a, b\n"
    rows = [json.loads(line) for line in out(capsys, QUERY, "--json").splitlines()]
    assert rows == [{"run_id": "r-1", "flow": "nightly"}, {"run_id": "r-2", "flow": "a, b"}]
    assert out(capsys, QUERY, "--csv") == 'run_id,flow\nr-1,nightly\nr-2,"a, b"\n'


def test_a_piped_table_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """Only a terminal has a width."""
    assert "x" * 90 in out(capsys, "SELECT error FROM runs")


def test_a_query_from_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Several statements are run, those without a result are silent."""
    monkeypatch.setattr("sys.stdin", io.StringIO("SET VARIABLE a = 1; SELECT count(*) AS n FROM runs;"))
    assert out(capsys, "--json") == '{"n":2}\n'


def test_times_are_in_the_owners_zone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Stored in UTC, shown where the owner lives."""
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "Europe/Berlin")
    assert "12:00:00" in out(capsys, "SELECT TIMESTAMPTZ '2026-05-17 10:00:00+00' AS t")


def test_the_prompt_goes_on_after_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement ends with a semicolon, Ctrl-D ends the prompt."""
    lines = iter(["SELECT nothing;", "SELECT count(*)", "FROM runs;"])

    def answer(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    monkeypatch.setattr("builtins.input", answer)
    assert run(["sql"]) == 0
    shown = capsys.readouterr()
    assert "nothing" in shown.err
    assert shown.out.splitlines()[-1] == "2"


def test_each_of_several_statements_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    """Tables and CSV are separated by an empty line, JSON has an object per line."""
    queries = "SELECT 1 AS a; SELECT 2 AS b"
    assert out(capsys, queries) == "a\n-\n1\n\nb\n-\n2\n"
    assert out(capsys, queries, "--csv") == "a\n1\n\nb\n2\n"
    assert out(capsys, queries, "--json") == '{"a":1}\n{"b":2}\n'


def test_bytes_are_hexadecimal_digits_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT '\\x00\\xFF'::BLOB AS blob"
    for options, line in ([], "00ff"), (["--json"], '{"blob":"00ff"}'), (["--csv"], "00ff"):
        assert run(["sql", query, *options]) == 0
        assert line in capsys.readouterr().out.splitlines()


def test_columns_of_one_name_are_all_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """As DuckDB names them in a table of its own: the second `a` is `a_1`."""
    query = "SELECT 1 AS a, 2 AS a"
    assert out(capsys, query, "--json") == '{"a":1,"a_1":2}\n'
    assert out(capsys, query, "--csv") == "a,a_1\n1,2\n"
    assert out(capsys, "SELECT l.flow, r.* FROM runs l JOIN runs r USING (run_id) LIMIT 1", "--json").count('"flow') == 2


def test_a_sum_beyond_64_bits_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """DuckDB sums in 128 bits; JSON gets what does not fit as text."""
    assert out(capsys, "SELECT sum(9000000000000000000) AS n FROM range(3)", "--json") == '{"n":"27000000000000000000"}\n'


def test_lists_read_as_duckdb_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT [DATE '2026-02-10'] AS days, ['a', 'b, c'] AS words"
    assert out(capsys, query).splitlines()[-1] == "[2026-02-10]  [a, 'b, c']"
    assert out(capsys, query, "--csv").splitlines()[-1] == "[2026-02-10],\"[a, 'b, c']\""
    assert out(capsys, query, "--json") == '{"days":["2026-02-10"],"words":["a","b, c"]}\n'


@pytest.mark.parametrize(
    "query",
    [
        "SELECT event, at, actor FROM proposal_events",
        "SELECT at FROM tombstones WHERE reason = 'look at it'",
        "FROM pages ORDER BY at",
        "SELECT max(at) FROM model_calls",
        "SELECT p.at, at FROM memory_lines p",
    ],
)
def test_a_column_whose_name_is_a_reserved_word_gets_a_hint_that_runs(capsys: pytest.CaptureFixture[str], query: str) -> None:
    """`at` stands in six tables, and DuckDB accepts it only in quotation marks or behind the name of its table."""
    assert run(["sql", query]) == 2
    corrected = capsys.readouterr().err.partition('as a column write "at": ')[2].strip()
    assert corrected
    assert run(["sql", corrected]) == 0
    assert run(["sql", "SELEC at FROM pages"]) == 2
    assert "SHOW TABLES" in capsys.readouterr().err


def test_a_column_that_a_table_does_not_have_leads_to_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """The names of all tables help nobody who has the right one."""
    assert run(["sql", "SELECT nope FROM Observations WHERE kind = 'rule'"]) == 2
    command = capsys.readouterr().err.partition("next: recollect sql '")[2].strip().removesuffix("'")
    assert run(["sql", command]) == 0
    assert "observation_id" in capsys.readouterr().out


def test_the_mark_of_a_wrong_query_stands_below_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """The line of the query and the line of the mark keep their spaces."""
    assert run(["sql", "SELECT run_id,\n  flow, nope FROM runs"]) == 2
    lines = capsys.readouterr().err.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("LINE 2:"))
    assert lines[place].index("nope") == lines[place + 1].index("^")
