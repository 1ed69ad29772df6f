"""The parts of a document that a question reads: numbers to find it by, one JSON array for ranking, another for the reader.

Nothing here imports polars, because a cold question would wait for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any, Literal, NotRequired, TypedDict, cast

import orjson

from transforms.language.sentences import QUESTION_MARKS, SENTENCE_BREAK, has_question_mark, is_unspaced, split_sentences

RANKING_COLUMNS = (
    "key", "part", "id", "source", "words", "word_count", "kind", "priority", "session_id", "position", "speaker", "said_at",
    "superseded_by", "question_share", "ends_with_question", "follows", "cites",
    "outdated_turns", "changes",
)  # fmt: skip
"""Columns that ranking reads of each of hundreds of candidates, stored as one JSON array. A new one comes last: an index of
before then answers without it until the next night (`effects.index.manifest.ANSWERS_SINCE`)."""

READER_COLUMNS = ("text", "project", "entry_ids", "lines", "also", "quoted", "origin")
"""Columns that only a reader sees: read of the hits, not of all candidates. A new one comes last here, too."""

CITED_LINES, CITED_SESSIONS = 8, 25
"""Entries of one session that a hit cites, and sessions that a condensed period cites (`recollect show` has all of them): each of
its pieces carries them, so that all of a year would be hundreds of megabytes."""

POSITION_BITS = 20
"""Bits of a spoken piece's number that hold its position: a million pieces of one session on one day."""


class ReaderColumns(TypedDict):
    """The columns of a document that a reader sees."""

    text: str
    project: str | None
    entry_ids: list[str] | None
    lines: list[int] | None
    also: list[str] | None
    quoted: list[int] | None
    origin: str | None


class RankingRecord(TypedDict):
    """A candidate: the ranking columns of a document, its index words as `terms`, and the columns that the search adds.

    `cites` has the turns behind a fact in a model's words (ids of their documents), null for every other document;
    `outdated_turns` those that a superseded fact cites, null for one that holds; `changes` has the numbers that the work behind
    a turn replaced (`transforms.changes.changed_numbers`). `is_elsewhere` marks what is said of
    projects which the question is not about, `echo` what only asks the same (`transforms.recall.echoes`), `is_refuted` a guess
    that the next turns deny, `until` the moment of newer words of the owner that replace it, `waits` the change of a line of
    MEMORY.md that waits for the owner, `number` finds it in the index, `counts` says how often it contains each word of the
    question. The reader's columns come with `effects.recall.index_search.load_reader_columns`.
    """

    key: str
    part: str
    id: str
    source: str
    words: str
    word_count: int | None
    kind: str | None
    priority: str | None
    session_id: str | None
    position: int | None
    speaker: str | None
    said_at: datetime | None
    superseded_by: str | None
    question_share: float | None
    ends_with_question: bool | None
    follows: str | None
    cites: list[str] | None
    outdated_turns: list[str] | None
    changes: list[str] | None
    terms: list[str]
    is_elsewhere: NotRequired[bool]
    echo: NotRequired[Literal["answered", "open"]]
    is_refuted: NotRequired[bool]
    until: NotRequired[datetime]
    waits: NotRequired[str]
    changed: NotRequired[str]
    number: NotRequired[int]
    counts: NotRequired[list[float]]
    text: NotRequired[str]
    project: NotRequired[str | None]
    entry_ids: NotRequired[list[str] | None]
    lines: NotRequired[list[int] | None]
    also: NotRequired[list[str] | None]
    quoted: NotRequired[list[int] | None]
    origin: NotRequired[str | None]


def is_summary(row: RankingRecord) -> bool:
    """Whether a document is a summary of a compaction or a branch: of all that is spoken it alone has no role."""
    return row["source"] == "turn" and row["position"] is not None and row["speaker"] is None


def measure_question_share(text: str) -> float:
    """Return the share of a text's sentences that are questions: a question is rarely the evidence of its own answer."""
    if not has_question_mark(text):
        return 0.0
    sentences = split_sentences(text) if is_unspaced(text) else [part for part in SENTENCE_BREAK.split(text) if part.strip()]
    share: float = sum(part.rstrip().endswith(QUESTION_MARKS) for part in sentences) / max(len(sentences), 1)
    return round(share, 2)


