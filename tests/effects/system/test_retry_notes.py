"""The pause that a server asks for before a request is repeated."""

from __future__ import annotations

from effects.system.retry_notes import read_retry_after
from tests.each_case import each_case

PAUSES = {
    "0": 0.0,
    "2.5": 2.5,
    "3600": 60.0,
    "inf": 60.0,
    "-1": 0.0,
    "-inf": 0.0,
    "nan": None,
    "Wed, 21 Oct 2026 07:28:00 GMT": None,
    "": None,
    None: None,
}


@each_case(("header", "seconds"), PAUSES.items())
def test_a_pause_can_be_slept_whatever_the_server_sends(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, 60.0) == seconds
