"""What a reflecting model makes of a period: asked of it as a schema or as XML, checked line by line, completed where it forgot.

The model may leave out what it likes, except what must never be lost: high facts that the tier keeps and that no line of the
answer covers are put back in their own words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import orjson
from pydantic import BaseModel, BeforeValidator

from transforms.distil.answer_model import Numbers, kind_of, priority_of, text_or_empty
from transforms.distil.answer_xml import facts_in, fenceless, tag
from transforms.distil.distilled import Kind, Priority
from transforms.distil.grounding import is_degenerate
from transforms.distil.row_grounding import Source, borne_out, inert
from transforms.language.sentences import sentences
from transforms.memory.condense import BUDGET, DURABLE, ROOM, Condensed, Item, prepare, render
from transforms.tables.periods import MONTH, WEEK
from transforms.tables.tokens import tokens

GIVEN_TOKENS = 20_000
"""So much of a period is shown to a model: two thirds of the largest window. Larger inputs lose detail."""
ASKED_TOKENS = 200
"""Below this a model has nothing to condense, and its instructions alone are ten times as long."""
_PRIORITIES = ("low", "medium", "high")
_PACKED = ("id", "kind", "priority", "text", "day", "order")


class PeriodLine(BaseModel):
    """One line with the numbers of the rows that it condenses."""

    text: str
    kind: Annotated[Kind, BeforeValidator(kind_of)]
    priority: Annotated[Priority, BeforeValidator(priority_of)]
    refs: Numbers


class PeriodAnswer(BaseModel):
    """A condensed period."""

    narrative: Annotated[str, BeforeValidator(text_or_empty)] = ""
    lines: list[PeriodLine]


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked answer: the condensed period, or null when it is too long; and the lines that were held back, with reasons."""

    condensed: Condensed | None
    held: tuple[tuple[str, str], ...]


def given_items(tier: int, items: Sequence[Item]) -> list[Item]:
    """What a model is shown of a period, in order of time: what the tier may keep, the best of it when it is too much."""
    told = [item for item in items if item.kind == "narrative"]
    facts = [item for item in items if item.kind != "narrative" and (tier < WEEK or item.priority != "low")]
    if tier >= MONTH:
        facts = [item for item in facts if item.kind in DURABLE]
    left = GIVEN_TOKENS
    chosen = []
    for item in sorted([*told, *facts], key=lambda item: (-item.worth, item.order, item.id)):
        left -= tokens(item.text) + 12
        if left < 0:
            break
        chosen.append(item)
    return sorted(chosen, key=lambda item: (item.order, item.id))


def shown(number: int, item: Item) -> str:
    """An item as the prompt shows it: `#3 2026-03-02 🔴 [decision] text (replaced: what held before)`."""
    mark = "[narrative]" if item.kind == "narrative" else f"{item.mark} [{item.kind}]"
    earlier = f" (replaced: {item.earlier})" if item.earlier else ""
    return f"#{number} {item.day} {mark} {inert(item.text + earlier)}"


def allowed_tokens(tier: int, input_tokens: int) -> int:
    """Most tokens that the condensed text may have."""
    return min(input_tokens - 1, BUDGET[tier][1])


def wanted_tokens(tier: int, input_tokens: int, detail: float) -> int:
    """The size that the model is asked for at a level of detail."""
    share, most = BUDGET[tier]
    return max(40, int(min(max(share * input_tokens, min(ROOM, 0.85 * input_tokens)), most) * detail))


def parse_period(raw: str) -> PeriodAnswer:
    """The XML form.

    Raises:
        ValueError: when it holds no line, or stops in the middle.
    """
    text = fenceless(raw)
    if re.search(r"<period\b", text, re.I) and not re.search(r"</period>", text, re.I):
        raise ValueError("it stops before </period>")
    body = tag("period", text) or text
    lines = [fact.model_dump() for fact in facts_in(tag("facts", body) or body, anything="<facts" in body)]
    narrative = re.sub(r"\s*\(#\d+(?:[\s,;]*#\d+)*\)", "", tag("narrative", body))
    if not lines and not narrative:
        raise ValueError("there is no condensed period in it")
    return PeriodAnswer.model_validate({"narrative": narrative, "lines": lines})


