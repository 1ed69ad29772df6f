"""Documents: pieces of turns lose nothing, unspoken entries are left out, ids are stable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import Bullet
from transforms.recall import documents
from transforms.recall.documents import (
    PIECE_CHARS,
    list_known_documents,
    make_memory_documents,
    make_observation_documents,
    split_pieces,
)


def make_turn_documents(
    rows: pl.DataFrame,
    part: str,
    projects: Mapping[str, str],
    last_keys: Mapping[str, str] | None = None,
    known: documents.KnownDocuments | None = None,
) -> pl.DataFrame:
    """Return the documents of entries of which no index knows one, and no later work changed what they say."""
    return documents.make_turn_documents(rows, part, projects, last_keys, known, None)


ZONES = st.sampled_from(["UTC", "Europe/Oslo", "America/Los_Angeles", "Pacific/Kiritimati", "Asia/Kolkata"]).map(ZoneInfo)
AT = datetime(2026, 2, 9, 10, tzinfo=UTC)


def entries(*rows: dict[str, Any]) -> pl.DataFrame:
    """Return rows of `entries` with what make_turn_documents reads."""
    base = {"session_id": "one", "entry_type": "message", "role": "user", "turn_kind": "typed", "is_error": False, "flags": []}
    full = [
        base | {"ordinal": n, "entry_id": f"e{n}", "line_no": n + 1, "said_at": AT, "text": "", "raw_json": ""} | row
        for n, row in enumerate(rows)
    ]
    schema = {"flags": pl.List(pl.String), "said_at": pl.Datetime("us", "UTC")}
    columns = {
        name: schema.get(name)
        for name in base | {"ordinal": 0, "entry_id": "", "line_no": 0, "said_at": AT, "text": "", "raw_json": ""}
    }
    return pl.DataFrame(full, schema_overrides=schema, infer_schema_length=None) if full else pl.DataFrame(schema=columns)


@given(st.text(alphabet=st.sampled_from("ab .\n,日"), max_size=400), st.integers(5, 60))
def test_pieces_hold_every_character_but_space(text: str, limit: int) -> None:
    """Pieces are in order, and none is empty or longer than the limit."""
    pieces = split_pieces(text, limit)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= limit for piece in pieces)


def test_pieces_end_at_sentences() -> None:
    """This holds as long as a text has sentences."""
    text = "One sentence here. " * 100
    assert all(piece.endswith(".") and len(piece) > PIECE_CHARS / 2 for piece in split_pieces(text)[:-1])


def test_a_text_that_nobody_said_is_not_a_turn() -> None:
    """Memory's own output, skills, machine text and copies; what was run or failed is found by its words only."""
    call = {"message": {"content": [{"type": "toolCall", "name": "bash", "arguments": {"command": "npm run publish"}}]}}
    rows = make_turn_documents(
        entries(
            {"text": "Joel: please publish it"},
            {"text": "remembered", "turn_kind": "memory"},
            {"text": "expanded", "turn_kind": "skill"},
            {"text": "copied", "flags": ["copied"]},
            {"text": "I will.", "role": "assistant", "turn_kind": None, "raw_json": json.dumps(call)},
            {"text": "E403 forbidden", "role": "toolResult", "turn_kind": None, "is_error": True},
            {"text": "/clear", "turn_kind": "command"},
            {"text": "long log", "role": "toolResult", "turn_kind": None},
        ),
        "entries/2026-02-09",
        {"one": "/shop"},
    )
    table_rows = rows.select("text", "position", "speaker", pl.col("text_hash").is_not_null()).rows()
    assert table_rows == [
        ("Joel: please publish it", 0, "user", True),
        ("I will.", 1, "assistant", True),
        ("bash npm run publish", None, "assistant", False),
        ("E403 forbidden", None, "toolResult", False),
        ("/clear", None, "command", False),
    ]
    assert set(rows["project"]) == {"/shop"}
    assert rows["key"].is_unique().all()


def test_a_word_before_a_colon_is_a_speaker_where_most_messages_begin_with_one() -> None:
    """An agent's "Cause: …" became the speaker `cause`; a talk of two people names both."""
    work = [{"text": "look at the NaN"}, {"text": "Cause: gaps are -9999.9", "role": "assistant"}, {"text": "ok"}]
    talk = [{"text": "Ana: are you in?"}, {"text": "Piet: yes", "role": "assistant"}, {"text": "ok then"}]
    speakers = [make_turn_documents(entries(*said), "d", {})["speaker"].to_list() for said in (work, talk)]
    assert speakers == [["user", "assistant", "user"], ["ana", "piet", "user"]]


def test_a_text_that_its_owner_only_pasted_is_not_the_owners() -> None:
    """An answer names who wrote it, and ranking does not take it for the owner's word; a part that was typed makes it so."""
    parts = [{"start": 0, "end": 3, "speaker": "owner", "reason": "format:user_text"}]
    rows = make_turn_documents(
        entries(
            {"text": "all boxes may be rebooted", "speaker": "paste", "speaker_parts": None},
            {"text": "no! all boxes", "speaker": "skill", "speaker_parts": parts},
            {"text": "keep them up", "speaker": "owner", "speaker_parts": None},
        ),
        "entries/2026-02-09",
        {},
    )
    assert rows["speaker"].to_list() == ["paste", "user", "user"]


