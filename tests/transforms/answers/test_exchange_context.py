"""What a hit answers and what answered it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.compose_answer import ANSWER_TOKENS, FIRST_LINE_CHARS, AnswerForm, compose_answer
from transforms.answers.exchange_context import (
    CONTEXT_CHARS,
    SHORT_CHARS,
    add_context,
    find_context_rows,
    find_guesses,
    join_exchange,
    list_beside,
    make_context,
    mark_refuted,
    select_context,
)
from transforms.answers.hit_lines import format_hit_line
from transforms.recall.ranking_record import RankingRecord, measure_question_share
from transforms.recall.types import ContextLine, Hit
from transforms.tables.tokens import count_tokens

UTC_ZONE = ZoneInfo("UTC")
MENU = "The hydrographs are done. Which period should they show? 1. five days, 2. ten days, 3. thirty days."
CHOICE = "The second, but not with the grey background."
DONE = "Ten days, white background. Then I looked at the margins."
WORDS = {"period": 2.0, "hydrograph": 2.0}


def spoken(position: int, speaker: str, text: str, session: str = "s") -> RankingRecord:
    """Return a spoken candidate with the columns that context reads."""
    row = {
        "id": f"{session}:e{position}", "key": f"t:{session}:2026-02-01:{position}", "part": "entries/2026-02-01",
        "source": "turn", "session_id": session, "position": position, "speaker": speaker, "follows": None, "cites": None,
        "text": text, "entry_ids": [f"e{position}"], "lines": [position], "quoted": None, "kind": None,
        "question_share": measure_question_share(text),
    }  # fmt: skip
    return cast(RankingRecord, row)


def talk() -> list[RankingRecord]:
    """Return an exchange: a menu, the choice, the outcome."""
    return [spoken(0, "assistant", MENU), spoken(1, "user", CHOICE), spoken(2, "assistant", DONE)]


def choosing(text: str = CHOICE, source: str = "turn") -> Hit:
    """Return the hit of the choice with its context."""
    speaker = "user" if source == "turn" else None
    hit = Hit("s:e1", source, text, None, None, None, "s", ("e1",), (1,), None, 1.0, speaker=speaker)
    return replace(hit, context=make_context(talk(), (0, 2), WORDS))


def test_a_choice_comes_with_the_question_and_the_outcome() -> None:
    """The sentences with the question's words, else the first ones after."""
    rows = talk()
    assert find_context_rows(rows, [1]) == {1: (0, 2)}
    before, after = make_context(rows, (0, 2), WORDS)
    assert (before.speaker, before.text, before.entry_id, before.line, before.is_before) == ("assistant", MENU, "e0", 0, True)
    assert after.text.startswith("Ten days, white background.")


def test_a_fact_that_quotes_a_turn_has_the_context_of_the_turn_and_a_models_fact_has_none() -> None:
    """A model's words stand alone."""
    quoting = cast(RankingRecord, {**spoken(1, "", CHOICE), "id": "o-1", "source": "observation", "position": None})
    assert find_context_rows([*talk(), quoting], [3]) == {3: (0, 2)}
    assert find_context_rows([*talk(), cast(RankingRecord, {**quoting, "cites": ["s:e1"]})], [3]) == {}


def test_a_long_turn_has_no_context_and_pasted_words_are_none() -> None:
    """A long turn says itself what it is about."""
    long = spoken(1, "user", "x" * (SHORT_CHARS + 1))
    assert find_context_rows([talk()[0], long, talk()[2]], [1]) == {}
    assert find_context_rows([spoken(0, "paste", MENU), *talk()[1:]], [1]) == {1: (None, 2)}
    quoting = cast(RankingRecord, {**spoken(0, "user", MENU), "quoted": [0, 9]})
    assert [line.is_before for line in make_context([quoting, *talk()[1:]], (0, 2), WORDS)] == [False]


def test_a_proposal_comes_with_the_owners_next_words_however_long_it_is() -> None:
    """The agent's "yes, into setup.sh" holds only as the owner answers it; a long report that asks nothing stands alone."""
    proposal = f"Yes, into the setup script. {'It saves a step. ' * 20}Shall I add it?"
    rows = [spoken(0, "user", "can it be built once?"), spoken(1, "assistant", proposal), spoken(2, "user", "no, its own script")]
    assert find_context_rows(rows, [1]) == {1: (None, 2)}
    assert find_context_rows(rows, [0]) == {0: (None, 1, 2)}
    assert [line.text for line in make_context(rows, (None, 1, 2), {"setup": 1.0})][1:] == ["no, its own script"]
    report = spoken(1, "assistant", proposal.replace("?", "."))
    assert find_context_rows([rows[0], report, rows[2]], [1]) == {}
    assert find_context_rows([*rows[:2], spoken(2, "assistant", DONE)], [1]) == {}


