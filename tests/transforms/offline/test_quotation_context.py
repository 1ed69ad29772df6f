"""A quotation holds what was written: what is left out is marked, and a few letters that may decide stay."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, result, user
from transforms.language.dialogue_acts import analyse_message
from transforms.offline.candidates import join_quotation
from transforms.offline.engine import OfflineEngine
from transforms.offline.quotation_context import find_earlier_words


@each_case(
    ("typed", "quote"),
    [
        ("Node 22に上げた？だめ。12月末までは20のままで。", "Node 22に上げた？だめ。12月末までは20のままで。"),
        ("Ты в мастер запушил? Нет. Только ветки и MR до декабря.", "Ты в мастер запушил? Нет. Только ветки и MR до декабря."),
        ("Are there mocks in the parser's tests? Kein Mock.", "Are there mocks in the parser's tests? Kein Mock."),
        ("Can you fix the parser's tests? thanks!", "Can you fix the parser's tests?"),
    ],
)
def test_a_short_answer_to_the_own_question_stays_in_the_quotation(typed: str, quote: str) -> None:
    """In any language; thanks are no answer."""
    assert join_quotation(list(analyse_message(typed, "").informative), typed) == quote


def distil(*parts: Any) -> list[str]:
    """Return the facts of a conversation."""
    entries = conversation(*parts)
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    return [fact.text for segment in window.segments for fact in segment.facts]


def test_an_answer_in_a_script_without_spaces_is_about_the_question_that_ends_the_reply() -> None:
    """Its endings stand in every sentence of the reply, so they choose none; "了解しました。" is no reply worth a line."""
    facts = distil(
        user("キャッシュをどうするか調べて"),
        agent("計測しました。ページは毎回データベースを読みます。キャッシュは Redis にしますか？"),
        user("はい、それでいきます。"),
        agent("了解しました。設定ファイルに Redis を追加します。"),
    )
    (answer,) = (text for text in facts if "それでいきます" in text)
    assert "Redis にしますか？" in answer
    assert "Reply: 設定ファイルに" in answer


def test_an_outcome_in_a_script_without_spaces_shares_more_than_endings_with_what_was_said() -> None:
    """Behind a question tool the agent speaks of its answer."""
    options = [{"label": "Shift_JIS"}, {"label": "UTF-8"}]
    ask = call("AskUserQuestion", "q", questions=[{"question": "CSV の文字コードは？", "options": options}])
    facts = distil(
        user("会計のほう、消費税の端数は四捨五入でお願いします"),
        agent("", ask), result("q", 'User has answered your questions: "CSV の文字コードは？"="Shift_JIS".'),
        agent("Shift_JIS で出力します。", call("bash", "c", command="pytest -q")), result("c", "22 passed"),
        user("単価マスタをいじるときは承認が要る"), edited("src/unit.py", "a", "b"), agent("単価マスタに承認を追加しました。"),
    )  # fmt: skip
    assert not any("四捨五入" in text and "出力" in text for text in facts)
    assert any("四捨五入" in text for text in facts)
    assert any("UTF-8" in text and "Shift_JIS" in text for text in facts)


def test_a_reply_in_chinese_is_kept_where_nobody_was_asked_in_between() -> None:
    """It shares no pair with the question, and six letters name two things."""
    facts = distil(
        user("看看当前的代码你分析分析看看呢"),
        agent("", call("bash", "c", command="npm run build")), result("c", "ok"),
        agent("这是 `pi-coding-agent` 0.74.1 版本的编码代理 CLI 包。"),
        user("你是什么模型呢"), agent("我是 pi 编码助手。"),
    )  # fmt: skip
    assert any("分析" in text and "编码代理 CLI 包" in text for text in facts)
    assert any("什么模型" in text and "编码助手" in text for text in facts)


@each_case(
    ("quote", "earlier", "about"),
    [
        (
            "no. leave it",
            ["Start with the reader.", "Would the manifest in lz4 open faster?"],
            "Would the manifest in lz4 open faster?",
        ),
        ("not this reader", ["Start with the reader.", "Would lz4 be faster?"], "Start with the reader."),
        ("he's from Swindon", ["Write the fix and the test.", "I like to see a test fail first."], ""),
    ],
)
def test_words_are_about_an_earlier_sentence_that_shares_theirs_or_asked_something(
    quote: str, earlier: list[str], about: str
) -> None:
    """The sentence that only shares words with the agent's reply was mostly about something else."""
    assert find_earlier_words(quote, earlier) == about


def test_a_value_alone_is_told_with_the_words_that_say_what_has_it() -> None:
    facts = distil(
        user("back the recipes up every night at 2, keep 14 days"), edited("backup.sh", "x", "keep=14"),
        agent("backup.sh dumps the recipes nightly at 02:00 and keeps 14 days."),
        user("keep 30 days rather"), edited("backup.sh", "keep=14", "keep=30"), agent("Kept for 30 days."),
    )  # fmt: skip
    assert any('"keep 30 days rather" (about: "backup.sh dumps the recipes nightly' in text for text in facts)


def test_a_row_keeps_what_became_of_a_thing_and_the_word_that_makes_an_exception() -> None:
    facts = distil(
        user("write down what is open"), agent("Open: flour, oven, permit."),
        user("flour ordered! 25 kilos of rye from the mill, 40 euros, deposit 10 paid"), edited("plan.md", "a", "b"),
        agent("The plan has it."),
        user("just this once push straight to main, Lena waits"), agent("Pushed to main."),
    )  # fmt: skip
    assert any('"flour ordered! 25 kilos' in text for text in facts)
    assert any('"just this once push' in text for text in facts)


def test_a_remainder_without_a_subject_stays_with_the_sentence_before_it() -> None:
    facts = distil(
        user("Put it in the plan"), agent("Plan updated."),
        user("Send the letter to the mill for the discount. Signed as usual."), edited("letter.md", "x", "y"),
        agent("Signed Lena and the bakers."),
    )  # fmt: skip
    assert not any('"Signed as usual' in text for text in facts)
    assert any("discount. Signed as usual." in text for text in facts)
