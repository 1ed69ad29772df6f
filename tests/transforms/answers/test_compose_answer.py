"""Answers: the telling sentences of the hits, each cited, within the budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.compose_answer import (
    ANSWER_HITS,
    ANSWER_TOKENS,
    FIRST_LINE_CHARS,
    LINE_CHARS,
    AnswerForm,
    compose_answer,
    describe_nearest_hit,
    limit_answer_tokens,
)
from transforms.answers.excerpts import cut_excerpt
from transforms.recall.types import ContextLine, Hit, fit_hits_to_budget
from transforms.tables.tokens import count_tokens

FORM = AnswerForm(ANSWER_TOKENS, ZoneInfo("Asia/Tokyo"))


def hits_saying(*texts: str, said_at: datetime | None = None) -> list[Hit]:
    """Return hits of turns of the agent."""
    return [
        Hit(f"id{n}", "turn", text, None, None, None, "s", (f"e{n}",), (n,), said_at, 1.0, speaker="assistant")
        for n, text in enumerate(texts)
    ]


def test_an_answer_to_when_begins_with_the_local_day() -> None:
    """Late in the evening in UTC it is the next day in Tokyo."""
    hits = hits_saying("Moved to Postgres.", said_at=datetime(2026, 5, 18, 20, tzinfo=UTC))
    answer = compose_answer(hits, {}, AnswerForm(100, FORM.zone, date(2026, 5, 20)))
    assert answer == "2026-05-19 (yesterday): Agent: Moved to Postgres. [id0, 2026-05-19]"


def test_what_a_user_pasted_goes_behind_what_was_said() -> None:
    """A log names the subject of a question; a turn with a few pasted words keeps its place."""
    hits = hits_saying("log: the port is taken; the port is taken", "The port is 5544.", "Why port 5544, and not the old one?")
    hits[0] = replace(hits[0], speaker="user", quoted=(0, len(hits[0].text)))
    hits[1] = replace(hits[1], speaker="user", quoted=(0, 3))
    hits[2] = replace(hits[2], speaker="paste")
    answer = compose_answer(hits, {"port": 1.0}, FORM)
    assert [line.partition(" [")[2].rstrip("]") for line in answer.splitlines()][:2] == ["id1", "id0"]
    assert describe_nearest_hit(hits, {}, FORM.zone).endswith("[id1]")


def test_a_citation_names_the_agent_that_stated_a_fact() -> None:
    """An answer is read first, and often nothing below it."""
    [found] = hits_saying("Git commits after major changes")
    assert compose_answer([replace(found, origin="agent")], {}, FORM).endswith(", by the agent]")
    assert "by the agent" not in compose_answer([replace(found, origin="owner")], {}, FORM)


def test_what_was_told_is_not_told_again() -> None:
    """A turn that says what the fact before it says; the order is that of the hits."""
    answer = compose_answer(hits_saying("Claim is one UPDATE now.", "The claim: one UPDATE now", "The lock is gone."), {}, FORM)
    assert [line.partition(" [")[2] for line in answer.splitlines()] == ["id0]", "id2]"]


def test_a_question_about_the_past_is_told_what_was_replaced_and_by_what() -> None:
    """One name is all that differs; elsewhere such a line would be a restatement."""
    hits = hits_saying("The nightly broker keeps its jobs in Redis", "The nightly broker keeps its jobs in Mongo")
    hits[1] = replace(hits[1], superseded_by="id0")
    assert "Mongo" not in compose_answer(hits, {}, FORM)
    answer = compose_answer(hits, {}, replace(FORM, is_past=True))
    assert answer.splitlines()[1] == "Agent: The nightly broker keeps its jobs in Mongo [id1, replaced by id0]"


@given(st.lists(st.text(max_size=500), max_size=9))
def test_an_answer_keeps_to_its_budget(texts: list[str]) -> None:
    """The first line is always part of it, the others when they fit."""
    lines = compose_answer(hits_saying(*texts), {"a": 1.0}, FORM).split("\n")
    assert len(lines) <= ANSWER_HITS
    assert len(lines[0]) <= FIRST_LINE_CHARS + 40
    assert count_tokens("\n".join(lines)) <= ANSWER_TOKENS


def test_an_excerpt_is_the_stretch_that_the_question_is_about() -> None:
    """Not the beginning of a long text."""
    text = "I looked around first. " * 20 + "The TTL is 15 minutes. " + "Then I went on. " * 20
    excerpt = cut_excerpt(text, {"ttl": 3.0, "minut": 1.0})
    assert "The TTL is 15 minutes." in excerpt
    assert len(excerpt) <= LINE_CHARS


@given(st.text(max_size=600), st.integers(10, 300))
def test_an_excerpt_keeps_to_its_limit(text: str, limit: int) -> None:
    """This holds for any text."""
    assert len(cut_excerpt(text, {"a": 1.0}, limit)) <= limit


def test_the_answer_takes_at_most_a_third_of_the_budget() -> None:
    """Without a budget the answer has its usual length."""
    assert [limit_answer_tokens(bound) for bound in (None, 30, 90, 9_000)] == [ANSWER_TOKENS, 10, 30, ANSWER_TOKENS]


def test_hits_beyond_the_budget_are_cut_or_left_out() -> None:
    """The first that does not fit is cut when 20 tokens are left."""
    hits = [Hit(str(n), "turn", "x" * 160, None, None, None, None, (), (), None, 1.0) for n in range(3)]
    assert [len(hit.text) for hit in fit_hits_to_budget(hits, 65)] == [160, 100]
    assert [len(hit.text) for hit in fit_hits_to_budget(hits, 45)] == [160]
    assert len(list(fit_hits_to_budget(hits, None))) == 3


def observed(*texts: str) -> list[Hit]:
    """Return hits of observations."""
    return [Hit(f"o{n}", "observation", text, None, None, None, "s", ("e",), (n,), None, 1.0) for n, text in enumerate(texts)]


def test_a_long_fact_keeps_its_beginning_and_what_the_question_is_about() -> None:
    """Its end alone would not tell who decided what."""
    about = "We would need a second token to style them. " * 8 + "Should I add one for the link colour?"
    answer = compose_answer(
        observed(f'User decided: "yes, links as 666666" (about: "{about}")'), {"link": 1.0, "color": 2.0}, FORM
    )
    assert answer.startswith('User decided: "yes, links as 666666"')
    assert "add one for the link colour?" in answer
    assert len(answer) <= FIRST_LINE_CHARS + 40


def test_an_excerpt_that_begins_within_the_beginning_stands_once() -> None:
    """ "1." in front is a sentence of its own, so that the best stretch begins at the second word."""
    said = 'User decided: "1. We change it: Postgres 16 replaces SQLite as the job store, because two hosts must claim jobs '
    said += 'and the log of SQLite cannot be shared over the network"'
    fact = f"{said} (chosen: Postgres; not: {'a copy of it, ' * 30}none). Outcome: recorded."
    line = compose_answer(observed(fact), {"postgr": 2.0, "job": 2.0, "store": 2.0}, FORM)
    assert line.count("Postgres 16 replaces SQLite") == 1


def test_an_excerpt_is_no_opening_that_says_nothing() -> None:
    """ "Perfect" and `User decided: "That settles it."` stood as answers: the word of ours was in the question, too."""
    tail = (
        ", because losing accepted deliveries on a restart is not acceptable and nobody wants to operate a second service for 40"
    )
    fact = f'User decided: "That settles it. The queue gets no Redis{tail} a minute. The real project gets a table."'
    assert "no Redis" in compose_answer(observed("x" * 20, fact), {"decid": 1.0, "store": 2.0}, FORM)
    turn = Hit("t", "turn", f"Perfect! The queue gets no Redis{tail}. {tail}", None, None, None, "s", ("e",), (1,), None, 1.0)
    turn = replace(turn, speaker="assistant")
    assert "no Redis" in compose_answer([turn, *observed("x" * 20)], {}, FORM)


def test_what_was_said_to_something_told_is_still_news() -> None:
    question = "Should I add a new token for the colour of links, or is one for both enough?"
    answer = compose_answer(observed(question, f'User decided: "no" (about: "{question}")'), {}, FORM)
    assert len(answer.splitlines()) == 2


def test_what_was_said_goes_before_what_was_run() -> None:
    """A command names the subject and answers nothing; it is still shown, behind."""
    hits = hits_saying("bash sqlite3 q.db 'select * from job'", "SQLite went because two hosts claim jobs.")
    hits[0] = replace(hits[0], is_action=True)
    answer = compose_answer(hits, {"sqlit": 1.0}, FORM)
    assert answer.splitlines()[0] == "Agent: SQLite went because two hosts claim jobs. [id1]"
    assert "q.db" in answer.splitlines()[1]


def test_an_excerpt_is_plain() -> None:
    """No marks of Markdown, each item by itself; what is written between them stays letter by letter."""
    decided = "## Key Decisions\n- [x] **Postgres 16**: two hosts must claim jobs\n---\n"
    text = decided + "```bash\nrm *.db && ls **/*.py\n```\n> it went on\nuntil noon"
    assert cut_excerpt(text, {}) == (
        "Key Decisions: Postgres 16: two hosts must claim jobs; rm *.db && ls **/*.py; it went on until noon"
    )


def test_each_stretch_of_a_mixed_turn_is_told_with_its_speaker() -> None:
    """An excerpt of both has both names, and the words of the mail are never the user's."""
    weights, mail, own = {"retri": 1.0, "never": 1.0}, "Never retry more than three times.", "What do they want?\n"
    hit = replace(hits_saying(own + mail)[0], speaker="user", quoted=(len(own), len(own + mail)))
    assert compose_answer([hit], weights, FORM) == f"User: {own.strip()} Pasted: {mail} [id0]"
    hit = replace(hit, text=f"{mail}\n{own}", quoted=(0, len(mail)))
    assert compose_answer([hit], weights, FORM) == f"Pasted: {mail} User: {own.strip()} [id0]"
    long = replace(hit, text=own * 20 + mail, quoted=(len(own * 20), len(own * 20 + mail)))
    answer = compose_answer([long], weights, FORM)
    assert answer.startswith("User: What do they want?")
    assert answer.endswith(f" Pasted: {mail} [id0]")
    assert compose_answer([replace(hit, quoted=(), speaker="skill")], {}, FORM).startswith("Skill: ")
    assert describe_nearest_hit([hit], weights, FORM.zone).startswith(f"Pasted: {mail} User: ")


