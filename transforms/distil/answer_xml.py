"""The XML form of an answer, as models without structured output write it: segments, else flat bullets, else marked lines.

The order of fallbacks is ADR-0021's; its last one, keeping the raw text as memory, is left out on purpose: prose of a model
that did not understand the task is no observation.
"""

from __future__ import annotations

import re

from transforms.distil.window_answer_schema import XmlFact

_FENCE = re.compile(r"^\s*```\w*\s*$", re.M)
_MARK = re.compile(r"^\s*(?:[-*•+]\s*)?(?:\*\*)?\s*(?P<mark>🔴|🟡|🟢|✅)\ufe0f?\s*(?:\*\*)?\s*(?P<rest>\S.*)$")
_BULLET = re.compile(r"^\s*[-*•+]\s+(?P<rest>\S.*)$")
_KIND = re.compile(r"^\[(?P<kind>[A-Za-z][\w -]{2,20})(?:/(?P<category>[\w -]+))?\]\s*")
_CLOCK = re.compile(r"^\((?P<clock>\d{1,2}:\d\d)\)\s*")
_REFS = re.compile(r"\s*[(\[](?:refs?:?\s*)?#\d+(?:[\s,;]*(?:and\s+)?#?\d+)*[)\]]\s*[.]?", re.I)
_MEANING = re.compile(r"\s*\(meaning\s+~?(\d{4}-\d\d-\d\d)\)", re.I)
_PRIORITY = {"🔴": "high", "🟡": "medium", "🟢": "low", "✅": "medium"}
_FALLBACK_KIND = {"🔴": "status", "🟡": "status", "🟢": "status", "✅": "completion"}


def read_fact_lines(text: str, *, anything: bool) -> list[XmlFact]:
    """Marked lines; with `anything` plain bullets too, as low ones, or as details when they hang below a marked line."""
    found: list[XmlFact] = []
    for line in text.splitlines():
        marked, bullet = _MARK.match(line), _BULLET.match(line)
        if marked:
            found.append(_read_fact(marked["mark"], marked["rest"]))
        elif bullet and found and line[:1].isspace():
            detail = _read_fact("🟢", bullet["rest"])
            refs = [*found[-1].refs, *(ref for ref in detail.refs if ref not in found[-1].refs)]
            found[-1] = found[-1].model_copy(update={"text": f"{found[-1].text.rstrip('.:')}; {detail.text}", "refs": refs})
        elif bullet and anything:
            found.append(_read_fact("🟢", bullet["rest"]))
    return found


def _read_fact(mark: str, rest: str) -> XmlFact:
    kind, category, clock = _FALLBACK_KIND[mark], "", ""
    for _ in range(2):  # kind and time come in either order
        if named := _KIND.match(rest):
            kind, category, rest = named["kind"], named["category"] or "", rest[named.end() :]
        if timed := _CLOCK.match(rest):
            clock, rest = timed["clock"], rest[timed.end() :]
    refs = [number for group in _REFS.findall(rest) for number in re.findall(r"\d+", group)]
    meaning = _MEANING.search(rest)
    text = _MEANING.sub("", _REFS.sub("", rest)).replace("**", "").strip()
    return XmlFact.model_validate(
        {
            "text": text, "kind": kind, "priority": _PRIORITY[mark], "category": category, "refs": refs, "clock": clock,
            "refers_to": meaning[1] if meaning else None,
        }
    )  # fmt: skip


def strip_fences(raw: str) -> str:
    """The answer without Markdown fences around it."""
    return _FENCE.sub("", raw)


def read_element(name: str, text: str) -> str:
    """What stands between `<name>` and `</name>`, empty when nothing does."""
    found = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", text, re.S | re.I)
    return found[1].strip() if found else ""
