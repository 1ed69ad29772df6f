"""Decides about rows that came, changed or lost others, as if all rows had been compared at once.

A row is decided again when it is new, when a row on which its decision rests is gone or decided again, or when the comparison
with such a row changes its decision. Each of these is compared with all rows that it can have anything to do with
(`transforms.merging.find_partners`), and these with the rows that their own decisions rest on. So whatever a new row changes is
seen: the row that it absorbs or retires is its partner, and what follows from that is linked to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from types import MappingProxyType
from typing import NamedTuple, cast

import polars as pl

from transforms.merging.compared_row import ComparedRow, build_compared_row
from transforms.merging.comparison_keys import list_row_keys
from transforms.merging.deduplicate import VALUE_KINDS, MergeDecision, decide_merges
from transforms.merging.find_partners import ComparisonIndex
from transforms.merging.group_restatements import FindCosine, Relations
from transforms.tables.rows import ObservationRow

MAX_SHARE = 0.5
"""Share of rows that are decided again from which all of them are."""
_BLOCK_ROWS, _WATCHED_ROWS = 2_000, 200
_KEYS: dict[str, pl.DataType | type[pl.DataType]] = {"observation_id": pl.String, "compared_keys": pl.List(pl.Int64)}


class MergeUpdate(NamedTuple):
    """What a change of some rows changed: decisions and keys of the rows that were decided again, and how many were compared."""

    decisions: dict[str, MergeDecision]
    keys: pl.DataFrame
    compared: int


def update_merges(
    rows: pl.DataFrame,
    settled: Set[str],
    make_cosine: Callable[[Collection[str]], FindCosine],
    owner: str,
    relations: Relations = MappingProxyType({}),
    apart: Set[tuple[str, str]] = frozenset(),
    watch: Callable[[int, int], None] = lambda _done, _total: None,
) -> MergeUpdate:
    """Return the decisions about all rows that differ from those stored in them, or that are not settled; all others keep theirs.

    The rows need the columns of `decide_merges`, those of a decision and `compared_keys`. `settled` are ids of rows whose stored
    decision was made from the same row on the same basis, when all settled rows were there. `make_cosine` returns a function
    for the cosine of two of some texts; `apart` are pairs of which words retire nothing. `watch` is told of so many rows that
    were read for their keys, and of so many that were read for their comparison.
    """
    links = _Links(rows, relations)
    everything = set(rows["observation_id"])
    active = (everything - settled) | links.list_resting_on_others(settled)
    if not active:
        return MergeUpdate({}, pl.DataFrame(schema=_KEYS), 0)
    built: dict[str, ComparedRow] | None = {} if len(active) > MAX_SHARE * len(everything) else None
    keys = _list_keys(rows, everything - settled, owner, watch, built)
    index: ComparisonIndex | None = None
    loaded, waiting = set[str](), set(active)
    while True:
        if len(active) > MAX_SHARE * len(everything):
            loaded, compared = everything, rows.drop("compared_keys")
        else:
            index = index or ComparisonIndex(enter_keys(rows.select("observation_id", "project", "kind", "compared_keys"), keys))
            loaded = links.find_linked(loaded | waiting | index.find_partners(waiting) | _list_session_rows(rows, waiting))
            compared = rows.drop("compared_keys").filter(_is_named(loaded))
        known = {row["observation_id"]: read_decision(row) for row in _iterate_rows(compared.filter(~_is_named(active)))}
        watched, built = _build_rows(compared, owner, built or {}, watch), None
        decided = decide_merges(watched, make_cosine(cast(Collection[str], compared["text"])), relations, known, apart)
        waiting = {name for name, decision in known.items() if not _is_same(decided[name], decision)}
        active |= waiting
        if not waiting or len(loaded) == len(everything):
            return MergeUpdate({name: decided[name] for name in sorted(active)}, keys, len(loaded))


def read_decision(row: ObservationRow) -> MergeDecision:
    """Return the decision that a row has."""
    return MergeDecision(row["superseded_by"], row["merged_count"] or 1, tuple(row["also"] or ()), tuple(row["rests_on"] or ()))


def _is_same(first: MergeDecision, second: MergeDecision) -> bool:
    return first == second and first.rests_on == second.rests_on


def _is_named(names: Iterable[str]) -> pl.Expr:
    return pl.col("observation_id").is_in(list(names))


def _watch_rows(rows: Iterable[ObservationRow], total: int, watch: Callable[[int, int], None]) -> Iterator[ObservationRow]:
    for done, row in enumerate(rows, 1):
        yield row
        if done % _WATCHED_ROWS == 0 or done == total:
            watch(done, total)


def _build_rows(
    rows: pl.DataFrame, owner: str, built: dict[str, ComparedRow], watch: Callable[[int, int], None]
) -> Iterator[ComparedRow]:
    """Yield the rows as they are compared; those that are `built` are not analysed again."""
    rest = rows.filter(~_is_named(built))
    yield from built.values()
    yield from (build_compared_row(row, owner) for row in _watch_rows(_iterate_rows(rest), rest.height, watch))


def _list_keys(
    rows: pl.DataFrame,
    names: Set[str],
    owner: str,
    watch: Callable[[int, int], None],
    built: dict[str, ComparedRow] | None,
) -> pl.DataFrame:
    """Return the keys of these rows, block by block: as numbers of Python all of them would take five times the memory.

    Where all rows will be compared, these stay in `built`.
    """
    blocks = [pl.DataFrame(schema=_KEYS)]
    named, done = rows.filter(_is_named(names)), 0
    for block in named.iter_slices(_BLOCK_ROWS):
        compared = {row["observation_id"]: build_compared_row(row, owner) for row in _iterate_rows(block)}
        keys = {name: list_row_keys(row) for name, row in compared.items()}
        if built is not None:
            built |= compared
        done += block.height
        watch(done, named.height)
        blocks.append(pl.DataFrame({"observation_id": list(keys), "compared_keys": list(keys.values())}, schema=_KEYS))
    return pl.concat(blocks)


def _iterate_rows(rows: pl.DataFrame) -> Iterator[ObservationRow]:
    """Yield rows as dictionaries, of which only a block is there at once."""
    for block in rows.iter_slices(_BLOCK_ROWS):
        yield from cast(list[ObservationRow], block.to_dicts())


def enter_keys(rows: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with these keys in the place of their own."""
    fresh = keys.select("observation_id", fresh="compared_keys")
    entered = rows.join(fresh, on="observation_id", how="left", maintain_order="left")
    return entered.with_columns(compared_keys=pl.coalesce("fresh", "compared_keys")).drop("fresh")


