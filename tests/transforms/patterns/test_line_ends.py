"""Line ends and blanks of other systems."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from itertools import starmap
from pathlib import Path

import orjson
import polars as pl

from effects.distil.stored_weights import load_turn_classifier
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.attribution.judge_session import LakeSigns, judge_session
from transforms.attribution.session_frames import make_spoken_entries
from transforms.conversation.entries import build_entries
from transforms.conversation.speakers import extract_words_of
from transforms.offline.engine import OfflineEngine
from transforms.tables.schema import ENTRIES

SAMPLES = Path(__file__).parents[3] / "data/samples/sessions"
REPLIES = [
    ("assistant", "The pool is too small, I would take 40.\n\nI left staging at 15 minutes."),
    (
        "user",
        "> I left staging at 15 minutes\nno, the same number everywhere.\n\nNow the rest:\n1. The pool goes from 20 to 12.\n"
        "2. No booking to 1999.\n\n```\nERROR pool exhausted\n```\nand ports stay 8080  \nfor good",
    ),
    ("assistant", "Done."),
]
FORMS = {
    "CRLF": ("\n", "\r\n"),
    "CR": ("\n", "\r"),
    "line separator": ("\n", "\u2028"),
    "NEL": ("\n", "\x85"),
    "hard blanks": (" ", "\xa0"),
}


def read_talk(path: Path) -> list[tuple[str, str]]:
    """Return the messages of a sample session: roles and texts."""
    messages = [orjson.loads(line).get("message") or {} for line in path.read_bytes().splitlines() if line.strip()]
    talk = []
    for message in messages:
        content = message.get("content") or []
        parts = [content] if isinstance(content, str) else [part["text"] for part in content if part.get("type") == "text"]
        if message.get("role") in ("user", "assistant") and parts:
            talk.append((message["role"], "\n".join(parts)))
    return talk


def make_frame(talk: list[tuple[str, str]]) -> pl.DataFrame:
    """Return the entries of a talk as the lake has them."""
    entries = conversation(*starmap(lambda role, text: user(text) if role == "user" else agent(text), talk))
    rows = [{name: value for name, value in asdict(entry).items() if name in ENTRIES.row_schema} for entry in entries]
    return pl.DataFrame(rows, schema={name: ENTRIES.row_schema[name] for name in rows[0]})


def list_rows(talk: list[tuple[str, str]]) -> list[str]:
    """Return what the offline engine would tell of a talk, with every run of white space as one blank."""
    read = OfflineEngine().read_window(build_entries(make_frame(talk)))
    return [" ".join(item.candidate.text.split()) for item in read.sourced]


TALKS = {"replies": REPLIES} | {path.stem[-6:]: read_talk(path) for path in sorted(SAMPLES.glob("*/*.jsonl"))}


PLAIN = {name: [(role, text.replace("  \n", "\n")) for role, text in talk] for name, talk in TALKS.items() if talk}
"""Each talk without the two blanks that break a line in Markdown."""


def write_talk(name: str, form: str) -> list[tuple[str, str]]:
    """Return a talk in another form."""
    return [(role, text.replace(*FORMS[form])) for role, text in PLAIN[name]]


@cache
def list_plain_rows(name: str) -> list[str]:
    """Return what is told of a plain talk; each form is compared with it."""
    return list_rows(PLAIN[name])


def list_owned(talk: list[tuple[str, str]]) -> list[str]:
    """Return the owner's words of each message, with every run of white space as one blank."""
    frame = make_frame(talk).with_columns(speaker=pl.lit(None, pl.String), speaker_reason=pl.lit(None, pl.String))
    judged = judge_session(make_spoken_entries(frame), load_turn_classifier(), LakeSigns())
    words = [extract_words_of("owner", talk[ordinal][1], attribution) for ordinal, attribution in judged.items()]
    return [" ".join(text.split()) for text in words]


@cache
def list_plain_owned(name: str) -> list[str]:
    """Return the owner's words of a plain talk."""
    return list_owned(PLAIN[name])


@each_case("form", FORMS)
def test_the_same_messages_in_other_line_ends_give_the_same_rows(form: str) -> None:
    assert any(map(list_plain_rows, PLAIN))
    for name in PLAIN:
        assert list_rows(write_talk(name, form)) == list_plain_rows(name), name


@each_case("form", FORMS)
def test_the_same_messages_in_other_line_ends_are_the_same_persons(form: str) -> None:
    assert any(map(list_plain_owned, PLAIN))
    for name in PLAIN:
        assert list_owned(write_talk(name, form)) == list_plain_owned(name), name
