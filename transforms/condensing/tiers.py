"""Plans the distillates: per project days, weeks, months and years, each made from the tier below, identified by its inputs.

The id of a distillate is a hash of its inputs, so a stale one shows without reading a text: its expected id is not stored. The
text of a model has an id of its own, over the facts and narratives below and nothing else: it is paid for once, whatever
version of the offline engine follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice

from transforms.condensing.condense import CondensedText, condense
from transforms.condensing.day_inputs import DayInputs, PeriodInput
from transforms.condensing.period_answer import pack_items
from transforms.condensing.period_item import PeriodItem
from transforms.condensing.replaced_words import drop_replaced_sentences, mark_changed_sentences
from transforms.conversation.origins import find_least_trusted
from transforms.tables.enums import OFFLINE, Origin
from transforms.tables.ids import make_distillate_id
from transforms.tables.periods import DAY, TIERS, Period, find_parent_period, find_period, is_due
from transforms.tables.rows import DistillateRow
from transforms.tables.tokens import count_tokens

TIER_VERSION = 8
"""Raised by hand when the same inputs yield another text: every distillate is then made again."""


@dataclass(slots=True)
class PeriodNode:
    """A period of a project: its inputs and its condensed text (None before it is made, or when it cannot be smaller).

    `id` is its row's: the offline engine's, until a model's row takes over (`paid_id`), whose `engine` and prompt are then named.
    `source_ids` are the rows that a model's text was made from, of which some may be gone by now. The inputs of a day are
    read when they are asked for, and stay until `release_inputs`; those of any other period are the periods `below`.
    """

    project: str
    period: Period
    id: str
    paid_id: str
    below: list[PeriodNode]
    days: DayInputs
    read: list[PeriodInput] | None = None
    condensed: CondensedText | None = None
    is_done: bool = False
    source_ids: frozenset[str] = frozenset()
    engine: str = OFFLINE
    template_hash: str | None = None


@dataclass(slots=True)
class TierPlan:
    """The distillates that are due, tier by tier."""

    nodes: list[PeriodNode] = field(default_factory=list)

    def map_to_parents(self) -> dict[str, str]:
        """Return the id of each distillate → id of the distillate that takes it in, where both exist."""
        return {child.id: node.id for node in self.nodes if node.condensed for child in _list_periods_below(node)}

    def split_by_year(self) -> list[TierPlan]:
        """Return a plan for each year of a project, which takes in no period of another one."""
        plans: defaultdict[tuple[str, date], TierPlan] = defaultdict(TierPlan)
        for node in self.nodes:
            period = node.period
            while (parent := find_parent_period(period)) is not None:
                period = parent
            plans[node.project, period.start].nodes.append(node)
        return list(plans.values())

    def release_texts(self) -> None:
        """Forget the condensed texts, when no period will take them in any more."""
        for node in self.nodes:
            node.condensed = None


def _list_periods_below(node: PeriodNode) -> Iterator[PeriodNode]:
    """Yield the periods that are inputs of a period; no text of a day is read for it. One whose stored text nobody asked for is
    an input like any other."""
    for child in node.below:
        if child.is_done and child.condensed is None:
            yield from _list_periods_below(child)
        else:
            yield child


def list_inputs(node: PeriodNode) -> Sequence[PeriodInput | PeriodNode]:
    """Return the inputs of a period: the periods below it, or the facts and narratives of a day."""
    if node.period.tier != DAY:
        return node.below
    if node.read is None:
        node.read = node.days.read(node.project, node.period.start)
    return node.read


def release_inputs(node: PeriodNode) -> None:
    """Forget the facts and narratives that were read for a period; who asks for them again reads them again."""
    node.read = None
    for child in node.below:
        release_inputs(child)


def list_effective_inputs(node: PeriodNode) -> Iterator[PeriodInput | PeriodNode]:
    """Yield the inputs of a period; a period below that could not be condensed passes its own inputs up."""
    for child in list_inputs(node):
        if isinstance(child, PeriodNode) and child.condensed is None:
            yield from list_effective_inputs(child)
        else:
            yield child


def plan_tiers(days: DayInputs, after_days: Sequence[int], today: date, settled: Collection[tuple[str, date]] = ()) -> TierPlan:
    """Return every period that is due, lower tiers first, with its inputs and the id that they yield; those of days of projects
    that are `settled` (whole trees of `DueTrees`) are left out."""
    tier_plan = TierPlan()
    below: dict[tuple[str, Period], PeriodNode] = {}
    for project, day in days.list_days():
        if (project, day) in settled:
            continue
        period = find_period(DAY, day)
        if is_due(period, after_days, today):
            below[project, period] = _build_day(project, period, days)
    tier_plan.nodes += below.values()
    for _ in TIERS[1:]:
        groups: defaultdict[tuple[str, Period], list[PeriodNode]] = defaultdict(list)
        for (project, period), node in sorted(below.items()):
            parent = find_parent_period(period)
            if parent is not None and is_due(parent, after_days, today):
                groups[project, parent].append(node)
        below = {key: _build_period(*key, children, days) for key, children in sorted(groups.items())}
        tier_plan.nodes += below.values()
    return tier_plan


def list_due_periods(days: Collection[date], after_days: Sequence[int], today: date) -> list[str]:
    """Return the periods of any project that are due when these days have rows, as words, sorted."""
    due: set[str] = set()
    for day in days:
        period: Period | None = find_period(DAY, day)
        while period is not None and is_due(period, after_days, today):
            due.add(f"{period.tier} {period.start}")
            period = find_parent_period(period)
    return sorted(due)


def _build_day(project: str, period: Period, days: DayInputs) -> PeriodNode:
    inputs = [*days.list_ids(project, period.start), *days.list_citations(project, period.start)]
    paid = make_distillate_id(DAY, project, f"{period.start} paid", inputs)
    return PeriodNode(project, period, make_distillate_id(DAY, project, f"{period.start} {TIER_VERSION}", inputs), paid, [], days)


def _build_period(project: str, period: Period, below: list[PeriodNode], days: DayInputs) -> PeriodNode:
    paid = make_distillate_id(period.tier, project, f"{period.start} paid", [child.paid_id for child in below])
    node = PeriodNode(project, period, "", paid, below, days)
    assign_offline_id(node)
    return node


def assign_offline_id(node: PeriodNode) -> None:
    """Set the id of the offline engine for the inputs as they are now: a child that a model wrote is another input."""
    if node.period.tier != DAY:
        named = [child.id for child in node.below]
        node.id = make_distillate_id(node.period.tier, node.project, f"{node.period.start} {TIER_VERSION}", named)


def apply_model_text(
    node: PeriodNode, condensed: CondensedText, source_ids: Iterable[str], engine: str, template_hash: str | None
) -> None:
    """Set a model's text, of this run or an earlier one, as the text of the node, with the rows that it was made from."""
    node.id, node.condensed, node.is_done, node.source_ids = node.paid_id, condensed, True, frozenset(source_ids)
    node.engine, node.template_hash = engine, template_hash


