"""Ends of sentences in several scripts, and sentences that are joined again."""

from __future__ import annotations

import itertools
import re
import sys
from unicodedata import category, name

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.classify import features
from transforms.language.markdown.blocks import parse_blocks
from transforms.language.sentences import (
    OTHER_SCRIPT,
    QUESTION_MARKS,
    capitalise,
    cut_at_word,
    has_digit,
    has_other_script,
    has_question_mark,
    is_unspaced,
    join_sentences,
    shorten,
    split_sentences,
    split_words,
    strip_markdown,
)


@each_case(
    ("text", "sentences"),
    [
        (
            "「今後は直接pushします。レビューは不要です。」これは別の話です。",
            ["「今後は直接pushします。レビューは不要です。」", "これは別の話です。"],
        ),
        ("彼は“好。”然后走了", ["彼は“好。”", "然后走了"]),
        ("閉じない「かっこ。次の文。", ["閉じない「かっこ。", "次の文。"]),
        ("use SELECT … FOR UPDATE inside… Then commit", ["use SELECT … FOR UPDATE inside…", "Then commit"]),
        ("nein! die scanner senden ortszeit", ["nein!", "die scanner senden ortszeit"]),
        ("یہ غلط ہے۔ دوبارہ کرو", ["یہ غلط ہے۔", "دوبارہ کرو"]),
    ],
)
def test_a_closing_mark_stays_with_its_sentence(text: str, sentences: list[str]) -> None:
    """A quotation in wide brackets is one sentence, whatever ends inside."""
    assert split_sentences(text) == sentences


@given(st.text(alphabet="あ。「」！a.! ；", max_size=40))
def test_splitting_loses_no_character(text: str) -> None:
    """Only white space is lost between sentences."""
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_sentences_are_joined_without_a_mark_that_nobody_typed() -> None:
    """A semicolon stands only where a line break was the mark."""
    assert join_sentences(["直します。", "「はい。」", "次です"]) == "直します。「はい。」次です"
    assert join_sentences(["No!", "It is local time.", 'He said "go."', "Now"]) == 'No! It is local time. He said "go." Now'
    assert join_sentences(["یہ غلط ہے۔", "دوبارہ"]) == "یہ غلط ہے۔ دوبارہ"
    assert join_sentences(["dark theme", "run foo()", "tests"]) == "dark theme; run foo(); tests"
    assert join_sentences([]) == ""


@each_case(
    ("text", "limit", "cut"),
    [
        ("pg_bigm " + "検索の索引を作り直した" * 10, 30, "pg_bigm " + ("検索の索引を作り直した" * 10)[:22]),
        ("one two three four", 10, "one two"),
        ("日本語の文字がならぶ👩\u200d💻です", 11, "日本語の文字がならぶ"),
        ("日本語の文字がならぶか\u3099です", 11, "日本語の文字がならぶ"),
    ],
)
def test_a_cut_is_at_a_word_or_at_a_character(text: str, limit: int, cut: str) -> None:
    """A script without spaces is not cut back to its only space, and no picture or accent is cut in two."""
    assert cut_at_word(text, limit) == cut


def test_a_long_text_without_spaces_keeps_its_sentences() -> None:
    """It is cut at the end of a sentence, or nearly at the limit."""
    assert shorten("貸出期間は二十一日。延滞料は十円で上限は五百円になる予定", 14) == "貸出期間は二十一日。"
    assert len(shorten("検索の索引を作り直した" * 20, 80)) == 80


def test_no_part_of_a_path_ends_a_shortened_text() -> None:
    """It would name another file; a word that is no path and fills half of the room is cut, as before."""
    path = "/srv/harbour/installations/skills/search-the-harbour/scripts/read-the-page.sh"
    assert shorten(f"I see the search skill of the harbour at {path}", 80) == "I see the search skill of the harbour at…"
    assert shorten(f"Look at the page https://example.org/{'a' * 90}", 60) == "Look at the page…"
    assert len(shorten("a word of " + "b" * 90, 60)) == 31


@given(st.text(alphabet="aä é。、日本か\u3099👩\u200d💻.,", max_size=60), st.integers(2, 40))
def test_a_shortened_text_is_within_its_limit(text: str, limit: int) -> None:
    """In every script."""
    assert len(shorten(text, limit)) <= max(limit, 2)
    assert len(cut_at_word(text, limit)) <= limit


_SIGNS = "aZ9'’_-. \n\t*`[](>)✓—│éŁßΣσİ直し「」。e.g.Dr!?\u0301\u200d"


@given(st.text(alphabet=_SIGNS, max_size=60) | st.text(max_size=40))
def test_words_are_those_of_the_expression_that_describes_them(text: str) -> None:
    """Cutting at what is no word gives the words that looking for words gives."""
    if not re.search("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]", text):
        assert split_words(text) == [word.lower() for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text)]


