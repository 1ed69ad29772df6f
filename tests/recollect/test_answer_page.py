"""An answer on the screen and in a pipe, and its JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from recollect.answer_page import print_answer
from recollect.cli import run
from tests.each_case import each_case
from tests.effects.recall_world import SHOP, filled
from transforms.recall.types import Answer, Hit

ZONE, TODAY = ZoneInfo("Asia/Tokyo"), date(2026, 5, 20)
LONG = "The cache turned out too slow because every worker had its own copy of it, and the last one to save won. " * 4


def hit(name: str, text: str, replaced: str | None = None, priority: str | None = "high") -> Hit:
    """Return a decision, said late on the 17th in UTC, which is the 18th in Tokyo."""
    at = datetime(2026, 5, 17, 20, tzinfo=UTC)
    return Hit(name, "observation", text, "decision", priority, "/home/mara/shop", "s", ("e",), (3,), at, 1.0, replaced)


HITS = (hit("o-new", "The TTL is 6 h"), hit("o-old", LONG, "o-new", None))
ANSWER = Answer("q", "hybrid", datetime(2026, 5, 17, 20, tzinfo=UTC), "The TTL is 6 h [o-new, 2026-05-17]", HITS, 12)


def printed(answer: Answer, **console: object) -> str:
    """Return the output of a console with these options."""
    file = io.StringIO()
    print_answer(answer, ZONE, TODAY, Console(file=file, highlight=False, **console))  # type: ignore[arg-type]
    return file.getvalue()


def test_a_pipe_gets_plain_text_and_a_line_for_each_text() -> None:
    """The answer first, then the hits with local days; what was superseded says by what."""
    lines = printed(ANSWER).splitlines()
    assert lines[:6] == [
        "The TTL is 6 h [o-new, 2026-05-17]",
        "",
        "2 hits · hybrid · memory as of 2026-05-18 05:00 · 12 ms",
        "  1  🔴 decision · 2026-05-18 (2 days ago) · shop  o-new",
        "     The TTL is 6 h",
        "  2  ▪ decision · 2026-05-18 (2 days ago) · shop · superseded by o-new  o-old",
    ]
    assert len(lines) == 7
    assert len(lines[6]) > 200


def test_a_terminal_gets_colours_and_two_lines_of_each_text() -> None:
    """Wrapped to its width, ids in a colour that can be copied from."""
    shown = printed(ANSWER, force_terminal=True, width=60, color_system="standard", no_color=False)
    assert "\x1b[36m  o-new" in shown
    bare = printed(ANSWER, force_terminal=True, width=60, no_color=True, color_system=None).splitlines()
    assert len(bare) == 9
    assert bare[-1].endswith("and the last one to save won.")
    assert max(map(len, bare)) <= 60


def test_a_narrow_terminal_breaks_no_piece_of_a_header() -> None:
    """The day of a hit, its project and its id stood across the edge of a phone's terminal."""
    lines = printed(ANSWER, force_terminal=True, width=40, no_color=True, color_system=None).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[2:4] == ["2 hits · hybrid · memory as of", "  2026-05-18 05:00 · 12 ms"]
    assert [line for line in lines if "decision" in line] == ["  1  🔴 decision", "  2  ▪ decision"]
    assert "     superseded by o-new  o-old" in lines


@each_case(("hits", "message"), [((), "Not in memory.\n"), (HITS, "Not in memory. The nearest:\n")])
def test_no_answer_is_said_at_once(hits: tuple[Hit, ...], message: str) -> None:
    """The nearest hits come all the same."""
    assert printed(Answer("q", "lexical", None, None, hits)).startswith(message)


def test_an_unsure_answer_says_so_before_its_evidence() -> None:
    """In the first line and with the reason, in a pipe and in a terminal."""
    unsure = replace(ANSWER, doubt="Unsure: nothing was said of “Redis”.")
    for console in ({}, {"force_terminal": True, "width": 80, "no_color": True, "color_system": None}):
        lines = printed(unsure, **console).splitlines()
        assert lines[0] == "Unsure: nothing was said of “Redis”. The nearest evidence:"
        assert lines[1].startswith("The TTL is 6 h")


def test_a_terminal_shows_the_question_s_words_in_bold() -> None:
    """In any inflection: whether a hit is about all of the question is seen at a glance. Superseded hits stay dim."""
    asked = replace(ANSWER, question="Which workers share the caches?", answer="A cache per worker [o-new, 2026-05-17]")
    shown = printed(asked, force_terminal=True, width=80, color_system="standard", no_color=False)
    assert "A \x1b[1mcache\x1b[0m per \x1b[1mworker\x1b[0m " in shown
    assert "\x1b[1mslow" not in shown
    assert "\x1b[2m     The cache turned out" in shown, "o-old"
    assert "\x1b" not in printed(asked)


def test_words_in_brackets_are_text() -> None:
    """Brackets are not markup of the console."""
    assert "[bold]x[/bold] [/] end" in printed(Answer("q", "hybrid", None, "[bold]x[/bold] [/] end", ()))


def test_the_json_of_an_answer_is_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Agents and scripts rely on these names."""
    world = filled(tmp_path, model=str(tmp_path / "no-model"))
    for name, value in {"LAKE": world.settings.lake, "WORKSPACE": world.settings.workspace, "TIMEZONE": "UTC"}.items():
        monkeypatch.setenv(f"RECOLLECT_{name}", str(value))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", world.settings.embedding.model)
    assert run(["ask", "session cache TTL", "--project", "shop", "--json", "-k", "20"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert list(reply) == ["question", "mode", "fresh_as_of", "doubt", "answer", "hits", "took_ms", "note", "nearest"]
    assert (reply["mode"], reply["fresh_as_of"]) == ("lexical", "2026-02-09T10:07:00Z")
    ours = next(result for result in reply["hits"] if result["id"] == "o-ttl")
    assert isinstance(ours.pop("score"), float)
    context = ours.pop("context")
    assert [list(line) for line in context] == [["place", "speaker", "text", "entry_id", "line"]] * 2
    assert {line["speaker"] for line in context} <= {"owner", "agent"}, "the names of docs/contract.md"
    assert ours == {
        "id": "o-ttl", "source": "observation", "text": "Session cache: Redis, TTL 15 minutes (replaces 60 minutes)",
        "kind": "decision", "priority": "high", "project": SHOP, "session_id": "shop-1", "entry_ids": ["00000003"], "lines": [4],
        "said_at": "2026-02-09T10:00:00Z", "superseded_by": None, "also": [], "until": None, "waits": None, "changed": None,
        "speaker": None, "quoted": [], "origin": None,
    }  # fmt: skip
