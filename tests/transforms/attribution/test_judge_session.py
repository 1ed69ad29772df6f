"""Who wrote the user entries of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.attribution.judge_session import LakeSigns, SpokenEntry, judge_session
from transforms.attribution.session_frames import find_subagent
from transforms.classify.features import BITS, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.speakers import Attribution, attribute_entry, extract_words_of

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANSWER = "I would move the session cache to redis, keep the old keys for a week and delete the nightly job after that."
NOTICE = "Tool budget: 45 of 50 calls were used in this turn, finish what you are doing and report the open points"


def classifier() -> TurnClassifier:
    """Return a classifier that takes everything for typed but texts with many capital words."""
    weights = np.zeros((1 << BITS, 2), np.float32)
    slots, _ = hash_features({"word:severity": 1.0})
    weights[slots, 0] = 60.0
    typed = LinearModel(("other", "typed"), weights, np.array([0.0, 1.0], np.float32))
    return TurnClassifier(LinearModel(("none",), np.zeros((1 << BITS, 1), np.float32), np.zeros(1, np.float32)), typed)


def talk(*texts: str, roles: str = "", waits: float = 60) -> list[SpokenEntry]:
    """Return entries of a session: `u` a user, `a` an agent, `t` a tool; by default user and agent take turns."""
    roles = roles or "ua" * len(texts)
    names = {"u": "user", "a": "assistant", "t": "toolResult"}
    entries = []
    for at, (text, role) in enumerate(zip(texts, roles, strict=False)):
        attribution = attribute_entry("message", names[role], text)
        said_at = START + timedelta(seconds=waits * at)
        entries.append(SpokenEntry(at, role == "u", role == "a", False, text, said_at, attribution))
    return entries


def judge(entries: list[SpokenEntry], **signs: object) -> dict[int, Attribution]:
    """Judge a session."""
    return judge_session(entries, classifier(), LakeSigns(**signs))  # type: ignore[arg-type]


def test_a_quotation_of_the_agent_is_not_the_owners_and_the_remark_on_it_is() -> None:
    """Each with its reason."""
    text = f"no redis please\n\n{ANSWER}"
    attribution = judge(talk("how do we speed it up?", ANSWER, text))[2]
    assert [(part.speaker, part.reason) for part in attribution.parts] == [
        ("owner", "format:user_text"), ("paste", "quoted_from_agent"),
    ]  # fmt: skip
    assert extract_words_of("owner", text, attribution) == "no redis please"


def test_points_below_a_quoted_line_of_the_agent_are_the_owners_answer() -> None:
    """Alone they look like a review, and below words that nobody said here they may be one."""
    points = "1. Severity of a lost key is high, so the vault rotates it.\n2. Severity of a lost ticket is none."
    said = "Two ways are open. We could rotate the key by hand each quarter, or keep none."
    answer = f"> We could rotate the key by hand each quarter\n{points}"
    assert points in extract_words_of("owner", answer, judge(talk("how do we keep tickets?", said, answer))[2])
    further = f"> We could rotate the key by hand each quarter\nno, see the review.\n\n{points}"
    assert points not in extract_words_of("owner", further, judge(talk("how do we keep tickets?", said, further))[2])
    other = f"> The committee asks for a report each quarter\n\n{points}"
    assert points not in extract_words_of("owner", other, judge(talk("how do we keep tickets?", said, other))[2])


def test_the_changed_word_of_a_mock_up_is_the_owners() -> None:
    """The rest of the text stays the agent's."""
    text = ANSWER.replace("redis", "valkey")
    attribution = judge(talk("how do we speed it up?", ANSWER, text))[2]
    assert extract_words_of("owner", text, attribution) == "valkey,"
    assert {part.reason for part in attribution.parts} == {"edited_quotation", "quoted_from_agent"}


def test_the_changed_line_of_a_config_is_the_owners_and_the_rest_is_the_agents() -> None:
    """It is shorter than any quotation; judged again, the answer is the same."""
    text = "ratio = 2:1\nmax_litres = 4\nnotify = sms"
    entries = talk("draft it", f"Here it is:\n\n{text.replace('2:1', '1:1')}", text)
    attribution = judge(entries)[2]
    assert extract_words_of("owner", text, attribution) == "ratio = 2:1"
    assert [part.reason for part in attribution.parts] == ["edited_quotation", "quoted_from_agent"]
    assert judge([*entries[:2], replace(entries[2], attribution=attribution)])[2] == attribution


