"""Plans the distillates: per project days, weeks, months and years, each made from the tier below, identified by its inputs.

The id of a distillate is a hash of its inputs, so a stale one shows without reading a text: its expected id is not stored. The
text of a model has an id of its own, over the facts and narratives below and nothing else: it is paid for once, whatever
version of the offline engine follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from transforms.condensing.condense import CondensedText, condense
from transforms.condensing.period_item import PeriodItem
from transforms.conversation.origins import find_least_trusted
from transforms.language.sentences import split_prose
from transforms.language.statement import parse_statement, select_content_words, split_claim
from transforms.memory.claim_clauses import extract_headline
from transforms.tables.enums import OFFLINE, PERSON_KINDS, Origin
from transforms.tables.ids import make_distillate_id
from transforms.tables.periods import DAY, TIERS, Period, find_parent_period, find_period, is_due
from transforms.tables.rows import DistillateRow, ObservationRow, SegmentRow
from transforms.tables.tokens import count_tokens

MAX_EARLIER_CHARS = 90
REPLACED_SHARE = 0.6
"""Share of a sentence's words from which it tells a replaced fact, when no fact that holds has as many of them."""
_STATES = frozenset({"state_change", "status", "fact"})
TIER_VERSION = 4
"""Raised by hand when the same inputs yield another text: every distillate is then made again."""


@dataclass(slots=True)
class PeriodNode:
    """A period of a project: its inputs and its condensed text (None before it is made, or when it cannot be smaller).

    `id` is its row's: the offline engine's, until a model's row takes over (`paid_id`). `source_ids` are the rows that a model's
    text was made from, of which some may be gone by now.
    """

    project: str
    period: Period
    id: str
    paid_id: str
    inputs: list[PeriodInput | PeriodNode]
    condensed: CondensedText | None = None
    is_done: bool = False
    source_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The texts of the facts of a session: those that hold, and those that later facts replaced."""

    holding: list[str]
    replaced: list[str]


@dataclass(frozen=True, slots=True)
class PeriodInput:
    """An observation or a segment as an input: its item, the tokens of its text, its citations and its origin; a segment of a
    session with replaced facts has the session's facts."""

    item: PeriodItem
    tokens: int
    refs: tuple[str, ...]
    origin: Origin | None
    session_facts: SessionFacts | None = None


@dataclass(slots=True)
class TierPlan:
    """The distillates that are due, tier by tier."""

    nodes: list[PeriodNode] = field(default_factory=list)

    def map_to_parents(self) -> dict[str, str]:
        """Return the id of each distillate → id of the distillate that takes it in, where both exist."""
        return {
            child.id: node.id
            for node in self.nodes
            if node.condensed
            for child in list_effective_inputs(node)
            if isinstance(child, PeriodNode)
        }


def list_effective_inputs(node: PeriodNode) -> Iterator[PeriodInput | PeriodNode]:
    """Yield the inputs of a period; a period below that could not be condensed passes its own inputs up."""
    for child in node.inputs:
        if isinstance(child, PeriodNode) and child.condensed is None:
            yield from list_effective_inputs(child)
        else:
            yield child


def collect_inputs(
    observations: Sequence[ObservationRow], segments: Sequence[SegmentRow]
) -> dict[tuple[str, date], list[PeriodInput]]:
    """Return the inputs of each project's days: allowed observations that are not superseded, and the narratives of segments."""
    days: defaultdict[tuple[str, date], list[PeriodInput]] = defaultdict(list)
    retired = _list_retired(observations)
    earlier = _find_retired_claims(retired)
    by_session = {row["session_id"]: SessionFacts([], []) for row in retired}
    for row in retired:
        by_session[row["session_id"]].replaced.append(row["text"])
    for row in observations:
        if row["superseded_by"] is None:
            days[row["project"] or "", row["day"]].append(_build_fact_input(row, earlier.get(row["observation_id"], "")))
            if row["session_id"] in by_session:
                by_session[row["session_id"]].holding.append(row["text"])
    for segment in segments:
        if segment["narrative"]:
            facts = by_session.get(segment["session_id"])
            days[segment["project"] or "", segment["day"]].append(_build_narrative_input(segment, facts))
    return {key: sorted(leaves, key=lambda leaf: leaf.item.id) for key, leaves in days.items()}


