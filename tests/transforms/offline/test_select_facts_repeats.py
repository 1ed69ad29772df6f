"""What one row tells is not told by another: parts of a passage, and the result of what a person asked."""

from __future__ import annotations

from transforms.distil.engine_result import Tail
from transforms.offline.candidates import CANDIDATE_CHARS, Candidate
from transforms.offline.select_facts import drop_repeated, join_results
from transforms.tables.enums import FactKind

SKILLS = "every `android-*` skill is listed in the startup screen"
EXTENSION = "the extension `entire/index.ts` is loaded by the client"
SECRETS = "the `env-protection` extension keeps `.env` out of each prompt that the client sends to its provider"


def test_of_a_list_that_another_row_tells_in_part_only_the_rest_is_left() -> None:
    other = f"What now runs: {SKILLS}; {EXTENSION}"
    assert drop_repeated(f"What now runs: {EXTENSION}; {SECRETS}", [other]) == f"What now runs: {SECRETS}"
    assert not drop_repeated(f"What now runs: {SKILLS}; {EXTENSION}", [f"{SKILLS}; {EXTENSION}"])


def test_a_sentence_that_a_row_has_goes_and_other_words_stay() -> None:
    written = "Rebased `status` onto `origin/main` with all changes."
    assert drop_repeated(f"{written} The lock file was written again.", [f'User asked: "rebase" Outcome: {written}']) == (
        "The lock file was written again."
    )
    assert drop_repeated("Rebased `status` onto `main`.", [written]) == "Rebased `status` onto `main`."


def test_short_items_are_told_by_nobody() -> None:
    """ "tests" stands in many rows that do not tell of it."""
    assert drop_repeated("Left: docs; tests", ["the tests of the docs"]) == "Left: docs; tests"


def row(written: str, *, words: str = 'User asked: "rebase with main"', label: str = "Outcome") -> Candidate:
    tail = Tail(f" {label}: {written}", (4,))
    return Candidate(f"{words}{tail.text}", "request", "medium", (2, 4), (), 1.0, tails=(tail,))


def result(text: str, kind: FactKind = "completion", ordinal: int = 4, files: tuple[str, ...] = ()) -> Candidate:
    return Candidate(text, kind, "medium", (ordinal, 2), files, 0.6)


WHOLE = "Rebased `status` onto `origin/main`; kept all changes that were not committed"


def test_a_cut_outcome_becomes_the_result_that_has_a_row_of_its_own() -> None:
    (joined,) = join_results([row("Rebased `status` onto `origin/main`…"), result(f"{WHOLE} [a.ts]", files=("a.ts",))])
    assert joined.text == f'User asked: "rebase with main" Outcome: {WHOLE}'
    assert joined.tails[0].text == f" Outcome: {WHOLE}"
    assert joined.ordinals == (2, 4)


def test_a_result_that_stands_behind_the_words_has_no_row_of_its_own() -> None:
    asked = row(f"{WHOLE}. Nothing failed.", label="Reply")
    assert join_results([result(WHOLE), asked]) == [asked]


def test_a_result_stays_where_it_does_not_fit_or_says_more_than_what_came_of_it() -> None:
    cut = row("Rebased `status` onto…")
    rows_left = [
        [cut, result(WHOLE + "; more" * (CANDIDATE_CHARS // 6))],  # longer than a row
        [row("Rebased `status` onto `origin/main`"), result(WHOLE)],  # not cut: it says less on purpose
        [cut, result(f"{WHOLE}. I could also squash them.")],  # nobody did that
        [cut, result(WHOLE, kind="root_cause")],  # a cause is asked for by itself
        [cut, result("Pushed `status`; nothing else")],
        [cut, result(WHOLE, ordinal=9)],  # another message
        [row("Rebased `status` onto…", label="Note"), result(WHOLE)],
    ]
    for rows in rows_left:
        assert join_results(rows) == rows, rows[1].text
