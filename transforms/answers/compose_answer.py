"""Turns ranked candidates into hits that cite their entries, and composes a short answer from excerpts of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import fsum
from zoneinfo import ZoneInfo

from transforms.answers.cause_hits import put_causes_first
from transforms.answers.closest_sentence import put_closest_first
from transforms.answers.excerpts import FIRST_LINE_CHARS, LINE_CHARS, cut_spoken, find_excerpt
from transforms.answers.exchange_context import (
    FOREIGN_ROLES,
    ContextRows,
    add_context,
    leave_out_shown,
    make_context,
    name_entries,
    name_shown,
)
from transforms.answers.near_words import NO_NEAR_WORDS, NearWords, cover_words
from transforms.answers.owner_answers import put_answers_first
from transforms.answers.states.state_hits import put_leads_first
from transforms.language.sentences import has_question_mark
from transforms.language.tokenizer import tokenize
from transforms.pages.page_names import shorten_project
from transforms.quoting.closed_cut import MORE, SMALLEST, cut_closed
from transforms.quoting.speaker_labels import OWNER_ROLE, SUMMARY_ROLE, list_foreign_spans
from transforms.recall.answerability import EVIDENCE_HITS, Unanswerability
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import CITED_LINES, RankingRecord, is_summary, measure_question_share
from transforms.recall.types import Citation, ContextLine, Hit, fit_hits_to_budget
from transforms.tables.fact_notes import lead_with_chosen, name_note, name_origin
from transforms.tables.tokens import count_tokens

ANSWER_TOKENS = 240
"""Length of an answer when no budget is given: four or five facts."""
ANSWER_SHARE = 3
"""The answer takes at most the third part of a budget for answer and hits together."""
ANSWER_HITS = 5
CONTEXT_LINES, CONTEXT_LINE_CHARS = 1, 260
"""Lines of an answer that have their context whatever else is left out for it; characters of a later line with its context."""
NOTE_CHARS = len(f"(rejected: {MORE})")
"""Most characters around a stretch that begins inside of a note."""
RESTATED_SHARE = 0.7
"""Share of a line's words from which it restates the lines before it: a fact, its turn and the narrative of both are one line."""

GAP = f" {MORE} "
"""What stands between the beginning of a long fact and the stretch of it that the question is about."""
ABOUT = " (about: "
"""After this a fact repeats the words that it answers: they may be in the answer already while the reply is new."""

TURNED_DOWN = "Turned down: "
"""What stands before a fact of the kind `rejected` that is cut."""
MOST_QUESTIONS = 0.5
"""Share of questions among a hit's sentences from which it only asks."""
ASIDE_WORDS = 6
"""Most index words of a turn that says nothing by itself: "ah right", "go ahead with the release"."""
DOUBTED_SHARE = 0.3
"""Share of the question's words that a further line of a doubted answer has at least."""
LEAD_CHARS = 60
"""Most characters of the lead of a saying that the offline engine quotes."""
PASTED_SHARE = 0.5
"""Share of a user's turn from which it is what others wrote."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of an answer: its budget in tokens and the zone of its days.

    `today` is set when the question asks when something happened: the first line then begins with the day and its age. With
    `is_past` the question asks how it was before: a replaced fact is no restatement, though its words stand beside what holds.
    `own` are the projects that the question is about, None for all: a citation names any other one. `near` are words of the hits
    that stand for words of the question. `value` matches values of the type that it asks for, None when any text may answer.
    With `is_present` it asks how something is now, with `is_why` what caused something. With `is_doubted` memory may not know it:
    beside the nearest evidence stands only what is about the question, too. `leads` are the ids of hits that go first.
    """

    budget: int
    zone: ZoneInfo
    today: date | None = None
    is_past: bool = False
    own: Collection[str] | None = None
    near: NearWords = field(default_factory=dict)
    value: re.Pattern[str] | None = None
    is_present: bool = False
    is_why: bool = False
    is_doubted: bool = False
    leads: Sequence[str] = ()


