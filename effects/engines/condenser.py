"""A period condensed by a model: the ladder of guidance, from as it comes to two tenths of the detail, each answer checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Chain, Task, Unanswered, stamp_of
from effects.system.templates import render_template
from transforms.memory.condense import DETAIL, Condensed, Item
from transforms.memory.period_answer import (
    ASKED_TOKENS,
    Draft,
    PeriodAnswer,
    allowed_tokens,
    draft_of,
    given_items,
    parse_period,
    shown,
    wanted_tokens,
)
from transforms.memory.tiers import Node, input_tokens, items_of
from transforms.pages.daily_log import short_project
from transforms.tables.enums import KINDS
from transforms.tables.periods import MONTH, WEEK

TEMPLATES = ("llm/rules.md.j2", "llm/reflecting.md.j2", "llm/condense.md.j2", "llm/period.md.j2", "llm/reask.md.j2")
NAMES = {1: "day", 2: "week", 3: "month", 4: "year"}


@dataclass(frozen=True, slots=True)
class Made:
    """A period as a model condensed it, who did, and the lines that were held back, with reasons."""

    condensed: Condensed
    engine: str
    stamp: str
    held: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condenser:
    """A chain of models that is asked about periods."""

    chain: Chain
    owner: str
    zone: tzinfo

    def stamps(self) -> set[tuple[str, str]]:
        """Engine and template hash of what these models write now."""
        return {(f"{model.way}:{model.name}", stamp_of(model.way, TEMPLATES, PeriodAnswer)) for model in self.chain.models}

    def wants(self, node: Node) -> bool:
        """Whether the period is worth a request."""
        return input_tokens(node) >= ASKED_TOKENS

    def condense(self, node: Node) -> Made:
        """The first answer of the ladder that is small enough.

        Raises:
            Unanswered: when no model gave a usable answer, or none that is smaller than its input.
        """
        given = given_items(node.period.tier, items_of(node))
        for level in range(len(DETAIL)):
            answered = self.chain.ask(self._task(node, given, level))
            draft = answered.result
            if draft.condensed is not None:
                return Made(draft.condensed, answered.engine, answered.stamp, draft.held)
        raise Unanswered("its text was not smaller than its input at any level", is_asked=True)

    def _task(self, node: Node, given: list[Item], level: int) -> Task[Draft]:
        tier, size = node.period.tier, input_tokens(node)
        most = min(wanted_tokens(tier, size, DETAIL[level]), allowed_tokens(tier, size))

        def render(form: str) -> tuple[str, str]:
            system = render_template(
                "llm/condense.md.j2", owner=self.owner, format=form, kinds=KINDS, is_old=tier >= WEEK, is_oldest=tier >= MONTH
            )
            prompt = render_template(
                "llm/period.md.j2", period=NAMES[tier], start=node.period.start, end=node.period.end,
                project=short_project(node.project) if node.project else "no project",
                rows=[shown(number, item) for number, item in enumerate(given, 1)],
                words=most * 3 // 4, tenths=round(DETAIL[level] * 10), is_again=level > 0,
            )  # fmt: skip
            return system, prompt

        def read(form: str, answer: str) -> Draft:
            parse: Callable[[str], PeriodAnswer] = parse_period if form == "xml" else PeriodAnswer.model_validate_json
            return draft_of(parse(answer), tier, given, size, level, node.paid_id, self.zone)

        return Task(TEMPLATES, PeriodAnswer, render, read)