def draft_of(
    answer: PeriodAnswer, tier: int, given: Sequence[Item], input_tokens: int, level: int, name: str, zone: tzinfo
) -> Draft:
    """The answer, checked against the rows that were given (`#1` is the first) and completed; `name` begins the items' ids.

    Raises:
        ValueError: when it loops, or when nothing in it is borne out by what was given.
    """
    if is_degenerate([answer.narrative, *(line.text for line in answer.lines)]):
        raise ValueError("degenerate output")
    sources = {number: _source(number, item) for number, item in enumerate(given, 1)}
    held: list[tuple[str, str]] = []
    kept: list[Item] = []
    covered: set[str] = set()
    for place, line in enumerate(answer.lines):
        text = " ".join(line.text.split())
        refs, reason = borne_out(text, line.refs, sources, zone)
        if reason:
            held.append((reason, text))
            continue
        cited = [given[ref - 1] for ref in refs]
        covered |= {item.id for item in cited}
        kept.append(_item(text, line, cited, f"{name}.{place:03}"))
    story = [
        replace(kept_story, id=f"{name}.n{place:03}")
        for place, kept_story in enumerate(_story(answer.narrative, tier, given, sources, zone, held))
    ]
    if not kept and not story:
        raise ValueError("nothing in it is borne out by what was given")
    return Draft(_fitted(tier, [*story, *kept], _forgotten(tier, given, covered), input_tokens, level), tuple(held))


def packed(items: Sequence[Item]) -> list[str]:
    """Items as a distillate's row stores them: the tier above reads them again."""
    fields = ([*(getattr(item, name) for name in _PACKED), sorted(item.files), item.earlier] for item in items)
    return [orjson.dumps(row).decode() for row in fields]


def unpacked(rows: Sequence[str]) -> tuple[Item, ...]:
    """The items of a stored row."""
    found = []
    for row in rows:
        name, kind, priority, text, day, order, files, earlier = orjson.loads(row)
        when = datetime.fromisoformat(day).date()
        found.append(Item(name, kind, priority, text, when, (order[0], order[1], order[2]), frozenset(files), earlier))
    return tuple(found)


def _source(number: int, item: Item) -> Source:
    about = f"{item.day} {item.earlier} {' '.join(sorted(item.files))}"
    return Source(number, item.text, datetime.fromtimestamp(item.order[0], UTC), about)


def _item(text: str, line: PeriodLine, cited: Sequence[Item], name: str) -> Item:
    """The line as an item: a model chooses words, not what kind of thing was said, how much it matters, or when."""
    facts = [item for item in cited if item.kind != "narrative"] or list(cited)
    best = max(facts, key=lambda item: (item.worth, item.order))
    newest = max(facts, key=lambda item: item.order)
    kind = line.kind if any(item.kind == line.kind for item in facts) else best.kind if best.kind != "narrative" else "status"
    highest = max((item.priority for item in facts), key=_PRIORITIES.index)
    lowered = min(line.priority, highest, key=_PRIORITIES.index)
    earlier = next((item.earlier for item in facts if item.earlier and item.earlier.lower() not in text.lower()), "")
    return Item(
        name, kind, highest if kind in DURABLE else lowered, text, newest.day, newest.order,
        frozenset().union(*(item.files for item in facts)), earlier,
    )  # fmt: skip


def _story(
    narrative: str, tier: int, given: Sequence[Item], sources: dict[int, Source], zone: tzinfo, held: list[tuple[str, str]]
) -> list[Item]:
    """The sentences of the narrative that hold: one item, or one per line (a theme) in a month and a year."""
    found = []
    for line in narrative.splitlines() if tier >= MONTH else [narrative]:
        true = []
        about: set[int] = set()
        for sentence in sentences(line):
            refs, reason = borne_out(sentence, list(sources), sources, zone, is_story=True)
            if reason:
                held.append((reason, sentence))
            else:
                true.append(sentence)
                about |= set(refs)
        if true:
            first = min((given[ref - 1] for ref in about), key=lambda item: item.order)
            found.append(Item("", "narrative", "medium", " ".join(true), first.day, first.order))
    return found


def _forgotten(tier: int, given: Sequence[Item], covered: set[str]) -> list[Item]:
    """High facts that the tier keeps and no line covers, the best first."""
    lost = [item for item in prepare(tier, list(given)) if item.priority == "high" and item.kind != "narrative"]
    return sorted((item for item in lost if item.id not in covered), key=lambda item: (-item.worth, item.order, item.id))


def _fitted(tier: int, items: list[Item], forgotten: list[Item], input_tokens: int, level: int) -> Condensed | None:
    """The text with what was forgotten, as far as there is room; null when it is too long, or so short that all must stay."""
    allowed = allowed_tokens(tier, input_tokens)
    chosen = sorted(items, key=lambda item: (item.order, item.id))
    if tokens(render(tier, chosen)) > allowed:
        return None
    for item in forgotten:
        more = sorted([*chosen, item], key=lambda one: (one.order, one.id))
        if tokens(render(tier, more)) <= allowed:
            chosen = more
        elif input_tokens <= ROOM:
            return None
    return Condensed(render(tier, chosen), level, tuple(chosen))
