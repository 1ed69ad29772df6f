"""Decides which observations merge and which newer ones supersede older ones: a pure function of the whole set.

The order of arrival does not matter. Rows are taken in one canonical order (persons' words first, then priority, then newest,
then id), each joins those that say the same, and a chain of supersession ends at the newest. Nightly runs and a backfill
therefore agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

from transforms.exchanges.current_values import find_assignments, find_superseding_text
from transforms.memory.supersession import RETIRED_BY, STANDING_KINDS
from transforms.memory.supersession_candidates import RETIRING, DatedClaim, find_successors
from transforms.merging.compared_row import ComparedRow, sort_canonically
from transforms.merging.group_restatements import FindCosine, Relations, find_survivors
from transforms.tables.enums import PERSON_KINDS
from transforms.tables.rows import ObservationRow


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """The columns that dedupe writes into an observation."""

    superseded_by: str | None
    merged_count: int
    also: tuple[str, ...]


def decide_merges(
    observations: Sequence[ObservationRow],
    near: FindCosine = lambda _first, _second: None,
    owner: str = "",
    relations: Relations = MappingProxyType({}),
    known: Mapping[str, MergeDecision] = MappingProxyType({}),
) -> dict[str, MergeDecision]:
    """Return a decision for every observation, the same in any order; only `allow` rows belong here.

    The rows need observation_id, kind, project, priority, said_at, session_id, ordinals, entry_ids and text. A model's
    relations of pairs (`relations`) join the decisions by words. `known` are the decisions about rows that were compared with one
    another as they are now: whether a row retires another depends on these two alone, so pairs of rows that nothing retired and
    that absorb what they absorbed are not compared again. That changes no decision.
    """
    survivors = find_survivors(sort_canonically(observations, owner), near, relations)
    successors = _add_replaced(_find_survivor_successors(survivors, known), survivors, relations)
    decisions: dict[str, MergeDecision] = {}
    for row in survivors:
        last = _follow_chain(row.id, successors)
        decisions[row.id] = _decide_absorbing(row, None if last == row.id else last)
        decisions |= {member.id: MergeDecision(last, 1, ()) for member in row.members}
    return decisions


def _decide_absorbing(row: ComparedRow, superseded_by: str | None) -> MergeDecision:
    others = {ref for member in row.members for ref in member.refs} - set(row.refs)
    return MergeDecision(superseded_by, 1 + len(row.members), tuple(sorted(others)))


def _find_survivor_successors(survivors: list[ComparedRow], known: Mapping[str, MergeDecision]) -> dict[str, str]:
    """Return retired survivor → the newest survivor that retires it.

    A row of `known` that absorbs others than it did may have been said later than it was then, so it is compared again.
    """
    claims = sorted((row for row in survivors if row.kind in RETIRED_BY or row.kind in RETIRING), key=lambda row: row.last_said)
    in_force = {row.id for row in claims if _stands_as_before(row, known)}
    return _find_outdated_values(claims, in_force) | find_successors(
        [DatedClaim(row.id, row.kind, row.project, row.claim, row.id in in_force) for row in claims]
    )


def _stands_as_before(row: ComparedRow, known: Mapping[str, MergeDecision]) -> bool:
    """Whether nothing retired a survivor when it was compared last, and it absorbs the rows that it absorbed then."""
    if row.id not in known or known[row.id] != _decide_absorbing(row, None):
        return False
    return all(member.id in known and known[member.id].superseded_by == row.id for member in row.members)


def _add_replaced(successors: dict[str, str], survivors: Sequence[ComparedRow], relations: Relations) -> dict[str, str]:
    """Return the successors with a model's relations: the newest wins, and a claim that was repeated later is not replaced.

    A person's statement is replaced or stays; only reports of work become outdated.
    """
    survivor_of = {member.id: row for row in survivors for member in (row, *row.members)}
    joined = dict(successors)
    for (older_id, newer_id), relation in sorted(relations.items()):
        older, newer = survivor_of.get(older_id), survivor_of.get(newer_id)
        if relation not in ("replaces", "outdates") or older is None or newer is None or older.last_said >= newer.last_said:
            continue
        if relation == "outdates" and older.kind in PERSON_KINDS:
            continue
        known = survivor_of.get(joined.get(older.id, ""))
        if known is None or known.last_said < newer.last_said:
            joined[older.id] = newer.id
    return joined


_VALUE_KINDS = frozenset({"decision", "state_change", "file_change", "completion", "status", "fact", "progress", "fix"})


def _find_outdated_values(claims: list[ComparedRow], in_force: Set[str]) -> dict[str, str]:
    """Return rows that give values which later rows of the same session replaced, with the first that did.

    Nothing replaced the values of rows `in_force` when they were compared with one another, so a session needs another one that
    gives values.
    """
    sessions: defaultdict[str, list[ComparedRow]] = defaultdict(list)
    for row in claims:
        if row.kind in _VALUE_KINDS:
            sessions[row.order[1]].append(row)
    outdated: dict[str, str] = {}
    for session_rows in sessions.values():
        if not any(find_assignments(row.text) for row in session_rows if row.id not in in_force):
            continue
        rows = [row for row in session_rows if find_assignments(row.text)]
        for position, row in enumerate(rows):
            later = rows[position + 1 :]
            if (index := find_superseding_text(row.text, [later_row.text for later_row in later])) is not None:
                outdated[row.id] = later[index].id
    return outdated


def _follow_chain(start: str, successors: dict[str, str]) -> str:
    """Return the end of the chain; time only grows along it, so it ends."""
    current = start
    while current in successors:
        current = successors[current]
    return current


# ---- incremental decisions


def update_merges(
    observations: Sequence[ObservationRow],
    changed: set[str],
    near: FindCosine,
    owner: str,
    relations: Relations = MappingProxyType({}),
    settled: Set[str] = frozenset(),
) -> dict[str, MergeDecision]:
    """Return decisions for every row that a change in the projects `changed` may touch; all other rows keep theirs.

    The rows also need `superseded_by`, `merged_count` and `also` as decided before. Rules and preferences hold in every
    project, so all of them are compared, with the rows that they absorbed or retired, and so are facts of two projects that a
    model related. A project in which that alters a decision, or the row that absorbs another, is compared as a whole.
    `settled` are ids of rows whose stored decision was made from the same row on the same basis.
    """
    stored = {row["observation_id"]: _read_decision(row) for row in observations}
    known = {name: stored[name] for name in settled}
    personal = {row["observation_id"] for row in observations if row["kind"] in STANDING_KINDS}
    tied = _collect_linked(observations, personal | _list_related_across(observations, relations))
    while True:
        rows = [row for row in observations if (row["project"] or "") in changed or row["observation_id"] in tied]
        decisions = decide_merges(rows, near, owner, relations, known)
        altered = _list_altered_projects(rows, stored, decisions)
        if altered <= changed:
            return decisions
        changed = changed | altered


def _list_related_across(observations: Sequence[ObservationRow], relations: Relations) -> set[str]:
    projects = {row["observation_id"]: row["project"] or "" for row in observations}
    across = ((older, newer) for older, newer in relations if projects.get(older, "") != projects.get(newer, ""))
    return {name for pair in across for name in pair if name in projects}


def _list_altered_projects(
    rows: Sequence[ObservationRow], stored: Mapping[str, MergeDecision], decided: Mapping[str, MergeDecision]
) -> set[str]:
    """Return the projects of rows with another decision, or that another row absorbs now: a row that stands alone again may
    have the same columns as before and yet absorb rows of its own project."""
    before, after = (_list_absorbing(rows, decisions) for decisions in (stored, decided))
    return {
        row["project"] or ""
        for row, absorbed_before, absorbed_after in zip(rows, before, after, strict=True)
        if decided[row["observation_id"]] != stored[row["observation_id"]] or absorbed_before != absorbed_after
    }


def _list_absorbing(rows: Sequence[ObservationRow], decisions: Mapping[str, MergeDecision]) -> list[set[str]]:
    """Return for each row the ids of the rows that cite its entries as further evidence."""
    absorbing: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for ref in decisions[row["observation_id"]].also:
            absorbing[ref].add(row["observation_id"])
    none = set[str]()
    return [
        none.union(*(absorbing.get(f"{row['session_id']}:{entry}", none) for entry in row["entry_ids"] or ())) for row in rows
    ]


def _read_decision(row: ObservationRow) -> MergeDecision:
    return MergeDecision(row["superseded_by"], row["merged_count"] or 1, tuple(row["also"] or ()))


def _collect_linked(observations: Sequence[ObservationRow], start: set[str]) -> set[str]:
    """Return `start` and every row that one of them absorbed, retired or points to, transitively."""
    citing: defaultdict[str, list[str]] = defaultdict(list)
    for row in observations:
        for entry in row["entry_ids"] or ():
            citing[f"{row['session_id']}:{entry}"].append(row["observation_id"])
    links: defaultdict[str, set[str]] = defaultdict(set)
    for row in observations:
        observation_id = row["observation_id"]
        others = [row["superseded_by"]] if row["superseded_by"] else []
        for other in [*others, *(name for ref in row["also"] or () for name in citing.get(ref, ()))]:
            links[observation_id].add(other)
            links[other].add(observation_id)
    linked, waiting = set(start), list(start)
    while waiting:
        new = links[waiting.pop()] - linked
        linked |= new
        waiting += new
    return linked
