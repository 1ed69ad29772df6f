from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.each_case import each_case
from transforms.sessions.commits import GitCommit, find_commits, is_same_commit
from transforms.sessions.resume_command import format_resume_command, make_resume_command
from transforms.sessions.session_query import SessionMatch, SessionQuery, order_matches, parse_session_query

START = datetime(2026, 1, 1, tzinfo=UTC)


@each_case(
    ("text", "query"),
    [
        ("b194f98", SessionQuery("b194f98", commit="b194f98")),
        ("B194F98ab", SessionQuery("B194F98ab", commit="b194f98ab")),
        ("defaced", SessionQuery("defaced", commit="defaced")),
        ("src/app.py:40", SessionQuery("src/app.py:40", path="src/app.py", line=40)),
        ("app.py:40:7", SessionQuery("app.py:40:7", path="app.py", line=40)),
        ("./docs/", SessionQuery("./docs/", path="./docs/")),
        ("Makefile", SessionQuery("Makefile")),
        ("hooks_test.go", SessionQuery("hooks_test.go", path="hooks_test.go")),
        ("and/or what we said", SessionQuery("and/or what we said")),
        (" rate limit ", SessionQuery("rate limit")),
        ("error: exit 1", SessionQuery("error: exit 1")),
    ],
)
def test_a_query_tells_what_it_names(text: str, query: SessionQuery) -> None:
    assert parse_session_query(text) == query


def test_commits_are_what_git_prints_when_it_makes_them() -> None:
    printed = "[main (root-commit) 1a2b3c4] first\n 1 file changed\n[fix/x 99aabb0] second: [odd]\n1a2b3c4 first\n[x] no"
    assert list(find_commits(printed)) == [GitCommit("1a2b3c4", "first"), GitCommit("99aabb0", "second: [odd]")]


def test_a_commit_is_known_by_the_beginning_of_its_hash_or_by_its_subject() -> None:
    made = GitCommit("1a2b3c4", "Fix the  parser")
    assert is_same_commit(made, "1a2b3c4d5e6f", None)
    assert is_same_commit(made, "1a2b3c4d", "other")
    assert is_same_commit(made, "ffffff0", "fix the parser")
    assert not is_same_commit(made, "ffffff0", "fix the parsers")
    assert not is_same_commit(made, None, "")


def test_the_surest_match_of_a_session_counts_and_the_newest_comes_first() -> None:
    ended = {name: START + timedelta(days=day) for day, name in enumerate("abc")}
    matches = [
        SessionMatch("a", "words", 0, ""), SessionMatch("a", "commit", 0, "made"), SessionMatch("b", "modified", 0, ""),
        SessionMatch("c", "modified", 0, ""), SessionMatch("x", "id", 0, "unknown"),
    ]  # fmt: skip
    assert [(match.session_id, match.why) for match in order_matches(matches, ended)] == [
        ("a", "commit"), ("c", "modified"), ("b", "modified"),
    ]  # fmt: skip


@each_case(
    ("agent", "typed"),
    [
        ("claude", "cd '/w/my app' && claude --resume s-1"),
        ("codex", "cd '/w/my app' && codex resume s-1"),
        ("pi", "cd '/w/my app' && pi --session /s/a.jsonl"),
        (None, "cd '/w/my app' && pi --session /s/a.jsonl"),
    ],
)
def test_each_client_has_its_own_command(agent: object, typed: str) -> None:
    command = make_resume_command(agent, "s-1", "/s/a.jsonl")  # type: ignore[arg-type]
    assert format_resume_command(command, "/w/my app") == typed
