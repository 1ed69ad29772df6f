"""What an answer says of waiting lines, in the forms in which small models write it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.model_answers.waiting_marks import (
    Remark,
    cut_marked_refs,
    find_remarks,
    make_mark,
    move_marks,
    read_places,
    read_remark,
    read_remarks,
    repeats_line,
    split_marked,
)

LINES = (
    "The flood report has twelve pages at most",
    "Tests do not run in Docker",
    "**shop** — Wrong pages are printed again, as #9 says",
    "Worker w1 pulls the large jobs",
)


@each_case(
    ("text", "places"),
    [
        ("w3", (2,)), ("W3", (2,)), ('"w3"', (2,)), ("[w3]", (2,)), ("w1, w4", (0, 3)), ("w1; w1", (0,)), ("w1/w2", (0, 1)),
        ("`w2` and **w3**", (1, 2)), ("w1 (#12)", (0,)),
        ("w1: The flood report has twelve pages at most", (0,)), ("w1: The flood report has twelve … → #3", (0,)),
        ("w3: Wrong pages are printed", (2,)), ("w3 — **shop** — Wrong pages", (2,)), ("w4: Worker w1 pulls the large", (3,)),
        ("w1: The flood report has; w2: Tests do not run in Docker", (0, 1)),
        ("", ()), ("w0", ()), ("w5", ()), ("w5: Tests do not run", ()), ("w9, w1", (0,)), ("w3c", ()), ("3", ()), ("w²", ()),
        ("w" + "9" * 5000, ()),
    ],
)  # fmt: skip
def test_marks_are_read_in_any_dress_and_none_that_was_not_given(text: str, places: tuple[int, ...]) -> None:
    """Four lines wait; a fifth mark is a slip and names nothing. Small models copy the line behind its mark."""
    assert read_places(text, LINES) == places


@each_case(
    "text",
    [
        "Worker w1 pulls the large jobs, worker w2 the small", "Worker w1 and w2 pull from the queue",
        "w1 pulls the small jobs", "w1: pulls the small jobs", "w1: w2 pulls the small jobs", "w1 and the others", "w1-w3",
        "the weir listens on port 5433", "the line w3",
    ],
)  # fmt: skip
def test_a_sentence_that_mentions_a_worker_takes_no_line(text: str) -> None:
    """A line of MEMORY.md that a model quotes short by one word took two unrelated lines of the owner."""
    assert read_places(text, LINES) == ()


@each_case(
    ("text", "remark"),
    [
        ("w3: outdated, #12", Remark((2,), "outdated", (12,))),
        ("w3 (wrong, see #12 #14)", Remark((2,), "wrong", (12, 14))),
        ('"w3" WRONG', Remark((2,), "wrong", ())),
        ("w3", Remark((2,), "outdated", ())),
        ("w3, #12", Remark((2,), "outdated", (12,))),
        ("w3 #12: wrong", Remark((2,), "wrong", (12,))),
        ("w1, w2: outdated since #7", Remark((0, 1), "outdated", (7,))),
        ("w1 and w2 are outdated (#7)", Remark((0, 1), "outdated", (7,))),
        ("w9, w3: outdated", Remark((2,), "outdated", ())),
        ("w3: outdated, not 12 but eight pages since 2026-11-12 (#47)", Remark((2,), "outdated", (47,))),
        ("w3: outdated, w2 says what holds now, #12", Remark((2,), "outdated", ())),
        ("w3: wrong, #12, same as w2", Remark((2,), "wrong", (12,))),
        ("w1: The flood report has twelve pages at most – outdated, #4", Remark((0,), "outdated", (4,))),
        ("w3: Wrong pages are printed again, as #9 says: outdated, #4", Remark((2,), "wrong", (9, 4))),
        ("w3: **shop** — Wrong pages are printed again, as #9 says: outdated, #4", None),
        ("w" + "9" * 5000 + ": outdated", None), ("w3: outdated, #" + "9" * 5000, Remark((2,), "outdated", ())),
    ],
)  # fmt: skip
def test_a_remark_has_the_marks_at_its_head_its_verdict_and_its_rows(text: str, remark: Remark | None) -> None:
    """A number without a `#` belongs to the reason, as do a mark behind the verdict and what follows it."""
    assert read_remark(text, LINES) == remark


@each_case(
    "text",
    [
        "w3: still holds", "w1: OK", "w2 is not outdated", "w2 isn't wrong", "w1 says what w2 says", "w3: still holds, see #12",
        "w3: no longer outdated", "w2: not outdated", "w2: never wrong, #3", "w1: outdated?", "w3: eight pages, not 12 (#47)",
        "w1: w2 is outdated", "w9: w1 is outdated", "w3, #12 replaces it", "w1: Tests do not run in Docker, outdated",
        "w3: nicht veraltet, #12", "w3: veraltet, #12", "w1: The flood report has twelve pages at most",
    ],
)  # fmt: skip
def test_praise_and_reasons_without_a_verdict_are_no_doubt(text: str) -> None:
    """A small model goes through all waiting lines and says of each that it holds, some with the row that shows it."""
    assert read_remark(text, LINES) is None


@each_case(
    "text",
    [
        "worker w2 has an outdated certificate until Friday", "w2 has an outdated certificate", "#12 replaces w3", "outdated: w3",
        "(2026-01-02) w1 is outdated", "- (2026-01-02) The job store is SQLite", "w9: outdated", "",
    ],
)  # fmt: skip
def test_a_sentence_that_mentions_a_mark_is_no_remark(text: str) -> None:
    """A line of MEMORY.md that is over may be about workers, and be quoted loosely."""
    assert read_remark(text, LINES) is None


WORDS = st.sampled_from(("worker", "w1", "w2", "w3", "outdated", "wrong", "is", "and", "#3", "the", "12", "(w1)", "w4:", "line,"))


@given(st.sampled_from(("worker", "the", "12", "outdated", "#3 the", "(line", "and", "is")), st.lists(WORDS, max_size=8))
def test_a_text_without_a_mark_at_its_head_takes_and_doubts_nothing(head: str, words: list[str]) -> None:
    """Whatever marks, verdicts and rows follow: a waiting line belongs to a person."""
    text = " ".join([head, *words])
    assert read_places(text, LINES) == ()
    assert read_remark(text, LINES) is None


@given(st.integers(0, 3), st.sampled_from(("holds", "never", "not", "no longer", "hardly")), st.lists(WORDS, max_size=8))
def test_a_mark_with_another_word_right_behind_it_is_no_doubt(place: int, word: str, words: list[str]) -> None:
    """Only a verdict, a row, another mark, or a copy of the line may stand there."""
    assert read_remark(" ".join([f"{make_mark(place)}:", word, *words]), LINES) is None


def test_the_first_remark_about_each_line_counts_and_a_quotation_is_none() -> None:
    """A line of the page or one that waits may begin with a mark of its own and have a verdict in it."""
    texts = ["w2: wrong", "w1, w2: outdated, #3"]
    assert find_remarks(texts, LINES, []) == {1: Remark((1,), "wrong", ()), 0: Remark((0, 1), "outdated", (3,))}
    page = "w1 is outdated since May, w4 has its jobs now"
    for quoted in (page, "w1 is outdated since May, w4 has its jobs"):
        assert find_remarks([quoted], LINES, [page]) == find_remarks([quoted], [*LINES, page], []) == {}
    assert find_remarks(["w1: outdated since #3"], LINES, [page]) == {0: Remark((0,), "outdated", (3,))}


@each_case(
    ("value", "moved"),
    [
        ({"refs": ["w3", 12]}, {"refs": [12], "replaces": ["w3"]}),
        ({"refs": ["w3", 12], "replaces": None}, {"refs": [12], "replaces": ["w3"]}),
        ({"refs": ["#12", "[w3]"], "replaces": "w1"}, {"refs": ["#12"], "replaces": ["w1", "[w3]"]}),
        ({"refs": "w3, #12"}, {"refs": ["#12"], "replaces": ["w3"]}), ({"refs": "w3"}, {"refs": [], "replaces": ["w3"]}),
        ({"refs": "w3, w5 and 12 - 14"}, {"refs": ["and 12 - 14"], "replaces": ["w3", "w5"]}),
        ({"refs": ["w3: #12"]}, {"refs": ["#12"], "replaces": ["w3:"]}),
        ({"refs": "#12, as worker w1 said"}, {"refs": ["#12 as worker said"]}), ({"refs": "w1-w3, 12"}, {"refs": ["12"]}),
        ({"refs": ["w3", 12], "replaces": "The line"}, {"refs": [12], "replaces": "The line"}),
        ({"refs": [12], "replaces": ""}, {"refs": [12], "replaces": ""}),
        ({"refs": "#12 - 14"}, {"refs": "#12 - 14"}), ({"refs": None}, {"refs": None}), ({}, {}), ("w3", "w3"),
    ],
)  # fmt: skip
def test_a_mark_among_the_references_names_the_line_whose_place_is_taken(value: Any, moved: Any) -> None:
    """Read as a number it would cite the third row; among other words, or beside a quoted line, it names nothing either."""
    assert move_marks(value) == moved


@each_case(
    ("text", "cut"),
    [
        ("The line (w3 #12)", ("The line", ["w3", "#12"])), ("The line [#12, w3].", ("The line", ["#12", "w3"])),
        ("The line (w3 and #12, #14)", ("The line", ["w3", "#12", "#14"])),
        ("The large worker (w1)", ("The large worker (w1)", [])), ("The line (#12)", ("The line (#12)", [])),
        ("The line (w3, see #12)", ("The line (w3, see #12)", [])), ("w3 #12", ("w3 #12", [])), ("", ("", [])),
    ],
)  # fmt: skip
def test_marks_and_rows_in_the_brackets_at_the_end_of_a_line_are_no_part_of_it(text: str, cut: tuple[str, list[str]]) -> None:
    """A mark alone may be the name of a worker."""
    assert cut_marked_refs(text) == cut


@each_case(
    ("text", "split"),
    [
        ("replace w3 with: The line: new", ("w3", "The line: new")), ("Replace w3, w4 by: The line", ("w3, w4", "The line")),
        ("replace w3 with the line", ("", "replace w3 with the line")),
        ("Replace worker w3 with: x", ("", "Replace worker w3 with: x")), ("replace with: x", ("", "replace with: x")),
        ("replace w3 with:", ("", "replace w3 with:")), ("", ("", "")), (":", ("", ":")),
    ],
)  # fmt: skip
def test_marks_need_no_quotation_marks_where_the_form_is_kept(text: str, split: tuple[str, str]) -> None:
    """Without the colon it is a sentence about workers."""
    assert split_marked(text) == split


@each_case(
    ("value", "texts"),
    [
        (["- (2026-01-02) The job store is SQLite", "w3"], ["- (2026-01-02) The job store is SQLite", "w3"]),
        ("w3: outdated", ["w3: outdated"]),
        ([{"line": "w3", "verdict": "wrong", "refs": [12, "#14"]}], ["w3 wrong #12 #14"]),
        ({"line": "w3", "verdict": "wrong", "refs": [12]}, ["w3 wrong #12"]),
        ([{"verdict": "wrong", "line": "w3"}], ["w3 wrong"]),
        ([{"line": "w3", "why": "it ended", "verdict": "wrong"}], ["w3 wrong it ended"]),
        ({"w4": {"why": "it ended", "verdict": "wrong"}}, ["w4: wrong it ended"]),
        ([{"line": "The store", "verdict": "outdated", "by": "w1"}], ["The store w1 outdated"]),
        ({"w3": "outdated, #12", "w4": {"verdict": "wrong", "refs": [5]}}, ["w3: outdated, #12", "w4: wrong #5"]),
        (None, []), ([None, True], []), ([], []),
    ],
)  # fmt: skip
def test_remarks_may_be_texts_or_objects(value: Any, texts: list[str]) -> None:
    """Llama and Qwen answer a list of texts with objects, or with one object, as often as with texts."""
    assert read_remarks(value) == texts


def test_a_mark_is_read_back() -> None:
    assert [read_places(make_mark(place), ["x"] * 20) for place in range(20)] == [(place,) for place in range(20)]


def test_a_line_that_is_said_again_is_no_better_one() -> None:
    """A small model repeats each waiting line with its mark; other words are another line."""
    line = "**flood** — The report has twelve pages"
    assert repeats_line("The report has twelve pages.", [line])
    assert repeats_line(line, ["Tests run in Docker", line])
    assert not repeats_line("The report has eight pages", [line])
    assert not repeats_line("The report has twelve pages", [])
