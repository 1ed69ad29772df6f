"""What a message says beside a line of it: the subject, the other half and the reason, and never talk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.quoting.whole_claim import (
    MAX_WHOLE_CHARS,
    add_bans,
    complete_line,
    drop_echo,
    is_run_on,
    names_little,
    restore_answer,
)


def _is_any(_: str) -> bool:
    return True


@each_case(
    ("line", "message", "whole"),
    [
        ("Always name the quay", "the crane is on 4b. always name the quay", "The crane is on 4b. Always name the quay"),
        ("Tides only read, never written", "3. no write back. tides only read, never written. the buoy is source",
         "No write back. Tides only read, never written. The buoy is source"),
        ("Squash at the merge, never before it on a shared branch", "Squash at the merge, never before it on a shared branch.",
         "Squash at the merge, never before it on a shared branch"),
    ],
)  # fmt: skip
def test_a_rule_that_names_little_is_told_with_the_sentences_beside_it(line: str, message: str, whole: str) -> None:
    assert complete_line(line, message, _is_any, _is_any) == whole


def test_an_item_of_a_list_is_told_whole_and_the_other_items_are_not() -> None:
    message = (
        "Before you start:\n1. Never touch the locks on Monday.\n"
        "2. Everything is moored on the north quay. Insurance wants it. "
        "No boat longer than nine metres on the south quay or the mole.\n"
        "3. Tags on every rope."
    )
    line = "No boat longer than nine metres on the south quay or the mole"
    assert complete_line(line, message, _is_any, _is_any) == f"Everything is moored on the north quay. Insurance wants it. {line}"


def test_a_sentence_that_goes_on_with_a_rule_is_told_with_it_and_so_is_what_it_goes_on_from() -> None:
    message = (
        "rollout rule: always the pilot first, two days there, then the others. and nothing sails on a friday, i want my evenings"
    )
    line = "Always the pilot first, two days there, then the others"
    whole = "Rollout rule: always the pilot first, two days there, then the others. And nothing sails on a friday"
    assert complete_line(line, message, _is_any, _is_any) == whole
    steps = "How we launch. Five boats for one week. Then twenty. And never launch on a Friday in the harbour of the ferry line."
    line = "Never launch on a Friday in the harbour of the ferry line"
    assert complete_line(line, steps, _is_any, _is_any) == f"How we launch. Five boats for one week. Then twenty. {line}"


@each_case(
    "message",
    [
        "who moored there? never moor on chains",
        "you moored at the mole again. never moor on chains. show me the rope",
        "ola here, reading along. never moor on chains. that one too",
        "the second one. never moor on chains",
        "never moor on chains\nthe lamp of the mole is red",
    ],
)
def test_what_asks_or_speaks_or_points_and_what_stands_in_another_paragraph_is_not_told_with_a_rule(message: str) -> None:
    assert complete_line("Never moor on chains", message, _is_any, _is_any) == "Never moor on chains"


def test_a_message_in_another_language_is_not_told_with_a_rule() -> None:
    """Nobody knows there which sentence speaks of the speakers."""
    message = "Tu m'as déjà fait le coup hier soir sur le quai. Jamais de chaînes. Montre la corde"
    assert complete_line("Jamais de chaînes", message, _is_any, _is_any) == "Jamais de chaînes"


def test_what_may_not_stand_in_memory_is_not_told_with_a_rule() -> None:
    message = "tests are red today. never moor on chains. ropes only"
    assert (
        complete_line("Never moor on chains", message, lambda text: "today" not in text, _is_any)
        == "Never moor on chains. Ropes only"
    )


def test_a_rule_with_a_subject_of_its_own_stays_alone() -> None:
    line = "Every harbour report names the tide table and its year"
    assert complete_line(line, f"The lamp is red. {line}. The crane is on 4b.", _is_any, _is_any) == line


def test_a_head_that_only_calls_it_a_rule_is_no_subject() -> None:
    line = "Always name the harbour, the quay and the tide of a report"
    assert complete_line(line, f"hard rule: {line.lower()}", _is_any, _is_any) == line


def test_a_word_said_once_more_at_the_end_is_left_out() -> None:
    assert drop_echo("Always the north quay, always") == "Always the north quay"
    assert drop_echo("Always the north quay, never the mole") == "Always the north quay, never the mole"


def test_a_word_that_answers_something_is_not_told_beside_a_rule() -> None:
    message = "NEE. never retained on cmd topics. last winter a gateway started a compressor with one from three days before"
    whole = complete_line("Never retained on cmd topics", message, lambda sentence: True, _is_any)
    assert whole.startswith("Never retained on cmd topics. Last winter")


def test_a_run_of_sentences_without_a_mark_is_no_line() -> None:
    """Who dictates says a remark, a rule and a question in one breath; the line would be all of it."""
    rule = "so never use the clock of the winch use the time of the server"
    breath = f"no um the clock of the winch is rubbish anyway {rule} not even the newest one a boat can be late"
    assert is_run_on(breath)
    assert not is_run_on(rule)
    marked = "Never moor at the pier in winter, the ice moves the boats there, and nobody pays for a hull that it has opened"
    assert not is_run_on(f"{marked} by then")


@each_case(
    "line",
    [
        "احفظ المبالغ دائما بأعداد صحيحة، ولا تستخدم الكسور أبدا، واكتب الاختبارات قبل الكود، ولا تدفع إلى الفرع الرئيسي، واسأل"
        " قبل حذف أي ملف، وسجل كل شيء",
        " ".join(["राशि को हमेशा पूर्णांक में सहेजें।"] * 6),
    ],
)
def test_the_marks_of_other_scripts_part_sentences_too(line: str) -> None:
    assert not is_run_on(line)


def test_a_rule_of_two_words_names_little() -> None:
    assert names_little("Always pass the serial")
    assert not names_little("Always pass the serial of the bench probe")


def test_what_is_forbidden_beside_a_choice_is_told_with_it_and_an_order_is_not() -> None:
    line = "Own lamp driver in the quay library"
    said = "second. No dependency near the lamps. And delete the old driver. Never the first. I do not guess"
    assert add_bans(line, said, _is_any) == f"{line}. No dependency near the lamps"
    assert add_bans("No dependency near the lamps", said, _is_any) == "No dependency near the lamps"


def test_an_answer_that_the_row_cut_off_is_told_as_the_tool_returned_it() -> None:
    row = 'Ola decided: "the harbour makes them. 14 days ahead. And raw only 30 da…" (asked: Who makes the tables?; not: a job)'
    source = 'User has answered: "Who makes the tables?"="the harbour makes them. 14 days ahead. And raw only 30 days". Go on.'
    assert restore_answer(row, source) == row.replace("30 da…", "30 days")
    assert restore_answer(row, "something else") == row
    whole = row.replace("30 da…", "30 days")
    assert restore_answer(whole, source) == whole


@given(st.text(max_size=60), st.text(max_size=400))
def test_no_message_makes_a_line_too_long_or_another_one(line: str, message: str) -> None:
    whole = complete_line(line, message, _is_any, _is_any)
    assert whole == line or len(whole) <= MAX_WHOLE_CHARS


@each_case(
    ("message", "whole"),
    [
        ("we dont bake with lard any more, Ben left. fat = butter only",
         "We dont bake with lard any more, Ben left. Fat = butter only"),
        ("we bake the rye with lard from the mill now, Ben came. fat = lard only",
         "We bake the rye with lard from the mill now, Ben came"),
        ("the mill no longer delivers on Monday mornings. is that ok?", "The mill no longer delivers on Monday mornings"),
    ],
)  # fmt: skip
def test_a_line_that_says_what_is_over_is_told_with_the_sentence_behind_it_that_says_what_holds(message: str, whole: str) -> None:
    line = message.split(". ", maxsplit=1)[0]
    assert complete_line(f"{line[:1].upper()}{line[1:]}", message, _is_any, _is_any) == whole


@each_case(
    ("line", "message", "whole"),
    [
        ("Always keep the index warm before the demo",
         "Always keep the index warm before the demo. it has to answer in under a second.",
         "Always keep the index warm before the demo. It has to answer in under a second"),
        ("Run the smoke suite on staging before any release",
         "From now on run the smoke suite on staging before any release. it must be green.",
         "Run the smoke suite on staging before any release. It must be green"),
        ("Run the smoke suite on staging before any release",
         "From now on run the smoke suite on staging before any release. it was red yesterday.",
         "Run the smoke suite on staging before any release"),
        ("Run the smoke suite on staging before any release",
         "From now on run the smoke suite on staging before any release. show me the log. it must be green.",
         "Run the smoke suite on staging before any release"),
    ],
)  # fmt: skip
def test_a_rule_keeps_the_condition_right_behind_it(line: str, message: str, whole: str) -> None:
    """The pronoun means what the rule names; behind another sentence nobody knows what must be green."""
    assert (
        complete_line(line, message, _is_any if "show" not in message else lambda sentence: "show" not in sentence, _is_any)
        == whole
    )


def test_what_stands_before_from_now_on_or_answers_somebody_is_no_part_of_a_rule() -> None:
    occasion = "1. You rang the bell in the fog. The fog is always happy. From now on: no bell without the harbour book"
    assert (
        complete_line("No bell without the harbour book", occasion, lambda _: True, _is_any) == "No bell without the harbour book"
    )
    answer = "Yes, the harbour book, twelve lines at most. No bell at night"
    assert complete_line("No bell at night", answer, lambda _: True, _is_any) == "No bell at night"


def test_a_ban_is_told_with_the_sentence_that_says_where_something_is_allowed() -> None:
    """Ticked alone, "Never lift, lower or turn" forbade the crane everything, everywhere."""
    message = "On the old quay you may stand. You may not lift, lower or turn. You rang the bell"
    whole = "On the old quay you may stand. Never lift, lower or turn"
    assert complete_line("Never lift, lower or turn", message, lambda _: True, _is_any) == whole


@each_case(
    ("line", "message", "whole"),
    [
        ("Every gate of the quay: lamp lit, chain up", "the mayor walks there. and every gate of the quay: lamp lit, chain up",
         "Every gate of the quay: lamp lit, chain up"),
        ("No cranes on the old harbour quay", "no cranes on the old harbour quay. the mayor walks there with the dog",
         "No cranes on the old harbour quay"),
        ("Always name the quay", "the crane is on 4b. always name the quay", "The crane is on 4b. Always name the quay"),
        ("Never lift, lower or turn", "on the old quay you may stand. Never lift, lower or turn",
         "On the old quay you may stand. Never lift, lower or turn"),
        ("No cranes on the old harbour quay", "no cranes on the old harbour quay. and no lorries on the mole",
         "No cranes on the old harbour quay. And no lorries on the mole"),
    ],
)  # fmt: skip
def test_a_rule_that_names_its_matter_is_told_without_the_talk_beside_it(line: str, message: str, whole: str) -> None:
    """What is joined to it, says where something is allowed, or names what a bare rule is about stays."""
    assert complete_line(line, message, _is_any, lambda _: False) == whole


def test_a_sentence_that_ends_with_an_outcry_gets_no_second_stop() -> None:
    assert (
        complete_line("Never moor on chains", "never moor on chains! ropes only", _is_any, _is_any)
        == "Never moor on chains. Ropes only"
    )
    message = "the crane is on 4b! always name the quay"
    assert complete_line("Always name the quay", message, _is_any, _is_any) == "The crane is on 4b! Always name the quay"