def test_a_guess_that_was_refuted_goes_behind_the_cause() -> None:
    """However well it matches the question."""
    hits = [replace(hit, speaker="assistant") for hit in hits_saying("The modem missed an hour.", "The clock ran an hour ahead.")]
    hits[0] = replace(hits[0], is_refuted=True)
    assert compose_answer(hits, {"hour": 1.0, "miss": 1.0}, FORM).startswith("Agent: The clock ran an hour ahead.")


def test_a_question_that_nobody_answered_goes_behind_what_was_said() -> None:
    """With its answer beside it, it is an exchange and keeps its place."""
    hits = [replace(hit, speaker="user") for hit in hits_saying("Which port does the relay take?", "The relay has port 5544.")]
    assert compose_answer(hits, {"relay": 1.0}, FORM).splitlines()[0].endswith("[id1]")
    reply = ContextLine("assistant", "It takes 5544 on all hosts.", "e9", 3, is_before=False)
    hits[0] = replace(hits[0], context=(reply,))
    assert compose_answer(hits, {"relay": 1.0}, FORM).startswith("User: Which port does the relay take? Agent: It takes 5544")


def test_an_excerpt_of_a_quotation_closes_its_marks() -> None:
    """What a cut or the end of a sentence leaves open."""
    text = (
        'User decided: "decided: SQLite as the job store, there is one node. Nothing to operate on. '
        + "It is enough for us. " * 20
    )
    answer = compose_answer(observed(f'{text}" (about: "the store (jobs)")'), {"node": 1.0}, FORM)
    assert answer.count('"') % 2 == 0
    assert answer.count("(") == answer.count(")")