def retell_text(node: PeriodNode) -> bool:
    """Whether the period holds one text of a model and nothing else, as a week of one day does; it then tells that text,
    shortened by the rules of its tier. Nothing is to be put together, so a request would pay for the same rows again."""
    inputs = list(islice(list_effective_inputs(node), 2))
    only = inputs[0] if len(inputs) == 1 else None
    if not isinstance(only, PeriodNode) or only.id != only.paid_id or (condensed := ensure_condensed(node)) is None:
        return False
    apply_model_text(node, condensed, collect_source_ids(node), only.engine, only.template_hash)
    return True


def condense_children(node: PeriodNode) -> None:
    """Condense the inputs of the node that are not condensed yet."""
    for child in node.below:
        ensure_condensed(child)


def collect_items(node: PeriodNode) -> list[PeriodItem]:
    """Return the items that reach a period: those that the periods below keep."""
    items: list[PeriodItem] = []
    for child in list_effective_inputs(node):
        if isinstance(child, PeriodNode):
            items += child.condensed.items if child.condensed else ()
        elif child.session_facts is None:
            items.append(child.item)
        elif text := drop_replaced_sentences(child.item.text, child.session_facts):
            marked = mark_changed_sentences(text, child.session_facts.changed, child.session_facts.holding)
            items.append(replace(child.item, text=marked))
    return items


def ensure_condensed(node: PeriodNode) -> CondensedText | None:
    """Return the node condensed; made once. It is deterministic: a stored one is made again only when the tier above needs its
    items."""
    if not node.is_done:
        condense_children(node)
        node.condensed = condense(node.period.tier, collect_items(node), count_input_tokens(node))
        node.is_done = True
    return node.condensed


def count_input_tokens(node: PeriodNode) -> int:
    """Return the tokens of the inputs' texts, with which the output is compared."""
    total = 0
    for child in list_effective_inputs(node):
        if isinstance(child, PeriodInput):
            total += child.tokens
        elif child.condensed:
            total += count_tokens(child.condensed.text)
    return total


def collect_source_ids(node: PeriodNode) -> set[str]:
    """Return the facts and narratives that the texts below were made from, also those whose words are said beside a fact; empty
    when a text of an earlier version names none."""
    names: set[str] = set()
    for child in list_inputs(node):
        below = _list_sources(child) if isinstance(child, PeriodNode) else child.item.sources | child.said_by
        if not below:
            return set()
        names.update(below)
    return names


def _list_sources(node: PeriodNode) -> Collection[str]:
    return node.source_ids or _collect_below(node)


def _collect_below(node: PeriodNode) -> set[str]:
    has_names = not node.condensed or all(item.sources for item in node.condensed.items)
    return collect_source_ids(node) if has_names else set()


def collect_citations(node: PeriodNode) -> set[str]:
    """Return every citation of everything below."""
    if node.period.tier == DAY:
        return set(node.days.list_citations(node.project, node.period.start))
    return set().union(*(collect_citations(child) for child in node.below))


def collect_origins(node: PeriodNode) -> set[Origin | None]:
    """Return the origins of everything below."""
    if node.period.tier == DAY:
        return node.days.list_origins(node.project, node.period.start)
    return set().union(*(collect_origins(child) for child in node.below))


def build_distillate_row(node: PeriodNode, reason: str | None = None) -> DistillateRow | None:
    """Return the node as a row of `distillates`; None when it could not be made smaller than its input. A model's text keeps its
    items, with the rows that it was made from."""
    condensed = ensure_condensed(node)
    if condensed is None:
        return None
    return {
        "distillate_id": node.id, "tier": node.period.tier, "project": node.project, "period_start": node.period.start,
        "period_end": node.period.end, "text": condensed.text,
        "child_ids": sorted(
            child.id if isinstance(child, PeriodNode) else child.item.id for child in list_effective_inputs(node)
        ),
        "entry_refs": sorted(collect_citations(node)),
        "input_tokens": count_input_tokens(node),
        "output_tokens": count_tokens(condensed.text),
        "level": condensed.level, "engine": node.engine, "template_hash": node.template_hash, "reason": reason,
        "parts": None if node.engine == OFFLINE else pack_items(condensed.items), "source_ids": sorted(node.source_ids) or None,
        "origin": find_least_trusted(collect_origins(node)), "superseded_by": None,
    }  # fmt: skip