def select_citations(references: Iterable[str]) -> list[str]:
    """Return the references (`session:entry`) that a condensed period cites: the first ones of its sessions with most of them."""
    by_session: defaultdict[str, list[str]] = defaultdict(list)
    for reference in references:
        by_session[reference.rpartition(":")[0]].append(reference)
    most = sorted(by_session, key=lambda session: (-len(by_session[session]), session))[:CITED_SESSIONS]
    return [reference for session in sorted(most) for reference in by_session[session][:CITED_LINES]]


def number_document(key: str) -> int:
    """Return the number of the document with this key: 63 bits of hash, negative.

    The number of a spoken piece (`t:…:position`) is positive, and those of neighbours differ by one: they are stored next to
    each other and are found without looking up a key.
    """
    head, _, position = key.rpartition(":")
    if key.startswith("t:") and int(position) < 1 << POSITION_BITS:
        return (_hash_text(head) >> (1 + POSITION_BITS) << POSITION_BITS) + int(position)
    return -1 - (_hash_text(key) >> 1)


def list_neighbours(numbers: Iterable[int], reach: int) -> list[int]:
    """Return the numbers of the spoken pieces within `reach` of these, themselves excluded; some may not exist."""
    neighbours = []
    for number in numbers:
        if number >= 0:
            first = max(number - reach, number >> POSITION_BITS << POSITION_BITS)
            neighbours += [other for other in range(first, number + reach + 1) if other != number]
    return neighbours


def list_neighbours_across_midnight(row: RankingRecord, reach: int) -> list[int]:
    """Return the numbers of the neighbours on the day before and the day after, like `list_neighbours`."""
    if row["position"] is None:
        return []
    neighbours: list[int] = []
    if row["follows"]:
        last = number_document(row["follows"])
        neighbours += range(max(last - reach + row["position"] + 1, last >> POSITION_BITS << POSITION_BITS), last + 1)
    day = date.fromisoformat(row["part"].rpartition("/")[2]) + timedelta(days=1)
    first = number_document(f"t:{row['session_id']}:{day.isoformat()}:0")
    return [*neighbours, *range(first, first + reach)]


def parse_ranking_records(records: Sequence[str]) -> list[RankingRecord]:
    """Parse the JSON arrays of `encode_ranking_columns`; a column that an earlier version did not have is null."""
    rows: list[RankingRecord] = []
    for values in orjson.loads(f"[{','.join(records)}]"):  # one call for all takes a tenth of the time
        row = _LazyTerms(zip(RANKING_COLUMNS, _fill_up(values, RANKING_COLUMNS), strict=True))
        if isinstance(said_at := row["said_at"], str):
            row["said_at"] = datetime.fromisoformat(said_at)
        rows.append(cast(RankingRecord, row))
    return rows


def encode_ranking_columns(document: Mapping[str, Any]) -> str:
    """Return the ranking columns of a document as a JSON array; a missing column is null."""
    return orjson.dumps([document.get(name) for name in RANKING_COLUMNS]).decode()


def encode_reader_columns(values: Sequence[Any]) -> str:
    """Return the values of `READER_COLUMNS` as a JSON array."""
    return orjson.dumps(values).decode()


def parse_reader_columns(text: str) -> ReaderColumns:
    """Parse the JSON array of `encode_reader_columns`; a column that an earlier version did not have is null."""
    return cast(ReaderColumns, dict(zip(READER_COLUMNS, _fill_up(orjson.loads(text), READER_COLUMNS), strict=True)))


def _fill_up(values: list[Any], columns: Sequence[str]) -> list[Any]:
    return values if len(values) >= len(columns) else values + [None] * (len(columns) - len(values))


class _LazyTerms(dict[str, object]):
    """A record that splits its words into `terms` on first use: of hundreds of records, few are asked for them."""

    __slots__ = ()

    def __missing__(self, name: str) -> list[str]:
        if name != "terms":
            raise KeyError(name)
        words = cast(str, self["words"])
        self["terms"] = terms = words.split(" ") if words else []
        return terms


def _hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
