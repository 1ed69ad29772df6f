"""What a reflecting model is asked about a period: which rows the prompt shows, in which form, and how long the text may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from transforms.condensing.condense import GUARANTEED_TOKENS, TIER_BUDGETS, format_change, format_earlier
from transforms.condensing.period_item import DURABLE_KINDS, PeriodItem
from transforms.condensing.period_selection import is_record
from transforms.distil.row_grounding import ROW_OVERHEAD_TOKENS, escape_row
from transforms.tables.periods import MONTH, WEEK
from transforms.tables.tokens import count_tokens

ITEM_TOKENS = 20_000
"""Most tokens of a period in a prompt: two thirds of the largest window. A model loses detail of larger inputs."""
MIN_TARGET_TOKENS = 40
MAX_TARGET_SHARE = 0.85
"""Most that a small period is asked to keep, so that its text becomes smaller than its input."""


def select_prompt_items(tier: int, items: Sequence[PeriodItem]) -> list[PeriodItem]:
    """Return the items for the prompt, in order of time: those that the tier may keep, the best ones when they are too many."""
    narratives = [item for item in items if item.kind == "narrative"]
    facts = [item for item in items if item.kind != "narrative" and (tier < WEEK or item.priority != "low")]
    if tier >= MONTH:
        facts = [item for item in facts if item.kind in DURABLE_KINDS or (item.priority == "high" and not is_record(item))]
    remaining_tokens = ITEM_TOKENS
    chosen = []
    for item in sorted([*narratives, *facts], key=lambda item: (-item.salience, item.order, item.id)):
        remaining_tokens -= count_tokens(item.text) + ROW_OVERHEAD_TOKENS
        if remaining_tokens < 0:
            break
        chosen.append(item)
    return sorted(chosen, key=lambda item: (item.order, item.id))


def format_prompt_item(number: int, item: PeriodItem) -> str:
    """Return an item as the prompt shows it: `#3 2026-03-02 🔴 [decision] text (replaced: the former claim)`.

    Before that stands what holds instead of a part of it.
    """
    mark = "[narrative]" if item.kind == "narrative" else f"{item.mark} [{item.kind}]"
    earlier = f" (replaced: {_cut_at_word(item.earlier)})" if item.earlier else ""
    return f"#{number} {item.day} {mark} {escape_row(item.text + format_change(item) + earlier)}"


def _cut_at_word(claim: str) -> str:
    """Return a claim; one that was cut ends with a whole word."""
    return f"{claim[:-1].rpartition(' ')[0] or claim[:-1]} …" if claim.endswith("…") else claim


def compute_token_limit(tier: int, input_tokens: int) -> int:
    """Return the most tokens that the condensed text may have."""
    return min(input_tokens - 1, TIER_BUDGETS[tier][1])


def compute_token_target(tier: int, input_tokens: int, detail: float) -> int:
    """Return the size that the model is asked for at a level of detail."""
    share, max_tokens = TIER_BUDGETS[tier]
    guaranteed = min(GUARANTEED_TOKENS[tier], MAX_TARGET_SHARE * input_tokens)
    return max(MIN_TARGET_TOKENS, int(min(max(share * input_tokens, guaranteed), max_tokens) * detail))


def compute_word_limit(tier: int, input_tokens: int, detail: float, items: Iterable[PeriodItem]) -> int:
    """Return the most words that the model is asked for at a level of detail: a word of a fact has up to seven characters, a
    token four. What the program puts behind the lines of these items takes its part of the room."""
    limit = compute_token_limit(tier, input_tokens)
    notes = sum(count_tokens(format_earlier(item)) for item in items)
    target = min(compute_token_target(tier, input_tokens, detail), limit)
    return min(target * 3 // 4, max(limit - notes, limit // 2) * 4 // 7)
