"""Words are found and replaced whatever their case, white space and spelling in JSON."""

from __future__ import annotations

import json
from unicodedata import normalize

import orjson
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.forgetting.scrub_text import (
    FORGOTTEN_MARK,
    _list_readings,
    compile_words,
    contains_words,
    fold_case,
    has_words,
    scrub_json,
    scrub_text,
)
from transforms.patterns.folding import fold_writing

WORDS = st.text(st.sampled_from('abcéß"\\你 \n\t.-'), min_size=1, max_size=12)


@given(WORDS, WORDS, WORDS, st.booleans())
def test_nothing_of_it_is_left_in_text_or_json(words: str, before: str, after: str, is_ascii: bool) -> None:
    """JSON may escape quotation marks, line ends and letters; either way the words are gone."""
    pattern = compile_words([words])
    if pattern is None:
        assert not words.strip()
        return
    text = f"{before} {words} {after}"
    assert pattern.search(scrub_text(text, pattern)) is None
    raw = json.dumps({"text": text}, ensure_ascii=is_ascii)
    assert words not in json.loads(scrub_json(raw, pattern))["text"]


def test_case_and_white_space_do_not_matter() -> None:
    """Words that wrap at the end of a line are the same words."""
    pattern = compile_words(["project falcon"])
    assert pattern is not None
    assert scrub_text("The Project\n  Falcon starts", pattern) == f"The {FORGOTTEN_MARK} starts"
    assert json.loads(scrub_json(orjson.dumps({"a": "project\nfalcon!"}).decode(), pattern)) == {"a": f"{FORGOTTEN_MARK}!"}
    assert fold_case(" Project \n FALCON ") == "project falcon"


@each_case(
    ("words", "typed"),
    [
        ("ガイド配布.pdf", normalize("NFD", "ガイド配布.pdf")),
        (normalize("NFD", "ガイド配布.pdf"), "ガイド配布.pdf"),
        ("090-1234-5678", "０９０－１２３４－５６７８"),
        ("449120", "٤٤٩١٢٠"),
        ("الايموجي", "الإيموجـي"),
        ("キャッシュ", "ｷｬｯｼｭ"),
        ("office key", "oﬃce　key"),
    ],
)
def test_words_are_forgotten_in_whatever_width_form_and_digits_they_were_typed(words: str, typed: str) -> None:
    """What the screen shows alike is not alike in bytes: a name that macOS pasted, digits of another script, a hamza."""
    pattern = compile_words([words])
    assert pattern is not None
    line = f"é １ {typed}、ﬁn"
    assert scrub_text(line, pattern) == f"é １ {FORGOTTEN_MARK}、ﬁn"
    for raw in (json.dumps({"a": line}), json.dumps({"a": line}, ensure_ascii=False)):
        assert json.loads(scrub_json(raw, pattern)) == {"a": f"é １ {FORGOTTEN_MARK}、ﬁn"}
        assert pl.Series("raw", [raw, None, "É — no"]).to_frame().select(contains_words("raw", pattern))["raw"].to_list() == [
            True,
            False,
            False,
        ]
    assert fold_case(words) == fold_case(typed)
    assert not has_words("０９０　ガイド — الا", pattern)


@each_case(
    ("words", "written"),
    [
        ("project falcon", r"project\ffalcon"),
        ("and/or falcon", r"and\/or falcon"),
        ("Jürgen Falke", r"J\u00fcr\u0067en\u0020Falke"),
        ("falcon 😀", r"falcon \uD83D\uDE00"),
        ("449120", "449120"),
    ],
    depth=[0, 1, 2],
    beside=["", ', "n": 1e400', r', "s": "\ud800"'],
)
def test_no_escape_of_json_hides_words_that_are_forgotten(words: str, written: str, depth: int, beside: str) -> None:
    r"""Programs write `/` as `\/` and letters as `\u0067`; results of tools hold JSON inside of JSON, and numbers."""
    pattern = compile_words([words])
    assert pattern is not None
    value = f'"we said {written} today"' if written != words else written
    for _ in range(depth):
        value = json.dumps(f'{{"inner": {value}}}')
    raw = f'{{"text": {value}{beside}}}'
    assert pl.DataFrame({"raw": [raw]}).select(contains_words("raw", pattern))["raw"].to_list() == [True]
    scrubbed = scrub_json(raw, pattern)
    assert not has_words(scrubbed, pattern)
    inner = json.loads(scrubbed)["text"]
    for _ in range(depth - (written == words)):
        inner = json.loads(inner)["inner"]
    assert FORGOTTEN_MARK in inner
    assert not has_words(scrub_text(raw, pattern), pattern)


def test_words_are_found_behind_every_blank_and_a_byte_that_is_no_text_stops_nothing() -> None:
    pattern = compile_words(["project falcon", "x\udcffy"])
    assert pattern is not None
    assert pl.DataFrame({"a": ["project\x1ffalcon"]}).select(contains_words("a", pattern))["a"].to_list() == [True]
    assert scrub_text("x\ufffdy", pattern) == FORGOTTEN_MARK


@given(st.text(alphabet='abcABCſ\u212a\u0301é"\\\\nu0061/ \n', max_size=40), st.text(alphabet="abcſék ", min_size=3, max_size=8))
def test_letters_that_are_asked_for_first_change_no_answer(text: str, words: str) -> None:
    pattern = compile_words([words])
    if pattern is not None:
        slow = any(pattern.search(fold_writing(reading)) for reading in _list_readings(text))
        assert has_words(text, pattern) == slow