def test_a_piece_names_who_wrote_it_and_where_it_is_not_the_owners() -> None:
    """A mail that the owner forwards is longer than a piece: the pieces behind the first one are the sender's."""
    mail = "Never retry more than three times. " * 40
    parts = [
        {"start": 0, "end": 21, "speaker": "owner", "reason": "format:user_text"},
        {"start": 21, "end": 21 + len(mail), "speaker": "paste", "reason": "format:pasted_lines"},
    ]
    rows = make_turn_documents(
        entries({"text": "From our customer:\n\n" + mail, "speaker": "owner", "speaker_parts": parts}), "d", {}
    )
    assert rows["speaker"].to_list() == ["user", *["paste"] * (rows.height - 1)]
    quoted = rows["quoted"].to_list()
    assert quoted[0] == [21, len(rows["text"][0])]
    assert all(spans == [0, len(text)] for spans, text in zip(quoted[1:], rows["text"][1:], strict=True))


def test_a_row_hash_tells_changes() -> None:
    """Same rows, same hash; another text, another hash."""
    item, same, other = (make_turn_documents(entries({"text": text}), "entries/2026-02-09", {})["row_hash"][0] for text in "aab")
    assert item == same != other


TURN = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["", "Caching über ids?", "Was it caching? Yes.", "日本語", "a " * 500]),
        "said_at": st.sampled_from([AT, None]),
    }
)


@given(st.lists(TURN, max_size=5), st.lists(TURN, max_size=5), st.sampled_from(["/shop", "/till"]))
def test_documents_that_the_index_has_are_made_the_same(before: Any, now: Any, project: str) -> None:
    """Whatever changed since: text, time, place or project."""
    part = "entries/2026-02-09"
    stored = make_turn_documents(entries(*before), part, {"one": "/shop"})
    known = list_known_documents(stored.select("row_hash", "ranking_json").iter_rows())
    rows, projects = entries(*now), {"one": project}
    assert make_turn_documents(rows, part, projects, None, known).equals(make_turn_documents(rows, part, projects))


def test_words_of_documents_that_the_index_has_are_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the text that is new is."""
    part, rows = "entries/2026-02-09", [{"text": "keep the cache"}, {"text": "drop the queue"}]
    stored = make_turn_documents(entries(*rows), part, {})
    searched: list[str] = []
    monkeypatch.setattr(documents, "tokenize", lambda text: searched.append(text) or [])
    known = list_known_documents(stored.select("row_hash", "ranking_json").iter_rows())
    make_turn_documents(entries(*rows, {"text": "ship it"}), part, {}, None, known)
    assert searched == ["ship it"]


def test_a_document_of_a_fact_has_its_origin() -> None:
    """A reader of an answer takes a rule without it for the owner's."""
    names = ("observation_id", "project", "session_id", "kind", "priority", "text", "superseded_by", "engine", "origin")
    row = dict.fromkeys(names) | {"observation_id": "o-1", "session_id": "s", "text": "commit often", "origin": "agent"}
    lists = {"entry_ids": ["e"], "lines": [1], "also": [], "said_at": datetime(2026, 2, 9, tzinfo=UTC), "verdict": "allow"}
    assert make_observation_documents(pl.DataFrame([row | lists]), "observations/2026-02-09", None)["origin"].to_list() == [
        "agent"
    ]


def test_a_command_that_ran_waits_for_no_vector() -> None:
    names = ("observation_id", "project", "session_id", "priority", "text", "superseded_by", "engine", "origin")
    lists = {"entry_ids": ["e"], "lines": [1], "also": [], "said_at": datetime(2026, 2, 9, tzinfo=UTC), "verdict": "allow"}
    rows = [
        dict.fromkeys(names) | lists | {"observation_id": kind, "text": "pytest", "kind": kind} for kind in ("command", "fix")
    ]
    made = make_observation_documents(pl.DataFrame(rows), "observations/2026-02-09", None)
    assert dict(made.select("id", pl.col("text_hash").is_null()).iter_rows()) == {"command": True, "fix": False}
    assert made["words"].to_list() == ["pytest", "pytest"]


def test_a_line_of_memory_keeps_its_id_when_its_date_changes() -> None:
    assert make_memory_id("Keep TTLs short ") == make_memory_id("Keep TTLs short")


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), ZONES)
def test_a_dated_line_is_of_that_day_in_the_zone_of_its_owner(day: date, zone: ZoneInfo) -> None:
    line = make_memory_documents([Bullet("- Deploys", "Deploys happen on Tuesdays", day, "Patterns", 0, 9, True)], {}, zone)
    assert line["said_at"][0].astimezone(zone).date() == day


def test_the_note_of_a_client_that_it_stopped_the_agent_is_no_turn() -> None:
    """What the agent had said by then is one."""
    stopped = {"role": "assistant", "stopReason": "aborted", "errorMessage": "Request was aborted."}
    raw = json.dumps({"message": stopped}, separators=(",", ":"))
    rows = make_turn_documents(
        entries(
            {"text": "Go on"},
            {"text": "Request was aborted.", "role": "assistant", "turn_kind": None, "raw_json": raw},
            {"text": "The cache was", "role": "assistant", "turn_kind": None, "raw_json": raw},
        ),
        "entries/2026-02-09",
        {"one": "/shop"},
    )
    assert rows.select("text", "position").rows() == [("Go on", 0), ("The cache was", 1)]
