"""Every way in which answers show turns: nobody's words stand behind another one's name, and nothing stands twice."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.compose_answer import ANSWER_TOKENS, AnswerForm, compose_answer, describe_nearest_hit
from transforms.answers.exchange_context import join_exchange, list_exchanges
from transforms.answers.hit_lines import render_answer
from transforms.answers.show_page import CitedEntry, ShownRecord, render_record
from transforms.answers.written_answer import format_hit
from transforms.recall.types import Answer, ContextLine, Hit
from transforms.tables.rows import SpeakerPart

ZONE, DAY = ZoneInfo("UTC"), date(2026, 5, 20)
FORM = AnswerForm(ANSWER_TOKENS, ZONE)
NAMES = re.compile(r"User:|Pasted:|Agent:|own\w+|mail\w+|reply\w+")
WRITERS = {"own": "User:", "mail": "Pasted:", "reply": "Agent:"}
LINES = st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.sampled_from([".", "?", "!", ":", ""])), min_size=1, max_size=6)
Turn = tuple[str, list[SpeakerPart]]


def write_turn(lines: list[tuple[bool, int, str]]) -> Turn:
    """Return a turn of lines that the owner typed (`own…`) or pasted (`mail…`), and its parts."""
    text, parts = "", list[SpeakerPart]()
    for number, (is_own, words, mark) in enumerate(lines):
        name = "own" if is_own else "mail"
        line = " ".join(f"{name}{number}x{word}" for word in range(words)) + f"{mark}\n"
        speaker = "owner" if is_own else "paste"
        parts.append({"start": len(text), "end": len(text) + len(line), "speaker": speaker, "reason": "format:user_text"})
        text += line
    return text, parts


def make_hit(turn: Turn, number: int = 0) -> Hit:
    """Return the hit of a turn that may be mixed, with a reply as its context."""
    text, parts = turn
    quoted = tuple(place for part in parts if part["speaker"] != "owner" for place in (part["start"], part["end"]))
    is_foreign = all(part["speaker"] != "owner" for part in parts)
    context = (ContextLine("assistant", "reply1 reply2 8080.", f"r{number}", 2, is_before=False),)
    at = datetime(2026, 5, 17, 20, tzinfo=UTC)
    return Hit(
        f"s:e{number}", "turn", text, None, None, None, "s", (f"e{number}",), (1,), at, 1.0,
        speaker="paste" if is_foreign else "user", quoted=() if is_foreign else quoted, context=context,
    )  # fmt: skip


def check_writers(shown: str) -> None:
    """Each word stands behind the name of who wrote it."""
    name = ""
    for mark in NAMES.findall(shown):
        if mark.endswith(":"):
            name = mark
        else:
            assert name == WRITERS[re.match("[a-z]+?(?=\\d)", mark)[0]], (mark, name, shown)  # type: ignore[index]


@given(LINES, st.sets(st.integers(0, 5), max_size=3), st.integers(60, 400))
def test_nobodys_words_are_told_as_anothers(lines: list[tuple[bool, int, str]], asked: set[int], limit: int) -> None:
    """In answers, lists, details, the request of a model, and the record itself, whatever is cut out."""
    turn = write_turn(lines)
    hit, weights = make_hit(turn), {f"{name}{number}x0": 1.0 for number in asked for name in ("own", "mail")}
    check_writers(compose_answer([hit, make_hit(write_turn(lines[::-1]), 1)], weights, FORM))
    check_writers(describe_nearest_hit([hit], weights, ZONE))
    check_writers(join_exchange(hit, limit))
    answer = Answer("q", "lexical", None, None, (hit,))
    check_writers(render_answer(answer, ZONE, 2_000, line_chars=limit).split("text\n")[1])
    check_writers(render_answer(answer, ZONE, 2_000, is_detailed=True).split("text\n")[1])
    if hit.quoted:
        check_writers(format_hit(1, hit, ZONE, DAY))
    parts = tuple(turn[1]) if len({part["speaker"] for part in turn[1]}) > 1 else ()
    if parts:
        entry = CitedEntry("s", "e0", 1, "user", None, None, turn[0], "owner", parts)
        check_writers(render_record(ShownRecord("s:e0", "entry", {}, entries=(entry,))))


def test_an_exchange_stands_once() -> None:
    """A reply that stands whole beside the question has no line of its own, and does not stand again beside the next one."""
    question = make_hit(write_turn([(True, 3, "?")]))
    reply = Hit("s:r0", "turn", "reply1 reply2 8080.", None, None, None, "s", ("r0",), (2,), None, 0.9, speaker="assistant")
    other = replace(make_hit(write_turn([(True, 9, ".")]), 1), context=question.context)
    assert [hit.id for hit, _ in list_exchanges([question, reply, other], 320, 10)] == ["s:e0", "s:e1"]
    assert [text.count("reply1") for _, text in list_exchanges([question, reply, other], 320, 10)] == [1, 0]
    assert [hit.id for hit, _ in list_exchanges([question, reply, other], 30, 2)] == ["s:e0", "s:r0"]
    assert compose_answer([question, reply, other], {}, FORM).count("reply1") == 1


def test_spare_hits_take_the_places_of_those_that_stand_already() -> None:
    """A list has as many lines as the answer has hits."""
    question = make_hit(write_turn([(True, 3, "?")]))
    reply = Hit("s:r0", "turn", "reply1 reply2 8080.", None, None, None, "s", ("r0",), (2,), None, 0.9, speaker="assistant")
    spare = make_hit(write_turn([(True, 9, ".")]), 7)
    text = render_answer(Answer("q", "lexical", None, None, (question, reply), spare=(spare,)), ZONE, 800, line_chars=200)
    assert [line.partition(" | ")[0] for line in text.splitlines()[2:4]] == ["s:e0", "s:e7"]
