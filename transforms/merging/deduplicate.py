"""Decides which observations merge and which newer ones supersede older ones: a pure function of the whole set.

The order of arrival does not matter. Rows are taken in one canonical order (persons' words first, then priority, then newest,
then id), each joins those that say the same, and a chain of supersession ends at the newest. Nightly runs and a backfill
therefore agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from transforms.exchanges.current_values import find_assignments, find_superseding_text
from transforms.memory.supersession import RETIRED_BY
from transforms.memory.supersession_candidates import RETIRING, DatedClaim, Succession, trace_succession
from transforms.merging.compared_row import ComparedRow, sort_canonically
from transforms.merging.group_restatements import FindCosine, Relations, find_survivors
from transforms.merging.reassigned_names import find_reassigned
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import EVENT_KINDS, OPEN_KINDS, PERSON_KINDS
from transforms.tables.fact_notes import drop_labels


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """The columns that dedupe writes into an observation."""

    superseded_by: str | None
    merged_count: int
    also: tuple[str, ...]
    rests_on: tuple[str, ...] = field(default=(), compare=False)
    """Ids of other rows that the decision rests on: members, the row that absorbed it, rows that retired or replaced it."""


def decide_merges(
    rows: Iterable[ComparedRow],
    near: FindCosine,
    relations: Relations,
    known: Mapping[str, MergeDecision],
    apart: Set[tuple[str, str]],
) -> dict[str, MergeDecision]:
    """Return a decision for every row, the same in any order; only those of `allow` observations belong here.

    Words retire nothing among the rows of one answer of a model. A model's relations of pairs
    (`relations`) join the decisions by words; of pairs that it saw and did not call replaced (`apart`) words retire nothing.
    `known` are the decisions about rows that were compared with one another as they are now: whether a row retires another
    depends on these two alone, so of pairs of rows that absorb what they absorbed only those are compared again of which one
    rests on the other. That changes no decision.
    """
    survivors = find_survivors(sort_canonically(rows), near, relations)
    del near  # vectors of a whole history, for which nothing asks any more
    for row in survivors:
        row.forget_words()
    by_words = _find_survivor_successors(survivors, known, _join_apart(apart, relations, survivors))
    successors = _add_replaced(by_words.newest, survivors, relations)
    decisions: dict[str, MergeDecision] = {}
    for row in survivors:
        last = _follow_chain(row.id, successors)
        basis = by_words.rests_on.get(row.id, set()) | ({successors[row.id]} if row.id in successors else set())
        decisions[row.id] = _decide_absorbing(row, None if last == row.id else last, basis)
        decisions |= {member.id: MergeDecision(last, 1, (), (row.id,)) for member in row.members}
    return decisions


def _decide_absorbing(row: ComparedRow, superseded_by: str | None, basis: Set[str] = frozenset()) -> MergeDecision:
    others = {ref for member in row.members for ref in member.refs} - set(row.refs)
    rests_on = basis | {member.id for member in row.members}
    return MergeDecision(superseded_by, 1 + len(row.members), tuple(sorted(others)), tuple(sorted(rests_on)))


def _join_apart(
    apart: Set[tuple[str, str]], relations: Relations, survivors: Sequence[ComparedRow]
) -> frozenset[tuple[str, str]]:
    """Return the pairs of survivors that stand for pairs kept apart and for none with a relation."""
    survivor_of = {member.id: row.id for row in survivors for member in (row, *row.members)} if apart else {}

    def join(pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        return {
            (survivor_of[older], survivor_of[newer]) for older, newer in pairs if older in survivor_of and newer in survivor_of
        }

    return frozenset(join(apart) - join(relations))


def _find_survivor_successors(
    survivors: list[ComparedRow], known: Mapping[str, MergeDecision], apart: Set[tuple[str, str]]
) -> Succession:
    """Return retired survivor → the newest survivor that retires it, with the rows on which that rests.

    A row of `known` that absorbs others than it did may have been said later than it was then, so it is compared again.
    """
    claims = sorted((row for row in survivors if row.kind in RETIRED_BY or row.kind in RETIRING), key=lambda row: row.last_said)
    bases = {row.id: known[row.id].rests_on for row in claims if _absorbs_as_before(row, known)}
    in_force = {name for name in bases if known[name].superseded_by is None}
    outdated = _find_outdated_values(claims, in_force, apart)
    dated = [
        DatedClaim(
            row.id,
            row.stated_kind,
            row.project,
            row.claim,
            row.id in bases,
            row.last_said[:2],
            frozenset(bases[row.id]) if bases.get(row.id) else _NO_NAMES,
            row.answer,
        )
        for row in claims
    ]
    by_words, by_name = trace_succession(dated, apart), _drop_apart(find_reassigned(claims), apart)
    return Succession(
        outdated.newest | by_name.newest | by_words.newest, outdated.rests_on | by_name.rests_on | by_words.rests_on
    )


def _drop_apart(succession: Succession, apart: Set[tuple[str, str]]) -> Succession:
    newest = {older: newer for older, newer in succession.newest.items() if (older, newer) not in apart}
    return Succession(newest, {older: succession.rests_on[older] for older in newest})


def _absorbs_as_before(row: ComparedRow, known: Mapping[str, MergeDecision]) -> bool:
    """Whether a survivor absorbs exactly the rows that it absorbed when it was compared last."""
    if row.id not in known or known[row.id] != _decide_absorbing(row, known[row.id].superseded_by):
        return False
    return all(member.id in known and known[member.id].rests_on == (row.id,) for member in row.members)


def _add_replaced(successors: dict[str, str], survivors: Sequence[ComparedRow], relations: Relations) -> dict[str, str]:
    """Return the successors with a model's relations: the newest wins, and a claim that was repeated later is not replaced.

    A person's statement is replaced or stays; only reports of work become outdated, and only what was open is finished.
    """
    survivor_of = {member.id: row for row in survivors for member in (row, *row.members)}
    joined = dict(successors)
    for (older_id, newer_id), relation in sorted(relations.items()):
        older, newer = survivor_of.get(older_id), survivor_of.get(newer_id)
        if older is None or newer is None or older.last_said >= newer.last_said:
            continue
        is_acted_on = (
            relation == "replaces"
            or (relation == "outdates" and older.kind not in PERSON_KINDS)
            or (relation == "finishes" and older.kind in OPEN_KINDS)
        )
        if not is_acted_on:
            continue
        known = survivor_of.get(joined.get(older.id, ""))
        if known is None or known.last_said < newer.last_said:
            joined[older.id] = newer.id
    return joined


_NO_NAMES: frozenset[str] = frozenset()
VALUE_KINDS = EVENT_KINDS | {"decision", "state_change"}
"""Kinds whose rows give values that later rows of their session may replace."""
_TALLY = compile_late(r"[^\W\d][^\n:.;`]*: *\d+(?: [^\W\d]+){1,2}(?:, \d+(?: [^\W\d]+){1,2})+")
"""Counts that a program printed side by side ("Plan: 3 to add, 0 to change"): no value that something was given."""


def _find_outdated_values(claims: list[ComparedRow], in_force: Set[str], apart: Set[tuple[str, str]]) -> Succession:
    """Return rows that give values which later rows of the same session replaced, with the first that did and those in between.

    Nothing replaced the values of rows `in_force` when they were compared with one another, so a session needs another one that
    gives values.
    """
    sessions: defaultdict[str, list[ComparedRow]] = defaultdict(list)
    for row in claims:
        if row.kind in VALUE_KINDS:
            sessions[row.order[1]].append(row)
    outdated = Succession({}, {})
    for session_rows in sessions.values():
        texts = {row.id: _TALLY.sub(" ", drop_labels(row.text)) for row in session_rows}
        if not any(find_assignments(texts[row.id]) for row in session_rows if row.id not in in_force):
            continue
        rows = [row for row in session_rows if find_assignments(texts[row.id])]
        for position, row in enumerate(rows):
            later = [other for other in rows[position + 1 :] if not row.is_beside(other) and (row.id, other.id) not in apart]
            if (index := find_superseding_text(texts[row.id], [texts[later_row.id] for later_row in later])) is not None:
                outdated.newest[row.id] = later[index].id
                outdated.rests_on[row.id] = {later_row.id for later_row in later[: index + 1]}
    return outdated


def _follow_chain(start: str, successors: dict[str, str]) -> str:
    """Return the end of the chain; time only grows along it, so it ends."""
    current = start
    while current in successors:
        current = successors[current]
    return current
