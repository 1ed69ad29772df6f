"""Condenses a period with a model. Each level of a ladder asks for less detail; each answer is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Chain, ModelTask, NoAnswerError, compute_template_hash
from effects.system.templates import render_template
from transforms.condensing.condense import DETAIL_LEVELS, CondensedText
from transforms.condensing.period_answer import (
    MIN_MODEL_TOKENS,
    PeriodAnswer,
    PeriodDraft,
    PeriodExcess,
    ground_period_answer,
    parse_period_xml,
)
from transforms.condensing.period_item import PeriodItem
from transforms.condensing.period_prompt import compute_word_limit, format_prompt_item, select_prompt_items
from transforms.condensing.tiers import PeriodNode, collect_items, count_input_tokens
from transforms.pages.page_names import shorten_project
from transforms.tables.enums import TOLD_KINDS
from transforms.tables.periods import MONTH, WEEK

CONDENSE_TEMPLATES = ("llm/condense.md.j2", "llm/period.md.j2", "llm/reask.md.j2")
PERIOD_NAMES = {1: "day", 2: "week", 3: "month", 4: "year"}


@dataclass(frozen=True, slots=True)
class ModelCondensed:
    """A period as a model condensed it, the engine, and the lines that were held back, with reasons."""

    condensed: CondensedText
    engine: str
    template_hash: str
    held: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Condenser:
    """A chain of models that is asked about periods."""

    chain: Chain
    owner: str
    zone: tzinfo

    def list_versions(self) -> set[tuple[str, str]]:
        """Return the engine and template hash of the texts that these models write now."""
        return {
            (f"{model.backend}:{model.name}", compute_template_hash(model.backend, CONDENSE_TEMPLATES, PeriodAnswer))
            for model in self.chain.models
        }

    def is_worth_asking(self, node: PeriodNode) -> bool:
        """Whether the period is large enough for a request."""
        return count_input_tokens(node) >= MIN_MODEL_TOKENS[node.period.tier]

    def condense(self, node: PeriodNode) -> ModelCondensed:
        """Return the first answer that is small enough.

        Raises:
            NoAnswerError: when no model gave a usable answer, or none that is smaller than its input.
        """
        items = select_prompt_items(node.period.tier, collect_items(node))
        former: PeriodExcess | None = None
        for level in range(len(DETAIL_LEVELS)):
            answer = self.chain.ask(self._build_task(node, items, level, former))
            draft, former = answer.result, answer.result.excess
            if draft.condensed is not None:
                return ModelCondensed(draft.condensed, answer.engine, answer.template_hash, draft.held)
        raise NoAnswerError("at no level was its text smaller than its input", is_asked=True)

    def _build_task(
        self, node: PeriodNode, items: list[PeriodItem], level: int, former: PeriodExcess | None
    ) -> ModelTask[PeriodDraft]:
        """Return the question at a level of detail; `former` says by what the text of the level before was too long."""
        tier, size = node.period.tier, count_input_tokens(node)
        words = compute_word_limit(tier, size, DETAIL_LEVELS[level], items)
        if former and former.excess:
            words = min(words, former.words - former.excess)

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: the numbered rows of the period, with the length and the level of detail."""
            system = render_template(
                "llm/condense.md.j2",
                owner=self.owner,
                format=form,
                kinds=TOLD_KINDS,
                is_old=tier >= WEEK,
                is_oldest=tier >= MONTH,
            )
            prompt = render_template(
                "llm/period.md.j2", period=PERIOD_NAMES[tier], start=node.period.start, end=node.period.end,
                project=shorten_project(node.project) if node.project else "no project",
                rows=[format_prompt_item(number, item) for number, item in enumerate(items, 1)],
                words=words, former=former,
            )  # fmt: skip
            return system, prompt

        def read(form: str, answer: str) -> PeriodDraft:
            """Return the checked text of the period; ValueError when it is unreadable or nothing supports it."""
            parse: Callable[[str], PeriodAnswer] = parse_period_xml if form == "xml" else PeriodAnswer.model_validate_json
            return ground_period_answer(parse(answer), tier, items, size, level, node.paid_id, self.zone)

        return ModelTask(CONDENSE_TEMPLATES, PeriodAnswer, render, read)