def test_what_a_colleague_wrote_in_chat_is_a_paste_up_to_the_owners_question() -> None:
    """Without any mark around it; the owner who takes it over makes it their own."""
    words = "i prefer merges. never force push to main."
    attribution = judge(talk(f"joao writes: {words} whats your take"))[0]
    assert extract_words_of("owner", "joao writes: ".ljust(13) + f"{words} whats your take", attribution).split("\n") == [
        "joao writes:", "whats your take",
    ]  # fmt: skip
    assert attribution.parts[1].reason == "reported_words"
    assert judge(talk(f"joao writes: {words} do it like that"))[0].parts == ()


def test_somebodys_sentences_between_quotation_marks_are_a_paste() -> None:
    """The remark around them is the owner's."""
    text = 'Bo wrote to his team, is it for us?\n"From now on all of it goes over gRPC. REST is banned, for all of us."\nno'
    attribution = judge(talk(text))[0]
    assert extract_words_of("owner", text, attribution).split("\n") == ["Bo wrote to his team, is it for us?", "no"]
    assert [part.reason for part in attribution.parts] == ["format:user_text", "quotation_marks", "format:user_text"]


def test_a_review_below_the_name_of_its_author_is_a_paste() -> None:
    """The choice of its points is the owner's; judged again, the answer is the same."""
    text = "Review by Ada:\n\n1. We must never log the bodies.\n2. We decided to use tabs.\n\nonly take point 2"
    entries = talk(text)
    attribution = judge(entries)[0]
    assert extract_words_of("owner", text, attribution).split("\n") == ["Review by Ada:", "only take point 2"]
    assert [part.reason for part in attribution.parts] == ["format:user_text", "given_block", "format:user_text"]
    assert judge([replace(entries[0], attribution=attribution)])[0] == attribution


def test_what_was_changed_in_a_quotation_is_a_wish_also_between_marks() -> None:
    """The former sentence is known, so the difference is."""
    former = "Both sessions keep their checkpoints and run one after the other. See the manual for the rest of it."
    text = f'please write "{former.replace("one after the other", "side by side")}" there'
    attribution = judge(talk("hm", former, text))[2]
    assert "side by side" in extract_words_of("owner", text, attribution)


def test_what_a_tool_printed_is_a_paste() -> None:
    """Also when no rule knows its form."""
    output = "harbour office closes at noon on fridays and every berth beyond the second pier needs a permit"
    attribution = judge(talk("check it", output, output, roles="utu"))[2]
    assert (attribution.speaker, attribution.reason) == ("paste", "quoted_from_tool_result")


def test_a_notice_that_recurs_with_other_numbers_is_an_extensions() -> None:
    """Three times with answers between them; a message that got no answer is sent again by people."""
    recurring = judge(talk(NOTICE, "ok", NOTICE.replace("45", "46"), "ok", NOTICE.replace("45", "47"), "ok"))
    assert {attribution.speaker for attribution in recurring.values()} == {"extension"}
    again = judge(talk(NOTICE, NOTICE, NOTICE, "ok", roles="uuua"))
    assert {attribution.speaker for attribution in again.values()} == {"owner"}


def test_the_words_behind_a_skill_are_the_owners_also_when_the_skill_recurs() -> None:
    """The sign of the lake is about the owner's part."""
    text = '<skill name="s" location="/s/SKILL.md">\nAlways cite.\n</skill>\n\nlook up the dues'
    assert extract_words_of("owner", text, judge(talk(text, "ok"))[0]) == "look up the dues"
    attribution = judge(talk("a template of a page", "ok"), recurring={0})[0]
    assert (attribution.speaker, attribution.reason) == ("command", "recurrence")


def test_learned_register_takes_a_review_from_the_owner() -> None:
    """Medium Severity is not a word of a person."""
    text = "The parser drops the last line when the file has no final newline.\n\nMedium Severity: severity is medium"
    attribution = judge(talk("go", "done", text))[2]
    assert [(part.speaker, part.reason) for part in attribution.parts] == [("owner", "format:user_text"), ("paste", "learned")]


