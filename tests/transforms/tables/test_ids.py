"""Short ids find what they shorten, and are all that pages and answers show."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.tables.ids import make_window_id, shorten_id

RANDOM, TIMED = "3f2b1c4d-5d6e-4abc-8def-0123456789ab", "019ab3c4-5d6e-7abc-8def-0123456789ab"


@each_case(
    ("name", "short"),
    [
        ("o-0123456789abcdef", "o-01234567"),
        (RANDOM, "3f2b1c4d"),
        (TIMED, "019ab3c4-5d6e"),
        (f"{TIMED}:1a2b3c4d", "019ab3c4-5d6e:1a2b3c4d"),
        (f"{RANDOM}:{RANDOM}", "3f2b1c4d:3f2b1c4d"),
        ("p-20261126-001", "p-20261126-001"),
        ("rollout-7", "rollout-7"),
        ("", ""),
    ],
)
def test_an_id_is_shortened_to_a_beginning_of_it(name: str, short: str) -> None:
    """Sessions of one minute begin alike where ids are ordered by time, so that more of those stays."""
    assert shorten_id(name) == short
    assert all(part.startswith(start) for part, start in zip(name.split(":"), short.split(":"), strict=True))
    assert shorten_id(short) == short


def test_ids_that_we_make_are_shortened() -> None:
    assert len(shorten_id(make_window_id("s", "closing", 0, 3, 4))) == 10
