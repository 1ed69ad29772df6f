"""Vectors of a lake in which the model was changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from effects.config.settings import Settings
from effects.embedding import embed_step
from effects.embedding.embed_step import list_vector_files, read_vector_batches
from effects.store.run import open_run


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
        assert embed_step._embed_texts(watched, CountingEmbedder, texts, set()) == (1100, True)  # type: ignore[arg-type]
    assert [done for _, done, _ in seen] == [*range(0, 1025, 64), 1024 + 64, 1100]
    assert {(unit, total) for unit, _, total in seen} == {("texts", 1100)}
    assert run.lake.read("embeddings").height == 1100
