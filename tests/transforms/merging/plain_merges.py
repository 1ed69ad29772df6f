"""Decisions about rows that no model has compared, unless a test says what one said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from transforms.merging import deduplicate
from transforms.merging.compared_row import build_compared_row
from transforms.merging.deduplicate import MergeDecision
from transforms.merging.group_restatements import FindCosine, Relations
from transforms.tables.rows import ObservationRow


def decide_merges(
    observations: Iterable[ObservationRow],
    near: FindCosine = lambda _first, _second: None,
    owner: str = "",
    relations: Relations | None = None,
    known: Mapping[str, MergeDecision] | None = None,
    apart: Set[tuple[str, str]] = frozenset(),
) -> dict[str, MergeDecision]:
    """Return the decisions; the product names all of these, since each changes them."""
    rows = (build_compared_row(observation, owner) for observation in observations)
    return deduplicate.decide_merges(rows, near, relations or {}, known or {}, apart)
