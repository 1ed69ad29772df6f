"""The documents of a new index that several processes make are those that one makes, in the same order."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from effects.index import part_pieces
from effects.index.part_pieces import make_documents
from effects.index.source_parts import fingerprint_parts, read_projects
from effects.store.run import Run
from tests.effects.recall_world import filled


def make(run: Run) -> list[tuple[str, pl.DataFrame]]:
    """Return all parts with their documents."""
    return list(make_documents(run, sorted(fingerprint_parts(run)), read_projects(run), pytest.fail))


def test_workers_make_the_documents_of_one_process_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in several rounds, each of which waits for the one before it."""
    run = filled(tmp_path)
    alone = make(run)
    monkeypatch.setattr(part_pieces, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(part_pieces, "PIECE_BYTES", 1)
    monkeypatch.setattr(part_pieces, "PIECES_AT_ONCE", 2)
    monkeypatch.setattr(part_pieces, "count_workers", lambda: 2)
    rounds: list[int] = []
    whole = part_pieces.map_in_processes
    monkeypatch.setattr(
        part_pieces, "map_in_processes", lambda work, pieces, *how: rounds.append(len(pieces)) or whole(work, pieces, *how)
    )
    helped = make(run)
    assert len(rounds) > 1
    assert [part for part, _ in helped] == [part for part, _ in alone] == sorted(fingerprint_parts(run))
    assert all(one.equals(many) for (_, one), (_, many) in zip(alone, helped, strict=True))
    assert sum(documents.height for _, documents in helped) > 0