def _list_retired(observations: Sequence[ObservationRow]) -> list[ObservationRow]:
    """Return the facts that later ones retired, without those that were merged; the oldest first."""
    also = {row["observation_id"]: set(row["also"] or ()) for row in observations}
    retired = []
    for row in sorted(observations, key=lambda row: (row["said_at"], row["observation_id"])):
        refs = {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}
        if row["superseded_by"] in also and not (refs and refs <= also[row["superseded_by"]]):
            retired.append(row)
    return retired


def _find_retired_claims(retired: Iterable[ObservationRow]) -> dict[str, str]:
    """Return observation → the claim that it retired: of several what a person said, else what was so, else the newest report."""
    ranked = sorted(retired, key=lambda row: (row["kind"] in PERSON_KINDS, row["kind"] in _STATES))
    claims = {row["superseded_by"]: extract_headline(split_claim(row["text"]).claim) for row in ranked if row["superseded_by"]}
    return {
        name: claim if len(claim) <= MAX_EARLIER_CHARS else claim[: MAX_EARLIER_CHARS - 1].rstrip() + "…"
        for name, claim in claims.items()
    }


def _build_fact_input(row: ObservationRow, earlier: str) -> PeriodInput:
    moment = row["said_at"].timestamp() if row["said_at"] else 0.0
    item = PeriodItem(
        row["observation_id"], row["kind"], row["priority"], " ".join(row["text"].split()), row["day"],
        (moment, row["session_id"], min(row["ordinals"] or [0])), frozenset(row["files"] or ()), earlier,
        frozenset({row["observation_id"]}),
    )  # fmt: skip
    refs = [f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()] + list(row["also"] or ())
    return PeriodInput(item, count_tokens(row["text"]), tuple(refs), row.get("origin"))


def _build_narrative_input(row: SegmentRow, session_facts: SessionFacts | None) -> PeriodInput:
    moment = row["started_at"].timestamp() if row["started_at"] else 0.0
    order = (moment, row["session_id"], row["first_ordinal"])
    item = PeriodItem(
        row["segment_id"], "narrative", "medium", " ".join(row["narrative"].split()), row["day"], order,
        sources=frozenset({row["segment_id"]}),
    )  # fmt: skip
    refs = tuple(f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ())
    return PeriodInput(item, count_tokens(row["narrative"]), refs, "agent", session_facts)


def plan_tiers(days: Mapping[tuple[str, date], list[PeriodInput]], after_days: Sequence[int], today: date) -> TierPlan:
    """Return every period that is due, lower tiers first, with its inputs and the id that they yield."""
    tier_plan = TierPlan()
    below: dict[tuple[str, Period], PeriodNode] = {}
    for (project, day), leaves in sorted(days.items()):
        period = find_period(DAY, day)
        if is_due(period, after_days, today):
            below[project, period] = _build_node(project, period, list(leaves))
    tier_plan.nodes += below.values()
    for _ in TIERS[1:]:
        groups: defaultdict[tuple[str, Period], list[PeriodInput | PeriodNode]] = defaultdict(list)
        for (project, period), node in sorted(below.items()):
            parent = find_parent_period(period)
            if parent is not None and is_due(parent, after_days, today):
                groups[project, parent].append(node)
        below = {key: _build_node(*key, inputs) for key, inputs in sorted(groups.items())}
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