def make_hits(
    rows: Sequence[RankingRecord],
    folded: Sequence[tuple[RankedCandidate, list[int]]],
    context: Mapping[int, ContextRows],
    weights: Mapping[str, float],
    max_tokens: int | None,
) -> list[Hit]:
    """Make hits of folded candidates; the duplicates folded under one add their citations, and a short one has its context.

    The rows of hits, duplicates and context have the reader's columns. `weights` are those of the question's words.
    """
    hits = [
        replace(
            _make_hit(rows, candidate, duplicates),
            context=make_context(
                rows, context.get(candidate.index, (None, None)), weights, rows[candidate.index].get("text") or ""
            ),
        )
        for candidate, duplicates in folded
    ]
    return list(fit_hits_to_budget(hits, None if max_tokens is None else max_tokens - limit_answer_tokens(max_tokens)))


def describe_nearest_hit(hits: Sequence[Hit], weights: Mapping[str, float], zone: ZoneInfo) -> str:
    """Return an excerpt of the best hit that was said, with its citation, for a question without an answer."""
    nearest = min(hits, key=_is_unsaid, default=None)
    return _add_citation(nearest, _cut_hit(nearest, weights, FIRST_LINE_CHARS), zone) if nearest else ""


def describe_doubt(unanswerability: Unanswerability) -> str:
    """Return a sentence that says that an answer is only the nearest evidence, and why; empty when recall is sure."""
    if not unanswerability.is_unsure:
        return ""
    return f"Unsure: {unanswerability.reason}." if unanswerability.reason else "Unsure."


