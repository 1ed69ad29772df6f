"""The documents of a new index that several processes make are those that one makes, in the same order."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from effects.index import part_pieces
from effects.index.index_step import rebuild
from effects.index.part_pieces import PartPiece, make_documents, make_piece
from effects.index.source_parts import fingerprint_parts, read_projects
from effects.store.run import Run
from effects.system import process_pool
from effects.system.process_pool import has_idle_workers, keeping_workers
from tests.effects.recall_world import filled
from tests.effects.system.test_process_pool import wait_for

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def make(run: Run) -> list[tuple[str, pl.DataFrame]]:
    """Return all parts with their documents."""
    return list(make_documents(run, sorted(fingerprint_parts(run)), read_projects(run), pytest.fail))


def use_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers make even a few documents, in several rounds."""
    monkeypatch.setattr(part_pieces, "MIN_PARALLEL_BYTES", 1)
    monkeypatch.setattr(part_pieces, "PIECE_BYTES", 1)
    monkeypatch.setattr(part_pieces, "PIECES_AT_ONCE", 2)
    monkeypatch.setattr(part_pieces, "count_workers", lambda: 2)


def piece_but_not_in_workers(piece: PartPiece) -> tuple[int, list[pl.DataFrame]]:
    """Raise an error with a secret in a worker; outside of it wait for that error."""
    mark = Path(os.environ["MARK"])
    if os.environ["HERE"] != str(os.getpid()):
        mark.touch()
        raise OSError(f"disk gone with {SECRET}")
    wait_for(mark)
    return make_piece(piece)


def test_workers_that_fail_at_documents_are_named_in_the_counts_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = filled(tmp_path)
    counts = rebuild(run)
    assert "worker_failures" not in counts
    monkeypatch.setenv("HERE", str(os.getpid()))
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setattr(part_pieces, "make_piece", piece_but_not_in_workers)
    use_workers(monkeypatch)
    helped = rebuild(run)
    failures = helped.pop("worker_failures")
    assert any("OSError: disk gone" in failure for failure in failures)
    assert not any(SECRET in failure for failure in failures)
    assert helped == counts


@pytest.mark.parametrize(("share", "most", "workers"), [(1.1, 4, None), (0.9, 4, 2), (0.4, 4, 3), (0.1, 4, 4), (0.1, 2, 2)])
def test_each_worker_is_started_for_as_much_as_its_start_takes(
    share: float, most: int, workers: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that distilled have ended, so none waits."""
    run = filled(tmp_path)
    size = sum(part_pieces._measure_part(run, part) for part in fingerprint_parts(run))
    use_workers(monkeypatch)
    monkeypatch.setattr(part_pieces, "MIN_PARALLEL_BYTES", int(share * size))
    monkeypatch.setattr(part_pieces, "count_workers", lambda: most)
    used: set[int] = set()
    monkeypatch.setattr(part_pieces, "map_in_processes", lambda work, pieces, at_once, _: used.add(at_once) or map(work, pieces))
    make(run)
    assert used == ({workers} if workers else set())


def test_workers_make_the_documents_of_one_process_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in several rounds, each of which waits for the one before it."""
    run = filled(tmp_path)
    alone = make(run)
    use_workers(monkeypatch)
    rounds: list[int] = []
    whole = part_pieces.map_in_processes
    monkeypatch.setattr(
        part_pieces, "map_in_processes", lambda work, pieces, *how: rounds.append(len(pieces)) or whole(work, pieces, *how)
    )
    with keeping_workers():
        helped = make(run)
        assert not has_idle_workers(), "vectors follow, which take memory"
    assert len(rounds) > 1
    assert [part for part, _ in helped] == [part for part, _ in alone] == sorted(fingerprint_parts(run))
    assert all(one.equals(many) for (_, one), (_, many) in zip(alone, helped, strict=True))
    assert sum(documents.height for _, documents in helped) > 0


def test_parts_are_made_here_where_no_memory_can_be_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = filled(tmp_path)
    alone = make(run)
    use_workers(monkeypatch)
    monkeypatch.setattr(process_pool, "_start", lambda *_: None)
    helped = make(run)
    assert [part for part, _ in helped] == [part for part, _ in alone]
    assert all(one.equals(many) for (_, one), (_, many) in zip(alone, helped, strict=True))
