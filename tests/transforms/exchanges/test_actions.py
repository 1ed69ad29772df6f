"""What a command did is read from its exit code; its output decides only where the line hides that code."""

from __future__ import annotations

import time

from tests.each_case import each_case
from tests.transforms.conversations import conversation, ran
from transforms.exchanges.actions import find_actions, parse_commit_message

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


def test_a_commit_whose_push_was_refused_is_made_and_the_push_has_the_hooks_reason() -> None:
    """Git prints the commit, or what the push said; the client's line about the code is no reason."""
    hook = "pre-push: mix dialyzer must pass\nCould not read PLT file: no such file\nerror: failed to push some refs to 'origin'"
    printed = f"[imports 7d20aa9] Import\n 1 file changed\n{hook}\n\nCommand exited with code 1"
    for output, commit_hash in ((printed, "7d20aa9"), (f"{hook}\n\nCommand exited with code 1", "")):
        (commit, push) = find_actions(conversation(ran("git commit -qm 'Import' && git push", output, is_error=True)))
        assert (commit.is_ok, commit.path, commit.error) == (True, commit_hash, "")
        assert not push.is_ok
        assert push.error == "pre-push: mix dialyzer must pass; Could not read PLT file: no such file"


def test_a_push_behind_a_commit_that_was_not_made_did_not_run() -> None:
    """`&&` stops there; behind a semicolon it runs."""
    output = "husky - pre-commit\na.ex is not formatted\n\nCommand exited with code 1"
    (commit,) = find_actions(conversation(ran("git commit -m 'Fix it' && git push", output, is_error=True)))
    assert (commit.kind, commit.is_ok, commit.error) == ("commit", False, "a.ex is not formatted")
    actions = find_actions(conversation(ran("git commit -m 'Fix it'; git push", output, is_error=True)))
    assert [action.kind for action in actions] == ["commit", "publish"]


def test_that_there_was_nothing_to_commit_is_no_error() -> None:
    """Git's own answer to a commit of nothing."""
    output = "On branch main\nnothing to commit, working tree clean\n\nCommand exited with code 1"
    (commit,) = find_actions(conversation(ran("git commit -m 'Again'", output, is_error=True)))
    assert (commit.is_ok, commit.error) == (False, "")


def test_a_commit_of_nothing_is_not_made_when_a_later_command_hides_its_code() -> None:
    """The code of the line is that of the push, which had nothing to do either."""
    output = "On branch main\nnothing to commit, working tree clean\nEverything up-to-date"
    commit, _ = find_actions(conversation(ran("git commit -m 'Again'; git push", output)))
    assert (commit.kind, commit.is_ok, commit.error) == ("commit", False, "")


def test_a_push_that_a_hook_refuses_in_words_of_its_own_has_them_as_its_reason() -> None:
    """Neither git nor the client says a word, and the hook writes its error in capitals."""
    output = "REFUSING: only harriet pushes (set PUSH=1 to override)\n"
    (push,) = find_actions(conversation(ran("git push origin main 2>&1 | tail -1", output, is_error=True)))
    assert (push.is_ok, push.error) == (False, "REFUSING: only harriet pushes (set PUSH=1 to override)")


@each_case(
    ("command", "message"),
    [
        ("cat <<'EOF' > CHANGELOG.md\n# Changelog\nEOF\ngit add -A && git commit -m \"Add the changelog\"", "Add the changelog"),
        ("git commit -m 'Add notes' && cat <<EOF > notes.txt\nhello\nEOF", "Add notes"),
        ("cat <<EOF | psql\nselect 1;\nEOF\ngit commit -am 'Fix query'", "Fix query"),
        ("git commit -qm 'Title' -m \"$(cat <<EOF\nbody\nEOF\n)\"", "Title"),
        ('git commit -m "$(cat <<\'EOF\'\nSay "it"\n\nbody\nEOF\n)" && git push', 'Say "it"'),
        ("git commit \\\n  -F - <<'EOF' && git push\nAdd it; all\nEOF", "Add it; all"),
        ("cat > /tmp/m <<'EOF'\nFrom a file\nEOF\ngit commit -F /tmp/m", "From a file"),
        ("cat <<EOF >/tmp/m\nFrom a file\nEOF\ncat <<EOF > b\nno\nEOF\ngit commit --file=/tmp/m", "From a file"),
        ("cat <<EOF > notes.txt\nhello\nEOF\ngit commit", ""),
        ("echo commit -m 'none'", ""),
    ],
)
def test_the_message_is_what_the_commit_itself_reads(command: str, message: str) -> None:
    """A text between `<<EOF` and `EOF` that another command reads is none."""
    assert parse_commit_message(command) == message


def test_a_quotation_that_never_closes_is_read_in_one_pass() -> None:
    """Each escaped quotation mark in it was tried as the beginning of another one."""
    command = "git commit -m 'x'; echo \"" + '\\"' * 20_000
    start = time.process_time()
    assert [action.kind for action in find_actions(conversation(ran(command, "ok")))] == ["commit"]
    assert time.process_time() - start < 2
