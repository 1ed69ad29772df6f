"""Asking for a state: the answer begins with the newest row about the work, and says where memory knows no end of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from effects.recall.ask import Recall, ask, open_recall
from tests.effects.recall_world import BLOG, SHOP, START, entry, fact, filled, settle, write
from transforms.recall.types import Filters

PLAN = (
    "The newsletter migration goes to the new mailer, template by template, and is merged when the newsletter counter is right."
)
OPENED = 'Opened pull request "migrate newsletter to the new mailer": https://host/o/r/pull/24'
MERGED = "Merged pull request #24 (branch mailer)."
ISSUE = 'Opened issue "Wider columns": https://host/o/r/issues/7'


def remember(folder: Path, *texts: str) -> Recall:
    """Return a memory in which these rows followed the plan, an hour apart, in another session."""
    run = filled(folder, model=str(folder / "no-model"))
    write(run, "entries", [entry("shop-1", 20, "user", PLAN)])
    rows = [
        fact(f"state-{hour}", text, kind="completion", said_at=START + timedelta(hours=hour), session_id="shop-9")
        for hour, text in enumerate(texts, 1)
    ]
    write(run, "observations", rows)
    settle(run)
    return open_recall(run)


def test_the_end_of_a_request_is_told_by_its_number_though_words_ask_for_it(tmp_path: Path) -> None:
    told = ask(remember(tmp_path, OPENED, MERGED), "Is the newsletter migration merged?", Filters(project="shop"))
    assert told.hits[0].text == MERGED
    assert (told.answer or "").startswith(MERGED)
    assert "nothing about its end" not in told.note
    assert told.doubt == ""


def test_where_only_the_opening_is_known_a_note_says_so(tmp_path: Path) -> None:
    recall = remember(tmp_path, OPENED)
    told = ask(recall, "Is PR #24 merged?", Filters(project="shop"))
    assert told.hits[0].text == OPENED
    assert told.note.startswith("opened on 2026-02-09; nothing about its end in memory")
    assert ask(recall, "How does the newsletter migration go?", Filters(project="shop")).hits[0].text == PLAN


def test_what_has_no_result_was_tried(tmp_path: Path) -> None:
    set_out = 'Set out to commit "migrate newsletter"; no result is recorded.'
    told = ask(remember(tmp_path, set_out), "Is the newsletter migration pushed?", Filters(project="shop"))
    assert told.note.startswith("tried on 2026-02-09; nothing about its end in memory")


def test_what_is_open_leads_where_it_is_asked_for_and_is_noted_beside_what_is_left(tmp_path: Path) -> None:
    recall = remember(tmp_path, OPENED, ISSUE, MERGED)
    assert (ask(recall, "which issues are still open in shop?").answer or "").startswith('Opened issue "Wider columns"')
    left = ask(recall, "what is left to do in shop?")
    assert f"opened, and nothing about an end in memory: {ISSUE}" in left.note
    assert "pull/24" not in left.note
    assert ISSUE not in ask(recall, "what is left to do?").note  # of two projects none is meant
    assert ISSUE not in ask(recall, "what is left to do?", Filters(project=BLOG)).note


def test_a_number_is_one_of_the_project_that_is_asked_about(tmp_path: Path) -> None:
    """Each project counts from 1; where none is meant, no row leads."""
    recall = remember(tmp_path, OPENED)
    other = 'Merged pull request #24 "rss feed".'
    row = fact("other", other, kind="completion", project=BLOG, session_id="blog-9", said_at=START + timedelta(hours=9))
    write(recall.run, "observations", [row])
    settle(recall.run)
    recall = open_recall(recall.run)
    assert ask(recall, "Is PR 24 of shop merged?").hits[0].text == OPENED
    assert ask(recall, "Is PR 24 of blog merged?").hits[0].text == other
    assert ask(recall, "Is PR 24 merged?", Filters(project="shop")).hits[0].text == OPENED
    assert "nothing about its end" not in ask(recall, "Is PR 24 merged?").note
    assert not (ask(recall, "Is PR 24 merged?").answer or "").startswith(other)


def test_a_question_how_something_is_run_is_answered_by_the_command_that_ran(tmp_path: Path) -> None:
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    said = entry("shop-1", 20, "user", "The tests of the shop must stay fast, and tests of the basket come first.")
    write(run, "entries", [said])
    ran = fact("ran-1", "Command run here with success: `uv run pytest -q`.", kind="command", session_id="shop-9")
    write(run, "observations", [ran])
    settle(run)
    told = ask(open_recall(run), "How do I run the tests?", Filters(project="shop"))
    assert "`uv run pytest -q`" in told.hits[0].text
    assert "`uv run pytest -q`" in (told.answer or "")
    assert ask(open_recall(run), "How do I run the tests?", Filters(project="blog")).hits[:1] != told.hits[:1]


def test_asked_in_no_project_each_project_tells_its_command_and_its_name(tmp_path: Path) -> None:
    """Outside of all repositories the commands of two projects were hits far below, or none of the hits."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    rows = [
        fact(name, f"Command run here with success: `{command}`.", kind="command", session_id=f"{name}-9", project=project)
        for name, command, project in (("shop", "uv run pytest -q", SHOP), ("blog", "pnpm test", BLOG), ("ci", "make lint", BLOG))
    ]
    write(run, "observations", rows)
    settle(run)
    for filters in (Filters(), Filters(project="all")):
        told = ask(open_recall(run), "How do I run the tests?", filters)
        assert {(hit.kind, hit.project) for hit in told.hits[:2]} == {("command", SHOP), ("command", BLOG)}
        lines = (told.answer or "").splitlines()[:2]
        assert sorted(line.partition("`")[2].partition("`")[0] for line in lines) == ["pnpm test", "uv run pytest -q"]
        assert sorted(line.rpartition(", ")[2] for line in lines) == ["blog]", "shop]"]
