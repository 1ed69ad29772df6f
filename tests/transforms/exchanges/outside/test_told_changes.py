"""A row tells a change in one form, from which it is read again; rows of commits, requests and releases are read, too."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.exchanges.outside.outside_change import OutsideChange
from transforms.exchanges.outside.told_changes import limit_title_words, read_change, tell_change


@each_case(
    ("change", "row"),
    [
        (OutsideChange("merged", "pull request", ("47",), 1, 2, title="Wider columns", branch="fix/a"),
         'Merged pull request #47 "Wider columns" (branch fix/a).'),
        (OutsideChange("closed", "issue", ("37",), 1, 2), "Closed issue #37."),
        (OutsideChange("merged", "branch", ("topic",), 1, 2, place="main"), "Merged branch topic into main."),
        (OutsideChange("pushed", "branch", ("fix/a",), 1, 2, title='one", "two', place="1f..5a"),
         'Pushed branch fix/a "one", "two".'),
        (OutsideChange("pushed", "branch", ("fix/a",), 1, 2, place="1f..5a"), "Pushed branch fix/a (commits 1f..5a)."),
        (OutsideChange("deleted", "tag", ("v1",), 1, 2), "Deleted tag v1."),
        (OutsideChange("tagged", "tag", ("v1",), 1, 2), "Tagged v1."),
        (OutsideChange("rebased", "branch", ("topic",), 1, 2, place="origin/main"), "Rebased branch topic on origin/main."),
        (OutsideChange("deployed", "", (), 1, 2, command="fly deploy", printed="v131 is up."),
         'Deployed with `fly deploy`; it printed "v131 is up".'),
        (OutsideChange("merged", "pull request", ("24",), 1, 2, branch="topic", command="git log", is_seen=True),
         "Pull request #24 (branch topic) is merged, as git log showed."),
        (OutsideChange("is open", "issue", ("49",), 1, 2, command="gh view", is_seen=True),
         "Issue #49 is open, as gh view showed."),
        (OutsideChange("merged", "pull request", ("47",), 1, 2, is_ok=False, error="not mergeable"),
         "Tried to merge pull request #47; it failed: not mergeable."),
        (OutsideChange("opened", "pull request", ("9",), 1, 2, branch="topic", place="https://host/o/r/pull/9"),
         "Opened pull request (branch topic): https://host/o/r/pull/9"),
    ],
)  # fmt: skip
def test_a_row_is_read_as_it_was_told(change: OutsideChange, row: str) -> None:
    assert tell_change(change) == row
    told = read_change(row)
    assert told is not None
    assert (told.deeds, told.thing, told.names, told.is_ok) == ({change.deed}, change.thing, change.names, change.is_ok)


@each_case(
    ("row", "deeds", "is_ok"),
    [
        ('Committed and pushed "one" (1f2e3d4 on fix/a).', {"committed", "pushed"}, True),
        ('Committed "one"; the push was refused: protected.', {"committed", "pushed"}, False),
        ('Set out to commit "one"; no result is recorded.', {"committed"}, False),
        ('The commit "one" was blocked: ruff', {"committed"}, False),
        ("`git push` was refused: protected.", {"pushed"}, False),
        ("`git push` was refused, and went through later: protected.", {"pushed"}, True),
        ("Release: ran `git tag v1`, ran `git push --tags`.", {"tagged", "pushed"}, True),
        ("Release: ran `git tag v1`; `npm publish` failed: no login.", {"tagged", "published"}, False),
    ],
)
def test_other_rows_of_states_are_read(row: str, deeds: set[str], *, is_ok: bool) -> None:
    told = read_change(row)
    assert told is not None
    assert (told.deeds, told.is_ok) == (deeds, is_ok)


@each_case(
    "row",
    ["Committed on `topic` as 1f2e3d4.", "Merged the two tables into one.", "Closed the file.", "Pull request #24 is slow.",
     "User decided: \"Merged pull request #47\"", "Pushed back the date."],
)  # fmt: skip
def test_words_of_another_form_tell_no_state(row: str) -> None:
    assert read_change(row) is None


@each_case(
    ("row", "branch"),
    [
        ('Committed "one (on two)" (1f2e3d4 on fix/a).', "fix/a"), ('Committed "one" (1f2e3d4 on fix/a): edited a.py.', "fix/a"),
        ('Committed "one" (on fix/a).', "fix/a"), ('Committed "one" (1f2e3d4).', ""), ("Merged branch topic into main.", "topic"),
        ("Merged pull request #9 (branch topic).", "topic"),
    ],
)  # fmt: skip
def test_a_row_names_its_branch(row: str, branch: str) -> None:
    change = read_change(row)
    assert change is not None
    assert change.branch == branch


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for lead in ("", "Merged pull request ", "Tried to ", "Release: ran `", "Opened issue ", "Pull request #"):
        read_change(lead + text)


def test_a_title_may_be_longer_than_another_quotation() -> None:
    assert limit_title_words('Closed issue #3 "one two".', 14) > 14
    assert limit_title_words('Said: "one two".', 14) == 14
