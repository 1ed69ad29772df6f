"""The answer of a reflecting model about a period: its schema and XML form, its grounding and its completion.

The model may leave out anything but high facts that the tier keeps: those that no line covers are added in their own words. When
rows below change later, the lines that rest on them change, and the model is asked again only if much is new (`amend_period`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, model_validator

from transforms.condensing.condense import (
    GUARANTEED_TOKENS,
    CondensedText,
    render_items,
)
from transforms.condensing.period_item import DURABLE_KINDS, PeriodItem
from transforms.condensing.period_prompt import compute_token_limit, select_prompt_items
from transforms.condensing.period_selection import select_for_tier, tell_briefly, unite_sources
from transforms.condensing.replaced_words import mark_changed_sentences, tells_change
from transforms.distil.row_grounding import (
    SHOWN_LINES,
    CitedRow,
    describe_held_line,
    ground_line,
)
from transforms.language.sentences import split_sentences
from transforms.model_answers.answer_fields import KeepFitting, Numbers, OptionalText, parse_kind, parse_priority
from transforms.model_answers.answer_xml import read_element, read_fact_lines, strip_fences
from transforms.model_answers.repetition import is_degenerate
from transforms.tables.enums import OPEN_KINDS, PRIORITIES, FactKind, Priority
from transforms.tables.periods import DAY, MONTH, WEEK, YEAR
from transforms.tables.tokens import count_tokens, count_words

MIN_MODEL_TOKENS = {DAY: 500, WEEK: 200, MONTH: 200, YEAR: 200}
"""Smallest period of each tier that a model is asked about. The instructions have a thousand tokens, and a day stays nearly as it
is: of a short one a model takes a fifth away, as the offline engine does."""
MAX_NEW_SHARE = 0.25
"""Share of a period's rows that its text may be lacking, after changes below, before a model is asked again."""
_CURE_NOTE = "(cured by: "
_DONE_KINDS = frozenset({"completion", "fix", "state_change"})
"""Kinds that are done and shown to be; a model may call one the other."""
_PRIORITY_ORDER = PRIORITIES[::-1]
_PACKED_FIELDS = ("id", "kind", "priority", "text", "day", "order")


class PeriodLine(BaseModel):
    """One line with the numbers of the rows that it condenses."""

    text: str
    kind: Annotated[FactKind, BeforeValidator(parse_kind)]
    priority: Annotated[Priority, BeforeValidator(parse_priority)]
    refs: Numbers

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        return {"kind": "", "priority": "", "refs": []} | value if isinstance(value, dict) else value


class PeriodAnswer(BaseModel):
    """A condensed period."""

    narrative: OptionalText = ""
    lines: Annotated[list[PeriodLine], KeepFitting]


@dataclass(frozen=True, slots=True)
class PeriodExcess:
    """By what an answer is too long: its words, and how many of them are too many; or the numbers of the high rows that no line
    of it cited and for which it left no room."""

    words: int
    excess: int
    missed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PeriodDraft:
    """A checked answer: the condensed text, or None and by what it is too long; the lines that were held back, with reasons."""

    condensed: CondensedText | None
    held: tuple[tuple[str, str], ...]
    excess: PeriodExcess | None = None


def parse_period_xml(raw: str) -> PeriodAnswer:
    """Return the answer in the XML form.

    Raises:
        ValueError: when it holds no line, or stops in the middle.
    """
    text = strip_fences(raw)
    if re.search(r"<period\b", text, re.I) and not re.search(r"</period>", text, re.I):
        raise ValueError("it stops before </period>")
    body = read_element("period", text) or text
    lines = [fact.model_dump() for fact in read_fact_lines(read_element("facts", body) or body, with_bullets="<facts" in body)]
    narrative = re.sub(r"\s*\(#\d+(?:[\s,;]*#\d+)*\)", "", read_element("narrative", body))
    if not lines and not narrative:
        raise ValueError("there is no condensed period in it")
    return PeriodAnswer.model_validate({"narrative": narrative, "lines": lines})


def ground_period_answer(
    answer: PeriodAnswer, tier: int, prompt_items: Sequence[PeriodItem], input_tokens: int, level: int, name: str, zone: tzinfo
) -> PeriodDraft:
    """Return the answer, checked against the items of the prompt (`#1` is the first) and completed.

    `name` is the prefix of the new items' ids.

    Raises:
        ValueError: when the answer loops, or the items support none of its lines.
    """
    if is_degenerate([answer.narrative, *(line.text for line in answer.lines)]):
        raise ValueError("degenerate output")
    sources = {number: _build_cited_row(number, item) for number, item in enumerate(prompt_items, 1)}
    held: list[tuple[str, str]] = []
    complaints: list[str] = []
    grounded: list[PeriodItem] = []
    covered: set[str] = set()
    for number, line in enumerate(answer.lines):
        text = " ".join(line.text.split())
        refs, reason = ground_line(text, line.refs, sources, zone)
        if reason:
            held.append((reason, text))
            complaints.append(describe_held_line(text, line.refs, reason))
            continue
        cited = [prompt_items[ref - 1] for ref in refs]
        covered |= {item.id for item in cited}
        grounded.append(_build_item(text, line, cited, f"{name}.{number:03}"))
    narrative_items = [
        replace(sentence_item, id=f"{name}.n{number:03}")
        for number, sentence_item in enumerate(_ground_narrative(answer.narrative, tier, prompt_items, sources, zone, held))
    ]
    if not grounded and not narrative_items:
        raise ValueError(f"the rows of the prompt support no line of it: {'; '.join(complaints[:SHOWN_LINES])}")
    items, missed = [*narrative_items, *grounded], _find_missed_facts(tier, prompt_items, covered)
    condensed = _fit_to_limit(tier, items, missed, input_tokens, level)
    if condensed is None:
        words = count_words(" ".join([answer.narrative, *(line.text for line in answer.lines)]))
        return PeriodDraft(None, tuple(held), _measure_excess(tier, items, missed, prompt_items, input_tokens, words))
    return PeriodDraft(condensed, tuple(held))


