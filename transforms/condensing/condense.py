"""Condenses the narratives and facts of a period offline. The text consists of extracts, so every word stands in a child.

There are five levels of detail: none is dropped, then 8/10, 6/10, 4/10 and 2/10 of the budget. The first level whose text is
smaller than its input is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transforms.condensing.period_item import PeriodItem
from transforms.condensing.period_selection import is_durable, pick_themes, select_for_tier, tell_briefly, tells_words
from transforms.language.relative_dates import MOST_ENDING_CHARS, find_stated_end
from transforms.tables.periods import DAY, MONTH, WEEK, YEAR
from transforms.tables.tokens import UNITS_PER_TOKEN, count_tokens, count_utf16_units

DETAIL_LEVELS = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Share of the budget at each level."""
TIER_BUDGETS = {DAY: (0.85, 4000), WEEK: (0.85, 4000), MONTH: (0.85, 4000), YEAR: (0.68, 5000)}
"""Tier → the share of the input that may stay, and the most tokens."""
GUARANTEED_TOKENS = {DAY: 1000, WEEK: 1000, MONTH: 1000, YEAR: 700}
"""Tokens that any period may keep, however small its input: a project with three rules keeps them for ever."""
LEAST_SALIENCE_OF_LEVEL = (0, 0, 10, 20, 25)
"""Least salience of a fact at each level: the third drops low facts, the fourth medium ones."""
_THEME, _DURABLE, _OTHER, _LOW, _SENTENCE = range(5)


@dataclass(frozen=True, slots=True)
class CondensedText:
    """The text of a period, and the items in it for the tier above."""

    text: str
    level: int
    items: tuple[PeriodItem, ...]


def condense(tier: int, items: Sequence[PeriodItem], input_tokens: int) -> CondensedText | None:
    """Return the first level's text that is smaller than `input_tokens`; None when no level is.

    A small period stays as it is, and its children go up, when a fact that it needs does not fit.
    """
    share, most = TIER_BUDGETS[tier]
    is_small = input_tokens <= GUARANTEED_TOKENS[tier]
    prepared = select_for_tier(tier, sorted(items, key=lambda item: (item.order, item.id)))
    needed = {item.id for item in prepared if is_small and _is_needed(tier, item)}
    ranked = _rank_items(tier, prepared, is_small)
    for level, detail in enumerate(DETAIL_LEVELS):
        budget = int(min(max(share * input_tokens, GUARANTEED_TOKENS[tier]), most) * detail)
        chosen = _choose_within(tier, ranked, min(budget, input_tokens - 1), LEAST_SALIENCE_OF_LEVEL[level])
        if not needed <= {item.id for item in chosen}:
            return None
        text = render_items(tier, chosen)
        if text and count_tokens(text) < input_tokens:
            return CondensedText(text, level, tuple(chosen))
    return None


def _is_needed(tier: int, item: PeriodItem) -> bool:
    """Whether a small period must tell a fact: a day all but low ones that are nobody's words, the others high ones."""
    return item.kind != "narrative" and (
        item.priority == "high" or (tier == DAY and (item.priority != "low" or tells_words(item)))
    )


def render_items(tier: int, items: Sequence[PeriodItem]) -> str:
    """Return a paragraph (a line per theme in a month and a year), then bullets with priority marks, oldest first."""
    narratives = [item.text for item in items if item.kind == "narrative"]
    bullets = [_render_bullet(tier, item) for item in items if item.kind != "narrative"]
    lead = ("\n" if tier >= MONTH else " ").join(narratives)
    return "\n\n".join(part for part in (lead, "\n".join(bullets)) if part)


def format_change(item: PeriodItem) -> str:
    """Return what is put behind an item's text: what holds instead of a part of it."""
    return f" ({item.changed})" if item.changed else ""


def format_earlier(item: PeriodItem) -> str:
    """Return what is put behind an item's line: the claim that it replaced."""
    return f" (earlier: {item.earlier})" if item.earlier else ""


def _render_bullet(tier: int, item: PeriodItem) -> str:
    when = f" ({item.day:%m-%d}{_word_end(item)})" if tier >= WEEK else ""
    alike = f" ({item.alike} alike)" if item.alike > 1 else ""
    return f"- {item.mark} {item.text}{format_change(item)}{format_earlier(item)}{alike}{when}"


def _word_end(item: PeriodItem) -> str:
    """Return until when a short fact says that it holds: who reads of the month later cannot tell whether "Friday" is over."""
    end = find_stated_end(item.text, item.day) if len(item.text) <= MOST_ENDING_CHARS else None
    if end is None:
        return ""
    if end == item.day:
        return ", that day only"
    return f", until {end:%m-%d}" if end.year == item.day.year else f", until {end}"


# ---- the budget


def _rank_items(tier: int, items: Sequence[PeriodItem], is_small: bool) -> list[tuple[int, PeriodItem]]:
    """Return the items with their places, the first to stay first.

    A long day goes by salience. In a long month and year the lines of themes come first (they are few, and bullets mean little
    without them), then durable facts, other ones, low ones, and further sentences. In a small period facts come first.
    """
    narratives = [item for item in items if item.kind == "narrative"]
    themes = {item.id for item in pick_themes(tier, narratives)} if tier >= MONTH and not is_small else set()

    def find_place(item: PeriodItem) -> int:
        """Return the place of an item among those of its period."""
        if item.kind == "narrative" and (is_small or tier >= WEEK):
            return _THEME if item.id in themes else _SENTENCE
        if item.priority == "low" and tier >= WEEK:
            return _LOW
        return _DURABLE if tier < MONTH or is_durable(item) else _OTHER

    ranked = [(find_place(item), item) for item in items]
    return sorted(ranked, key=lambda pair: (pair[0], -pair[1].salience, pair[1].order, pair[1].id))


def _choose_within(tier: int, ranked: Sequence[tuple[int, PeriodItem]], budget: int, floor: int) -> list[PeriodItem]:
    """Return the items that fit, in order of time: all facts briefly, then what room is left for their full wording, then for
    further sentences. Facts below the floor of salience stay out.
    """
    room = UNITS_PER_TOKEN * budget
    chosen: dict[str, PeriodItem] = {}

    def take(wordings: Iterable[PeriodItem]) -> None:
        """Take each wording that fits, in the place of a shorter one."""
        nonlocal room
        for item in wordings:
            known = chosen.get(item.id)
            cost = _count_units(tier, item) - (_count_units(tier, known) if known else 0)
            if cost <= room:
                chosen[item.id] = item
                room -= cost

    facts = [item for place, item in ranked if place < _SENTENCE and (item.kind == "narrative" or item.salience >= floor)]
    take(tell_briefly(tier, item) for item in facts)
    take(item for item in facts if item.id in chosen)
    take(item for place, item in ranked if place == _SENTENCE)
    return sorted(chosen.values(), key=lambda item: (item.order, item.id))


def _count_units(tier: int, item: PeriodItem) -> int:
    """Return the UTF-16 units that an item takes on its page, with what divides it from its neighbours."""
    return count_utf16_units(item.text) + 2 if item.kind == "narrative" else count_utf16_units(_render_bullet(tier, item)) + 1
