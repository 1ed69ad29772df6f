"""Only what git printed in the folder of a session tells which repository it was."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, result
from transforms.exchanges.outside.repository_signs import RepositorySigns, read_printed_signs, read_repository_signs

LOG = "89447d8 (HEAD -> main) Merge\n1009ebb feat: a page\n"
REMOTE = "origin\tgit@example.com:t/shop.git (fetch)\norigin\tgit@example.com:t/shop.git (push)\n"


def read(command: str, output: str, folder: str = "/w/shop", cwd: str = "", **arguments: Any) -> RepositorySigns:
    asked = agent("", call("bash", "c", command=command, **arguments)) | ({"cwd": cwd} if cwd else {})
    return read_repository_signs(conversation(asked, result("c", output)), folder)


@each_case(
    ["command", "output", "commits"],
    [
        ("git log --oneline -5", LOG, {"89447d8", "1009ebb"}),
        ("git status && git log -2 --graph | head", "* 89447d8 x\n| * 1009ebb y\n", {"89447d8", "1009ebb"}),
        ("git log -1", "commit 89447d8aaaabbbbccccddddeeeeffff000011112\nAuthor: a\n\n    1009ebb is reverted\n", {"89447d8"}),
        ("git commit -m x", "[topic 89447d8] x\n 1 file changed", {"89447d8"}),
        ("cd /w/shop/ && git log --oneline", LOG, {"89447d8", "1009ebb"}),
        ("cd ../lib && git log --oneline", LOG, set()),
        ("git -C ../lib log --oneline", LOG, set()),
        ("git --git-dir=/x/.git log", LOG, set()),
        ("cat CHANGES", LOG, set()),
        ("git log --format=%ct", "1786733427\n1234567\n", set()),
        ("git remote -v", LOG, set()),
        ("git show HEAD:NOTES.md", LOG, set()),
        ("git log --format=%B", LOG, set()),  # a message may name any commit
        ("git log --pretty=format:'%h %s%n%b'", LOG, set()),
        ("git log --format='%s %h'", LOG, set()),
        ("git log --format='%h $(cat NOTES.md)'", LOG, set()),
        ("git log --pretty=email", LOG, set()),
        ("git log --format='%h %an %s'", LOG, {"89447d8", "1009ebb"}),
        ("git log --pretty=tformat:%H", LOG, {"89447d8", "1009ebb"}),
        ("git log --pretty=oneline", LOG, {"89447d8", "1009ebb"}),
        ("git show", "commit 89447d8aaaa\n\n    x\n\n 1009ebb of another repository\n", {"89447d8"}),
    ],
)
def test_commits_are_those_that_git_listed_or_made_in_the_folder(command: str, output: str, commits: set[str]) -> None:
    assert read(command, output).commits == commits


def test_a_remote_is_the_one_that_git_named() -> None:
    assert read("git remote -v", REMOTE).remotes == {"git@example.com:t/shop.git"}
    assert read("git push -u origin x", "To https://example.com/t/shop\n * [new branch] x -> x").remotes == {
        "https://example.com/t/shop"
    }
    assert read("cat notes", REMOTE).remotes == frozenset()


def test_a_call_that_ran_elsewhere_tells_nothing() -> None:
    assert read("git log", LOG, workdir="/w/lib") == RepositorySigns()
    assert read("git log", LOG, cwd="/w/lib") == RepositorySigns()
    assert read("git log", LOG, cwd="/w/shop").commits


@given(st.text(), st.text())
def test_any_command_and_any_output_are_read(command: str, output: str) -> None:
    signs = read(command, output)
    assert signs.commits <= read_printed_signs(output).commits