def _measure_excess(
    tier: int,
    items: Sequence[PeriodItem],
    missed: Sequence[PeriodItem],
    prompt_items: Sequence[PeriodItem],
    most: int,
    words: int,
) -> PeriodExcess:
    """Return by what a text of so many words is too long; tokens count, and a model counts words."""
    allowed = compute_token_limit(tier, most)
    tokens = count_tokens(render_items(tier, sorted(items, key=lambda item: (item.order, item.id))))
    if tokens > allowed:
        return PeriodExcess(words, max(1, -(-words * (tokens - allowed) // tokens)))
    names = {item.id for item in missed}
    return PeriodExcess(words, 0, tuple(number for number, item in enumerate(prompt_items, 1) if item.id in names))


def amend_period(
    node_items: Sequence[PeriodItem], written: CondensedText, source_ids: Collection[str], tier: int, input_tokens: int
) -> CondensedText | None:
    """Return a model's earlier text of a period whose rows have changed since; None when it should be written anew.

    A line goes with any fact that it rests on. Its other facts, and the new ones, are told in their own words. What stays says
    what holds instead of a part of a fact.
    """
    prompt_items = select_prompt_items(tier, node_items)
    open_ids = unite_sources(node_items)
    stale = [item for item in written.items if item.kind != "narrative" and not item.sources <= open_ids]
    current = [_name_later_changes(item, node_items) for item in written.items if item not in stale]
    covered = unite_sources(item for item in current if item.kind != "narrative")
    new = open_ids - set(source_ids)
    lacking = [
        item
        for item in _tell_briefly(tier, prompt_items)
        if item.sources & new or (item.kind != "narrative" and item.sources & unite_sources(stale) and not item.sources & covered)
    ]
    if not current or _count_tokens(lacking) > MAX_NEW_SHARE * _count_tokens(prompt_items):
        return None
    amended = _fit_to_limit(
        tier, current, sorted(lacking, key=lambda item: (-item.salience, item.order)), input_tokens, written.level
    )
    shown = unite_sources(amended.items) if amended else frozenset()
    return amended if all(item.sources & shown for item in lacking if item.priority == "high") else None


def _tell_briefly(tier: int, prompt_items: Sequence[PeriodItem]) -> list[PeriodItem]:
    return [tell_briefly(tier, item) for item in select_for_tier(tier, list(prompt_items))]


def _count_tokens(items: Sequence[PeriodItem]) -> int:
    return sum(count_tokens(item.text) for item in items)


def _name_later_changes(line: PeriodItem, items: Sequence[PeriodItem]) -> PeriodItem:
    """Return the line with the claim that one of its facts has replaced since, unless it names one, and with what holds instead
    of parts of its facts; a narrative says this behind the sentence that tells the fact."""
    if line.kind == "narrative":
        facts = [item for item in items if item.kind != "narrative"]
        changes = {item.text: item.changed for item in facts if item.changed}
        return replace(line, text=mark_changed_sentences(line.text, changes, [item.text for item in facts]))
    claims = (item.earlier for item in items if item.earlier and item.sources & line.sources)
    earlier = line.earlier or next((claim for claim in claims if claim.lower() not in line.text.lower()), "")
    return replace(
        line, earlier=earlier, changed=_join_changes(line.text, (item for item in items if item.sources & line.sources))
    )


def _join_changes(text: str, facts: Iterable[PeriodItem]) -> str:
    """Return what holds instead of parts of the facts that a text tells, without what it says itself."""
    changes = (fact.changed for fact in facts if fact.changed and not tells_change(text, fact.changed, fact.text))
    return "; ".join(dict.fromkeys(changes))


def pack_items(items: Sequence[PeriodItem]) -> list[str]:
    """Return items as a distillate's row stores them; the tier above reads them again."""
    fields = (
        [*(getattr(item, name) for name in _PACKED_FIELDS), sorted(item.files), item.earlier, sorted(item.sources), item.changed]
        + ([item.alike] if item.alike > 1 else [])
        for item in items
    )
    return [orjson.dumps(row).decode() for row in fields]


def unpack_items(rows: Sequence[str]) -> tuple[PeriodItem, ...]:
    """Return the items of a stored row."""
    items = []
    for row in rows:
        name, kind, priority, text, day, order, files, earlier, *more = orjson.loads(row)
        said_on, order_key = datetime.fromisoformat(day).date(), (order[0], order[1], order[2])
        sources, changed = frozenset(more[0] if more else ()), more[1] if len(more) > 1 else ""  # rows of before have none
        alike = more[2] if len(more) > 2 else 1
        items.append(
            PeriodItem(
                name, kind, priority, text, said_on, order_key, frozenset(files), earlier, sources, changed=changed, alike=alike
            )
        )
    return tuple(items)


def _build_cited_row(number: int, item: PeriodItem) -> CitedRow:
    about = f"{item.day} {item.earlier} {item.changed} {' '.join(sorted(item.files))}"
    return CitedRow(number, item.text, datetime.fromtimestamp(item.order[0], UTC), about)


def _build_item(text: str, line: PeriodLine, cited: Sequence[PeriodItem], name: str) -> PeriodItem:
    """Return the line as an item. A model chooses words; kind, priority and time come from the cited items."""
    facts = [item for item in cited if item.kind != "narrative"] or list(cited)
    newest = max(facts, key=lambda item: item.order)
    kind = _choose_kind(line.kind, facts)
    highest = max((item.priority for item in facts), key=_PRIORITY_ORDER.index)
    lowered = min(line.priority, highest, key=_PRIORITY_ORDER.index)
    earlier = next((item.earlier for item in facts if item.earlier and item.earlier.lower() not in text.lower()), "")
    return PeriodItem(
        name, kind, highest if kind in DURABLE_KINDS else lowered, text, newest.day, newest.order,
        frozenset().union(*(item.files for item in facts)), earlier, unite_sources(cited),
        changed=_join_changes(text, facts),
    )  # fmt: skip


def _choose_kind(told_kind: str, facts: Sequence[PeriodItem]) -> str:
    """Return the kind that a model told, if a cited item has it, or shows that something is done; else that of the best one.

    Of a request and what came of it a line that the model calls finished, or anything but open, is not open. A finding on the way
    to something that is done is no completion.
    """
    kinds = {item.kind for item in facts}
    is_done = bool(kinds & _DONE_KINDS) or any(_CURE_NOTE in item.text for item in facts)
    if (
        told_kind in kinds
        or (told_kind in _DONE_KINDS and is_done)
        or (told_kind == "fact" and kinds <= {"completion", "fix", "file_change"})
    ):
        return told_kind
    closed = [item for item in facts if item.kind not in OPEN_KINDS] if told_kind not in OPEN_KINDS else []
    best = max(closed or facts, key=lambda item: (item.salience, item.order)).kind
    return best if best != "narrative" else "status"


def _ground_narrative(
    narrative: str,
    tier: int,
    prompt_items: Sequence[PeriodItem],
    sources: dict[int, CitedRow],
    zone: tzinfo,
    held: list[tuple[str, str]],
) -> list[PeriodItem]:
    """Return the grounded sentences of the narrative: one item, or in a month and a year one per line (a theme)."""
    items = []
    for line in narrative.splitlines() if tier >= MONTH else [narrative]:
        grounded = []
        cited_numbers: set[int] = set()
        for sentence in split_sentences(line):
            refs, reason = ground_line(sentence, list(sources), sources, zone, is_narrative=True)
            if reason:
                held.append((reason, sentence))
            else:
                grounded.append(sentence)
                cited_numbers |= set(refs)
        if grounded:
            cited = [prompt_items[ref - 1] for ref in cited_numbers]
            first = min(cited, key=lambda item: item.order)
            text = " ".join(grounded)
            items.append(PeriodItem("", "narrative", "medium", text, first.day, first.order, sources=unite_sources(cited)))
    return items


def _find_missed_facts(tier: int, prompt_items: Sequence[PeriodItem], covered: set[str]) -> list[PeriodItem]:
    """Return high facts that the tier keeps and no line covers, the best first."""
    lost = [item for item in _tell_briefly(tier, prompt_items) if item.priority == "high" and item.kind != "narrative"]
    return sorted((item for item in lost if item.id not in covered), key=lambda item: (-item.salience, item.order, item.id))


def _fit_to_limit(
    tier: int, items: list[PeriodItem], missed: list[PeriodItem], input_tokens: int, level: int
) -> CondensedText | None:
    """Return the text with missed facts, as far as there is room; None when it is too long, or too short to drop one of them."""
    allowed = compute_token_limit(tier, input_tokens)
    chosen = sorted(items, key=lambda item: (item.order, item.id))
    if count_tokens(render_items(tier, chosen)) > allowed:
        return None
    for item in missed:
        more = sorted([*chosen, item], key=lambda added: (added.order, added.id))
        if count_tokens(render_items(tier, more)) <= allowed:
            chosen = more
        elif input_tokens <= GUARANTEED_TOKENS[tier]:
            return None
    return CondensedText(render_items(tier, chosen), level, tuple(chosen))
