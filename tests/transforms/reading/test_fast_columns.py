"""Lines that are read in bulk give the rows that the exact way gives, byte for byte."""

from __future__ import annotations

import json
import math
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tests.pi.generated import Maker
from tests.transforms.reading.test_entry_fields import entries, odd
from transforms.conversation.raw_json import stored_object
from transforms.reading.entry_batches import Group, Place
from transforms.reading.entry_rows import rows_of_groups
from transforms.reading.fast_parse import Plain, parse_plain
from transforms.reading.parse import Header, parse_chunk

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    path for folder in (ROOT / "data" / "samples", ROOT.parent / "shared" / "sessions") for path in folder.rglob("*.jsonl")
)
ENVELOPE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", ""]) | odd,
        "parentId": st.sampled_from(["a", "b", None]) | odd,
        "timestamp": st.sampled_from(["2026-01-02T03:04:05.678Z", "2026-01-02", 1767225600000, "1999-01-01T00:00:00.000Z"]) | odd,
    },
)


def _place(version: int = 3) -> Place:
    return Place(Header("s", version, "2026-01-01T00:00:00Z", "/w", None, 0), "/w/s.jsonl", ZoneInfo("Europe/Berlin"))


def _same_in_bulk(data: bytes, version: int = 3) -> bool:
    """Whether all lines were sound; then both ways were compared."""
    plain = parse_plain(data)
    if plain is None:
        return False
    exact = parse_chunk(data)
    assert plain.objects() == exact.objects
    assert (plain.line_count, len(data)) == (exact.line_count, exact.consumed)
    if len(plain):
        bulk_rows, bulk_secrets = rows_of_groups([(_place(version), plain)])
        rows, secrets = rows_of_groups([(_place(version), exact.objects)])
        assert_frame_equal(bulk_rows, rows)
        assert bulk_secrets == secrets
    return True


@settings(deadline=None)  # the first frames of a process take long
@given(st.lists(st.tuples(ENVELOPE, entries), max_size=5), st.integers(1, 3))
def test_any_lines_give_the_same_rows_in_bulk(made: list[tuple[dict[str, object], dict[str, object]]], version: int) -> None:
    lines = []
    for envelope, entry in made:
        try:
            lines.append(orjson.dumps(envelope | entry) + b"\n")
        except TypeError:  # a lone surrogate or a number that orjson does not write: no sound line
            continue
    assert _same_in_bulk(b"".join(lines), version)


@given(
    st.lists(
        st.sampled_from([b"{}", b'{"id":"a"}', b"[1]", b"", b" {}", b'{"a":1', b"}{", b'{"id":"long enough"}\r']), max_size=4
    )
)
def test_lines_that_are_not_sound_are_left_to_the_exact_way(lines: list[bytes]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    is_sound = all(line in (b"{}", b'{"id":"a"}') for line in lines)
    assert (parse_plain(data) is not None) == is_sound
    assert parse_plain(data + b"{}") is None


@pytest.mark.parametrize("seed", range(5))
def test_sessions_as_pi_writes_them_give_the_same_rows_in_bulk(seed: int) -> None:
    maker = Maker(seed)
    lines = [json.dumps(maker.entry(), separators=(",", ":")).encode() + b"\n" for _ in range(40)]
    assert _same_in_bulk(b"".join(line for line in lines if parse_plain(line)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:40])
def test_every_session_at_hand_gives_the_same_rows_in_bulk(path: Path) -> None:
    lines = (line + b"\n" for line in path.read_bytes().split(b"\n"))
    assert _same_in_bulk(b"".join(line for line in lines if parse_plain(line)))


def test_several_files_below_each_other_keep_their_order_and_places() -> None:
    sound = b"".join(b'{"type":"message","id":"%04d","message":{"role":"user","content":"hi"}}\n' % at for at in range(5))
    plain = parse_plain(sound, 7)
    assert isinstance(plain, Plain)
    short = parse_plain(b'{"id":"a"}\n' * 3)
    assert isinstance(short, Plain)
    exact = parse_chunk(b' {"id":"odd line"}\n').objects
    groups: list[Group] = [(_place(), plain.without_first()), (_place(), exact), (_place(), short), (_place(), plain)]
    frame, _ = rows_of_groups(groups)
    apart = pl.concat([rows_of_groups([group])[0] for group in groups])
    assert_frame_equal(frame, apart)
    assert frame["line_no"].to_list() == [8, 9, 10, 11, 0, 0, 1, 2, 7, 8, 9, 10, 11]


def test_an_unusual_entry_among_plain_ones_does_not_slow_down_the_others() -> None:
    plain_line = b'{"type":"message","id":"%04d","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}\n'
    odd = b'{"type":"message","id":"9999","message":{"role":"user","content":[7,{"type":"text","text":5}],"usage":"much"}}\n'
    data = b"".join([plain_line % 1, odd, plain_line % 2])
    plain = parse_plain(data)
    assert plain is not None
    assert plain.unusual == [1]
    assert _same_in_bulk(data)


def test_a_number_beyond_all_doubles_is_read_back_from_what_is_stored() -> None:
    data = b'{"type":"message","id":"a","message":{"role":"user","content":[{"type":"text","text":"hi"}],"odd":-1e999}}\n'
    plain = parse_plain(data)
    assert plain is not None
    frame, _ = rows_of_groups([(_place(), plain)])
    assert frame["text"].to_list() == ["hi"]
    assert stored_object(frame["raw_json"][0])["message"]["odd"] == -math.inf


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"1" * 400])
@pytest.mark.parametrize("own", [b'"id":"a",', b""])
@pytest.mark.parametrize("member", [b'"odd":%s', b'"usage":{"input":%s,"cost":{"total":%s}}'])
def test_numbers_beyond_all_doubles_cost_nothing_and_lose_no_entry(number: bytes, own: bytes, member: bytes) -> None:
    odd = member.replace(b"%s", number)
    data = b'{"type":"message",%s"message":{"role":"assistant","content":[{"type":"text","text":"hi"}],%s}}\n' % (own, odd)
    exact = parse_chunk(data).objects
    frame, _ = rows_of_groups([(_place(), exact)])
    assert (frame["text"].to_list(), frame["cost_usd"].to_list()) == (["hi"], [None])
    assert frame["raw_json"].to_list() == [data.decode().strip()]
    plain = parse_plain(data)
    for version in (1, 3):
        assert plain is None or _same_in_bulk(data, version)


@pytest.mark.parametrize("broken", [b"\xff", b"\xe2\x82", b"\\ud800"])
def test_lines_with_broken_text_where_no_column_looks_are_left_to_the_exact_way(broken: bytes) -> None:
    assert parse_plain(b'{"type":"message","id":"a","unknown":"' + broken + b'"}\n') is None
