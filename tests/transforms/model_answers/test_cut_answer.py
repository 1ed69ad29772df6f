"""An answer that was cut off gives what stands in it whole, and nothing that was being written."""

from __future__ import annotations

import json

from tests.each_case import each_case
from transforms.model_answers.cut_answer import close_answer, find_answer
from transforms.model_answers.window_answer_schema import WindowAnswer
from transforms.model_answers.window_answer_xml import parse_window_xml

FACTS = [{"text": f"Fact {at} stands whole.", "kind": "fact", "priority": "low", "refs": [at, 120 + at]} for at in range(3)]
ANSWER = json.dumps({"segments": [{"topic": 1, "narrative": "Much was said.", "facts": FACTS}], "current_task": "go on"})
LINES = "\n".join(f"* 🟢 [fact] Fact {number} stands whole. (#{number})" for number in range(3))
HEAD = '<observations>\n<segment topic="1">\n<narrative>Much was said.</narrative>\n<facts>\n'
XML = f"{HEAD}{LINES}\n</facts>\n</segment>\n</observations>\n"


def test_every_cut_of_an_answer_gives_its_whole_facts_and_no_half_of_one() -> None:
    """Wherever the output limit falls."""
    whole = {"json": ANSWER, "xml": XML}
    for form, answer in whole.items():
        counts = set()
        for end in range(len(answer)):
            if not (closed := close_answer(form, "Here it is:\n" + answer[:end])):
                continue
            try:
                parsed = parse_window_xml(closed) if form == "xml" else WindowAnswer.model_validate_json(closed)
            except ValueError:
                continue
            texts = [fact.text for segment in parsed.segments for fact in segment.facts]
            assert texts == [fact["text"] for fact in FACTS][: len(texts)]
            cited = {ref for segment in parsed.segments for fact in segment.facts for ref in fact.refs}
            assert cited <= {ref for fact in FACTS for ref in fact["refs"]}, "half a number cites another block"
            counts.add(len(texts))
        assert counts == {0, 1, 2, 3}


@each_case(("form", "raw"), [("json", "I would rather not."), ("json", ""), ("xml", "No.")])
def test_what_is_no_cut_answer_gives_nothing(form: str, raw: str) -> None:
    assert close_answer(form, raw) == ""


@each_case(
    ("answer", "texts"),
    [
        ({"facts": FACTS}, 3),  # no segments
        ({"segments": [{"facts": FACTS}]}, 3),  # no narrative
        ({"segments": [{"narrative": None, "facts": [*FACTS, {"kind": "fact"}, None, "words"]}]}, 3),
        ({"segments": [{"narrative": "Much.", "facts": None}, "words", None]}, 0),
        ({"segments": [{"narrative": "Much.", "facts": [{"text": "Nothing else."}]}]}, 1),
        ({"segments": [{"narrative": "Much.", "facts": [FACTS[0] | {"rejected": ["a", "b"], "cure": 7}]}]}, 1),
        ({"segments": [{"narrative": "Much.", "facts": [FACTS[0] | {"confidence": "high"}]}]}, 1),
    ],
)  # fmt: skip
def test_a_part_of_an_answer_without_form_costs_no_other_part(answer: dict[str, object], texts: int) -> None:
    """One fact without words, or one field in another form, had cost a second request, and twice in a row the window."""
    parsed = WindowAnswer.model_validate(answer)
    assert sum(len(segment.facts) for segment in parsed.segments) == texts


THOUGHT = json.dumps({"segments": [{"topic": 1, "narrative": "A draft.", "facts": []}]})


@each_case(
    "raw",
    [
        f'<think>Maybe {{"a": 1}}, or {THOUGHT}?</think>\n{ANSWER}',
        f'I would set {{"kind": then.\n```json\n{ANSWER}\n```\nThat is all.',
        json.dumps({"name": "WindowAnswer", "arguments": json.loads(ANSWER)}),
        json.dumps({"name": "WindowAnswer", "arguments": ANSWER}),
        f"<tool_call>{json.dumps({'answer': json.loads(ANSWER)})}</tool_call>",
        json.dumps(json.loads(ANSWER) | {"segments": json.dumps(json.loads(ANSWER)["segments"])}),
    ],
)
def test_an_answer_is_found_behind_a_models_thoughts_and_inside_of_what_it_wraps_it_in(raw: str) -> None:
    """The first object of a text had been taken, whatever it was: the window failed, or a draft was its answer."""
    parsed = WindowAnswer.model_validate_json(find_answer(raw, WindowAnswer))
    assert [fact.text for segment in parsed.segments for fact in segment.facts] == [fact["text"] for fact in FACTS]


@each_case(
    "raw",
    [
        ANSWER[:-40],  # cut off
        ANSWER.replace('"topic": 1', '"topic": one') + '}, {"topic": 2, "facts": []}]}',
        "I would rather not.",
        "",
    ],
)
def test_a_part_of_an_answer_that_is_no_json_is_not_taken_for_it(raw: str) -> None:
    """Its segments alone would be read as an answer without the others."""
    assert find_answer(raw, WindowAnswer) == ""


def test_a_number_of_thousands_of_digits_is_no_answer_and_no_error() -> None:
    endless = json.dumps({"segments": []}).replace("[]", "7" * 5_000)
    assert find_answer(endless, WindowAnswer) == ""
    assert find_answer(f"{endless}\n{ANSWER}", WindowAnswer) == ANSWER
