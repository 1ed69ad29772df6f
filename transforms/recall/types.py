"""The filters, hits and answers of recall, and their JSON (`docs/contract.md`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Literal, NotRequired, TypedDict

from transforms.quoting.closed_cut import cut_closed
from transforms.quoting.speaker_labels import SPEAKER_OF_ROLE
from transforms.recall.answerability import Unanswerability
from transforms.tables.tokens import count_tokens

DOCUMENT_SOURCES = ("memory", "observation", "distillate", "segment", "turn")
LEAST_CUT_TOKENS = 20
"""Tokens of the budget from which a hit that does not fit is cut instead of left out."""
CHARS_PER_TOKEN = 4
SearchMode = Literal["hybrid", "lexical"]


class CitationJson(TypedDict):
    """A citation as JSON."""

    session_id: str
    entry_ids: list[str]
    lines: list[int]


class ContextJson(TypedDict):
    """A line of what a hit answers (`place` is "before") or of what answered it ("after"), as JSON."""

    place: str
    speaker: str | None
    text: str
    entry_id: str
    line: int | None


class HitJson(TypedDict):
    """A hit as JSON."""

    id: str
    source: str
    text: str
    kind: str | None
    priority: str | None
    project: str | None
    session_id: str | None
    entry_ids: list[str]
    lines: list[int]
    said_at: str | None
    score: float
    superseded_by: str | None
    also: list[CitationJson]
    context: list[ContextJson]
    until: str | None
    waits: str | None
    changed: str | None
    speaker: str | None
    quoted: list[int]
    origin: str | None


class AnswerJson(TypedDict):
    """An answer as JSON; `id` only for a question of a batch, `engine` only when a model wrote the answer."""

    id: NotRequired[str | int]
    engine: NotRequired[str]
    question: str
    mode: SearchMode
    fresh_as_of: str | None
    doubt: str | None
    answer: str | None
    hits: list[HitJson]
    took_ms: int
    note: str
    nearest: str | None


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits of a search.

    `project` is a cwd or its last part, or `all`; when it is None, `cwd` (the folder of the question) limits the search to its
    project if it is a known one; in an unknown one it covers all, or with
    `is_folder_only` what holds everywhere. `since` and `until` are days in the owner's zone, both included. `max_tokens`
    bounds the answer and the texts of the hits together. `spare` further hits take the places in a list of those whose exchange
    stands in it already.
    """

    sources: tuple[str, ...] = DOCUMENT_SOURCES
    project: str | None = None
    cwd: str | None = None
    since: date | None = None
    until: date | None = None
    kinds: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    k: int = 10
    max_tokens: int | None = None
    is_folder_only: bool = False
    spare: int = 0