def test_what_was_turned_down_says_so_first_when_it_is_cut() -> None:
    """Its end says that it was turned down; whole it needs no mark."""
    tried = f"Iterators for `ParseCamt` ({'one line after the other, ' * 20}less memory) were proposed and turned down."
    long, short = [replace(observed(text)[0], kind="rejected") for text in (tried, "Renaming it was dropped.")]
    answer = compose_answer([long], {"iterator": 1.0}, FORM)
    assert answer.startswith("Turned down: Iterators for `ParseCamt` (")
    assert len(answer.partition(" [")[0]) <= FIRST_LINE_CHARS
    assert compose_answer([short], {}, FORM).startswith("Renaming")
    assert not compose_answer([replace(long, kind="fact")], {}, FORM).startswith("Turned down")


def test_the_words_that_a_question_is_about_survive_the_label_of_their_note() -> None:
    """For notes of any length: the label takes its room from the words around them."""
    for repeated in range(1, 16):
        note = f"{'The pool is too small for all of them. ' * repeated}Raise `default_pool_size` from 20 to 80"
        [hit] = observed(f"The pooler stays in transaction mode. {'It was asked about twice. ' * 6}(wrong: {note})")
        answer = compose_answer([hit], {"default_pool_size": 3.0, "rais": 3.0}, FORM)
        assert answer.partition(" [")[0].endswith("Raise `default_pool_size` from 20 to 80)")


