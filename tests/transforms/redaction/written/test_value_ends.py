"""A value ends where the syntax around it says so, and its escapes are read."""

import html
import json

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.redaction.written.value_ends import read_bare, read_quoted

PRINTED = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1, max_size=40)


@given(PRINTED)
def test_what_opens_a_value_tells_what_ends_it(value: str) -> None:
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(json.dumps(value))[1:-1]):
        read = read_quoted(f"{written}, x", 0)
        assert read is not None
        assert written.strip('"\\') in written[read.start : read.end] + '"\\'
        assert read.end >= len(written.rstrip('"\\'))


@given(PRINTED.filter(lambda value: value[0] != "'"))
def test_a_doubled_mark_is_a_part_of_the_value(value: str) -> None:
    written = "'" + value.replace("\\", "/").replace("'", "''") + "'"
    read = read_quoted(f"{written};", 0)
    assert read is not None
    assert read.end == len(written) - 1
    assert "''" in value or "\\" in value or read.plain == html.unescape(value) or "&" in value


@each_case(
    "text, value",
    [
        (r"medved\ a\ tri pg_dump", r"medved\ a\ tri"),
        (r"Ab\u0026cd;Pooling=1", r"Ab\u0026cd"),
        (r"abcd\nUser=x", "abcd"),
        ("Ab&quot;cd;Pooling", "Ab&quot;cd"),
        ("abcd&amp;user=x", "abcd"),
        ("abcd&user=x", "abcd"),
    ],
)  # fmt: skip
def test_a_value_without_marks_ends_at_a_blank_or_mark_that_nothing_escapes(text: str, value: str) -> None:
    read = read_bare(text, 0)
    assert read is not None
    assert text[: read.end] == value


def test_an_apostrophe_closes_nothing() -> None:
    assert read_quoted("'tis a fine day for all", 0) is None


@each_case(
    "written, value, rest",
    [
        ("'Kolo\\''\"10'", "Kolo\\''\"10", "; -- a role"),
        ("'Kolo\\'\"'\"'\"10'", "Kolo\\'\"'\"'\"10", " psql -h 'db 1'"),
        ("'Kolo\\'10'", "Kolo\\'10", ", 'a', \"b\")"),
        ("'Kolo10\\''", "Kolo10\\'", ", 'a')"),
        ("'Kolo10\\''", "Kolo10\\'", " # it's so"),
    ],
)  # fmt: skip
def test_a_backslash_escapes_a_mark_unless_the_line_is_whole_only_when_it_does_not(written: str, value: str, rest: str) -> None:
    text = f"set {written}{rest}"
    read = read_quoted(text, 4)
    assert read is not None
    assert text[read.start : read.end] == value


@each_case(
    "text, value",
    [
        ('"Kolo\\", 10", "note": "' + "the order is late, " * 60 + '", "port": 1}', 'Kolo\\", 10'),
        ('"Kolo\\", 10"}, {"note": "' + "the order is late, " * 60, 'Kolo\\", 10'),
        ('"Kolo\\", 10"  # for the 5" panel', 'Kolo\\", 10'),
        ("'Kolo\\', 10'  # the users' login", "Kolo\\', 10"),
        ("'Kolo\\', 10'  # rock 'n roll", "Kolo\\', 10"),
        ("'Kolo\\''\\'\\'", "Kolo\\'"),
    ],
)  # fmt: skip
def test_no_lone_or_far_mark_of_the_line_ends_a_value_at_a_mark_that_a_backslash_escapes(text: str, value: str) -> None:
    read = read_quoted(text, 0)
    assert read is not None
    assert text[read.start : read.end] == value


@each_case(
    "text, value",
    [
        ('"Kolo`", b2\'; G0" -Force', "Kolo`\", b2'; G0"),
        ('"Kolo`"b2" -Force', 'Kolo`"b2'),
        ('"Kolo`"`"b2", \'x\'', 'Kolo`"`"b2'),
        ('"Kolo``" -Force', "Kolo``"),
        ('"Kolo`", "port": 1', "Kolo`"),
        ('"Kolo`" # for the 5" panel, 6" wide', "Kolo`"),
    ],
)
def test_a_backtick_escapes_a_mark_where_the_line_is_whole_only_so(text: str, value: str) -> None:
    read = read_quoted(text, 0)
    assert read is not None
    assert text[read.start : read.end] == value
