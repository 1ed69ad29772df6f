"""Sessions are found by what they said and did, also through git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from effects.distil.window_step import window
from effects.projects.join_step import join_projects
from effects.sessions.find_sessions import find_sessions
from effects.sessions.found_session import FoundSession
from tests.agent_lines import (
    CLAUDE_ID,
    call_part,
    claude_answer,
    claude_prompt,
    claude_result,
    codex_answer,
    codex_meta,
    codex_prompt,
    text_part,
)
from tests.effects.session_home import Home, header, user, write


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository whose second line of `app.py` is from a later commit."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init")
    for text, subject in (("one\n", "Add the app"), ("one\ntwo\n", "Count to two")):
        (folder / "app.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-m", subject)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Home:
    home = Home(tmp_path_factory.mktemp("home"))
    first = git(repository, "rev-parse", "--short", "HEAD~1")
    write(
        home.sessions / f"{CLAUDE_ID}.jsonl",
        claude_prompt("p", None, 0, "write the counting module"),
        claude_answer("a", "p", 1, "m", call_part("c", "Write", file_path="/w/app/src/app.py", content="one")),
        claude_result("r", "a", 2, "c", "File created"),
        claude_answer("b", "r", 3, "n", call_part("d", "Bash", command="git commit -m x")),
        claude_result("s", "b", 4, "d", f"[main {first}] Add the app\n 1 file changed"),
        claude_answer("e", "s", 5, "o", call_part("f", "Bash", command="make")),
        claude_result("t", "e", 6, "f", "make: *** No rule to make target 'frobnicate'.  Stop.", is_error=True),
    )
    write(
        home.sessions / CLAUDE_ID / "subagents" / "agent-a7.jsonl",
        claude_prompt("q", None, 1, "look for zebras in the zoo", isSidechain=True, agentId="a7"),
        claude_answer("w", "q", 2, "z", text_part("The zebras live in the zoo of Málaga."), isSidechain=True, agentId="a7"),
    )
    write(
        home.sessions / "codex.jsonl", codex_meta(120), *codex_prompt(121, "rename the giraffe class"), codex_answer(122, "Done.")
    )
    write(home.sessions / "pi.jsonl", header("s-1"), user("a", None, 1, "[main 7777777] said by nobody"))
    home.night()
    with home.lake.writing("test"):
        join_projects(home.run)
        window(home.run)
    return home


def find(home: Home, query: str, here: Path = Path("/nowhere")) -> list[FoundSession]:
    return find_sessions(home.run, query, "all", 10, here)


def test_without_a_query_the_newest_come_first_and_sub_agents_are_none(home: Home) -> None:
    assert [session["agent"] for session in find(home, "")] == ["codex", "claude", "pi"]


@pytest.mark.parametrize(
    ("query", "agent", "why"),
    [
        ("giraffe class", "codex", "title"),
        ("src/app.py", "claude", "modified"),
        ("app.py", "claude", "modified"),
        ("Add the app", "claude", "commit"),
        ("No rule to make target 'frobnicate'", "claude", "error"),
        ("zebras in the zoo", "claude", "words"),
        ("malaga", "claude", "words"),
        (CLAUDE_ID[:8], "claude", "id"),
    ],
)
def test_sessions_are_found_by_content_title_file_commit_error_and_id(home: Home, query: str, agent: str, why: str) -> None:
    first = find(home, query)[0]
    assert (first["agent"], first["why"]) == (agent, why)


def test_a_hash_and_a_blamed_line_lead_to_the_session_that_made_them(home: Home, repository: Path) -> None:
    full = git(repository, "rev-parse", "HEAD~1")
    for query in (full, full[:7], "app.py:1"):
        first = find(home, query, repository)[0]
        assert (first["agent"], first["why"]) == ("claude", "commit"), query
    assert all(session["why"] != "commit" for session in find(home, "app.py:2", repository)), "nobody said who made it"
    assert find(home, "app.py:2", repository)[0]["why"] == "changed", "but a session changed its file before"
    assert find(home, "7777777", repository)[0]["why"] == "words", "a hash in a prompt is no commit that was made"


def test_a_hash_of_letters_alone_is_a_commit_and_may_be_a_word(tmp_path: Path) -> None:
    """Of a thousand short hashes one has no digit; this failed a run of these tests whose repository had such a commit."""
    home = Home(tmp_path)
    write(
        home.sessions / f"{CLAUDE_ID}.jsonl",
        claude_prompt("p", None, 0, "go on"),
        claude_answer("b", "p", 3, "n", call_part("d", "Bash", command="git commit -m x")),
        claude_result("s", "b", 4, "d", "[main defaced] Add the app\n 1 file changed"),
    )
    write(home.sessions / "pi.jsonl", header("s-1"), user("a", None, 1, "the banner was effaced by the last build"))
    home.night()
    assert [(found["session_id"], found["why"]) for found in find(home, "defaced")] == [(CLAUDE_ID, "commit")]
    assert [(found["session_id"], found["why"]) for found in find(home, "effaced")] == [("s-1", "title")]


def test_a_quiet_commit_leads_to_the_session_that_ran_its_command(tmp_path: Path) -> None:
    """Git printed nothing, or its output was cut; another session speaks of the same words."""
    home = Home(tmp_path)
    subject = 'Teach the "parser" to keep comments'
    command = "git add -A && git commit -q -F - <<'EOF'\n" + subject + "\n\nBecause of the linter.\nEOF"
    write(
        home.sessions / f"{CLAUDE_ID}.jsonl",
        claude_prompt("p", None, 0, "go on"),
        claude_answer("b", "p", 3, "n", call_part("d", "Bash", command=command)),
        claude_result("s", "b", 4, "d", ""),
    )
    asked = user("a", None, 1, f"{subject}, said somebody; git commit -m '{subject}'")
    write(home.sessions / "pi.jsonl", header("s-1"), asked)
    home.night()
    first = find(home, subject)[0]
    assert (first["session_id"], first["why"], first["detail"]) == (CLAUDE_ID, "commit", f"git commit: {subject}")
    assert all(session["why"] != "commit" for session in find(home, "Teach the parser to keep")), "a part of it is no subject"


def test_nothing_is_found_for_words_that_nobody_said(home: Home) -> None:
    assert find(home, "xylophone") == []


def test_a_file_that_the_client_deleted_is_marked(home: Home) -> None:
    path = home.sessions / "codex.jsonl"
    content = path.read_bytes()
    path.unlink()
    try:
        assert [session["is_there"] for session in find(home, "giraffe class")] == [False]
    finally:
        path.write_bytes(content)
