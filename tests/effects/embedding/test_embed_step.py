"""Vectors of a lake in which the model was changed."""

from __future__ import annotations

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
