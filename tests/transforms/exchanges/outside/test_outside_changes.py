"""A change has what the conversation told of it before: its title, its number, the commits of a push."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, ran
from transforms.exchanges.outside.outside_changes import find_outside_changes

OPENED = ran("gh pr create --title 'Wider columns' --body x", "https://github.com/o/r/pull/47", "a")


def test_a_number_has_the_title_that_was_seen_before() -> None:
    _, merged = find_outside_changes(conversation(OPENED, ran("gh pr merge 47", "", "b")))
    assert (merged.deed, merged.title, merged.titled) == ("merged", "Wider columns", 1)
    _, issue = find_outside_changes(conversation(OPENED, ran("gh issue close 47", "", "b")))
    assert issue.title == ""


def test_a_request_that_nothing_names_is_the_last_one() -> None:
    for command in ("gh pr merge --squash", "gh pr checks 47 --watch && gh pr merge --squash"):
        _, merged = find_outside_changes(conversation(OPENED, ran(command, "", "b")))
        assert merged.names == ("47",)


@each_case(
    "command", ["gh pr merge other-branch", "gh pr merge $PR --squash", "gh pr close -c 'by 12' $PR", "gh pr merge -R o/q"]
)
def test_a_request_that_a_word_names_is_not_the_last_one(command: str) -> None:
    _, *ended = find_outside_changes(conversation(OPENED, ran(command, "", "b")))
    assert all("47" not in change.names and change.title == "" for change in ended)


def test_a_request_that_is_filled_in_has_the_title_of_its_only_commit() -> None:
    filled = "git push -q && gh pr create --fill"
    for commits, title in (("git commit -qm 'one'", "one"), ("git commit -qm 'one' && git commit -qm 'two'", "")):
        changes = find_outside_changes(conversation(ran(f"{commits} && {filled}", "https://github.com/o/r/pull/9")))
        assert [change.title for change in changes if change.deed == "opened"] == [title]


def test_a_push_names_the_commits_since_the_push_before() -> None:
    first = ran("git commit -m 'one'", "[main 1f2e3d4] one", "a")
    second = ran("git commit -m 'two'", "[main 5a6b7c8] two", "b")
    pushed = ran("git push", "To host\n   0a0a0a0..5a6b7c8  main -> main", "c")
    other = ran("git push", "To other\n   0a0a0a0..9d9d9d9  main -> main", "c")
    (push,) = find_outside_changes(conversation(first, second, pushed))
    assert push.title == 'one", "two'
    assert [change.title for change in find_outside_changes(conversation(first, second, other))] == [""]
    again = ran("git push origin dev", "To host\n   1..2  dev -> dev", "d")
    assert [change.title for change in find_outside_changes(conversation(first, second, pushed, again))][1] == ""


def test_a_line_of_a_hook_is_not_the_hash_of_a_commit() -> None:
    made = ran("git commit -m 'one'", "[STARTED] Running tasks\n[main 1f2e3d4] one", "a")
    pushed = ran("git push", "To host\n   0a0a0a0..1f2e3d4  main -> main", "b")
    assert [change.title for change in find_outside_changes(conversation(made, pushed))] == ["one"]


def test_what_the_person_ran_counts_as_well() -> None:
    message = {"role": "bashExecution", "content": [], "command": "git tag v1 && git push origin v1", "output": "", "exitCode": 0}
    changes = find_outside_changes(conversation({"type": "message", "message": message}, agent("Tagged.")))
    assert [(change.deed, change.names, change.ordinal, change.result) for change in changes] == [
        ("tagged", ("v1",), 0, 0), ("pushed", ("v1",), 0, 0),
    ]  # fmt: skip
    message["exitCode"] = 1
    failed = find_outside_changes(conversation({"type": "message", "message": message}))
    assert [(change.deed, change.is_ok) for change in failed] == [("pushed", False)]
