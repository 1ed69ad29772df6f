"""A command tells what it changed elsewhere by its program and subcommand; whether it went through, by exit code and output."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.conversations import conversation, ran
from transforms.exchanges.outside.command_changes import MOST_CHANGES, may_change, read_command
from transforms.exchanges.outside.outside_change import OutsideChange

MOVED = "To host:o/r.git\n   1f2e3d4..5a6b7c8  fix/a -> fix/a"


def read(command: str, output: str = "", *, is_error: bool = False) -> list[OutsideChange]:
    """Return the changes of one command."""
    _, result = conversation(ran(command, output, is_error=is_error))
    return list(read_command(command, 0, result))


@each_case(
    ("command", "output", "told"),
    [
        ("gh pr merge 47 --squash -d", "", [("merged", "pull request", ("47",))]),
        ("gh pr merge https://github.com/o/r/pull/47", "", [("merged", "pull request", ("47",))]),
        ("gh issue close 37 -c 'thanks'", "✓ Closed issue o/r#37 (fonts)", [("closed", "issue", ("37",))]),
        ("gh pr merge 47 --auto", "✓ Pull request o/r#47 will be automatically merged", []),
        ("gh issue reopen 37", "", [("reopened", "issue", ("37",))]),
        ("gh pr merge 47 --squash", "✓ Pull request o/r#47 will be added to the merge queue for main", []),
        ("gh pr merge -R o/r 47", "", [("merged", "pull request", ("47",))]),
        (
            "gh pr merge --squash -R o/r 47",
            "✓ Squashed and merged pull request o/r#47 (a)",
            [("merged", "pull request", ("47",))],
        ),
        ("gh pr merge topic", "✓ Merged pull request o/r#47 (a)", [("merged", "pull request", ("47",))]),
        ("gh pr merge $PR", "", []),
        ('gh pr close --comment "see 12" 47', "", [("closed", "pull request", ("47",))]),
        ("gh issue view 47 --json title,body", '{"title":"Breaker","body":"it goes to OPEN and stays there"}', []),
        ("gh issue view 47 --json state", '{"state":"OPEN"}', [("is open", "issue", ("47",))]),
        ("gh issue view 47", "title:\tFonts\nstate:\tCLOSED\n--\nstate:\tOPEN is a lie", [("closed", "issue", ("47",))]),
        ('git merge --no-ff -m "Merge the login work" feature/login', "", [("merged", "branch", ("feature/login",))]),
        ("git merge $BRANCH", "", []),
        ('git tag -m "First release" v1.0', "", [("tagged", "tag", ("v1.0",))]),
        ('git tag -am "First release" v1.0', "", [("tagged", "tag", ("v1.0",))]),
        ("git tag --merged main", "v1", []),
        ("git tag -n3", "v1", []),
        ('git tag "v$VERSION"', "", []),
        ('git branch -D "$b"', "", []),
        ("git rebase --onto main old topic", "Current branch topic is up to date.", []),
        ("kubectl delete deployment web", "deleted", []),
        ("terraform destroy", "", []),
        ("kubectl config set x y", "", []),
        ("pytest -k deploy", "", []),
        ("ruff check deploy", "", []),
        ("chmod +x deploy", "", []),
        ("systemctl status deploy-agent", "", []),
        ("make deploy-status", "", []),
        ("npm run deploy", "", [("deployed", "", ())]),
        ("gh pr create --fill", "https://github.com/o/r/pull/9", [("opened", "pull request", ("9",))]),
        ("gh pr create --fill", "", []),
        ("gh repo create shop --public", "https://github.com/o/shop", [("created", "repository", ("shop",))]),
        ("gh pr view 58 --json state -q .state", "MERGED", [("merged", "pull request", ("58",))]),
        ("gh pr view 58 --comments", "OPEN, once MERGED", []),
        ("git merge -q --no-ff topic -m 'x'", "", [("merged", "branch", ("topic",))]),
        ("git merge origin/main", "", []),
        ("git merge --abort", "", []),
        ("git merge --squash topic", "", []),
        ("git merge topic", "CONFLICT (content): a.py", []),
        ("git push -u origin fix/a", MOVED, [("pushed", "branch", ("fix/a",))]),
        ("git push", "Everything up-to-date", []),
        ("git push", "->-> 50%\na ->-> b\ndist/a.js  -> 2kB\n + 1a2b...3c4d  dev -> dev", [("pushed", "branch", ("dev",))]),
        ("git push origin v1", " * [new tag]  v1 -> v1", [("pushed", "tag", ("v1",))]),
        ("git push origin :refs/tags/v1 && git tag -d v1", "", [("deleted", "tag", ("v1",)), ("deleted", "tag", ("v1",))]),
        ("git push origin --delete topic", "", [("deleted", "branch", ("topic",))]),
        ("git branch -D topic", "", [("deleted", "branch", ("topic",))]),
        ("git branch --show-current", "topic", []),
        ("git tag -s v1 -m 'one'", "", [("tagged", "tag", ("v1",))]),
        ("git tag -l", "v1", []),
        ("git rebase origin/main", "Successfully rebased and updated refs/heads/topic.", [("rebased", "branch", ("topic",))]),
        ("git log --oneline", "d33066a Merge pull request #24 from o/topic", [("merged", "pull request", ("24",))]),
        ("npm publish", "", [("published", "", ())]),
        ("just deploy staging", "OK", [("deployed", "", ())]),
        ("./tools/deploy-dev.sh", "", [("deployed", "", ())]),
        ("fly deploy -c fly.toml", "", [("deployed", "", ())]),
        ("terraform apply -auto-approve", "", [("deployed", "", ())]),
        ("terraform plan", "", []),
        ("ansible-playbook site.yml --check", "", []),
        ("ansible-playbook site.yml -C", "", []),
        ("kubectl -n shop apply -f web.yml", "", [("deployed", "", ())]),
        ("git push -n", MOVED, []),
        ("grep -rn deploy docs", "docs/a.md: deploy", []),
        ("cat deploy.sh", "rsync", []),
        ("git checkout deploy/prod", "", []),
        ("pytest tests/deploy", "", []),
        ("ssh host 'git push'", "", []),
    ],
)
def test_a_command_changes_what_its_words_say(command: str, output: str, told: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [(change.deed, change.thing, change.names) for change in read(command, output)] == told


def test_a_command_that_failed_is_told_with_its_error() -> None:
    (change,) = read("gh pr merge 47", "error: not mergeable", is_error=True)
    assert (change.is_ok, change.error) == (False, "error: not mergeable")


def test_of_a_chain_that_failed_only_what_printed_its_success_is_known() -> None:
    """Its exit code does not tell which of the commands failed."""
    (change,) = read("gh issue close 7 && make deploy && make check", "✓ Closed issue #7 (fonts)\nmake: broken", is_error=True)
    assert (change.deed, change.is_ok, change.title) == ("closed", True, "fonts")


def test_what_a_pipe_hides_is_read_from_the_output() -> None:
    assert [change.is_ok for change in read("git branch -D topic | tail -1", "error: branch 'topic' not found")] == [False]
    assert [change.is_ok for change in read("gh pr merge 47 2>&1 | tail -5", " 4 files changed")] == [True]


def test_a_deployment_has_the_last_line_that_it_printed() -> None:
    """Only where nothing else printed behind it."""
    assert [change.printed for change in read("fly deploy 2>&1 | tail -1", "--> v131 deployed")] == ["--> v131 deployed"]
    assert [change.printed for change in read("fly deploy && curl localhost", "ok")] == [""]
    assert [change.printed for change in read("fly deploy; grep vault a.cfg", "vault = b")] == [""]


def test_a_line_of_many_commands_with_a_long_output_costs_one_reading() -> None:
    """300 commands over 60,000 lines took seven seconds."""
    started = time.process_time()
    changes = read("git tag a;" * 300, "error: a line\n" * 60_000)
    assert len(changes) == MOST_CHANGES
    assert time.process_time() - started < 2


@given(
    st.lists(st.sampled_from(["gh", "git", "pr", "merge", "push", "tag", "#", "'", "&&", "deploy", "-", "<<E", ":x", "7"])),
    st.text(),
)
def test_any_command_and_any_output_can_be_read(words: list[str], output: str) -> None:
    for is_error in (False, True):
        read(" ".join(words), output, is_error=is_error)


def test_a_line_without_a_telling_word_is_not_split() -> None:
    assert not may_change("git status && npm test")
    assert may_change("cd web && npm run deploy:prod")
