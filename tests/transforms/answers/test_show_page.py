"""The page of `show` keeps within a budget."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.each_case import each_case
from transforms.answers.show_page import SHORTENED, CitedEntry, RecordLink, ShownRecord, render_record
from transforms.tables.rows import SpeakerPart
from transforms.tables.tokens import count_tokens

AT = datetime(2026, 5, 17, 10, tzinfo=UTC)
BIG = ShownRecord(
    "w-1",
    "window",
    {"window_id": "w-1", "text": "A window about the parser", "day": AT.date()},
    parents=(RecordLink("s-1", "session", "shop"),),
    children=tuple(RecordLink(f"o-{number}", "observation", f"fact {number} " * 20) for number in range(60)),
    entries=tuple(CitedEntry("s", f"e{n}", n, "user", AT, "/a.jsonl", "what was said\n" * 200) for n in range(80)),
)


def test_without_a_budget_or_within_it_everything_is_shown() -> None:
    """Nothing says that something was left out."""
    whole = render_record(BIG)
    assert "o-59" in whole
    assert "line 80" in whole
    assert render_record(BIG, count_tokens(whole)) == whole
    assert SHORTENED not in whole


@each_case("budget", [60, 200, 500, 1_500, 5_000])
def test_a_budget_is_kept_and_what_it_is_stays_first(budget: int) -> None:
    """Entries and links get fewer and shorter before anything is cut off, and the last line says so."""
    text = render_record(BIG, budget)
    assert count_tokens(text) <= budget
    assert text.startswith("window w-1\n")
    assert text.endswith(SHORTENED)
    if budget >= 500:
        assert " more\n" in text
        assert "  line 1 " in text
        assert "line 0" not in text
        assert "s-1" in text


def test_a_reader_gets_no_column_that_stands_elsewhere_or_that_only_recollect_needs() -> None:
    """`--json` has all of them."""
    row = {
        "observation_id": "o-1", "segment_id": "s-1", "session_id": "s", "day": AT.date(), "said_at": AT, "kind": "rule",
        "verdict": "allow", "confidence": 0.6000000238418579, "tokens": 9, "compared_keys": ["a"], "merged_count": 1,
        "superseded_by": "o-2", "text": "Never on Fridays.", "entry_ids": ["e0"],
    }  # fmt: skip
    parents = (
        RecordLink("s-1", "segment", "deploys"),
        RecordLink("s", "session", "shop"),
        RecordLink("o-2", "superseded by", "x"),
    )
    shown = ShownRecord("o-1", "observation", row, parents)
    columns = render_record(shown).partition("\n\nbelongs to")[0].splitlines()
    assert columns == [
        "observation o-1", "  Never on Fridays.", "  said_at: 2026-05-17T10:00:00Z", "  kind: rule", "  confidence: 0.6",
    ]  # fmt: skip
    held = ShownRecord("o-1", "observation", {**row, "verdict": "hold", "merged_count": 3}, parents)
    assert "  verdict: hold\n" in render_record(held)
    assert "  merged_count: 3\n" in render_record(held)
    assert shown.as_json()["row"] == {**row, "day": "2026-05-17", "said_at": "2026-05-17T10:00:00Z"}


def test_a_fact_is_shown_with_the_stretch_that_supports_it() -> None:
    """An entry itself is shown from its beginning."""
    text = "what was said before\n" * 200 + "Never deploy on Fridays.\n" + "and behind it\n" * 200
    entries = (CitedEntry("s", "e0", 0, "assistant", AT, "/a.jsonl", text),)
    row = {"observation_id": "o-1", "text": "Never deploy on Fridays."}
    assert render_record(ShownRecord("o-1", "observation", row, entries=entries)).count("Never deploy on Fridays.") == 2
    assert "Fridays" not in render_record(ShownRecord("s:e0", "entry", {}, entries=entries))


def test_an_entry_names_who_wrote_it_where_that_is_not_the_owner() -> None:
    """A mixed one stretch by stretch, another one behind its role; JSON has the speaker and the places."""
    text = "Look:\n> never twice\nDo it."
    parts: tuple[SpeakerPart, ...] = (
        {"start": 0, "end": 6, "speaker": "owner", "reason": "format:user_text"},
        {"start": 6, "end": 20, "speaker": "paste", "reason": "format:pasted_lines"},
        {"start": 20, "end": 26, "speaker": "owner", "reason": "format:user_text"},
    )
    mixed = CitedEntry("s", "e0", 0, "user", AT, "/a.jsonl", text, "owner", parts)
    pasted = CitedEntry("s", "e1", 1, "user", AT, "/a.jsonl", "ERROR", "paste")
    shown = ShownRecord("w-1", "window", {}, entries=(mixed, pasted))
    lines = render_record(shown).splitlines()
    assert [line.strip() for line in lines if line.startswith("    ")] == [
        "User: Look:",
        "Pasted: > never twice",
        "User: Do it.",
        "ERROR",
    ]
    assert any("  user (pasted)  s:e1" in line for line in lines)
    assert shown.as_json()["entries"][0]["parts"][1] == {"start": 6, "end": 20, "speaker": "paste"}  # type: ignore[index]
