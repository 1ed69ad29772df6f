"""Cuts that end where a reader can stop, with their brackets and quotation marks closed."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from transforms.quoting.closed_cut import FULL_SHARE, SMALLEST, cut_as_line, cut_closed, find_pairs

FACT = (
    'User decided: "Postgres replaces SQLite as the job store, because two hosts must claim jobs" (chosen: Postgres as the job'
    " store, both hosts connect, `FOR UPDATE SKIP LOCKED` for the claim; not: SQLite stays on one node)"
)
MARKS = st.text(alphabet='ab. ,;()[]"“”`«»\n', max_size=80)


def test_a_cut_closes_what_it_left_open() -> None:
    """Brackets, quotation marks and code, the inner one first; a few words behind a bracket are not worth opening it."""
    assert cut_closed(FACT, 85) == 'User decided: "Postgres replaces SQLite as the job store…"'
    assert cut_closed(FACT, 85, least=FULL_SHARE).endswith('as the job store, because two hosts must…"')
    assert cut_closed(FACT, 150).endswith('claim jobs" (chosen: Postgres as the job store, both hosts connect…)')
    assert (
        cut_closed(FACT, 100) == 'User decided: "Postgres replaces SQLite as the job store, because two hosts must claim jobs"…'
    )
    assert cut_closed(FACT, len(FACT)) == FACT


def test_a_stretch_from_inside_of_a_quotation_is_a_quotation() -> None:
    """Its opening mark stands before the stretch that is shown."""
    text = 'It says "all files are read. The last one wins." Then it stops.'
    start = text.index("The last")
    assert cut_closed(text, 99, start, text.index(" Then")) == '"…The last one wins."'
    assert cut_closed(text, 99, 0, start - 1) == 'It says "all files are read."'


def test_a_cut_ends_with_a_sentence_or_a_clause_when_one_ends_late_enough() -> None:
    """Else with a word, and of a script without spaces with a character."""
    assert cut_closed("The port is 5544. It was free on all hosts.", 21) == "The port is 5544."
    assert cut_closed("The port is 5544, which was free on all hosts", 22) == "The port is 5544…"
    assert cut_closed("Die Anwendung schreibt Protokolle", 25) == "Die Anwendung schreibt…"
    assert cut_closed("議事録を保存する場所を決める", 8) == "議事録を保存する…"


@given(MARKS, st.integers(SMALLEST + 1, 60))
def test_nothing_that_a_text_closes_is_left_open_by_a_cut(text: str, limit: int) -> None:
    """For any marks, also where the writer forgot one: such a mark closes nowhere and is none."""
    shown = cut_closed(text, limit)
    assert len(shown) <= max(limit, len(text.strip()) if len(text) <= limit else 0)
    opened = sum(opening < len(text) for opening, _ in find_pairs(text))
    assert len(find_pairs(shown)) <= opened


@given(MARKS, st.integers(0, 40), st.integers(1, 40))
@example(';["»"]', 0, 3)
def test_a_stretch_is_balanced_where_its_text_is(text: str, start: int, size: int) -> None:
    """Every mark of the text that has a partner has one in the stretch."""
    balanced = _leave_out_single_marks(text)
    first, last = min(start, len(balanced)), min(start + size, len(balanced))
    shown = cut_closed(balanced, 200, first, last)
    for opening, closing in ("()", "[]", "“”", "«»"):
        assert shown.count(opening) == shown.count(closing) or "`" in balanced
    assert shown.count('"') % 2 == 0 or "`" in balanced


def _leave_out_single_marks(text: str) -> str:
    """Return a text in which every mark has a partner: where one goes, its neighbours may lose theirs, as in `"»"`."""
    paired = {place for pair in find_pairs(text) for place in pair}
    left = "".join(char for place, char in enumerate(text) if char.isalnum() or char in ". ,;" or place in paired)
    return left if left == text else _leave_out_single_marks(left)


def test_lines_become_one_line_before_they_are_cut() -> None:
    """A page or a terminal shows it in one line."""
    assert cut_as_line("Use uv,\n  not pip. ", 100) == "Use uv, not pip."
    assert len(cut_as_line("word " * 100, 40)) <= 40
