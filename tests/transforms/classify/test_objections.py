"""Whether a message may object to the agent's words is judged by form, in any language."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.classify.objections import MIN_OBJECTION, OBJECTION_WEIGHTS, ObjectionWeights, judge_objection
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.replies.doubted_words import describe_later_words, mark_doubted


def judge(before: str, typed: str) -> float:
    """Return the probability that a message corrects the agent's words before it."""
    return judge_objection(describe_later_words(before, typed))


@each_case(
    "before, objection, plain",
    [
        (
            "Listo: el límite del almacén queda en 40 cajas por turno.",
            "el almacén pequeño se queda en 25 cajas, 40 cajas por turno es solo para el grande de Vigo",
            "gracias, mañana lo miro",
        ),
        (
            "Das Backup läuft jetzt jede Nacht um 3 Uhr auf dem Server.",
            "auf dem Server läuft das Backup um 1 Uhr, um 3 Uhr startet schon der Export der Kasse",
            "super, danke dir",
        ),
        (
            "Експорт готовий: роздільник кома, дати у форматі ISO.",
            "експорт має роздільник крапка з комою, дати у форматі дд.мм.рррр, кома ламає Excel!!",
            "добре, дякую",
        ),
        (
            "창고 라벨은 이제 하루에 40장까지 인쇄됩니다.",
            "작은 창고 라벨은 25장이고 40장은 비고 쪽만 해당돼",
            "고마워, 내일 볼게",
        ),
        (
            "バックアップは毎晩サーバーで実行されます。",
            "いやバックアップはまだ手で動かしてるだけ",
            "ありがとう",
        ),
    ],
)
def test_who_takes_up_the_claim_at_some_length_objects_and_who_thanks_does_not(before: str, objection: str, plain: str) -> None:
    assert judge(before, objection) >= MIN_OBJECTION > judge(before, plain)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_have_one_probability(before: str, typed: str) -> None:
    assert 0 <= judge(before, typed) == judge(before, typed) <= 1


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_an_agent_that_asked_is_answered_and_not_corrected(before: str, typed: str) -> None:
    said = before.rstrip(" ?？!.…")
    assert judge(f"{said}?", typed) <= judge(f"{said}.", typed) or said == ""


def test_nothing_is_doubted_without_a_claim_or_without_a_message_behind_it() -> None:
    certain = replace_bias(50.0)
    said = split_exchanges(conversation(user("hola"), user("mira esto"), agent("Hecho."), user("vale"), agent("Bien.")))
    exchanges = [replace(exchange, is_unread=True) for exchange in said]
    assert [exchange.is_doubted for exchange in mark_doubted(exchanges, weights=certain)] == [False, True, False]
    assert not any(exchange.is_doubted for exchange in mark_doubted(exchanges, weights=replace_bias(-50.0)))
    assert not any(exchange.is_doubted for exchange in mark_doubted(said, weights=certain)), "English is read"
    assert mark_doubted([]) == []
    assert mark_doubted(exchanges[:1]) == [replace(exchanges[0], is_doubted=False)]


def replace_bias(bias: float) -> ObjectionWeights:
    """Return weights that doubt all or nothing."""
    return OBJECTION_WEIGHTS._replace(bias=bias)
