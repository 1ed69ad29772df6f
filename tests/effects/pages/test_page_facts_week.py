"""A week with an owner who strikes a rule, through the steps of the nights."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from effects.config.settings import EmbeddingSettings, Settings, WindowSettings
from effects.opening.request_recall import render_recalled_facts
from effects.store.run import open_run
from tests.season import Owner, days, night, on, settings_in

PROJECT = "/home/mara/parcel-api"
RULE = "always run the linter before each commit"
NIGHTS = days(date(2026, 3, 3), date(2026, 3, 7))


def say(sessions: Path, name: str, day: str, *prompts: str) -> None:
    """Write a session of pi: each prompt with a short answer, a minute apart."""
    began = datetime.fromisoformat(f"{day}T09:00:00").replace(tzinfo=UTC)
    rows: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": name, "cwd": PROJECT, "timestamp": began.isoformat()}
    ]
    parent: str | None = None
    for number, prompt in enumerate(prompts):
        for role, text in (("user", prompt), ("assistant", "Understood, done.")):
            own, at = f"{name[-2:]}{number:04}{role[:2]}", began + timedelta(minutes=len(rows))
            message = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": int(at.timestamp() * 1000)}
            rows.append({"type": "message", "id": own, "parentId": parent, "timestamp": at.isoformat(), "message": message})
            parent = own
    path = sessions / f"{day}_{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read_rule(settings: Settings, day: str) -> set[str]:
    """Return where an agent meets the rule: on the briefing, and in the facts about a request."""
    [page] = (settings.workspace / "briefing").glob("*.md")
    recalled = render_recalled_facts(open_run(settings, on(day)), PROJECT, "run the linter before the commit", 500)
    texts = {"briefing": page.read_text(encoding="utf-8"), "request": recalled}
    return {name for name, text in texts.items() if "linter before each commit" in text}


@pytest.mark.parametrize("is_promoted", [False, True])
def test_a_rule_that_its_owner_struck_meets_no_agent_until_it_is_said_again(tmp_path: Path, *, is_promoted: bool) -> None:
    """Struck in REVIEW.md, or promoted and then deleted from MEMORY.md: fact and narrative are gone."""
    sessions, owner = tmp_path / "sessions", Owner(tmp_path / "workspace")
    quick = {"embedding": EmbeddingSettings(turn_minutes=0.0), "window": WindowSettings(min_user_messages=1)}
    settings, memory = replace(settings_in(tmp_path, sessions), **quick), tmp_path / "workspace" / "MEMORY.md"
    say(sessions, "s-01", "2026-03-02", "please look at the README and tidy it", RULE, "thanks, that is all")
    night(settings, on(NIGHTS[0]))
    assert read_rule(settings, NIGHTS[0]) == {"briefing", "request"}
    [offered] = owner.waiting()
    (owner.approve if is_promoted else owner.reject)(offered)
    night(settings, on(NIGHTS[1]))
    if is_promoted:
        assert "briefing" in read_rule(settings, NIGHTS[1])
        page = memory.read_text(encoding="utf-8").replace("## Patterns\n", "## Patterns\n- Coffee first\n")
        memory.write_text("".join(line for line in page.splitlines(True) if "linter" not in line), encoding="utf-8")
    for day in NIGHTS[2:4]:
        night(settings, on(day))
        assert read_rule(settings, day) == set()
    say(sessions, "s-02", "2026-03-06", "hello again, look at setup.py", RULE.capitalize() + "!", "and now fix the typo in it")
    night(settings, on(NIGHTS[4]))
    assert read_rule(settings, NIGHTS[4]) == {"briefing", "request"}


def test_what_was_for_once_is_over_though_no_later_session_says_anything(tmp_path: Path) -> None:
    """Days pass by sessions of which nothing is kept, too; an order for one occasion meets nobody weeks later."""
    sessions = tmp_path / "sessions"
    quick = {"embedding": EmbeddingSettings(turn_minutes=0.0), "window": WindowSettings(min_user_messages=1)}
    settings = replace(settings_in(tmp_path, sessions), **quick)
    say(sessions, "s-01", "2026-03-02", "until Friday all orders go to the old printer in the hall")
    say(sessions, "s-02", "2026-03-02", "just this once push the release straight to main")
    say(sessions, "s-03", "2026-03-02", "the orders are printed on paper of 80 grams, we decided")
    night(settings, on(NIGHTS[0]))

    def read_page() -> str:
        """Return the briefing."""
        [page] = (settings.workspace / "briefing").glob("*.md")
        return page.read_text(encoding="utf-8").partition("## Recent sessions")[0]

    assert "old printer" in read_page()
    say(sessions, "s-04", "2026-03-14", "ok")
    night(settings, on(date(2026, 3, 15)))
    assert "80 grams" in read_page()
    assert "old printer" not in read_page()
    assert "straight to main" not in read_page()