def _build_node(project: str, period: Period, inputs: list[PeriodInput | PeriodNode]) -> PeriodNode:
    refs = sorted({ref for child in inputs if isinstance(child, PeriodInput) for ref in child.refs})
    below = [child.paid_id if isinstance(child, PeriodNode) else f"{child.item.id} {child.item.earlier}" for child in inputs]
    paid = make_distillate_id(period.tier, project, f"{period.start} paid", [*below, *refs])
    node = PeriodNode(project, period, "", paid, inputs)
    assign_offline_id(node)
    return node


def assign_offline_id(node: PeriodNode) -> None:
    """Set the id of the offline engine for the inputs as they are now: a child that a model wrote is another input."""
    named = [child.id if isinstance(child, PeriodNode) else f"{child.item.id} {child.item.earlier}" for child in node.inputs]
    refs = sorted({ref for child in node.inputs if isinstance(child, PeriodInput) for ref in child.refs})
    node.id = make_distillate_id(node.period.tier, node.project, f"{node.period.start} {TIER_VERSION}", [*named, *refs])


def apply_model_text(node: PeriodNode, condensed: CondensedText, source_ids: Iterable[str] = ()) -> None:
    """Set a model's text, of this run or an earlier one, as the text of the node, with the rows that it was made from."""
    node.id, node.condensed, node.is_done, node.source_ids = node.paid_id, condensed, True, frozenset(source_ids)


def condense_children(node: PeriodNode) -> None:
    """Condense the inputs of the node that are not condensed yet."""
    for child in node.inputs:
        if isinstance(child, PeriodNode):
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
            items.append(replace(child.item, text=text))
    return items


def drop_replaced_sentences(narrative: str, session_facts: SessionFacts) -> str:
    """Return a narrative without the sentences that tell a replaced fact: nothing beside them would say that it is replaced."""
    replaced, holding = (
        [select_content_words(parse_statement(text)) for text in texts]
        for texts in (session_facts.replaced, session_facts.holding)
    )
    sentences = []
    for sentence in split_prose(narrative):
        words = select_content_words(parse_statement(sentence))
        share = _share_most(words, replaced)
        if share < REPLACED_SHARE or share <= _share_most(words, holding):
            sentences.append(sentence)
    return " ".join(sentences)


def _share_most(words: frozenset[str], facts: Iterable[frozenset[str]]) -> float:
    """Return the largest share of the words that one of some facts has."""
    return max((len(words & known) / len(words) for known in facts), default=0.0) if words else 0.0


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
    """Return the facts and narratives that the texts below were made from; empty when a text of an earlier version names none."""
    names: set[str] = set()
    for child in node.inputs:
        below = (child.source_ids or _collect_below(child)) if isinstance(child, PeriodNode) else child.item.sources
        if not below:
            return set()
        names |= below
    return names


def _collect_below(node: PeriodNode) -> set[str]:
    has_names = not node.condensed or all(item.sources for item in node.condensed.items)
    return collect_source_ids(node) if has_names else set()


def collect_citations(node: PeriodNode) -> set[str]:
    """Return every citation of everything below."""
    return {ref for child in node.inputs for ref in (collect_citations(child) if isinstance(child, PeriodNode) else child.refs)}


def collect_origins(node: PeriodNode) -> set[Origin | None]:
    """Return the origins of everything below."""
    return {
        origin
        for child in node.inputs
        for origin in (collect_origins(child) if isinstance(child, PeriodNode) else (child.origin,))
    }


def build_distillate_row(
    node: PeriodNode,
    engine: str = OFFLINE,
    template_hash: str | None = None,
    reason: str | None = None,
    parts: list[str] | None = None,
    source_ids: Iterable[str] | None = None,
) -> DistillateRow | None:
    """Return the node as a row of `distillates`; None when it could not be made smaller than its input."""
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
        "level": condensed.level, "engine": engine, "template_hash": template_hash, "reason": reason, "parts": parts,
        "source_ids": sorted(source_ids) if source_ids else None,
        "origin": find_least_trusted(collect_origins(node)), "superseded_by": None,
    }  # fmt: skip
