from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

import pytest

from tests.agent_lines import CODEX_ID, codex_meta, codex_prompt
from tests.effects.session_home import Home, answer, header, user, write

SHARED = Path(__file__).parents[4] / "shared" / "sessions"
TABLES = ("entries", "sessions", "quarantine")
LINES = [
    header(),
    user("a", None, 1, "one"),
    answer("b", "a", 2, "two"),
    user("c", "b", 200, "three"),
    answer("d", "c", 201, "four"),
]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def read_texts(home: Home) -> list[str]:
    return [row["text"] for row in home.rows("entries")]


def list_cuts() -> list[int]:
    """Return lengths of a file that is cut at every kind of place of each line, and at some places anywhere."""
    ends = [*accumulate(len(line) + 1 for line in LINES)]
    edges = {end + beside for end in (0, *ends) for beside in (-2, -1, 0, 1) if 0 <= end + beside <= ends[-1]}
    return sorted(edges | set(random.Random(1).sample(range(ends[-1]), 6)), key=str)


def test_a_file_cut_at_any_byte_loses_nothing_and_is_whole_again_when_it_is_restored(home: Home) -> None:
    """One file is cut again and again: each time it ends as it was before."""
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    data, before = path.read_bytes(), {table: home.rows(table) for table in (*TABLES, "sources")}
    before["sources"][0]["mtime_ns"] = 0
    for length in list_cuts():
        path.write_bytes(data[:length])
        problems = home.night().get("problems", [])
        assert home.rows("entries") == before["entries"], length
        assert home.rows("sessions") == before["sessions"], length
        lost = sum(len("\n".join(LINES[: number + 1])) > length for number in range(1, len(LINES)))
        is_refused = home.rows("sources")[0]["status"] == "refused"
        assert len(problems) == (lost > 0 and not is_refused), length
        assert "problems" not in home.night(), "it is said once"
        path.write_bytes(data)
        assert "problems" not in home.night(), length
        after = {table: home.rows(table) for table in (*TABLES, "sources")}
        after["sources"][0]["mtime_ns"] = 0
        assert after == before, length


