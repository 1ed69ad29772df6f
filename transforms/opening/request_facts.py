"""The facts of a project that may answer a session's first request: those that hold now, with the facts that they replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from zoneinfo import ZoneInfo

from transforms.language.sentences import shorten
from transforms.language.tokenizer import tokenize
from transforms.tables.enums import APART_KINDS
from transforms.tables.fact_notes import lead_with_chosen
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ObservationRow

SAME_WORDS_SHARE = 0.7
"""Share of common words from which a retired fact only says the same as its successor."""
EARLIER_CHARS = 200
"""Characters of a retired fact beside the one that holds: enough to recognise advice that must not be followed."""
SAID = "said"
"""Stands for the kind of a saying where nobody but a rule named one."""
LEFT_OUT_KINDS = frozenset({"question", "task", "file_change"}) | APART_KINDS
"""Kinds that state nothing. An earlier request states what was wished for, often with the value that holds since."""


REQUEST_FACT_COLUMNS = ("observation_id", "project", "kind", "verdict", "superseded_by", "said_at", "text")
"""The columns of observations that are looked at here."""


@dataclass(frozen=True, slots=True)
class RequestFact:
    """A fact that holds now, found by its own words or by those of a fact that it replaced, with text and day of that one."""

    observation_id: str
    kind: str
    day: date
    text: str
    earlier_text: str = ""
    earlier_day: date | None = None
    mark: str = ""
    """The objection of repositories on this machine."""


class RequestRows:
    """The facts of all projects, by what `list_request_facts` asks for."""

    def __init__(self, rows: Iterable[ObservationRow], outdated: Collection[str] = ()) -> None:
        """`outdated` are the ids of reports that are over although nothing replaced what they claim."""
        self.allowed = {row["observation_id"]: row for row in rows if row["verdict"] == "allow"}
        self.outdated = outdated
        replaced = ((row["superseded_by"], row) for key, row in self.allowed.items() if key not in outdated)
        self.replaced = {heir: row for heir, row in replaced if heir}
        self.by_project: defaultdict[str | None, list[ObservationRow]] = defaultdict(list)
        for row in sorted(self.allowed.values(), key=lambda row: row["observation_id"]):
            if row["kind"] not in LEFT_OUT_KINDS:
                self.by_project[row["project"]].append(row)


def list_request_facts(
    rows: RequestRows, project: str, marks: Mapping[str, str], zone: ZoneInfo
) -> tuple[list[RequestFact], list[str]]:
    """Return the facts of a project that may answer a request, each with the text whose words find it.

    A retired fact is found by its words and stands for the fact that holds now. When that one is not among the rows, because it
    was forgotten, held back or has ended, the retired one is not found either: it does not hold. An outdated report (by id) finds
    the fact, too, but was not what held before it.
    """
    facts, texts = [], []
    for row in rows.by_project.get(project, ()):
        if (present := _follow_successors(row, rows.allowed)) is None:
            continue
        is_before = present is not row and row["observation_id"] not in rows.outdated
        earlier = row if is_before else rows.replaced.get(present["observation_id"])
        facts.append(_make_fact(present, earlier, zone, marks.get(present["observation_id"], "")))
        texts.append(row["text"])
    return facts, texts


def make_line_key(fact: RequestFact, text: str) -> str:
    """Return the key of the line of a fact: a hash of all that the line shows, and of the text whose words find it."""
    shown = (fact.observation_id, fact.kind, fact.day, fact.text, fact.earlier_text, fact.earlier_day, fact.mark)
    return hash_fields(repr(shown), text)


def quote_saying(fact: RequestFact) -> RequestFact:
    """Return a fact whose kind a rule guessed from the owner's words as what it is for sure: said."""
    lead, _, saying = fact.text.partition(': "')
    return replace(fact, kind=SAID, text=f'"{saying}') if saying and '"' not in lead else replace(fact, kind=SAID)


def _follow_successors(row: ObservationRow, rows: Mapping[str, ObservationRow]) -> ObservationRow | None:
    """Return the row that holds instead of this one, through any number of successors; None when it is not among the rows."""
    seen = {row["observation_id"]}
    while successor_id := row["superseded_by"]:
        if successor_id in seen or successor_id not in rows:
            return None
        seen.add(successor_id)
        row = rows[successor_id]
    return row


def _make_fact(present: ObservationRow, earlier: ObservationRow | None, zone: ZoneInfo, mark: str) -> RequestFact:
    day = present["said_at"].astimezone(zone).date()
    shown = earlier if earlier and not _is_restated(earlier["text"], present["text"]) else None
    return RequestFact(
        present["observation_id"], present["kind"], day, lead_with_chosen(present["text"]),
        shorten(shown["text"], EARLIER_CHARS) if shown else "", shown["said_at"].astimezone(zone).date() if shown else None, mark,
    )  # fmt: skip


def _is_restated(earlier: str, present: str) -> bool:
    """Whether the present text has the words of the earlier one, and all of its values."""
    if earlier == present:  # what people repeat for good, they mostly say in the same words
        return True
    words = set(tokenize(earlier))
    missing = words.difference(tokenize(present))
    has_lost_value = any(character.isdigit() for word in missing for character in word)
    return not has_lost_value and len(missing) <= (1 - SAME_WORDS_SHARE) * len(words)
