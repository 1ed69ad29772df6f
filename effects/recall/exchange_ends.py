"""Reads the pieces of talk behind the leading hits in which their exchanges end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from effects.recall.index_search import load_reader_columns, read_spoken_behind
from effects.recall.recall_state import Recall
from transforms.answers.exchange_context import MOST_PIECES, find_exchange_end, wants_end
from transforms.forgetting.named_documents import is_forgotten_document
from transforms.recall.ranking_record import RankingRecord


def load_exchange_ends(
    recall: Recall, rows: Sequence[RankingRecord], hits: Sequence[int], weights: Mapping[str, float]
) -> dict[int, RankingRecord]:
    """Return, for those of these hits that have one, the piece in which their exchange ends, with the reader's columns.

    None without an index: there the candidates are all that was read. `weights` are those of the question's words.
    """
    wanted = [hit for hit in hits if wants_end(rows[hit])]
    if recall.index is None or not wanted:
        return {}
    behind = read_spoken_behind(recall.index, [rows[hit] for hit in wanted], MOST_PIECES)
    ends = {
        hit: end
        for hit, pieces in zip(wanted, behind, strict=True)
        if (end := find_exchange_end(rows[hit], pieces, weights)) is not None
    }
    load_reader_columns(recall.index, list(ends.values()))
    return {hit: end for hit, end in ends.items() if not is_forgotten_document(end, recall.forgotten)}