def test_the_owners_answer_to_a_proposal_has_its_room_before_the_proposal() -> None:
    """Without it the proposal reads as what holds."""
    proposal = f"I can build it in the setup. {'It is one step only. ' * 8}Shall I?"
    rows = [spoken(0, "user", "can the setup build it?"), spoken(1, "assistant", proposal), spoken(2, "user", "no, own script")]
    hit = replace(choosing(), text="can the setup build it?", context=make_context(rows, (None, 1, 2), {"setup": 1.0}))
    assert add_context(hit, "User: can the setup build it?", 120)[0].endswith(" User: no, own script")


def test_what_the_owner_asks_of_a_short_reply_comes_with_the_reply_to_that() -> None:
    """In the room that is left: it takes none from the lines beside the hit, and moves no hit."""
    rows = [
        spoken(0, "user", "the cost?"),
        spoken(1, "assistant", "It cost $3.92."),
        spoken(2, "user", "with the child sessions"),
    ]
    rows.append(spoken(3, "assistant", f"Then $5.34. {'Nothing else was counted here. ' * 5}"))
    assert find_context_rows(rows, [1]) == {1: (0, 2, 3)}
    hit = replace(choosing(), text="It cost $3.92.", speaker="assistant", context=make_context(rows, (0, 2, 3), {"cost": 1.0}))
    assert [line.entry_id for line in list_beside(hit.context)] == ["e0", "e2"]
    text, _ = add_context(hit, "Agent: It cost $3.92.", 140)
    assert text.startswith("User: the cost? Agent: It cost $3.92. User: with the child sessions Agent: Then $5.34.")
    assert len(text) <= 140
    assert "$5.34" not in add_context(hit, "Agent: It cost $3.92.", 80)[0]
    fact = cast(RankingRecord, {**spoken(1, "", "It cost $3.92."), "id": "o-1", "source": "observation", "position": None})
    assert find_context_rows([*rows, fact], [4]) == {4: (0, 2)}


def test_a_short_neighbour_leaves_its_room_to_a_long_one() -> None:
    """A command at the end of what stands before is not cut while room is left behind."""
    before = "To add the key, run this command in your terminal with your own key: echo KEY >> ~/.secrets/.env"
    rows = [spoken(0, "assistant", before), spoken(1, "user", CHOICE), spoken(2, "user", "push")]
    hit = replace(choosing(), context=make_context(rows, (0, 2), {"key": 1.0}))
    text, _ = add_context(hit, CHOICE, len(before) + len(CHOICE) + 24)
    assert before in text


def test_other_pieces_of_the_same_message_and_other_sessions_are_no_context() -> None:
    """The next piece of a long message is part of the hit."""
    rows = [spoken(0, "assistant", MENU), spoken(1, "user", CHOICE), spoken(2, "user", CHOICE), spoken(3, "assistant", DONE, "t")]
    rows[2] = cast(RankingRecord, {**rows[2], "id": rows[1]["id"]})
    assert find_context_rows(rows, [1]) == {1: (0, None)}


def test_without_the_questions_words_the_last_sentences_before_count() -> None:
    """The question that an owner answers stands at the end."""
    text = "I looked at all of it. " * 20 + "Shall I delete them?"
    assert select_context(text, {"ttl": 1.0}, is_before=True).endswith("Shall I delete them?")
    assert select_context(text, {"ttl": 1.0}, is_before=False).startswith("I looked at all of it.")


def test_an_agents_report_of_other_work_does_not_stand_before_the_owners_words() -> None:
    """What the agent said before belongs to a hit when it asks, when it has words of the question, or when the hit has none."""
    done = "The waiting list is done."
    said = "mails only between 8 and 20h please"

    def list_before(before: str, hit_text: str, weights: dict[str, float]) -> list[str]:
        rows = [spoken(0, "assistant", before), spoken(1, "user", hit_text)]
        return [line.text for line in make_context(rows, (0, None), weights, hit_text)]

    assert list_before(done, said, {"mail": 2.0}) == []
    assert list_before(f"{done} When may I send?", said, {"mail": 2.0}) != []
    assert list_before(f"{done} It sends mails.", said, {"mail": 2.0}) != []
    assert list_before(done, "60", {"mail": 2.0}) == [done]


