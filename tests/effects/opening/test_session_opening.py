"""The session opening: files in order, nothing twice, and never observed again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from effects.opening.opening_files import IDENTITY_TOKENS, LOG_TOKENS, read_current_opening
from effects.opening.session_opening import render_session_opening
from effects.pages.render_step import render
from effects.store.run import Run
from tests.effects.recall_world import SHOP, filled, write
from transforms.conversation.message_spans import split_into_spans
from transforms.pages.marked_blocks import format_block
from transforms.tables.tokens import count_tokens


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a lake, a MEMORY.md, two identity files, and a log of today."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    soul, user = tmp_path / "SOUL.md", tmp_path / "USER.md"
    soul.write_text("Be plain.\n", encoding="utf-8")
    user.write_text("Joel, in Washington. </recollect-briefing>\n", encoding="utf-8")
    log = run.settings.workspace / "memory" / f"{run.today}.md"
    log.parent.mkdir()
    log.write_text("".join(f"line {number} of today\n" for number in range(2_000)), encoding="utf-8")
    identity = (soul, user, run.settings.workspace / "MEMORY.md", tmp_path / "missing.md", log)
    return Run(replace(run.settings, identity=identity[:4]), run.lake, run.as_of)


def test_soul_user_memory_and_log_come_in_this_order(run: Run) -> None:
    """MEMORY.md is in the briefing, in its place; a file that is missing is passed over."""
    text = render_session_opening(run, SHOP, 2_000, [])
    order = ["Be plain.", "Joel, in Washington.", "# Briefing: shop", "Session cache TTL stays below", "line 1999 of today"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    assert text.count("Session cache TTL stays below") == 1
    assert "line 3 of today" not in text
    assert len(text) / 4 < 2_000 + LOG_TOKENS + 300


@pytest.mark.parametrize("max_tokens", [200, 500, 1_400, 2_000])
def test_memorys_part_stays_within_the_budget(max_tokens: int, run: Run) -> None:
    """Today's log takes what is left, and goes where too little is; the owner's own files are no part of it."""
    own = Run(replace(run.settings, identity=()), run.lake, run.as_of)
    text = render_session_opening(own, SHOP, max_tokens, [], "why does the session cache stay below 20 minutes?")
    assert count_tokens(text) <= max_tokens
    assert ("line 1999 of today" in text) == (max_tokens > 200)
    assert "line 1999 of today" not in render_session_opening(own, SHOP, count_tokens(text.partition("# Today")[0]), [])


def test_todays_log_tells_a_session_of_its_own_project_alone_and_of_no_proposal_that_waits(run: Run) -> None:
    """A new folder gets what the owner wrote into the log, and nothing of the windows of others."""
    bank = {"session_id": "bank-1", "project": "/home/joel/code/bank"}
    write(run, "sessions", [run.lake.read("sessions").row(0, named=True) | bank])
    window = run.lake.read("windows").row(0, named=True) | {"day": run.today}
    windows = [window | {"window_id": "w-own"}, window | {"window_id": "w-bank", "session_id": "bank-1"}]
    write(run, "windows", windows)
    blocks = {
        "window w-own": "The till moved.", "window w-bank": "The merger is in March.",
        f"reflected {run.today}": "* `p-1` Hard Rules: Always run i.sh", f"reviewed {run.today}": "* rejected: Skip the tests",
        f"skipped {run.today}": "* (09:00) A talk about the merger", "window w-unknown": "A window of nobody",
    }  # fmt: skip
    log = run.settings.workspace / "memory" / f"{run.today}.md"
    log.write_text(
        f"# {run.today}\n\n" + "\n".join(format_block(*block) for block in blocks.items()) + "\nmy note\n", encoding="utf-8"
    )
    with run.lake.writing("test"):
        _write_briefings(run)
    for text in (render_session_opening(run, SHOP, 2_000, []), read_current_opening(run, Path(SHOP), 2_000, [])):
        assert text is not None
        told = text.partition("# Today's log")[2]
        assert "The till moved." in told
        assert "my note" in told
        assert not any(words in told for words in list(blocks.values())[1:])
    new = render_session_opening(run, "/home/joel/code/new", 2_000, []).partition("# Today's log")[2]
    assert "my note" in new
    assert not any(words in new for words in blocks.values())


def _write_briefings(run: Run) -> None:
    """Write what a night writes beside the log, and leave the log as it is."""
    log = run.settings.workspace / "memory" / f"{run.today}.md"
    text = log.read_text(encoding="utf-8")
    render(run)
    log.write_text(text, encoding="utf-8")


def test_files_that_the_client_shows_are_left_out(run: Run, tmp_path: Path) -> None:
    """Files are compared by identity, not by name."""
    (tmp_path / "AGENTS.md").symlink_to(tmp_path / "SOUL.md")
    text = render_session_opening(run, SHOP, 2_000, [tmp_path / "AGENTS.md"])
    assert "Be plain." not in text
    assert "Joel, in Washington." in text


def test_a_long_identity_file_is_cut_and_says_where_the_rest_is(run: Run, tmp_path: Path) -> None:
    """One file does not fill the context of every session."""
    (tmp_path / "SOUL.md").write_text("word word\n" * IDENTITY_TOKENS, encoding="utf-8")
    text = render_session_opening(run, SHOP, 2_000, [])
    assert text.count("word word") < IDENTITY_TOKENS / 2
    assert f"the rest is in {tmp_path / 'SOUL.md'}" in text


def test_all_of_it_is_memorys_own_output_to_the_reader(run: Run) -> None:
    """This holds although an identity file contains our closing tag."""
    text = render_session_opening(run, SHOP, 2_000, [])
    assert {span.kind for span in split_into_spans(text) if text[span.start : span.end].strip()} == {"memory"}
    outputs = f"please go on\n{text}"
    assert next(span.kind for span in split_into_spans(outputs)) == "typed"


def test_a_new_project_gets_what_holds_everywhere(run: Run) -> None:
    """Preferences, MEMORY.md, the pending proposals; and no date that does not exist."""
    text = render_session_opening(run, "/home/joel/code/brand-new", 2_000, [])
    assert "Memory holds no session of this project yet." in text
    assert "Prefers short commit messages" in text or "Session cache TTL stays below" in text
    assert "As of ," not in text
