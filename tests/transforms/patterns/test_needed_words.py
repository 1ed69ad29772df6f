"""The words that a match needs: no text without them has a match, and one that matches has one."""

from __future__ import annotations

import gc
import re
from functools import cache
from importlib import import_module

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.patterns.late_pattern import LatePattern, compile_late
from transforms.patterns.needed_words import find_needed_words

MODULES = (
    "transforms.language.cue_phrases",
    "transforms.language.entities",
    "transforms.language.assertion_rules",
    "transforms.exchanges.actions",
)


@each_case(
    ("expression", "words"),
    [
        ("cat|dog", {"cat", "dog"}),
        ("cats?|dog+|mouse{2}|ba{0,3}rn", {"cat", "dog", "mouse", "rn"}),
        (r"\b(?:is|was) (?:wrong|broken)\b", {" wrong", " broken"}),
        (r"(?:it )?(?:did not|didn'?t) help\w*", {" help"}),
        (r"\w+\.(?:css|py)(?!\w)", {".css", ".py"}),
        (r"(?<!no )(?P<name>error[ )\]]|[^\]]end)(?=of it)", {"error", "end"}),
        ("catalogue|cat", {"cat"}),
        ("cat|[a-z]", set()),
        ("cat|", set()),
        (r"(?:cat)*", set()),
        (r"(?i:cat)", set()),
        (r"cat|(?P=name)", set()),
        ("cat|x", set()),
    ],
)
def test_words_are_read_from_what_cannot_be_left_out(expression: str, words: set[str]) -> None:
    """Of each alternative the part whose shortest word is longest; nothing where a form is not read, or a word would be short."""
    assert find_needed_words(expression) == words


PARTS = st.sampled_from(
    ["ab", "ba", "abc", "c.", "[ab]", "a?", "(?:ab|cc)", "(?:a|bc)+", r"\b", "(?=ab)", "(?!c)", "b{2}", "(?:ab)?", "^", r"\w"]
)
EXPRESSIONS = st.lists(st.lists(PARTS, min_size=1, max_size=4).map("".join), min_size=1, max_size=3).map("|".join)


@settings(max_examples=300)
@given(EXPRESSIONS, st.text("abcABC ſ", max_size=12), st.sampled_from([0, re.I]))
def test_a_search_by_words_finds_what_the_expression_finds(expression: str, text: str, flags: int) -> None:
    """In any case, from any place on, and whatever is asked."""
    plain, by_words = re.compile(expression, flags), compile_late(expression, flags, by_words=True)
    for method in ("search", "findall"):
        assert repr(getattr(by_words, method)(text)) == repr(getattr(plain, method)(text))
        assert repr(getattr(by_words, method)(text, 2)) == repr(getattr(plain, method)(text, 2))
    assert [match.span() for match in by_words.finditer(text)] == [match.span() for match in plain.finditer(text)]


@each_case(
    "text",
    ["SEEMſ", "seemſ", "ıt", "İT", "DÉCEMBRE", "décembre", "\u212aeep", "STRASSE", "straße"],
    expression=["seems", "it", "décembre", "keep", "straße"],
)
def test_letters_of_other_alphabets_count_as_the_expression_counts_them(expression: str, text: str) -> None:
    """`re` takes ſ for an S, ı and İ for an I, and the sign of Kelvin for a K."""
    plain, by_words = re.compile(expression, re.I), compile_late(expression, re.I, by_words=True)
    assert repr(by_words.search(text)) == repr(plain.search(text))


@cache
def list_patterns_by_words() -> list[LatePattern]:
    """Return the patterns of the product that are searched by words; the search takes .3 s in a process with many objects."""
    for module in MODULES:
        import_module(module)
    gc.unfreeze()  # what was imported for the collection is frozen, and not listed
    return [item for item in gc.get_objects() if isinstance(item, LatePattern) and vars(item)["_by_words"]]


def test_most_patterns_that_are_searched_by_words_have_some() -> None:
    """One without words is searched as before: a mark of order may not be read."""
    patterns = [str(pattern.pattern) for pattern in list_patterns_by_words()]
    assert len(patterns) >= 8
    assert sum(bool(find_needed_words(pattern)) for pattern in patterns) > 0.8 * len(patterns)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_match_of_a_pattern_of_the_product_is_found(data: st.DataObject) -> None:
    """Made from the expressions themselves, so that every alternative comes up."""
    pattern = data.draw(st.sampled_from(list_patterns_by_words()))
    plain = re.compile(pattern.pattern, pattern._flags)
    text = data.draw(st.from_regex(plain))
    late = compile_late(str(pattern.pattern), pattern._flags, by_words=True)
    assert repr(late.search(str(text))) == repr(plain.search(str(text)))
