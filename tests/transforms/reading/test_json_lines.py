from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.reading.json_lines import ParsedChunk, parse_chunk

ENTRY = (
    '{"type":"message","id":"%s","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"x"}}'
)
HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'


def _ids(chunk: ParsedChunk) -> list[object]:
    return [parsed.value.get("id") for parsed in chunk.objects]


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_lines_end_at_line_feeds_only() -> None:
    text = '{"id":"a","text":"one\u2028two\u2029three\u0085four"}'
    chunk = parse_chunk(_lines(text, '{"id":"b"}'))
    assert _ids(chunk) == ["a", "b"]
    assert [parsed.line_no for parsed in chunk.objects] == [0, 1]
    assert (chunk.consumed, chunk.line_count, chunk.damage) == (len(_lines(text, '{"id":"b"}')), 2, [])


@each_case("data", [b"\xef\xbb\xbf" + _lines(HEADER, ENTRY % "a"), _lines(HEADER, ENTRY % "a").replace(b"\n", b"\r\n")])
def test_a_byte_order_mark_and_carriage_returns_do_no_harm(data: bytes) -> None:
    chunk = parse_chunk(data)
    assert _ids(chunk) == ["s", "a"]
    assert not chunk.damage


def test_an_unfinished_last_line_waits_and_a_finished_one_without_line_feed_does_not() -> None:
    whole = _lines(HEADER) + (ENTRY % "a").encode()
    assert _ids(parse_chunk(whole)) == ["s", "a"]
    waiting = parse_chunk(whole[:-5])
    assert (_ids(waiting), waiting.consumed, waiting.damage) == (["s"], len(_lines(HEADER)), [])


@each_case("value", ["null", "5", "[]", '"text"', "true"])
def test_json_without_an_object_is_set_apart(value: str) -> None:
    chunk = parse_chunk(_lines(HEADER, value, ENTRY % "a"))
    assert _ids(chunk) == ["s", "a"]
    assert [(damage.line_no, damage.rule) for damage in chunk.damage] == [(1, "not_an_object")]


@each_case("junk", ["junk", "{", '{"a":NaN}', '{"a":Infinity}', "\x00\x00\x00", "[" * 5000, "{'a':1}"])
def test_what_is_not_json_is_set_apart_with_its_line(junk: str) -> None:
    chunk = parse_chunk(_lines(HEADER, junk, ENTRY % "a"))
    assert _ids(chunk) == ["s", "a"]
    assert [(damage.line_no, damage.rule) for damage in chunk.damage] == [(1, "damaged")]


def test_two_objects_on_one_line_are_both_kept_and_the_second_is_flagged() -> None:
    chunk = parse_chunk(_lines(HEADER, ENTRY % "a" + ENTRY % "b", ENTRY % "c"))
    assert _ids(chunk) == ["s", "a", "b", "c"]
    assert [(parsed.line_no, parsed.flags) for parsed in chunk.objects[1:]] == [(1, ()), (1, ("glued",)), (2, ())]
    assert not chunk.damage


def test_an_object_behind_a_stub_is_recovered_and_the_stub_is_set_apart() -> None:
    stub = '{"type":"message","id":"b","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"lo'
    chunk = parse_chunk(_lines(HEADER, stub + ENTRY % "c"))
    assert _ids(chunk) == ["s", "c"]
    assert chunk.objects[1].flags == ("glued", "recovered")
    assert [damage.excerpt for damage in chunk.damage] == [stub]


def test_parts_of_a_broken_entry_are_not_taken_for_entries() -> None:
    broken = '{"type":"message","id":"b","message":{"content":[{"type":"toolCall","id":"t","arguments":{}}],"role":'
    chunk = parse_chunk(_lines(HEADER, broken, ENTRY % "c"))
    assert _ids(chunk) == ["s", "c"]
    assert len(chunk.damage) == 1


def test_broken_utf8_is_replaced_and_lone_surrogates_are_kept() -> None:
    chunk = parse_chunk(b'{"id":"a","text":"x\xffy"}\n{"id":"b","text":"x\\ud83dy"}\n')
    assert [parsed.value["text"] for parsed in chunk.objects] == ["x\ufffdy", "x\ud83dy"]


PIECES = st.sampled_from(
    [HEADER, ENTRY % "a", ENTRY % "ä😀", "junk", "null", '{"type":"x"', "\n", "\n", "\r\n", " ", "\ufeff", '{"a":"\\ud800"}']
)


@given(st.lists(PIECES, max_size=12), st.data())
def test_two_readings_give_what_one_gives_wherever_the_file_was_cut(pieces: list[str], data: st.DataObject) -> None:
    whole = "".join(pieces).encode()
    cut = data.draw(st.integers(0, len(whole)))
    once = parse_chunk(whole)
    first = parse_chunk(whole[:cut])
    at = first.consumed
    second = parse_chunk(whole[at:], first.line_count, at == 0 or whole[at - 1 : at] == b"\n")
    assert [(p.value, p.line_no, p.flags) for p in first.objects + second.objects] == [
        (p.value, p.line_no, p.flags) for p in once.objects
    ]
    assert first.damage + second.damage == once.damage
    assert at + second.consumed == once.consumed
    assert first.line_count + second.line_count == once.line_count


def test_many_beginnings_on_one_line_take_no_time_and_hide_no_later_line() -> None:
    line = b'{"type":"x","a":' * 20_000 + b" junk\n"
    chunk = parse_chunk(line + b'{"type":"message","timestamp":"2026-11-20T10:00:00Z"}\n')
    assert [parsed.line_no for parsed in chunk.objects] == [1]
    assert [damaged.line_no for damaged in chunk.damage] == [0]
    assert grows_with_text(parse_chunk_of_text, '{"type":"x","a":', 3_000)


def parse_chunk_of_text(text: str) -> object:
    return parse_chunk(text.encode() + b"\n")


@each_case("line", ['{"a":%s}', '{"a":%s,"b":"\\ud800"}', '{"a":1}{"a":%s}'])
def test_a_line_with_too_many_levels_is_set_apart_and_the_lines_around_it_are_read(line: str) -> None:
    """One such value refused its whole session, each night anew: nothing that walks through an entry reached its end."""
    deep = line % ("[" * 600 + "]" * 600)
    chunk = parse_chunk(_lines(HEADER, deep, ENTRY % "c", line % ("[" * 100 + "]" * 100)))
    assert [parsed.line_no for parsed in chunk.objects if parsed.line_no != 1] == [0, 2, *[3] * line.count("{")]
    assert [(damage.line_no, damage.rule) for damage in chunk.damage] == [(1, "too_deep")]
    wide = '{"a":[' + ",".join(["[1]"] * 600) + "]}"
    assert not parse_chunk(_lines(wide)).damage
