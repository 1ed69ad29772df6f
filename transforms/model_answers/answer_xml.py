"""The parts of the XML form that all answers share: fences, elements, and lines with a priority mark."""

from __future__ import annotations

import re

from transforms.model_answers.answer_fields import parse_numbers
from transforms.model_answers.window_answer_schema import XmlFact
from transforms.patterns.late_pattern import compile_late

_FENCE_LINE = compile_late(r"^\s*```\w*\s*$", re.M)
_MARKED_LINE = compile_late(r"^\s*(?:[-*•+]\s*)?(?:\*\*)?\s*(?P<mark>🔴|🟡|🟢|✅)\ufe0f?\s*(?:\*\*)?\s*(?P<rest>\S.*)$")
_BULLET = compile_late(r"^\s*[-*•+]\s+(?P<rest>\S.*)$")
_KIND = compile_late(r"^\[(?P<kind>[A-Za-z][\w -]{2,20})(?:/(?P<category>[\w -]+))?\]\s*")
_LEADING_CLOCK = compile_late(r"^\((?P<clock>\d{1,2}:\d\d)\)\s*")
_BRACKETED_REFS = compile_late(r"(?:(?<!\s)\s++)?[(\[](?:refs?:?\s*)?#\d++(?:[\s,;–-]*+(?:and\s+)?#?\d++)*+[)\]]\s*[.]?", re.I)
_FIELD_NOTE = compile_late(r"\s+\|\s+(replaces|closes|wrong|rejected|cure):\s*", re.I)
_MEANING = compile_late(r"\s*\(meaning\s+~?(\d{4}-\d\d-\d\d)\)", re.I)
_PRIORITY_OF_MARK = {"🔴": "high", "🟡": "medium", "🟢": "low", "✅": "medium"}
_FALLBACK_KIND = {"🔴": "status", "🟡": "status", "🟢": "status", "✅": "completion"}


def read_fact_lines(text: str, *, with_bullets: bool) -> list[XmlFact]:
    """Return the lines with a priority mark. With `with_bullets` plain bullets count too: as low facts, or as details of the
    marked line that they hang below."""
    facts: list[XmlFact] = []
    for line in text.splitlines():
        marked, bullet = _MARKED_LINE.match(line), _BULLET.match(line)
        if marked:
            facts.append(_read_fact(marked["mark"], marked["rest"]))
        elif bullet and facts and line[:1].isspace():
            detail = _read_fact("🟢", bullet["rest"])
            refs = [*facts[-1].refs, *(ref for ref in detail.refs if ref not in facts[-1].refs)]
            facts[-1] = facts[-1].model_copy(update={"text": f"{facts[-1].text.rstrip('.:')}; {detail.text}", "refs": refs})
        elif bullet and with_bullets:
            facts.append(_read_fact("🟢", bullet["rest"]))
    return facts


def _read_fact(mark: str, rest: str) -> XmlFact:
    kind, category, clock = _FALLBACK_KIND[mark], "", ""
    rest, *notes = _FIELD_NOTE.split(rest)
    noted = dict(zip((name.lower() for name in notes[::2]), (note.strip() for note in notes[1::2]), strict=True))
    for _ in range(2):  # kind and time come in either order
        if kind_match := _KIND.match(rest):
            kind, category, rest = kind_match["kind"], kind_match["category"] or "", rest[kind_match.end() :]
        if clock_match := _LEADING_CLOCK.match(rest):
            clock, rest = clock_match["clock"], rest[clock_match.end() :]
    refs = parse_numbers(_BRACKETED_REFS.findall(rest))
    meaning = _MEANING.search(rest)
    text = _MEANING.sub("", _BRACKETED_REFS.sub("", rest)).replace("**", "").strip()
    return XmlFact.model_validate(
        {
            "text": text, "kind": kind, "priority": _PRIORITY_OF_MARK[mark], "category": category, "refs": refs, "clock": clock,
            "refers_to": meaning[1] if meaning else None, **noted,
        }
    )  # fmt: skip


def strip_fences(raw: str) -> str:
    """Return the answer without Markdown fences."""
    return _FENCE_LINE.sub("", raw)


def read_element(name: str, text: str) -> str:
    """Return the text between `<name>` and `</name>`, empty when there is none."""
    match = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", text, re.S | re.I)
    return match[1].strip() if match else ""