def test_a_long_line_stays_whole_and_context_gives_way_to_new_lines() -> None:
    """Only the first line has its context in any case: an answer that stands in the fourth hit is worth more."""
    chores = ("reads the queue", "mends the table", "counts old coins", "writes long letters")
    hits = hits_saying(*(f"Daily{number} Ada {chore}{f', {chore}{number}' * 8}, daily." for number, chore in enumerate(chores)))
    around = [
        replace(hit, context=(ContextLine("user", f"and what of {hit.text[:6]}, {f'look{n} again ' * 9}?", f"b{n}", n, True),))
        for n, hit in enumerate(hits)
    ]
    lines = compose_answer(around, {"daili": 1.0, "queue": 1.0}, FORM).splitlines()
    assert [line.rpartition(" [")[2].rstrip("]") for line in lines[:3]] == ["id0 with b0", "id1", "id2"]
    assert all("daily." in line for line in lines)


def test_a_stretch_out_of_a_note_says_of_which_note() -> None:
    """What was wrong or rejected is no truth without the word in front of it."""
    note = f"{'The pool is too small for all of them. ' * 6}Raise `default_pool_size` from 20 to 80"
    [hit] = observed(f"The pooler stays in transaction mode. {'It was asked about twice. ' * 6}(wrong: {note})")
    answer = compose_answer([hit], {"default_pool_size": 3.0, "rais": 3.0}, FORM)
    assert "(wrong: …The pool is too small" in answer
    assert answer.partition(" [")[0].endswith("Raise `default_pool_size` from 20 to 80)")
    assert answer.count("(") == answer.count(")")


def test_a_short_turn_about_nothing_that_was_asked_closes_no_answer() -> None:
    """One that answers a question about it does, and what the agent says to it."""
    hits = [replace(hit, speaker="user") for hit in hits_saying("The zips are stored on Tigris.", "ah rite", "yes please")]
    beside = [ContextLine("agent", text, "c", 9, is_before=True) for text in ("The zips are small.", "Store the zips on Tigris?")]
    hits = [hits[0], replace(hits[1], context=(beside[0],)), replace(hits[2], context=(beside[1],))]
    answer = compose_answer(hits, {"zip": 1.0, "store": 1.0, "zips": 1.0, "stored": 1.0}, FORM)
    assert "ah rite" not in answer
    assert "yes please" in answer


def test_a_doubted_answer_has_the_nearest_line_and_only_what_is_about_the_question_beside_it() -> None:
    """Of four lines two have a share of the question's words; without a doubt all stand."""
    said = hits_saying(
        "The colour of the logo is kept in the brand folder.",
        "Run the migration before the release and tell the whole team about it afterwards.",
        "The logo of the shop is in brand.svg.",
        "The colour of the footer was too dark for most readers, so it became lighter.",
    )
    weights = {"colour": 1.0, "logo": 3.0, "choos": 2.0}
    form = FORM
    assert len(compose_answer(said, weights, form).splitlines()) == 4
    doubted = compose_answer(said, weights, replace(form, is_doubted=True)).splitlines()
    assert [line.partition(" [")[0] for line in doubted] == [f"Agent: {said[place].text}" for place in (0, 2)]
