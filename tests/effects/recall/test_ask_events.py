"""Asking whether work was committed: the answer and the hits begin with the latest event of it, not with what led there."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import START, entry, fact, filled, settle, write
from transforms.recall.types import Filters

PLAN = (
    "The newsletter migration goes to the new mailer, template by template, and is merged when the newsletter counter is right."
)
SET_OUT = 'Set out to commit "feat: migrate newsletter to the new mailer"; no result is recorded.'
LATER = START + timedelta(hours=3)
DONE = 'Committed "feat: migrate newsletter to the new mailer" (a82e07c).'


def test_the_latest_event_of_the_work_goes_before_what_led_to_it(tmp_path: Path) -> None:
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    write(run, "entries", [entry("shop-1", 20, "user", PLAN)])
    events = [
        fact("set-out", SET_OUT, kind="status", said_at=START + timedelta(hours=2)),
        fact("done", DONE, kind="completion", said_at=START + timedelta(hours=3)),
    ]
    write(run, "observations", events)
    settle(run)
    recall = open_recall(run)
    told = ask(recall, "Is the newsletter migration merged?", Filters(project="shop"))
    assert told.hits[0].text == DONE
    assert (told.answer or "").startswith(DONE[:20])
    assert ask(recall, "How does the newsletter migration go?", Filters(project="shop")).hits[0].text == PLAN


def test_what_is_left_to_do_begins_with_what_is_open_though_it_has_no_word_of_the_question(tmp_path: Path) -> None:
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    events = [
        fact("done", DONE, kind="completion", said_at=START + timedelta(hours=2)),
        fact("set-out", 'Set out to commit "fix: round totals"; no result is recorded.', kind="status", said_at=LATER),
        fact("issue", 'Opened issue "Wider columns": https://github.com/o/r/issues/7', kind="completion", said_at=START),
    ]
    write(run, "observations", events)
    settle(run)
    recall = open_recall(run)
    left = ask(recall, "what is left to do in shop?")
    assert [hit.text[:12] for hit in left.hits[:2]] == ["Set out to c", "Opened issue"]
    assert (left.answer or "").startswith("Set out to commit")
    assert (ask(recall, "which issues are still open in shop?").answer or "").startswith("Opened issue")
    assert "Set out" not in (ask(recall, "what is left to do?").answer or "")  # of two projects none is meant
