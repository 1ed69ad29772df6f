"""Vectors of a lake in which the model was changed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from effects.config.settings import Settings
from effects.embedding import embed_step
from effects.embedding.embed_step import list_vector_files, list_vector_texts, read_vector_batches
from effects.ingest.ingest_step import ingest_files
from effects.store.run import open_run
from tests.effects.memory_world import World


def test_vectors_of_another_length_beside_them_do_not_mix_into_a_models_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change of the model one file has both: the vectors of both models were read as one row of numbers."""
    run = open_run(Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC"))
    monkeypatch.setattr(embed_step, "name_model", lambda model: model)
    rows = [(f"t{number}", model, [float(number)] * size) for number in range(4) for model, size in (("new", 3), ("old", 2))]
    frame = pl.DataFrame(
        rows, schema={"text_hash": pl.String, "model": pl.String, "vector": pl.List(pl.Float32)}, orient="row"
    ).with_columns(pl.col("model") + "/x/mean", pl.col("vector").cast(pl.List(pl.Float16)))
    with run.lake.writing("test"), run.lake.commit() as change:
        change.append("embeddings", frame)
    wanted = ["t0", "t2", "t3"]
    [(texts, vectors)] = read_vector_batches(run.lake, "new", wanted, sorted(list_vector_files(run.lake)))
    assert sorted(texts) == wanted
    assert vectors.shape == (3, 3)
    assert [int(text[1:]) for text in texts] == np.asarray(vectors[:, 0], dtype=int).tolist()
    assert sorted(list_vector_texts(run.lake, "new", list_vector_files(run.lake))) == ["t0", "t1", "t2", "t3"]
    assert list_vector_texts(run.lake, "new", []).is_empty()
    assert list_vector_texts(run.lake, "other", list_vector_files(run.lake)).is_empty()


def test_vectors_of_several_files_come_once_and_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text has an exact vector in one file and a quantised one in another; a file is decoded in pieces."""
    run = open_run(Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC"))
    monkeypatch.setattr(embed_step, "name_model", lambda model: model)
    monkeypatch.setattr(embed_step, "VECTORS_PER_READ", 4)
    monkeypatch.setattr(embed_step, "VECTORS_PER_DECODING", 3)
    with run.lake.writing("test"):
        for texts, value in ((range(7), 1.0), (range(5, 12), 2.0)):
            frame = pl.DataFrame({"text_hash": [f"t{number}" for number in texts], "vector": [[value] * 3] * len(texts)})
            with run.lake.commit() as change:
                change.append(
                    "embeddings", frame.select("text_hash", pl.col("vector").cast(pl.List(pl.Float16)), model=pl.lit("new/x"))
                )
    wanted = [f"t{number}" for number in range(12) if number not in {2, 9}]
    batches = list(read_vector_batches(run.lake, "new", wanted, sorted(list_vector_files(run.lake))))
    assert sorted(text for texts, _ in batches for text in texts) == sorted(wanted)
    assert len(batches) > 1
    assert all(len(texts) == len(vectors) for texts, vectors in batches)


def write_chat(path: Path, began: datetime, texts: list[str]) -> None:
    """Write a session in which these texts were typed."""
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": path.stem, "timestamp": began.isoformat(), "cwd": "/w"}
    ]
    for number, text in enumerate(texts):
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        lines.append({"type": "message", "id": f"e{number}", "timestamp": began.isoformat(), "message": message})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


class CountingEmbedder:
    """Gives each text a vector."""

    def embed_documents(self, texts: list[str], is_quantised: bool = False) -> np.ndarray:
        """Return a vector for each text."""
        return np.ones((len(texts), 3), np.float32)

    def name_vectors(self, is_quantised: bool) -> str:
        """Return the name of the model."""
        return "new/x/mean"


def test_vectors_are_told_while_those_of_one_commit_are_computed(tmp_path: Path) -> None:
    """Of 11,930 texts the line said 0 for three minutes: a thousand long ones are one commit."""
    run = open_run(Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC"))
    seen: list[tuple[str, int, int]] = []

    def note(unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Note a report."""
        seen.append((unit, done, total))

    texts = {f"t{number}": f"text {number}" for number in range(1100)}
    with run.lake.writing("test"):
        watched = replace(run, progress=note)
        meter = embed_step._TextMeter(watched, len(texts), 0, None, 0.0)
        assert embed_step._embed_texts(watched, CountingEmbedder, texts, set(), meter) == (1100, True)  # type: ignore[arg-type]
    assert [done for _, done, _ in seen] == [*range(0, 1025, 64), 1024 + 64, 1100]
    assert {(unit, total) for unit, _, total in seen} == {("texts", 1100)}
    assert run.lake.read("embeddings").height == 1100


def test_commands_that_ran_get_no_vectors(tmp_path: Path) -> None:
    """They are a tenth of all rows, and only words find them."""
    world = World(tmp_path)
    world.observe("Command run here with success: `pytest`.", observation_id="o-1", kind="command")
    world.observe("the queue is beanstalk", observation_id="o-2")
    assert [*embed_step._iterate_compared_texts(world.run)] == ["the queue is beanstalk"]


def test_all_texts_of_a_step_are_one_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It began anew with each thousand of turns, and said 10 minutes when one was left; each text counts once, and the limit
    is known while kept texts are embedded."""
    run = open_run(Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "workspace", timezone="UTC"))
    for number in range(6):
        began = datetime(2026, 5, 1 + number // 2, 10, tzinfo=UTC)
        write_chat(tmp_path / "sessions" / f"{number}.jsonl", began, [f"word {number} of turn {turn}" for turn in range(9)])
    seen: list[tuple[int, int, float | None]] = []

    def note(unit: str, done: int = 0, total: int = 0, at_most: float | None = None) -> None:
        """Note a report."""
        seen.append((done, total, at_most))

    monkeypatch.setattr(embed_step, "TEXTS_PER_COMMIT", 16)
    monkeypatch.setattr(embed_step, "TEXTS_PER_LOOK", 4)
    monkeypatch.setattr(embed_step, "open_embedder", lambda _: CountingEmbedder())
    monkeypatch.setattr(embed_step, "name_model", lambda _: "new")
    monkeypatch.setattr(embed_step, "_iterate_compared_texts", lambda _: [f"fact {number}" for number in range(20)])
    looks = count(1)  # a tenth of a second between two looks at the clock, however busy the machine is
    monkeypatch.setattr(embed_step, "time", SimpleNamespace(monotonic=lambda: next(looks) / 10))
    with run.lake.writing("test"):
        ingest_files(run, sorted((tmp_path / "sessions").glob("*.jsonl")))
        counts = embed_step.embed(replace(run, progress=note))
    assert (counts["embedded"], counts["turns"], counts["turns_left"]) == (74, 54, False)
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert {total for _, total, _ in seen} == {74}
    assert seen[-1][0] == 74
    assert all(at_most is not None and 590 < at_most < 700 for done, _, at_most in seen if done)
