"""A command line is split as the shell reads it, and only its own commands are read."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.outside.command_parts import find_branch, split_command_line


@each_case(
    ("command", "words"),
    [
        ("cd /x && git push -q", [("cd", "/x"), ("git", "push", "-q")]),
        ("git commit -F - <<'EOF' && git push 2>&1 | tail -3\nit's; a && b\nEOF\necho done",
         [("git", "commit", "-F", "-"), ("git", "push"), ("tail", "-3"), ("echo", "done")]),
        ("FOO=1 sudo -E uv run twine upload dist/*", [("twine", "upload", "dist/*")]),
        ("gh pr create --title 'a; b | c'", [("gh", "pr", "create", "--title", "a; b | c")]),
        ("gh pr create --body $'it\\'s' --title T", [("gh", "pr", "create", "--body", "it’s", "--title", "T")]),
        ("ssh host 'git push; make deploy'", [("ssh", "host", "git push; make deploy")]),
        ("git push origin :refs/tags/v1", [("git", "push", "origin", ":refs/tags/v1")]),
        ("echo 'never closed", [("echo",)]),
        ("# let's merge it\ngit merge topic # it's done\ngit push",
         [("git", "merge", "topic"), ("git", "push")]),
        ("if true; then git push; fi", [("true",), ("git", "push"), ("fi",)]),
        ("{ git push; } || ! git pull", [("git", "push"), ("}",), ("git", "pull")]),
        ("for v in $(git tag --merged $(cat x)); do echo $v; done", [("for", "v", "in", "$"), ("echo", "$v"), ("done",)]),
        ("diff <(git tag a) b; (cd x && git push)", [("diff", "b"), ("cd", "x"), ("git", "push")]),
        ("", []),
    ],
)  # fmt: skip
def test_each_command_of_a_line_has_its_words(command: str, words: list[tuple[str, ...]]) -> None:
    assert [part.words for part in split_command_line(command)] == words


def test_the_exit_code_of_a_line_is_that_of_its_last_chain() -> None:
    """A pipe and a semicolon hide what stood before them; showing the output is no further command."""
    first, second, shown = split_command_line("make a; make b | tail -1")
    assert [(part.is_needed, part.is_last) for part in (first, second, shown)] == [(False, False), (False, True), (True, True)]
    assert [part.is_needed for part in split_command_line("make a && make b")] == [True, True]


@each_case(
    ("command", "output", "branch"),
    [
        ("git commit -m a", "[fix/a 1f2e3d4] a", "fix/a"),
        ("git commit -m a", "[main 1f2e3d4] a", ""),
        ("git commit -m a", "[detached HEAD 1f2e3d4] a", ""),
        ("git switch -qc rh/7 && git commit -qm a", "", "rh/7"),
        ("git checkout -b rh/7 dev && git commit -qm a", "", "rh/7"),
        ("git checkout deploy.yml && git commit -qm a", "", ""),
        ("git commit -qm a", "[1/3] building", ""),
    ],
)
def test_a_branch_is_the_one_that_git_printed_or_that_the_line_changed_to(command: str, output: str, branch: str) -> None:
    assert find_branch(command, output) == branch


def test_the_value_of_an_option_stands_behind_it_or_is_joined() -> None:
    (part,) = split_command_line("gh pr create -t one --body=two")
    assert (part.take_option("--title", "-t"), part.take_option("--body"), part.take_option("--base")) == ("one", "two", "")
