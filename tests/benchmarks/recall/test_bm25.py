"""The plain BM25 that stands beside recall."""

from __future__ import annotations

from benchmarks.recall.bm25 import BM25

TEXTS = ("The cache lives in Redis.", "Redis, Redis and more of it: a long text about queues and workers", "Invoices are PDFs.")


def test_texts_rank_by_rare_words_and_short_length() -> None:
    """Texts that share no word with the question are left out."""
    bm25 = BM25(TEXTS)
    assert bm25.rank("Which cache is in Redis?")[0] == 0
    assert bm25.rank("queues of Redis") == [1, 0]
    assert bm25.rank("typefaces") == []


def test_equal_scores_keep_the_order_of_the_texts() -> None:
    """Ties have a fixed order, so a figure does not depend on chance."""
    assert BM25(["same words", "same words"]).rank("same") == [0, 1]
    assert BM25([]).rank("anything") == []