def test_a_paste_in_another_style_than_its_owners_is_told_by_it() -> None:
    """The judge is in doubt: the owner's other messages decide, whatever stands between; an owner of plain habits keeps it."""
    paste = "# Board\n1. Restart `all` Pods Of The Board.\n2. Drain The Node. Wait. Drain The Next One."
    text = f"now the runbook, meenal sent it\n\n{paste}\n\nrestart we never do, drain is ok"
    small = [
        f"no no i told you that the {part} stays, leave it as it is. and look" for part in ("cache", "queue", "probe", "chart")
    ]
    entries = talk(*[words for line in small for words in (line, "ok")], text)
    own = judge(entries)[8]
    assert [part.speaker for part in own.parts] == ["owner", "paste", "owner"]
    assert extract_words_of("owner", text, own).split("\n")[-1] == "restart we never do, drain is ok"
    assert judge([*entries[:8], replace(entries[8], attribution=own)])[8] == own
    alone = judge([*entries[:8], *talk(*[""] * 8, paste)[8:]])[8]
    assert (alone.speaker, alone.parts) == ("owner", ())  # people change their style from one message to the next
    assert judge(talk(text))[0].speaker == "owner"
    assert not judge(talk(text))[0].parts


def test_a_decision_behind_its_announcement_is_the_owners_and_a_clients_demand_is_not() -> None:
    """The judge takes both for a review: it sees the words behind the colon alone."""
    core = "Garage with severity levels replaces Ceph as the object store, because two of them are harder to run"
    own, named = judge(talk(f"we change the decision: {core}", ANSWER, f"our client demands the following: {core}")).values()
    assert own.speaker == "owner"
    assert not own.parts
    assert [part.speaker for part in named.parts] == ["owner", "paste"]


def test_nothing_in_a_session_that_an_agent_opened_is_the_owners() -> None:
    """By the lake's sign, or by the header of a program in front of the only prompt."""
    prompt = "Resolve the type errors in the tests only. Never touch the sources."
    by_sign = judge(talk(prompt, "done", "go on"), is_child=True)
    assert {attribution.speaker for attribution in by_sign.values()} == {"parent_agent"}
    entries = talk(f"<!-- task:6 -->\n{prompt}", "done")
    by_header = judge(entries)
    assert (by_header[0].speaker, by_header[0].reason) == ("parent_agent", "child_session")
    assert find_subagent(entries, by_header) is True


def test_a_header_in_a_session_where_somebody_typed_is_an_extensions() -> None:
    """The session is the owner's."""
    entries = talk("fix the tests please", "done", "<!-- cleanup -->\nRemove dead code always.", "done")
    attribution = judge(entries)
    assert (attribution[0].speaker, attribution[2].speaker) == ("owner", "extension")
    assert find_subagent(entries, attribution) is False


@given(st.lists(st.sampled_from([ANSWER, NOTICE, "no", f"x: {ANSWER}", "```\nlog\n```\nwhy?", "severity " * 9]), max_size=9))
def test_judging_twice_changes_nothing(texts: list[str]) -> None:
    """What a sign took from the owner is given back before the next judgement."""
    entries = talk(*texts)
    once = judge(entries)
    stored = [
        SpokenEntry(
            entry.ordinal,
            entry.is_user,
            entry.is_answer,
            False,
            entry.text,
            entry.said_at,
            once.get(entry.ordinal, entry.attribution),
        )
        for entry in entries
    ]
    assert judge(stored) == once


def test_a_typed_line_right_above_a_log_is_judged_without_the_log() -> None:
    """No blank line parts them, and the judge knows the words of the log for nobody's."""
    lead = "On Friday evening the broker was restarted and nothing came in for nine hours, here"
    log = "Oct 30 21:14:02 host app[1]: severity=WARN connection lost\nOct 30 21:14:05 host app[1]: severity=INFO connected"
    text = f"{lead}\n{log}"
    assert extract_words_of("owner", text, judge(talk(text))[0]).strip() == lead


def test_forms_that_became_known_later_are_found_in_sessions_that_were_read_before() -> None:
    """Where the text alone told; what a client marked stays as its reader said."""
    text = "kasia wrote:\n[Kasia M., 10:14] the certificate comes on Friday, please wait\nok we wait"
    entry = replace(talk(text)[0], attribution=Attribution("owner", "format:user_text"))
    assert extract_words_of("owner", text, judge([entry])[0]).split("\n") == ["kasia wrote:", "ok we wait"]
    marked = Attribution("system", "claude:meta")
    assert judge([replace(entry, attribution=marked)])[0] == marked


def test_how_an_owner_writes_is_measured_once_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured for each message, a session of 7,000 messages took a minute."""
    calls: list[int] = []

    def note(own_words: Sequence[str]) -> bool:
        """Note a measurement."""
        calls.append(len(own_words))
        return False

    monkeypatch.setattr("transforms.attribution.judge_session.writes_formally", note)
    judge(talk(*(f"message number {number} about the queue" for number in range(9))))
    assert calls == [5]