@dataclass(frozen=True, slots=True)
class Citation:
    """Entries of one session, with their 0-based lines in its file, in the same order."""

    session_id: str
    entry_ids: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A few sentences that were said right before or right after a hit, in its session: what it answers, or what answered it."""

    speaker: str | None
    text: str
    entry_id: str
    line: int | None
    is_before: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked document that is returned, with its citation. `also` cites other sessions; `origin` is that of a fact;
    `is_action` marks a turn that nobody said: a command that ran, an edit, a result that failed. `quoted` are the places of a
    user's turn that others wrote, such as pasted words: first character, the one behind the last, and so on. `context` is
    what a short hit answers, and what answered it. `is_refuted`: a guess of the agent that the next turns denied. `until` is
    the moment of newer words of the owner that replace it. `waits` names the proposal that would change a line of MEMORY.md,
    `changed` what replaced a part of a fact that goes on to hold, or a number of any hit. `elsewhere` names the project of what
    is said of another one than the question's.
    """

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
    also: tuple[Citation, ...] = ()
    speaker: str | None = None
    origin: str | None = None
    is_action: bool = False
    quoted: tuple[int, ...] = ()
    is_refuted: bool = False
    context: tuple[ContextLine, ...] = ()
    until: datetime | None = None
    waits: str = ""
    changed: str = ""
    elsewhere: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question. `answer` is None when recall abstains; the hits are returned all the same.

    `note` tells the reader how a period was read or why the search was lexical only, empty otherwise. `doubt` says that the
    answer is only the nearest evidence, and why, as one sentence; empty when recall is sure or abstains. `engine` is the model
    that wrote the answer, empty when it is composed from the hits. `nearest` quotes the best hit when recall abstains;
    `unanswerability` has the features behind that decision. `spare` are the hits behind the last one, as many as the
    filters want. `searched` names the part of memory that was searched.
    """

    question: str
    mode: SearchMode
    fresh_as_of: datetime | None
    answer: str | None
    hits: tuple[Hit, ...]
    took_ms: int = 0
    id: str | int | None = None
    note: str = ""
    nearest: str = field(default="", compare=False)
    doubt: str = field(default="", compare=False)
    engine: str = ""
    unanswerability: Unanswerability | None = field(default=None, compare=False)
    spare: tuple[Hit, ...] = field(default=(), compare=False)
    searched: str = field(default="memory", compare=False)

    def as_json(self) -> AnswerJson:
        """Return the JSON object of `docs/contract.md`."""
        first: dict[str, str | int] = {"id": self.id} if self.id is not None else {}
        if self.engine:
            first["engine"] = self.engine
        return {
            **first,  # type: ignore[typeddict-item]  # keys that are there only when they have a value
            "question": self.question,
            "mode": self.mode,
            "fresh_as_of": format_timestamp(self.fresh_as_of),
            "doubt": self.doubt or None,  # before the answer, as on the screen
            "answer": self.answer,
            "hits": [convert_hit(hit) for hit in self.hits],
            "took_ms": self.took_ms,
            "note": "; ".join(note for note in (self.note, self.doubt) if note),
            "nearest": self.nearest or None,
        }

    @property
    def listed(self) -> tuple[Hit, ...]:
        """The hits that a list chooses from: those of the answer, and behind them the spare ones."""
        return (*self.hits, *self.spare)

    @property
    def abstention(self) -> str:
        """Text that says that there is no answer, and which words of the question memory does not contain, if that is why."""
        reason = self.unanswerability.reason if self.unanswerability and self.hits else ""
        return f"Not in {self.searched}: {reason}." if reason else f"Not in {self.searched}."


def convert_hit(hit: Hit) -> HitJson:
    """Return the JSON object of a hit."""
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
        "said_at": format_timestamp(hit.said_at),
        "score": round(hit.score, 4),
        "superseded_by": hit.superseded_by,
        "also": [
            {"session_id": other.session_id, "entry_ids": list(other.entry_ids), "lines": list(other.lines)} for other in hit.also
        ],
        "context": [
            {
                "place": "before" if line.is_before else "after",
                "speaker": _name_in_lake(line.speaker),
                "text": line.text,
                "entry_id": line.entry_id,
                "line": line.line,
            }
            for line in hit.context
        ],
        "until": format_timestamp(hit.until),
        "waits": hit.waits or None,
        "changed": hit.changed or None,
        "speaker": _name_in_lake(hit.speaker),
        "quoted": list(hit.quoted),
        "origin": hit.origin,
    }


def _name_in_lake(speaker: str | None) -> str | None:
    """Return a speaker by the name that the tables have for him: documents of recall have the role ("user", "assistant")."""
    return SPEAKER_OF_ROLE.get(speaker or "", speaker)


def format_timestamp(time: datetime | None) -> str | None:
    """Return a time as ISO 8601 in UTC, to the second."""
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if time else None


def fit_hits_to_budget(hits: Iterable[Hit], budget: int | None) -> Iterator[Hit]:
    """Yield the hits whose texts fit `budget` tokens together; the first that does not fit is cut, the rest are left out."""
    remaining_tokens = budget
    for hit in hits:
        if remaining_tokens is None:
            yield hit
            continue
        size = count_tokens("\n".join([hit.text, *(line.text for line in hit.context)]))
        if size > remaining_tokens:
            if remaining_tokens >= LEAST_CUT_TOKENS:
                yield replace(hit, text=cut_closed(hit.text, remaining_tokens * CHARS_PER_TOKEN), context=())
            return
        remaining_tokens -= size
        yield hit
