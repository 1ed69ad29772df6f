"""Hits as lines for a model."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.answers.exchange_context import join_exchange
from transforms.answers.hit_lines import format_hit_line, render_answer
from transforms.recall.types import Answer, Hit
from transforms.tables.tokens import count_tokens

ZONE = ZoneInfo("Asia/Tokyo")


def hit(text: str, name: str = "o-1", replaced: str | None = None) -> Hit:
    """Return a hit of late evening UTC: the next day in Tokyo."""
    at = datetime(2026, 5, 17, 20, tzinfo=UTC)
    return Hit(name, "observation", text, "decision", "high", "/home/mara/shop", "s", ("e",), (3,), at, 1.0, replaced)


def test_a_hit_is_one_line_with_its_local_day_and_what_replaced_it() -> None:
    """Line breaks of its text would look like other hits."""
    line = format_hit_line(it := hit("TTL\nis 6 h", replaced="o-2"), ZONE, "shop", join_exchange(it))
    assert line == "o-1 | 2026-05-18 | decision, superseded by o-2 | shop | TTL is 6 h"


@each_case(
    ("origin", "kind"),
    [("owner", "decision"), ("agent", "decision by the agent"), ("summary", "decision from a summary"), (None, "decision")],
)
def test_a_line_names_who_stated_a_fact_that_the_owner_did_not(origin: str | None, kind: str) -> None:
    """Its words alone ("No `tokensAfter` in CompactionEntry") read as the owner's decision."""
    assert format_hit_line(replace(hit("x"), origin=origin), ZONE, "shop") == f"o-1 | 2026-05-18 | {kind} | shop"


def test_no_answer_is_said_with_the_nearest_miss() -> None:
    """Hits are shown all the same."""
    answer = Answer("q", "lexical", None, None, (hit("TTL is 6 h"),), note="there is no model", nearest="TTL is 6 h")
    text = render_answer(answer, ZONE, 500)
    assert text.startswith("Not in memory. Nearest: TTL is 6 h\n")
    assert "Note: there is no model" in text
    assert "o-1 | " in text
    assert render_answer(Answer("q", "hybrid", None, None, ()), ZONE, 500) == "Not in memory.\nNo hits."


def test_the_first_line_says_that_an_answer_is_unsure() -> None:
    """And why: a reader who stops there must not take the nearest evidence for the answer."""
    answer = Answer("q", "hybrid", None, "TTL is 6 h", (hit("TTL is 6 h"),), doubt="Unsure: nothing was said of “memcached”.")
    first, *_ = render_answer(answer, ZONE, 500).splitlines()
    assert first == "Unsure: nothing was said of “memcached”. The nearest evidence: TTL is 6 h"


def test_only_the_words_of_a_model_are_called_an_answer() -> None:
    """Excerpts are shown for most questions that memory cannot answer, too: whoever reads them judges."""
    composed = Answer("q", "hybrid", None, "TTL is 6 h", (hit("TTL is 6 h"),))
    assert render_answer(composed, ZONE, 500).startswith("Evidence: TTL is 6 h\n")
    assert render_answer(replace(composed, engine="m"), ZONE, 500).startswith("Answer: TTL is 6 h\n")


def test_a_caller_chooses_the_length_of_lines_and_names_its_own_next_command() -> None:
    """The command line has other words for it than the tools."""
    answer = Answer("q", "hybrid", None, None, (hit("TTL is 6 h " * 30),))
    text = render_answer(answer, ZONE, 500, line_chars=20, next_command="Use `recollect show ID`.")
    assert text.splitlines()[-2:] == ["o-1 | 2026-05-18 | decision | shop | TTL is 6 h TTL is 6…", "Use `recollect show ID`."]


@given(st.lists(st.text(max_size=400), max_size=12), st.integers(150, 900), st.booleans())
def test_the_text_never_exceeds_its_tokens(texts: list[str], budget: int, is_detailed: bool) -> None:
    """This holds for any hits."""
    hits = tuple(hit(text, f"o-{number}") for number, text in enumerate(texts))
    answer = Answer("q", "hybrid", None, " ".join(texts)[:600], hits)
    assert count_tokens(render_answer(answer, ZONE, budget, is_detailed)) <= budget


def test_ids_are_short_and_projects_of_one_name_are_told_apart() -> None:
    """In the list and in the answer's citations: a full id costs as much as the words."""
    fact = hit("TTL is 6 h", name="o-0123456789abcdef", replaced="o-fedcba9876543210")
    turn = replace(hit("no, 6"), id="019ab3c4-5d6e-7abc-8def-0123456789ab:1a2b3c4d", project="/home/mara/old/shop")
    answer = Answer("q", "hybrid", None, f"TTL is 6 h [{fact.id}, 2026-05-18]", (fact, turn))
    lines = render_answer(answer, ZONE, 500).splitlines()
    assert lines[0] == "Evidence: TTL is 6 h [o-01234567, 2026-05-18]"
    assert lines[2].startswith("o-01234567 | 2026-05-18 | decision, superseded by o-fedcba98 | mara/shop | ")
    assert lines[3].startswith("019ab3c4-5d6e:1a2b3c4d | 2026-05-18 | decision | old/shop | ")


def test_an_answer_without_room_loses_whole_lines() -> None:
    """No citation is cut open."""
    lines = [f"Agent: The relay of host {number} has port 5544. [id{number}, 2026-05-01]" for number in range(9)]
    answer = Answer("q", "hybrid", None, "\n".join(lines), (hit("x"),))
    shown = render_answer(answer, ZONE, 300).partition("\n1 hits")[0].removeprefix("Evidence: ").splitlines()
    assert 1 <= len(shown) < len(lines)
    assert shown == lines[: len(shown)]


def test_words_that_the_evidence_quotes_do_not_stand_in_the_list_again() -> None:
    """Half of a result was said twice. The row stays, for its id; other words stay, too."""
    said = "Reusable skills go to the folder of their category, also when they are learned elsewhere"
    same, longer = hit(f"- {said}. See `README.md`."), hit("Skills are small", name="o-2")
    answer = Answer("q", "hybrid", datetime(2026, 5, 18, tzinfo=UTC), f"{said}. See README.md. [o-1, 2026-05-18]", (same, longer))
    lines = render_answer(answer, ZONE, 500, line_chars=70).splitlines()
    assert lines[2:4] == [
        "o-1 | 2026-05-18 | decision | shop | (quoted above)", "o-2 | 2026-05-18 | decision | shop | Skills are small",
    ]  # fmt: skip
    assert "- Reusable skills" in render_answer(answer, ZONE, 500, is_detailed=True)
    assert "quoted above" not in render_answer(replace(answer, answer=None, nearest=said), ZONE, 500)


def test_the_day_of_memory_is_not_told_as_that_of_the_hits() -> None:
    """ "newest: …" was the last session of any project."""
    head = render_answer(Answer("q", "hybrid", datetime(2026, 8, 16, tzinfo=UTC), None, (hit("TTL is 6 h"),)), ZONE, 500)
    assert "memory as of 2026-08-16T00:00:00Z" in head
    assert "newest" not in head
