"""The patterns that select rows, in Python's words."""

import re

from transforms.redaction.structure_hints import SEED_HINT, STRUCTURE_HINT


def test_patterns_of_rows_find_a_key_behind_an_escape_and_no_prose() -> None:
    assert re.search(STRUCTURE_HINT, '"a\\tK9' + "A" * 50 + '"')
    assert not re.search(STRUCTURE_HINT, '"a sentence of some words, and a path: src/app/main.py"')
    assert not re.search(SEED_HINT, '"a sentence of some words"')
