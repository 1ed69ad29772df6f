"""What recall is asked and what it answers: filters, hits and answers, and their JSON of CONTRACT.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

from transforms.recall.answerability import Doubt
from transforms.tables.tokens import tokens

SOURCES = ("memory", "observation", "distillate", "segment", "turn")
UNHEARD_SHOWN = 3
Mode = Literal["hybrid", "lexical"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be found, and how much of it.

    `project` is a cwd or its last part, or `all`; when it is None, `cwd` (where the question is asked from) limits the
    search to its project if it is a known one. `since` and `until` are days in the owner's zone, both included.
    `max_tokens` bounds the answer and the texts of the hits together.
    """

    sources: tuple[str, ...] = SOURCES
    project: str | None = None
    cwd: str | None = None
    since: date | None = None
    until: date | None = None
    kinds: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    k: int = 10
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Entries of one session, with their 0-based lines in its file, in the same order."""

    session_id: str
    entry_ids: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found, with where it was said. `also` is evidence from other sessions."""

    id: str
    source: str
    text: str
    kind: str | None
    priority: str | None
    project: str | None
    session_id: str | None
    entry_ids: tuple[str, ...]
    lines: tuple[int, ...]
    said_at: datetime | None
    score: float
    superseded_by: str | None = None
    also: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question. `answer` is None when the evidence is not there; the nearest hits come all the same.

    `note` says why the search was lexical only, or what else the reader should know; empty otherwise. `engine` is the model
    that worded the answer; empty when it is composed from the hits. `nearest` is what comes closest when there is no answer,
    with its source; `doubt` is what spoke against one.
    """

    question: str
    mode: Mode
    fresh_as_of: datetime | None
    answer: str | None
    hits: tuple[Hit, ...]
    took_ms: int = 0
    id: str | None = None
    note: str = ""
    nearest: str = field(default="", compare=False)
    engine: str = ""
    doubt: Doubt | None = field(default=None, compare=False)

    def row(self) -> dict[str, Any]:
        """The JSON object of CONTRACT.md."""
        named = {"id": self.id} if self.id is not None else {}
        worded = {"engine": self.engine} if self.engine else {}
        return (
            named
            | worded
            | {
                "question": self.question,
                "mode": self.mode,
                "fresh_as_of": stamp(self.fresh_as_of),
                "answer": self.answer,
                "hits": [hit_row(hit) for hit in self.hits],
                "took_ms": self.took_ms,
                "note": self.note,
                "nearest": self.nearest or None,
            }
        )

    @property
    def missing(self) -> str:
        """That there is no answer, and the question's words that were never said, if that is why."""
        unheard = self.doubt.unheard[:UNHEARD_SHOWN] if self.doubt is not None and self.hits else ()
        named = ", ".join(f"“{word}”" for word in unheard)
        return f"Not in memory: nothing was said of {named}." if named else "Not in memory."


def hit_row(hit: Hit) -> dict[str, Any]:
    """The hit as JSON."""
    return {
        "id": hit.id,
        "source": hit.source,
        "text": hit.text,
        "kind": hit.kind,
        "priority": hit.priority,
        "project": hit.project,
        "session_id": hit.session_id,
        "entry_ids": list(hit.entry_ids),
        "lines": list(hit.lines),
        "said_at": stamp(hit.said_at),
        "score": round(hit.score, 4),
        "superseded_by": hit.superseded_by,
        "also": [
            {"session_id": other.session_id, "entry_ids": list(other.entry_ids), "lines": list(other.lines)} for other in hit.also
        ],
    }


def stamp(at: datetime | None) -> str | None:
    """A time as ISO 8601 in UTC, to the second."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if at else None


def within_budget(hits: Iterable[Hit], budget: int | None) -> Iterator[Hit]:
    """The hits whose texts fit `budget` tokens together; the first that does not fit is cut, the rest left out."""
    left = budget
    for hit in hits:
        if left is None:
            yield hit
            continue
        size = tokens(hit.text)
        if size > left:
            if left >= 20:
                yield replace(hit, text=hit.text[: left * 4 - 1].rstrip() + "…")
            return
        left -= size
        yield hit