@given(st.text(alphabet=_SIGNS, max_size=60) | st.text(max_size=40))
def test_a_line_without_signs_of_markdown_is_looked_at_no_further(text: str) -> None:
    """Asking for a sign first changes no line, and a text of ASCII is in no script without spaces."""
    bare = re.sub("[\u2700-\u27bf\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]+\\s*", "", text.strip().removeprefix(">"))
    bare = re.sub(r"!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*\)", r"\1", bare)
    bare = re.sub(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]+?)(?<=\S)\*{1,3}(?![\w*])", r"\1", bare)
    assert strip_markdown(text) == re.sub(r"\s+", " ", bare).strip()
    assert not (text.isascii() and is_unspaced(text))


_END = re.compile(r"(?<=[.!?…؟۔।])(?<!\s…)[\"')\]]*\s+|(?<=[。！？；｡])[\"')\]”’」』）】〉》]*\s*|\n+")


@given(st.text(alphabet="aG.!?…。！；\"')”」 \n\te", max_size=60))
def test_a_sentence_ends_behind_its_mark(text: str) -> None:
    """The expression that begins with the mark, which is quick, finds the ends of the one that looks back at it."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    pieces = [piece for first, last in itertools.pairwise(ends) if (piece := text[first:last].strip())]
    joined: list[str] = []
    for piece in pieces:
        if joined and re.search(r"\b[A-Z]\.$", joined[-1], re.I):
            joined[-1] = f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    assert split_sentences(text) == joined


@each_case(
    ("text", "begins"),
    [
        ("don't cache", "Don't"), ("re-run, then", "Re-run,"), ("état des lieux", "État"), ("maxAttempts = 8", "maxAttempts"),
        ("pricing.md écrit", "pricing.md"), ("src/app.py fails", "src/app.py"), ("`x` is", "`x`"), ("", ""), ("8 retries", "8"),
    ],
)  # fmt: skip
def test_a_sentence_begins_with_a_capital_letter_unless_a_name_begins_it(text: str, begins: str) -> None:
    """A page said `MaxAttempts` and "Pricing.md" where the code has other names."""
    assert capitalise(text).split(" ")[0] == begins


@given(st.text(alphabet="aB7' _\n-", max_size=30))
def test_an_apostrophe_belongs_to_a_word_between_two_of_its_letters(text: str) -> None:
    """One at a word's edge, a second one behind it, and one beside another belong to none."""
    assert split_words(text) == [word.lower() for word in re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)]


@given(st.text(alphabet="aZ é–✓│中가\u0301\ud800", max_size=20))
def test_letters_of_other_scripts_are_found_among_the_characters_that_ascii_lacks(text: str) -> None:
    """Also beside half of a surrogate pair, which no file has and a message may."""
    assert has_other_script(text) == bool(OTHER_SCRIPT.search(text))


def test_the_question_marks_are_those_of_unicode() -> None:
    """Not those that begin a question, pictures of one, or the Greek one, which is a semicolon."""
    marks = {char for char in map(chr, range(sys.maxunicode)) if "QUESTION" in name(char, "") and category(char) == "Po"}
    assert set(QUESTION_MARKS) == {mark for mark in marks if not name(mark).startswith(("INVERTED", "GREEK", "ADLAM INITIAL"))}
    assert has_question_mark("どうしますか？")
    assert has_question_mark("هل؟ نعم")
    assert not has_question_mark("٣ مرات")
    assert features.QUESTION_MARKS == QUESTION_MARKS


def test_parts_that_belong_together_are_joined_once() -> None:
    """Code that nobody closed, lines of a paragraph and points of a list: each part copied all parts before it."""
    assert split_sentences("Use `a. b` now. And `c. d") == ["Use `a. b` now.", "And `c. d"]
    assert split_sentences("We took e.g. two. Mr. A. came. Yes.") == ["We took e.g. two.", "Mr. A. came.", "Yes."]
    assert grows_with_text(lambda text: split_sentences(f"`{text}"), "a b. ", 400)
    assert grows_with_text(parse_blocks, "words of a line\n", 200)
    assert grows_with_text(lambda text: join_sentences(text.split("\n")), "words of a line\n", 400)


def test_what_a_client_is_told_to_do_is_no_prose() -> None:
    """Its title, file and lines became facts; a path of Rust or C++ in a sentence is prose."""
    told = '::code-comment{title="[P1] Keep `cli_version`" body="It is lost {at times}."\nfile="a.go" start=96 end=106}'
    assert [block.text for block in parse_blocks(f"Found one.\n\n{told}\n\nThe rest is fine.")] == [
        "Found one.",
        "The rest is fine.",
    ]
    assert [block.text for block in parse_blocks("`std::vec{1}` is read twice.")] == ["`std::vec{1}` is read twice."]


def test_a_long_text_is_cut_as_a_short_one() -> None:
    """Long texts are kept in mind; who changes the list of their sentences changes nobody else's."""
    text = "The cache has a limit. " * 400
    first = split_sentences(text)
    first.clear()
    assert split_sentences(text) == ["The cache has a limit."] * 400
    assert [block.text for block in parse_blocks("- one\n  goes on\n\nTwo\nlines")] == ["one goes on", "Two lines"]


def test_a_digit_of_any_script_is_a_digit() -> None:
    """Numbers are written in the digits of their language."""
    assert has_digit("on port 8080")
    assert has_digit("\u0663 days")
    assert not has_digit("three days")
