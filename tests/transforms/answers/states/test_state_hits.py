"""A question for a state is answered by the newest row about the work that decides it, else by how far memory knows it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from tests.each_case import each_case
from tests.transforms.answers.states.test_state_question import ask
from transforms.answers.states.state_hits import (
    FoundState,
    add_first,
    find_state,
    is_told_later,
    keep_meant_projects,
    list_linked_numbers,
    list_open_rows,
    list_state_rows,
    put_leads_first,
)
from transforms.answers.states.state_question import StateQuestion, read_state_question
from transforms.language.tokenizer import tokenize
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

START = datetime(2026, 5, 1, tzinfo=UTC)
OPENED = 'Opened pull request "dark theme": https://host/o/r/pull/24'
MERGED = "Merged pull request #24 (branch topic)."
PUSHED = 'Committed and pushed "dark theme" (1f2e3d4).'
BRANCHED = 'Committed "dark theme" (1f2e3d4 on topic).'
ISSUE, CLOSED = 'Opened issue "fonts": https://host/o/r/issues/7', "Closed issue #7."


def make_row(text: str, hour: int = 0, **changed: Any) -> RankingRecord:
    row = {"id": text, "text": text, "terms": tokenize(text), "said_at": START + timedelta(hours=hour), "superseded_by": None}
    return cast(RankingRecord, row | {"source": "observation", "kind": "completion", "session_id": "s"} | changed)


def read(text: str) -> StateQuestion:
    asked = read_state_question(ask(text))
    assert asked is not None
    return asked


def find(text: str, *rows: RankingRecord) -> tuple[str, bool]:
    """Return the text of the row that answers a question, and whether it decides it."""
    asked = read(text)
    found = find_state(list_state_rows(rows), asked, dict.fromkeys(asked.subject, 1.0))
    return (rows[found.row.place].get("text", ""), found.decides) if found else ("", False)


@each_case(
    ("text", "rows", "answer"),
    [
        ("is PR #24 merged?", (OPENED, MERGED), (MERGED, True)),
        ("is the dark theme merged?", (OPENED, MERGED), (MERGED, True)),
        ("is the dark theme PR merged?", (OPENED,), (OPENED, False)),
        ("is the dark theme merged?", (PUSHED,), (PUSHED, False)),
        ("is the dark theme pushed?", (PUSHED,), (PUSHED, True)),
        ("is PR 7 closed?", (CLOSED,), ("", False)),
        ("is issue 7 closed?", (ISSUE, CLOSED), (CLOSED, True)),
        ("is issue 7 open?", (CLOSED, "Reopened issue #7."), ("Reopened issue #7.", True)),
        ("was v1.2 released?", ("Tagged v1.2.", "Deleted tag v1.2."), ("Deleted tag v1.2.", True)),
        ("was 1.2.0 released?", ("Tagged v1.2.0.",), ("Tagged v1.2.0.", True)),
        ("is PR #24 merged?", (MERGED, "Tried to merge pull request #24; it failed: conflict."),
         ("Tried to merge pull request #24; it failed: conflict.", True)),
        ("is the dark theme merged?", (BRANCHED, MERGED), (MERGED, True)),
        ("is the dark theme pushed?", (BRANCHED, "Pushed branch main (commits 0a0a0a0..1f2e3d4)."),
         ("Pushed branch main (commits 0a0a0a0..1f2e3d4).", True)),
        ("is the dark theme merged?", (BRANCHED, MERGED, "Merged pull request #9 (branch topic)."), (BRANCHED, False)),
        ("is the light theme merged?", ("Merged branch sqlite into main.",), ("", False)),
    ],
)  # fmt: skip
def test_the_newest_row_that_decides_answers(text: str, rows: tuple[str, ...], answer: tuple[str, bool]) -> None:
    assert find(text, *(make_row(row, hour) for hour, row in enumerate(rows))) == answer


def test_a_number_means_a_row_of_the_projects_asked_about_or_of_the_only_one() -> None:
    states = list_state_rows([make_row(OPENED, project="a"), make_row(MERGED, 1, project="b"), make_row(CLOSED, 2, project="a")])
    asked = read("is PR #24 merged?")
    kept = [keep_meant_projects(states, asked, projects) for projects in (("a",), ("b",), ("c",), ())]
    assert [[row.place for row in rows] for rows in kept] == [[0, 2], [1], [], []]
    assert [row.place for row in keep_meant_projects(states, read("is issue 7 closed?"), ())] == [2]
    assert len(keep_meant_projects(states, read("is the dark theme merged?"), ())) == len(states)


def test_only_rows_of_facts_that_hold_tell_states() -> None:
    assert not list_state_rows(
        [make_row(MERGED, source="turn"), make_row(MERGED, superseded_by="o-1"), make_row("User said: no")]
    )


def test_the_numbers_of_what_words_name_are_searched_too() -> None:
    asked = read("is the dark theme merged?")
    states = list_state_rows([make_row(OPENED), make_row(ISSUE)])
    assert list_linked_numbers(states, asked, dict.fromkeys(asked.subject, 1.0)) == ["24"]
    assert list_linked_numbers(states, read("is PR 24 merged?"), {}) == []


@each_case(
    ("said", "changed", "decides", "is_later"),
    [
        ("PR 24 is merged by Jo", {"session_id": "t"}, True, True),
        ("PR 24 looks fine", {"session_id": "t"}, True, False),
        ("PR 24 looks fine", {"session_id": "t"}, False, True),
        ("PR 24 is merged by Jo", {"hour": -5, "session_id": "t"}, True, False),
        ("PR 24 is merged", {"minutes": 3}, True, False),
        ("the fonts are merged", {"session_id": "t"}, True, False),
    ],
)
def test_later_words_about_the_work_stay_first(said: str, changed: dict[str, Any], *, decides: bool, is_later: bool) -> None:
    """Words of a session right after its command are its report."""
    turn = make_row(said, changed.pop("hour", 5), source="turn", kind=None, **{"session_id": "s"} | changed)
    if minutes := changed.pop("minutes", 0):
        turn["said_at"] = START + timedelta(minutes=minutes)
    rows = [turn, make_row(MERGED)]
    (state,) = list_state_rows(rows)
    folded = [(RankedCandidate(0, 1.0, 1.0, 0.5, 0.5), list[int]())]
    assert is_told_later(rows, folded, FoundState(state, decides), read("is PR #24 merged?"), {}) is is_later


def test_what_was_opened_and_has_no_end_is_open() -> None:
    rows = [make_row(ISSUE, 0, project="/a"), make_row(OPENED, 1, project="/a"), make_row(MERGED, 2, project="/a")]
    rows += [make_row(CLOSED, 3, project="/b")]
    assert [rows[row.place].get("text") for row in list_open_rows(list_state_rows(rows), "")] == [ISSUE]
    assert list_open_rows(list_state_rows(rows), "pull request") == []


def test_a_lead_stands_once_and_first() -> None:
    ranked = [RankedCandidate(place, 0.9 - place / 10, 1.0, 0.5, 0.5) for place in range(3)]
    hits = add_first([(ranked[0], [2]), (ranked[1], [])], [ranked[2]])
    assert [(hit.index, hit.score, beside) for hit, beside in hits] == [(2, 0.9, []), (0, 0.9, []), (1, 0.8, [])]
    fields = {"kind": None, "priority": None, "project": None, "session_id": "s", "entry_ids": (), "lines": (), "said_at": None}
    shown = [Hit(id=name, source="turn", text="", score=1 / ord(name), **cast(Any, fields)) for name in "abc"]
    first = put_leads_first(shown, ["b"])
    assert [hit.id for hit in first] == ["b", "a", "c"]
    assert [hit.score for hit in first] == [hit.score for hit in shown]
