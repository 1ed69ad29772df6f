"""The XML form of a window's answer, as models without structured output write it.

The parser accepts segments, else flat bullets, else lines with a priority mark. Prose of a model that did not understand the
task is not an observation and is refused.
"""

from __future__ import annotations

import re

from transforms.model_answers.answer_xml import read_element, read_fact_lines, strip_fences
from transforms.model_answers.window_answer_schema import SegmentAnswer, XmlWindowAnswer
from transforms.patterns.late_pattern import compile_late

_SEGMENT = compile_late(r"<segment\b([^>]*)>(.*?)</segment>", re.S | re.I)
_STARTS_AT = compile_late(r"starts[_-]?at\s*=\s*[\"']?#?(\d{1,9})[\"']?", re.I)


def parse_window_xml(raw: str) -> XmlWindowAnswer:
    """Return the answer in its parts.

    Raises:
        ValueError: when it holds no observation, or stops in the middle.
    """
    text = strip_fences(raw)
    if re.search(r"<observations\b", text, re.I) and not re.search(r"</observations>", text, re.I):
        raise ValueError("it stops before </observations>")
    body = read_element("observations", text) or text
    segments = [_read_segment(attributes, inside) for attributes, inside in _SEGMENT.findall(body)]
    loose = [] if segments else read_fact_lines(body, with_bullets=body is not text) or read_fact_lines(text, with_bullets=False)
    if not segments and not loose:
        raise ValueError("there is no observation in it")
    return XmlWindowAnswer(
        segments=segments,
        loose=loose,
        current_task=read_element("current-task", text),
        suggested_response=read_element("suggested-response", text),
    )


def _read_segment(attributes: str, inside: str) -> SegmentAnswer:
    moved = _STARTS_AT.search(attributes)
    number = re.search(r"\d+", _STARTS_AT.sub("", attributes))
    facts = read_fact_lines(read_element("facts", inside) or inside, with_bullets="<facts" in inside)
    return SegmentAnswer(
        topic=int(number[0]) if number else 0,
        starts_at=int(moved[1]) if moved else None,
        title=read_element("title", inside),
        narrative=read_element("narrative", inside),
        facts=facts,
    )  # fmt: skip