def test_an_answer_names_all_entries_that_it_quotes() -> None:
    """In the order of the conversation, each turn with its speaker; a fact goes first, because it names the speaker."""
    form = AnswerForm(ANSWER_TOKENS, UTC_ZONE)
    assert compose_answer([choosing()], WORDS, form) == f"Agent: {MENU} User: {CHOICE} Agent: {DONE} [s:e1 with e0 and e2]"
    fact = choosing('User decided: "the second"', "observation")
    assert compose_answer([fact], WORDS, form).startswith(
        f'User decided: "the second" (before: Agent: {MENU}) (after: Agent: Ten'
    )


def test_the_words_of_a_hit_go_before_its_context() -> None:
    """In a line without room for both the hit stays whole."""
    line = format_hit_line(choosing(), UTC_ZONE, "", join_exchange(choosing(), len(CHOICE) + 20))
    assert line.endswith(f" | User: {CHOICE}")
    assert join_exchange(choosing(), 26) == "User: The second, but not…"


@given(st.text(max_size=500), st.text(max_size=500), st.text(max_size=500), st.integers(1, 400))
def test_context_never_outgrows_its_line(before: str, said: str, after: str, limit: int) -> None:
    """For any texts; and each line of it has its own limit."""
    rows = [spoken(0, "assistant", before), spoken(1, "user", said), spoken(2, "assistant", after)]
    context = make_context(rows, (0, 2), {"a": 1.0})
    assert all(0 < len(line.text) <= CONTEXT_CHARS for line in context)
    text, shown = add_context(replace(choosing(), context=context), said, limit)
    assert len(text) <= max(limit, len(said))
    assert {line.entry_id for line in shown} <= {line.entry_id for line in context}


@given(st.lists(st.tuples(st.text(max_size=300), st.text(max_size=300)), max_size=8))
def test_an_answer_with_context_keeps_to_its_budget(turns: list[tuple[str, str]]) -> None:
    """The first line is always part of it, the others and their context when they fit."""
    hits = [
        replace(choosing(said), id=f"h{number}", context=(ContextLine("assistant", before, "e0", 0, True),))
        for number, (before, said) in enumerate(turns)
    ]
    answer = compose_answer(hits, {"a": 1.0}, AnswerForm(ANSWER_TOKENS, UTC_ZONE))
    assert count_tokens(answer) <= ANSWER_TOKENS
    assert len(answer.split("\n")[0]) <= FIRST_LINE_CHARS + 40


def test_a_guess_that_the_next_turns_deny_is_marked_and_another_is_not() -> None:
    """The cause that nobody denies stays; pasted words deny nothing."""
    guess, cause = "The cause is a modem outage.", "Found it: the cause is the clock, which runs an hour ahead."
    rows = [
        spoken(0, "assistant", guess), spoken(1, "user", "hm, look at the files"),
        spoken(2, "assistant", "They are there, so it was not the modem."), spoken(3, "paste", "it was not the clock"),
        spoken(4, "assistant", cause), spoken(5, "user", "yes"),
    ]  # fmt: skip
    guesses = find_guesses(rows, range(len(rows)))
    assert guesses == {0: (1, 2, 3), 4: (5,)}
    assert mark_refuted(rows, guesses) == {0}
    assert rows[0].get("is_refuted")


def test_a_reply_that_only_takes_note_is_no_context() -> None:
    """One or two words without a value; to a question they are the answer, and a value says something."""
    rows = [spoken(0, "assistant", "Done."), spoken(1, "user", "Never push to main."), spoken(2, "assistant", "Noted.")]
    assert make_context(rows, (0, 2), WORDS, "Never push to main.") == ()
    assert [line.text for line in make_context(rows, (None, 2), WORDS, "Did you push it?")] == ["Noted."]
    rows[2] = spoken(2, "assistant", "Port 5544.")
    assert [line.text for line in make_context(rows, (0, 2), WORDS, "Never push to main.")] == ["Port 5544."]
