"""What a command did is read from its exit code; its output decides only where the line hides that code."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import conversation, ran
from transforms.exchanges.actions import find_actions

FOREIGN_ERRORS = "  src/io.py\n    except (OSError, TypeError: ...)\n  parse.py: error: in a fixture\nTests 54 passed (54)"


@each_case(
    ("command", "is_ok"),
    [
        ("npm test", True),
        ("cd web && npm test", True),
        ("npm test -- --grep 'a|b; c'", True),
        ("npm test 2>&1 | tail -20", False),
        ("npm test; echo done", False),
        ("npm test || true", False),
        ("npm test\necho done", False),
        ("npm test &", False),
    ],
)
def test_a_check_that_ended_with_zero_has_not_failed_whatever_its_output_holds(command: str, is_ok: bool) -> None:
    """A pipe, a next command and the background hide the code, so there the words count."""
    (action,) = find_actions(conversation(ran(command, FOREIGN_ERRORS)))
    assert (action.kind, action.is_ok, bool(action.error)) == ("check", is_ok, not is_ok)


def test_a_check_that_ended_with_another_code_has_failed_whatever_its_output_holds() -> None:
    """Also where the output names no error."""
    (action,) = find_actions(conversation(ran("npm test", "54 passed", is_error=True)))
    assert not action.is_ok


def test_a_push_that_ended_with_zero_is_made_although_its_output_names_an_error() -> None:
    """Hooks print what they like."""
    actions = find_actions(conversation(ran("git commit -qm 'a; b' && git push", "hook: error: nothing to lint")))
    assert [(action.kind, action.detail, action.is_ok) for action in actions] == [
        ("commit", "a; b", True), ("publish", "git push", True),
    ]  # fmt: skip


def test_a_commit_without_a_result_is_not_made() -> None:
    """A session may end before the command did."""
    (commit, push) = find_actions(conversation(ran("git commit -qm 'the last one' && git push", "")[:1]))
    assert (commit.kind, commit.is_ok, commit.error) == ("commit", False, "")
    assert not push.is_known
