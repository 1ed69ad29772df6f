"""Inference and storage of linear models, and that fitting learns."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.learning.fit import fit_model
from transforms.classify.features import BITS, extract_features, hash_features
from transforms.classify.linear_model import LinearModel, pack_models, unpack_models

TEXTS = {
    "question": ["why does it fail?", "what is the port?", "how do we deploy this?", "where is the config?"],
    "request": ["add a test", "fix the parser", "rename the module", "remove the flag"],
}


def fitted() -> LinearModel:
    """A model of eight short texts."""
    vectors = [hash_features(extract_features(text, "")) for texts in TEXTS.values() for text in texts]
    targets = [label for label, texts in TEXTS.items() for _ in texts]
    return fit_model(vectors, targets, tuple(TEXTS), size=1 << BITS)


def test_fitting_separates_what_differs_and_generalises_to_a_new_text() -> None:
    """Of the words only the form and the question word are known."""
    model = fitted()
    assert model.predict(hash_features(extract_features("what is the timeout?", "")))["question"] > 0.6
    assert model.predict(hash_features(extract_features("add the flag", "")))["request"] > 0.6


def test_fitting_twice_gives_the_same_weights() -> None:
    """The order of examples is shuffled with a fixed seed."""
    assert np.array_equal(fitted().weights, fitted().weights)


def test_packed_models_predict_the_same(tmp_path: object) -> None:
    """Up to the rounding of weights to 16 bits."""
    model = fitted()
    again = unpack_models(pack_models({"act": model}))["act"]
    vector = hash_features(extract_features("why is the flag there?", ""))
    assert again.labels == model.labels
    assert again.predict(vector)["question"] == pytest.approx(model.predict(vector)["question"], abs=2e-3)


def test_probabilities_add_up_to_one() -> None:
    """Also for a text without any feature that was seen."""
    assert sum(fitted().predict(hash_features(extract_features("ы", ""))).values()) == pytest.approx(1, abs=1e-4)
