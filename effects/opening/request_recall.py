"""Finds facts about the first request of a session; an amended fact comes with the fact that it replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from zoneinfo import ZoneInfo

import polars as pl

from effects.pages.render_step import read_marks
from effects.recall.recall_state import open_index_and_model, open_recall
from effects.recall.search import search_memory
from effects.store.run import Run
from effects.system.templates import render_template
from transforms.language.tokenizer import tokenize
from transforms.recall.period_ranking import QuestionPeriod
from transforms.recall.question import parse_question
from transforms.recall.types import Filters
from transforms.tables.enums import KINDS
from transforms.tables.rows import ObservationRow
from transforms.tables.schema import OBSERVATIONS, read_rows
from transforms.tables.tokens import count_tokens

REQUEST_CHARS = 2_000
"""Characters of a request that are searched for: the rest is mostly pasted."""
CANDIDATES = 24
FACTS = 6
MIN_SHARED_WORDS = 2
"""Words that a fact shares with the request at least: one alone ("clear", "skills") links anything with anything."""
RESTATED_SHARE = 0.7
"""Share of common words from which a retired fact only says the same as its successor."""
KNOWLEDGE_KINDS = tuple(kind for kind in KINDS if kind not in ("request", "question", "task", "file_change"))
"""Kinds that state something; an earlier request does not help with the next one."""


@dataclass(frozen=True, slots=True)
class RecalledFact:
    """A fact that holds now, the text and day of the fact that it replaced, and what repositories say against it."""

    observation_id: str
    kind: str
    day: date
    text: str
    earlier_text: str = ""
    earlier_day: date | None = None
    mark: str = ""


def recall_for_request(run: Run, project: str, request: str, observations: pl.DataFrame) -> list[RecalledFact]:
    """Return the best facts of a project about a request, without those of which only one word is in it.

    A retired fact that is found stands for the fact that holds now. Empty for a project without sessions.
    """
    words = set(parse_question(request[:REQUEST_CHARS], run.today).words)
    if len(words) < MIN_SHARED_WORDS or project not in observations["project"]:
        return []
    rows = {row["observation_id"]: row for row in read_rows(OBSERVATIONS, observations) if row["verdict"] == "allow"}
    replaced = {row["superseded_by"]: row for row in rows.values() if row["superseded_by"]}
    marks = read_marks(run)
    facts: dict[str, RecalledFact] = {}
    for hit in _search_facts(run, project, request, rows):
        if len(words.intersection(tokenize(hit["text"]))) < MIN_SHARED_WORDS:
            continue
        present = _follow_successors(hit, rows)
        earlier = hit if present is not hit else replaced.get(hit["observation_id"])
        if present["observation_id"] not in facts and len(facts) < FACTS:
            made = _make_fact(present, earlier, run.zone)
            facts[present["observation_id"]] = replace(made, mark=marks.get(present["observation_id"], ""))
    return list(facts.values())


def render_recalled_facts(facts: list[RecalledFact], zone: ZoneInfo, max_tokens: int) -> str:
    """Return the facts as Markdown within `max_tokens`, the best first; empty without facts."""
    while facts:
        page = render_template("pages/request_recall.md.j2", facts=facts)
        if count_tokens(page) <= max_tokens:
            return page
        facts = facts[:-1]
    return ""


def _search_facts(run: Run, project: str, request: str, rows: dict[str, ObservationRow]) -> Iterator[ObservationRow]:
    recall = open_recall(run)
    open_index_and_model(recall)
    question = parse_question(request[:REQUEST_CHARS], run.today)
    filters = Filters(sources=("observation",), project=project, kinds=KNOWLEDGE_KINDS, k=CANDIDATES)
    result = search_memory(recall, question, filters, QuestionPeriod())
    for candidate, _ in result.folded:
        if row := rows.get(result.candidates.rows[candidate.index]["id"]):
            yield row


def _follow_successors(row: ObservationRow, rows: dict[str, ObservationRow]) -> ObservationRow:
    """Return the row that holds instead of this one, through any number of successors."""
    seen = {row["observation_id"]}
    while (successor := rows.get(row["superseded_by"] or "")) and successor["observation_id"] not in seen:
        seen.add(successor["observation_id"])
        row = successor
    return row


def _make_fact(present: ObservationRow, earlier: ObservationRow | None, zone: ZoneInfo) -> RecalledFact:
    day = present["said_at"].astimezone(zone).date()
    fact = RecalledFact(present["observation_id"], present["kind"], day, present["text"])
    if earlier is None or _is_restated(earlier["text"], present["text"]):
        return fact
    return RecalledFact(
        fact.observation_id, fact.kind, day, fact.text, earlier["text"], earlier["said_at"].astimezone(zone).date()
    )


def _is_restated(earlier: str, present: str) -> bool:
    """Whether the present text has the words of the earlier one, and all of its values."""
    words = set(tokenize(earlier))
    missing = words.difference(tokenize(present))
    has_lost_value = any(character.isdigit() for word in missing for character in word)
    return not has_lost_value and len(missing) <= (1 - RESTATED_SHARE) * len(words)
