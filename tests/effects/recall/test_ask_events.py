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
