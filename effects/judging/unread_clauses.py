"""The stored network that judges clauses in languages that no rule reads.

`benchmarks.distil.clauses.fit_unread --write` writes it. It reads vectors of the multilingual model, whichever model the owner
chose for search. A checkout has that model; of a package it is an extra.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from effects.embedding.embedder import BUNDLED, MAX_TEXT_TOKENS, find_folder, load_tokenizer
from effects.embedding.multilingual_model import is_multilingual_installed, load_multilingual_forward, load_piece_counter
from effects.system.errors import ModelMissing
from transforms.attribution.typed_language import TypedLanguage, describe_language, list_prose_words
from transforms.classify.row_kinds import FAMILIES
from transforms.classify.unread_clauses import CountPieces, JudgedClause, UnreadClauses, Vector, are_english_words, knows_words

WEIGHTS_FILE = Path(__file__).with_name("unread_weights.npz")
ARRAYS = ("hidden.weight", "hidden.bias", "scores.weight", "scores.bias")
KEPT_JUDGEMENTS, KEPT_VECTORS = 1024, 512
"""Clauses whose judgement, and texts whose vector, is remembered: sentences of one message have the same words before them."""


@lru_cache(KEPT_JUDGEMENTS)
def judge_unread(clause: str, before: str) -> JudgedClause | None:
    """Return what a clause is, to which the agent's text `before` led; None where the multilingual model is not installed or does
    not know the words."""
    clauses = load_unread_clauses() if is_judged_language(clause) else None
    return clauses.judge_clause(clause, before) if clauses else None


@lru_cache(KEPT_JUDGEMENTS)
def is_judged_language(text: str) -> bool:
    """Whether the multilingual model works here and knows the words of a text: its sixteen languages it cuts into few pieces.
    English is left to the rules, also where it is so terse that its small words are missing; this is asked before the encoder is
    loaded, which takes as long as reading a megabyte."""
    if not is_multilingual_installed():
        return False
    words, count_english = list_prose_words(text), load_english_counter()
    if count_english and are_english_words(words, count_english):
        return False
    return load_unread_clauses() is not None and knows_words(words, load_piece_counter())


@cache
def load_english_counter() -> CountPieces | None:
    """Return a function that counts the pieces into which the bundled model cuts a text; None where that cannot be loaded."""
    try:
        folder, name = find_folder(BUNDLED)
        tokenizer = load_tokenizer(folder or Path(), name, MAX_TEXT_TOKENS)
    except ModelMissing:
        return None
    except Exception as error:  # noqa: BLE001  # a damaged file raises what it likes; a night goes on
        logging.getLogger("recollect").warning("terse English is not told from other languages: %s", error)
        return None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


@cache
def load_unread_clauses() -> UnreadClauses | None:
    """Return the network with its encoder, loaded and tried once per process; None where the encoder is not installed, or where
    it or the network cannot judge: words are "said" then, which loses no fact."""
    if not is_multilingual_installed():
        return None
    try:
        with np.load(WEIGHTS_FILE, allow_pickle=False) as arrays:
            clauses = open_unread_clauses(dict(arrays))
        _try_network(clauses)
        return clauses
    except Exception as error:  # noqa: BLE001  # a damaged package raises what it likes; a night goes on
        logging.getLogger("recollect").warning("words of other languages are not judged: %s", error)
        return None


def _try_network(clauses: UnreadClauses) -> None:
    """Judge one clause, for which the encoder opens its tables and all shapes must fit."""
    judged = clauses.judge_clause("a", "a")
    load_piece_counter()("a")
    if tuple(judged.families) != FAMILIES or not 0 <= judged.lasts <= 1:
        raise ValueError("the network is not of the known families")


def open_unread_clauses(arrays: dict[str, Vector]) -> UnreadClauses:
    """Return the network of these arrays with the multilingual encoder."""
    hidden, hidden_bias, scores, scores_bias = (np.asarray(arrays[name], np.float32) for name in ARRAYS)
    labels = tuple(str(label) for label in arrays["labels"])
    return UnreadClauses(embed_text, labels, (hidden, hidden_bias), (scores, scores_bias))


@lru_cache(KEPT_VECTORS)
def embed_text(text: str) -> Vector:
    """Return the vector of a text by the multilingual model, of unit length."""
    return load_multilingual_forward()(np.array(list(map(ord, text.encode("utf-8", "replace").decode("utf-8"))), np.int64))


def describe_judged_language(typed: TypedLanguage) -> str:
    """Return the notice for an owner who types another language, with what judges such words on this machine; empty for others.
    Only for such an owner the encoder is loaded."""
    is_judged = typed.is_clearly_other and load_unread_clauses() is not None
    return describe_language(typed, is_judged=is_judged, is_foreign=is_judged and is_foreign_language(typed))


def is_foreign_language(typed: TypedLanguage) -> bool:
    """Whether the multilingual model is here and does not know what an owner types in another language than English. What was
    typed is judged as a whole: of short sentences in such a language half look known."""
    if not typed.is_clearly_other or not typed.sample or not is_multilingual_installed():
        return False
    try:
        return not knows_words(typed.sample, load_piece_counter())
    except Exception as error:  # noqa: BLE001  # a damaged package raises what it likes; a night goes on
        logging.getLogger("recollect").warning("the languages of the multilingual model are not told: %s", error)
        return False