def limit_answer_tokens(max_tokens: int | None) -> int:
    """Return the tokens that an answer may take of a budget for answer and hits together."""
    return ANSWER_TOKENS if max_tokens is None else min(max_tokens // ANSWER_SHARE, ANSWER_TOKENS)


def compose_answer(hits: Sequence[Hit], weights: Mapping[str, float], form: AnswerForm) -> str:
    """Compose excerpts of the best hits, each with its citation: the first is the answer, the others add something new.

    Hits with a sentence close to the question, with a value of the type that it asks for, or of a later session, go before others
    of about the same score (`put_closest_first`). What was said goes before what was run, what was pasted and what a compaction
    summed up: a command or a log names the subject and answers nothing, and a summary may say what nobody did. The first line has
    what it answers and what answered it; others have it where the budget leaves room.
    """
    lines: list[str] = []
    known, shown = set[str](), set[tuple[str | None, str]]()
    chosen: list[tuple[Hit, str]] = []
    least = DOUBTED_SHARE * fsum(weights.values())
    ordered = put_closest_first(hits[:EVIDENCE_HITS], weights, form.near, form.value, is_present=form.is_present)
    ordered = put_causes_first(ordered) if form.is_why else ordered
    ordered = ordered if form.is_past else put_answers_first(ordered, weights, form.near, form.value)
    ordered = put_leads_first(ordered, form.leads)
    for hit in sorted(ordered, key=_rank_form):
        text = _cut_hit(hit, weights, LINE_CHARS if lines else FIRST_LINE_CHARS, form.near)
        terms = set(tokenize(text.split(ABOUT)[0]))
        is_former = form.is_past and hit.superseded_by is not None
        is_restated = len(terms & known) >= RESTATED_SHARE * len(terms) or not shown.isdisjoint(name_entries(hit))
        if lines and not is_former and (is_restated or _is_aside(hit, weights, form.near)):
            continue
        if lines and form.is_doubted and fsum(cover_words(text, weights, form.near).values()) < least:
            continue
        said = f"Before: {text}" if hit.until is not None else text
        fresh = leave_out_shown(hit, shown)
        line, context = _format_line(fresh, said, form, is_first=not lines, has_context=len(lines) < CONTEXT_LINES)
        if lines and count_tokens("\n".join([*lines, line])) > form.budget:
            continue
        lines.append(line)
        chosen.append((hit, said))
        known |= terms.union(*(tokenize(line.text) for line in context))
        shown |= name_entries(hit) | name_shown(fresh, context)
        if len(lines) == ANSWER_HITS:
            break
    for number, (hit, said) in enumerate(chosen[CONTEXT_LINES:], CONTEXT_LINES):
        fresh = leave_out_shown(hit, shown)
        line, context = _format_line(fresh, said, form, is_first=False, has_context=True)
        if count_tokens("\n".join([*lines[:number], line, *lines[number + 1 :]])) <= form.budget:
            lines[number] = line
            shown |= name_shown(fresh, context)
    return "\n".join(lines)


def _rank_form(hit: Hit) -> int:
    """Return 0 for what was said, 1 for a question that nobody answered, 2 for what nobody said."""
    return 2 if _is_unsaid(hit) else int(_is_open(hit))


def _is_open(hit: Hit) -> bool:
    """Whether a hit only asks, and no answer stands beside it: as an answer it tells nothing."""
    has_answer = any(not line.is_before for line in hit.context)
    return not has_answer and measure_question_share(hit.text) >= MOST_QUESTIONS


def _is_aside(hit: Hit, weights: Mapping[str, float], near: NearWords) -> bool:
    """Whether a hit is a turn of a few words that names nothing of the question, and answers or asks nothing that does."""
    if not weights or hit.source != "turn" or len(tokenize(hit.text)) > ASIDE_WORDS or cover_words(hit.text, weights, near):
        return False
    said = [
        line.text for line in hit.context if not line.is_before or hit.speaker != OWNER_ROLE or has_question_mark(line.text)
    ]  # behind a statement of the agent it only takes note
    return not any(cover_words(text, weights, near) for text in said)


def _is_unsaid(hit: Hit) -> bool:
    """Whether neither the owner nor the agent said a hit in the conversation: a command that ran, a summary, or a turn of a user
    that others wrote for the most part. Nor does a guess count that was refuted."""
    foreign = sum(end - start for start, end in list_foreign_spans(hit.text, hit.quoted))
    return hit.is_refuted or hit.is_action or hit.speaker in FOREIGN_ROLES or foreign > PASTED_SHARE * len(hit.text)


def _format_line(
    hit: Hit, said: str, form: AnswerForm, *, is_first: bool, has_context: bool
) -> tuple[str, tuple[ContextLine, ...]]:
    """Return a line of an answer with its citation, and the context that found room in it."""
    limit = FIRST_LINE_CHARS if is_first else CONTEXT_LINE_CHARS
    text, context = add_context(hit if has_context else replace(hit, context=()), said, limit)
    day = _format_day(hit, form.zone, form.today) if form.today is not None and is_first else ""
    return day + _add_citation(replace(hit, context=context), text, form.zone, form.own), context


def _cut_hit(hit: Hit, weights: Mapping[str, float], limit: int, near: NearWords = NO_NEAR_WORDS) -> str:
    """Return the excerpt of a hit with its speaker. A fact keeps its beginning, which names him: its end may quote another one.

    An excerpt that begins inside of the beginning goes on from there: nothing stands twice. What was turned down says so first
    when it is cut, because "… were turned down" stands at its end.
    """
    if hit.source != "observation":
        return cut_spoken(hit, weights, limit, near)
    hit = replace(hit, text=lead_with_chosen(hit.text))
    is_cut = hit.kind == "rejected" and len(find_excerpt(hit.text, weights, limit, near)[0]) > limit
    return TURNED_DOWN * is_cut + _cut_fact(hit, weights, limit - len(TURNED_DOWN) * is_cut, near)


def _cut_fact(hit: Hit, weights: Mapping[str, float], limit: int, near: NearWords) -> str:
    whole, start, end = find_excerpt(hit.text, weights, limit, near)
    if start:
        beginning = cut_closed(whole, limit // 2)
        room = limit - len(beginning) - len(GAP)
        _, start, end = find_excerpt(hit.text, weights, room, near)
        if name_note(whole, start):  # what tells it takes room from the stretch, whose end may be what the question is about
            _, start, end = find_excerpt(hit.text, weights, room - NOTE_CHARS, near)
        if start > len(beginning):
            return f"{beginning}{' ' if MORE in beginning[-SMALLEST:] else GAP}{_cut_stretch(whole, room, start, end)}"
        end = len(whole)
    return cut_closed(whole, limit, 0, end)


def _cut_stretch(whole: str, room: int, start: int, end: int) -> str:
    """Return a stretch of a fact; one that begins in a note says in which: "(rejected: …)" is no truth without its first word."""
    label = name_note(whole, start)
    if not label:
        return cut_closed(whole, room, start, end)
    lead = f"({label}: {MORE}"
    stretch = cut_closed(whole, room - len(lead) - 1, start, end)
    own = stretch.removeprefix(f"({MORE}")  # opened for the bracket that closes the note
    return f"{lead}{own}{'' if own != stretch else ')'}"


def _format_day(hit: Hit, zone: ZoneInfo, today: date) -> str:
    if hit.said_at is None:
        return ""
    day = hit.said_at.astimezone(zone).date()
    age = (today - day).days
    return f"{day} ({'today' if not age else 'yesterday' if age == 1 else f'{age} days ago'}): " if age >= 0 else f"{day}: "


def name_elsewhere(hit: Hit, own: Collection[str] | None) -> str:
    """Return the name of the project of a hit that the question is not about; empty when it is, or is about all."""
    return shorten_project(hit.project) if own is not None and hit.project is not None and hit.project not in own else ""


def mark_elsewhere(hit: Hit, project: str) -> Hit:
    """Return a hit with the name of another project than the question's (empty: none).

    What nobody approved stands there without the lead that names a kind ("User set a rule: …"): it binds nobody here.
    """
    if not project or hit.source != "observation":
        return replace(hit, elsewhere=project)
    lead, _, saying = hit.text.partition(': "')
    is_lead = bool(saying) and len(lead) <= LEAD_CHARS and not {'"', ":"} & set(lead)
    return replace(hit, elsewhere=project, text=f'"{saying}' if is_lead else hit.text)


def _add_citation(hit: Hit, text: str, zone: ZoneInfo, own: Collection[str] | None = None) -> str:
    """Return the text with the hit's id, its local day, its project if another one, who stated it, and its successor."""
    day = str(hit.said_at.astimezone(zone).date()) if hit.said_at else ""
    project = name_elsewhere(hit, own)
    successor = f", replaced by {hit.superseded_by}" if hit.superseded_by else ""
    if not successor and hit.until is not None:
        successor = f", until {hit.until.astimezone(zone).date()}"
    if hit.waits or not successor:
        successor = "".join(f", {mark}" for mark in (hit.changed, hit.waits) if mark)
    cited = " with ".join([hit.id, " and ".join(line.entry_id for line in hit.context)]) if hit.context else hit.id
    return f"{text} [{', '.join(part for part in (cited, day, project, name_origin(hit.origin)) if part)}{successor}]"


def _make_hit(rows: Sequence[RankingRecord], candidate: RankedCandidate, duplicates: Sequence[int]) -> Hit:
    row = rows[candidate.index]
    return Hit(
        id=row["id"],
        source=row["source"],
        text=row["text"],
        kind=row["kind"],
        priority=row["priority"],
        project=row["project"],
        session_id=row["session_id"],
        entry_ids=tuple(row["entry_ids"] or ())[:CITED_LINES],
        lines=tuple(row["lines"] or ())[:CITED_LINES],
        said_at=row["said_at"],
        score=candidate.score,
        superseded_by=row["superseded_by"],
        also=_cite_other_sessions(row, [rows[index] for index in duplicates]),
        speaker=SUMMARY_ROLE if is_summary(row) else row["speaker"] if row["source"] == "turn" else None,
        origin=row.get("origin"),
        quoted=tuple(row.get("quoted") or ()),
        is_refuted=row.get("is_refuted", False),
        until=row.get("until"),
        waits=row.get("waits", ""),
        changed=row.get("changed", ""),
        is_action=row["source"] == "turn" and row["position"] is None,
    )


def _cite_other_sessions(row: RankingRecord, duplicates: Sequence[RankingRecord]) -> tuple[Citation, ...]:
    """Return the citations of other sessions: those of the row itself, and those of its duplicates."""
    session = row["session_id"]
    cited: dict[str, tuple[list[str], list[int]]] = {}
    for reference in row["also"] or ():
        other, _, entry = reference.rpartition(":")  # a session id may hold a colon
        if other != session:
            cited.setdefault(other, ([], []))[0].append(entry)
    for duplicate in duplicates:
        if duplicate["session_id"] and duplicate["session_id"] != session:
            entries, lines = cited.setdefault(duplicate["session_id"], ([], []))
            entries.extend(entry for entry in duplicate["entry_ids"] or () if entry not in entries)
            lines.extend(line for line in duplicate["lines"] or () if line not in lines)
    return tuple(
        Citation(other, tuple(entries[:CITED_LINES]), tuple(lines[:CITED_LINES]))
        for other, (entries, lines) in sorted(cited.items())
    )