def test_what_a_client_adds_behind_the_cut_stands_beside_what_was_lost(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    write(path, *LINES[:3])
    (problem,) = home.night()["problems"]
    assert problem == f"{path}: 2 entries that were read are no longer in the file; memory keeps what it said"
    write(path, *LINES[:3], user("e", "b", 300, "five"), user("f", "e", 301, "six"))
    assert "problems" not in home.night()
    assert read_texts(home) == ["one", "two", "three", "four", "five", "six"]
    assert [row["ordinal"] for row in home.rows("entries")] == [*range(6)]
    assert [row["on_active_branch"] for row in home.rows("entries")] == [True, True, False, False, True, True]
    write(path, *LINES[:3], user("e", "b", 300, "five"), user("f", "e", 301, "six"), user("g", "f", 302, "seven"))
    counts = home.night()
    assert (counts["entries"], "problems" in counts) == (1, False)
    assert [row["detail"].partition(" ")[0] for row in home.rows("quarantine")] == ["2"], "it stays written"
    write(path, *LINES[:3], user("e", "b", 300, "five"))
    (problem,) = home.night()["problems"]
    assert problem.startswith(f"{path}: 4 entries"), "the file was cut once more"
    assert len(read_texts(home)) == 7
    assert [row["detail"].partition(" ")[0] for row in home.rows("quarantine")] == ["4"]


def test_a_cut_in_one_night_with_new_entries_behind_it_keeps_both(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    write(path, *LINES[:2], user("x" * 400, "a", 300, "a long word " * 60))
    home.night()
    assert [text[:6] for text in read_texts(home)] == ["one", "two", "three", "four", "a long"]


def test_a_file_out_of_whose_middle_its_owner_cut_an_entry_counts_as_it_stands(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    write(path, *LINES[:2], *LINES[3:])
    (problem,) = home.night()["problems"]
    assert "1 of 4 entries" in problem
    assert read_texts(home) == ["one", "three", "four"]


def test_words_that_went_are_told_in_a_file_that_has_as_many_entries_as_before(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    data = path.read_bytes()
    write(path, *LINES[:2], *LINES[3:], user("e", "d", 300, "five"))
    (problem,) = home.night()["problems"]
    assert "1 of 4 entries" in problem
    write(path, *LINES[:2], *LINES[3:], user("e", "d", 300, "five"), user("f", "e", 301, "six"))
    assert "problems" not in home.night()
    assert [row["rule"] for row in home.rows("quarantine")] == ["shrunk"], "it stays written while the file grows"
    path.write_bytes(data)
    assert "problems" not in home.night(), "what stood in the meantime is not missed in the file that was read first"
    assert home.rows("quarantine") == []


def test_entries_with_new_ids_in_another_order_are_no_loss(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    write(
        path,
        LINES[0],
        answer("v", None, 2, "two"),
        user("w", "v", 1, "one"),
        answer("x", "w", 201, "four"),
        user("y", "x", 200, "three"),
    )
    assert "problems" not in home.night()
    assert home.rows("quarantine") == []


def test_a_client_without_ids_that_writes_on_behind_a_cut_is_told(home: Home) -> None:
    lines = [codex_meta(), *codex_prompt(1, "first words"), *codex_prompt(2, "second words")]
    path = write(home.sessions / f"{CODEX_ID}.jsonl", *lines)
    home.night()
    write(path, *lines[:3], *codex_prompt(900, "other words"))
    (problem,) = home.night()["problems"]
    assert "1 of 5 entries" in problem, "the event of a prompt has no words of its own"


def test_an_emptied_file_is_told_and_its_session_stays(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *LINES)
    home.night()
    path.write_bytes(b"")
    (problem,) = home.night()["problems"]
    assert problem.startswith(f"{path}: 4 entries that were read are no longer in the file")
    assert read_texts(home) == ["one", "two", "three", "four"]


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_real_session_of_another_client_that_was_cut_loses_nothing(home: Home, client: str) -> None:
    if not (SHARED / client).is_dir():
        pytest.skip("the shared sessions are not here")
    source = min(
        (file for file in (SHARED / client).glob("*.jsonl") if file.stat().st_size > 20_000), key=lambda file: file.stat().st_size
    )
    lines = source.read_bytes().splitlines(keepends=True)
    path = home.sessions / source.name.partition("__")[2]
    path.write_bytes(b"".join(lines))
    home.night()
    before = home.rows("entries")
    for kept in (len(lines) * 2 // 3, len(lines) // 2, 3):
        path.write_bytes(b"".join(lines[:kept]))
        assert "memory keeps" in home.night()["problems"][0]
        assert [row["text"] for row in home.rows("entries")] == [row["text"] for row in before]
    path.write_bytes(b"".join(lines))
    assert "problems" not in home.night()
    assert home.rows("entries") == before


@pytest.mark.parametrize("beside", [[], ["said there"]])
def test_a_secret_that_is_given_away_behind_a_cut_goes_and_nothing_else_does(home: Home, beside: list[str]) -> None:
    secret = f"kettle-{random.Random(29).randint(10_000, 99_999)}"
    first = [header(), user("a", None, 1, f"it is {secret}, I think"), user("b", "a", 2, "two")]
    rest = [user("c", "b", 3, "three"), user("d", "c", 4, "four")]
    path = write(home.sessions / "a.jsonl", *first, *rest)
    for text in beside:
        write(home.sessions / "b.jsonl", *first, user("t", "b", 5, text))
    home.night()
    write(path, *first, *(rest if beside else ()), user("k", "b", 400, f"DB_PASSWORD={secret}"))
    problems = home.night().get("problems", [])
    assert problems == [] if beside else "2 entries that were read are no longer in the file" in str(problems)
    rows = sorted(home.rows("entries"), key=lambda row: row["ordinal"])
    assert not [row for row in rows if secret in f"{row}"]
    assert [row["ordinal"] for row in rows] == [*range(len(rows))]
    assert [row["text"] for row in rows][1:4] == ["two", "three", "four"]
    assert {"it is ", "DB_PASSWORD=", *beside} == {row["text"].partition("[")[0] for row in rows} - {"two", "three", "four"}
    files = home.files()
    home.night()
    assert home.files() == files
