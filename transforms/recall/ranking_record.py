"""What a question reads of a document: numbers to find it by, one piece of JSON for ranking, another for the reader.

Nothing here imports polars: a cold question shall not pay for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any

import orjson

RANKED = (
    "key", "part", "id", "source", "words", "word_count", "kind", "priority", "session_id", "position", "speaker", "said_at",
    "superseded_by", "asking", "ends_asking",
    "follows",
)  # fmt: skip
"""What ranking reads of each of hundreds of candidates, in one piece of JSON: its `card`."""

SHOWN = ("text", "project", "entry_ids", "lines", "also")
"""What only a reader sees: read of the hits, not of the candidates."""

PLACES = 20
"""Bits of a spoken piece's number that hold its position: a million pieces of one session on one day."""


def number_of(key: str) -> int:
    """The number of the document with this key: 63 bits of hash, negative; of a spoken piece (`t:…:position`) positive, and
    its neighbours' numbers differ by one, so that they lie side by side and are found without looking up a key."""
    head, _, position = key.rpartition(":")
    if key.startswith("t:") and int(position) < 1 << PLACES:
        return (_hash(head) >> (1 + PLACES) << PLACES) + int(position)
    return -1 - (_hash(key) >> 1)


def around(numbers: Iterable[int], reach: int) -> list[int]:
    """The numbers of the spoken pieces within `reach` of these, themselves not included; some may not exist."""
    found = []
    for number in numbers:
        if number >= 0:
            first = max(number - reach, number >> PLACES << PLACES)
            found += [other for other in range(first, number + reach + 1) if other != number]
    return found


def across_midnight(row: Mapping[str, Any], reach: int) -> list[int]:
    """The numbers of the pieces that a day's first pieces follow, and that may follow on the next day: as in `around`."""
    if row["position"] is None:
        return []
    found: list[int] = []
    if row["follows"]:
        last = number_of(row["follows"])
        found += range(max(last - reach + row["position"] + 1, last >> PLACES << PLACES), last + 1)
    day = date.fromisoformat(row["part"].rpartition("/")[2]) + timedelta(days=1)
    first = number_of(f"t:{row['session_id']}:{day.isoformat()}:0")
    return [*found, *range(first, first + reach)]


class Row(dict[str, Any]):
    """A document's `RANKED` columns; its words become the list `found` for whoever asks for it: of hundreds, a few are."""

    __slots__ = ()

    def __missing__(self, name: str) -> list[str]:
        if name != "found":
            raise KeyError(name)
        self["found"] = found = self["words"].split(" ") if self["words"] else []
        return found


def from_cards(cards: Sequence[str]) -> list[dict[str, Any]]:
    """The `RANKED` columns of documents, and their words as the list `found`."""
    rows: list[dict[str, Any]] = []
    for values in orjson.loads(f"[{','.join(cards)}]"):  # all at once: a tenth of the time of one after the other
        row = Row(zip(RANKED, values, strict=True))
        if row["said_at"]:
            row["said_at"] = datetime.fromisoformat(row["said_at"])
        rows.append(row)
    return rows


def shown_json(values: Sequence[Any]) -> str:
    """The values of the `SHOWN` columns as JSON."""
    return orjson.dumps(values).decode()


def from_shown(text: str) -> dict[str, Any]:
    """And back."""
    return dict(zip(SHOWN, orjson.loads(text), strict=True))


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