def _list_session_rows(rows: pl.DataFrame, names: Set[str]) -> set[str]:
    """Return the rows that give values in the sessions of rows that do."""
    giving = rows.filter(pl.col("kind").is_in(list(VALUE_KINDS)))
    sessions = giving.filter(_is_named(names)).select("session_id").unique()
    return set(giving.join(sessions, on="session_id", how="semi")["observation_id"])


class _Links:
    """Which rows the stored decisions rest on, and which rows a model related."""

    def __init__(self, rows: pl.DataFrame, relations: Relations) -> None:
        others = pl.concat_list(pl.col("superseded_by"), pl.col("rests_on").fill_null([])).list.drop_nulls()
        self._pairs = rows.select("observation_id", other=others).explode("other").drop_nulls("other")
        self._linked: defaultdict[str, set[str]] = defaultdict(set)
        present = set(rows["observation_id"])
        for first, second in (*self._pairs.iter_rows(), *relations):
            if first in present and second in present:
                self._linked[first].add(second)
                self._linked[second].add(first)

    def list_resting_on_others(self, settled: Set[str]) -> set[str]:
        """Return the rows whose decision rests on one that is gone or not settled."""
        return set(self._pairs.filter(~pl.col("other").is_in(list(settled)))["observation_id"])

    def find_linked(self, start: Set[str]) -> set[str]:
        """Return these rows and all that are linked to one of them, transitively."""
        linked, waiting = set(start), list(start)
        while waiting:
            new = self._linked.get(waiting.pop(), set()) - linked
            linked |= new
            waiting += new
        return linked
