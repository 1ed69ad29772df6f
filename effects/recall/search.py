"""Searches the memory for one question: the period that it names, the candidates, their order, and the hits that are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from effects.index.manifest import IndexMissing, quote_sql_list
from effects.judging.told_relations import read_changed_parts
from effects.recall.index_search import (
    Candidates,
    join_candidates,
    load_reader_columns,
    make_filter_period,
    make_filter_sql,
    search_index,
    search_index_period,
)
from effects.recall.project_filter import ALL_PROJECTS, list_known_projects, read_session_projects, resolve_projects
from effects.recall.recall_state import Recall, close_index, start_vector_search
from effects.recall.repository_warnings import read_warnings
from effects.recall.state_search import add_state_candidates, find_state_leads
from effects.recall.waiting_changes import read_waiting_changes
from transforms.answers.cause_hits import add_causes, list_causes
from transforms.answers.changed_parts import ChangedPart, list_later_words
from transforms.answers.exchange_context import ContextRows, find_context_rows, find_guesses, mark_refuted
from transforms.answers.next_words import find_next_words
from transforms.answers.owner_answers import add_owner_answers, list_answering_facts
from transforms.answers.replaced_hits import (
    ProjectChange,
    mark_changed_parts,
    mark_ended,
    mark_warnings,
    put_changed_numbers_last,
    put_named_again_last,
    put_replaced_last,
    put_summaries_behind,
    put_waiting_last,
)
from transforms.answers.states.state_hits import add_first
from transforms.answers.waiting_changes import WaitingChange
from transforms.changes.changed_numbers import read_changed_number
from transforms.forgetting.named_documents import is_forgotten_document
from transforms.pages.page_names import find_foreign_projects, find_named_projects, is_within_scope
from transforms.recall.answerability import EVIDENCE_HITS
from transforms.recall.newer_values import Folded, find_newer_elsewhere, put_newer_values_first
from transforms.recall.period_ranking import (
    QuestionPeriod,
    asks_only_for_period,
    describe_period,
    find_event_time,
    is_bounded_by_event,
    lift_named_projects,
    list_possible_days,
    rank_period_first,
    rank_whole_period,
)
from transforms.recall.question import Question, parse_question
from transforms.recall.question_dates import Days, QuestionTime, bound_days_by_event, find_question_time
from transforms.recall.question_type import asks_for_open_work
from transforms.recall.rank import (
    ELSEWHERE_LEAD,
    MEMORY,
    RankedCandidate,
    fold_duplicates,
    put_elsewhere_last,
    rank_candidates,
    shares_telling_words,
)
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Filters
from transforms.tables.enums import STANDING_KINDS

EVENT_SOURCES = ("memory", "observation")
"""Sources of the event that bounds a question's period."""
SPOKEN_SOURCES = ("observation", "turn")
"""Sources that are dated by the moment at which they were said."""
YEARS_BACK = 10
LATEST_SAID = ", the latest that memory has"
LEAST_COMPARED = 10
"""Hits among which what is replaced goes behind what replaces it, however few are shown: the first of ten is the first of one."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The candidates of a question, all of them in order, and the first ones with their near duplicates (indices).

    `own` are the projects that the question is about, None for all; `context` has what was said right before and after a hit, and
    `next_words`, by the place of a hit, the place of the one that the owner said next; `leads` are the ids of hits that go first:
    rows that tell the state that is asked for, or what is open, and `state_note` says where memory knows no end of it.
    """

    candidates: Candidates
    ranked: list[RankedCandidate]
    folded: list[tuple[RankedCandidate, list[int]]]
    own: tuple[str, ...] | None = None
    context: Mapping[int, ContextRows] = field(default_factory=dict)
    next_words: Mapping[int, int] = field(default_factory=dict)
    leads: tuple[str, ...] = ()
    state_note: str = ""


def find_question_period(recall: Recall, question: Question, filters: Filters) -> QuestionPeriod:
    """Return the period that a question names; a period among the filters counts alone."""
    time = find_question_time(question.text, recall.run.today)
    if time is None or filters.since or filters.until:
        return QuestionPeriod()
    if time.days is not None:
        days = _find_said_days(recall, question, filters, time)
        note = describe_period(days) + (LATEST_SAID if days != time.days else "")
        return QuestionPeriod(days, asks_only_for_period(question, time.phrase), note)
    if not is_bounded_by_event(question, time):
        return QuestionPeriod()
    event = parse_question(time.event, recall.run.today)
    result = search_memory(recall, event, replace(filters, sources=EVENT_SOURCES, k=1, spare=0), QuestionPeriod())
    event_time = find_event_time(result.candidates.rows, result.ranked, event, result.candidates.corpus)
    if event_time is None:
        return QuestionPeriod()
    days = bound_days_by_event(time.relation, event_time.astimezone(recall.run.zone).date())
    remainder = question.text.replace(time.phrase, "").strip()
    return QuestionPeriod(days, asks_only_for_period(question, time.phrase), describe_period(days, time.event), remainder)


def _find_said_days(recall: Recall, question: Question, filters: Filters, time: QuestionTime) -> Days:
    """Return the days of a question's time; of "in November" those of the latest year in which anything was said then."""
    assert time.days is not None
    years = list_possible_days(question.text, time, recall.run.today, YEARS_BACK)
    if len(years) == 1:
        return time.days
    projects = question.projects or resolve_projects(recall, filters)
    for days in years:
        spoken = replace(filters, sources=SPOKEN_SOURCES, since=days[0], until=days[1])
        if _is_anything_there(recall, make_filter_sql(spoken, projects, recall.run.zone)):
            return days
    return time.days


def _is_anything_there(recall: Recall, where: str) -> bool:
    """Whether the index has a document that fulfils a condition, or the lake when there is none."""
    if recall.index is not None:
        return bool(recall.index.documents.list_where(where, 1))
    from effects.recall.lake_search import has_document, load_documents

    return has_document(load_documents(recall), where)


def search_memory(recall: Recall, question: Question, filters: Filters, period: QuestionPeriod) -> SearchResult:
    """Search the index, or the lake when there is none; the first `filters.k` hits and their evidence have all columns.

    A question in a project is about it and about every other one that it names; what others say is marked and comes last.

    Raises:
        NotFoundError: for a project that no session has.
    """
    if period.days and period.is_whole:
        filters = replace(filters, since=period.days[0], until=min(period.days[1], recall.run.today))
    own = _find_own_projects(recall, question, filters, is_wordless=period.is_whole or asks_for_open_work(question.text))
    where = make_filter_sql(filters, own, recall.run.zone)
    if recall.index is not None:
        try:
            if period.is_whole:
                candidates = search_index_period(recall.index, question, where)
            else:
                start = partial(start_vector_search, recall, question.text)
                days = make_filter_period(filters, recall.run.zone)
                candidates = search_index(recall.index, question, start, where, days)
                if own is None and question.projects:  # in a long memory others have the places of candidates
                    is_named = f"project IN {quote_sql_list(list(question.projects))}"
                    named = f"{where} AND {is_named}" if where else is_named
                    candidates = join_candidates(candidates, search_index(recall.index, question, start, named, days))

                def search_states(words: Question, condition: str) -> Candidates:
                    """Find candidates that fulfil a further condition."""
                    both = f"{where} AND {condition}" if where else condition
                    return search_index(recall.index, words, start, both, days)  # type: ignore[arg-type]  # it is open here

                candidates = add_state_candidates(recall, question, candidates, search_states)
            result = _rank(recall, question, _leave_out_forgotten(recall, candidates), filters, period, own)
            shown = {index for hit, duplicates in result.folded for index in (hit.index, *duplicates)}
            evidence = {candidate.index for candidate in result.ranked[:EVIDENCE_HITS]}
            load_reader_columns(recall.index, [result.candidates.rows[index] for index in sorted(shown | evidence)])
            return _add_context(recall, question, result, filters)
        except IndexMissing as missing:
            close_index(recall, missing)
    from effects.recall.lake_search import load_documents, search_lake, search_lake_period

    search = search_lake_period if period.is_whole else search_lake
    result = _rank(recall, question, search(load_documents(recall), question, where), filters, period, own)
    return _add_context(recall, question, result, filters)


def _add_context(recall: Recall, question: Question, result: SearchResult, filters: Filters) -> SearchResult:
    """Return the result with the newer of two values first among its hits, as many as are wanted, and with the candidates around
    these.

    They then have the reader's columns; guesses that the next turns refute are none of them, and marked.
    """
    rows, limit = result.candidates.rows, max(filters.k, LEAST_COMPARED)
    folded = put_replaced_last(rows, put_newer_values_first(rows, result.folded[:limit], question), question)
    if changes := _list_changes(recall, rows):
        replies = _load_replies(recall, rows, folded)
        folded = put_changed_numbers_last(rows, folded, changes, replies, question, recall.run.zone)
    folded = put_waiting_last(rows, folded, _read_waiting_changes(recall, folded, rows), question)
    parts = _read_changed_parts(recall, folded, rows)
    mark_changed_parts(rows, folded, parts)
    folded = put_named_again_last(rows, folded, list_later_words(parts), question)
    mark_ended(rows, folded, recall.run.zone, recall.run.today)
    mark_warnings(rows, folded, _read_warnings(recall, folded, rows))
    folded = put_summaries_behind(rows, folded)
    causes = list_causes(rows, result.ranked, question)
    load_reader_columns(recall.index, [rows[cause.index] for cause in causes])
    answering = list_answering_facts(rows, result.ranked, folded, question)
    load_reader_columns(recall.index, [rows[fact.index] for fact in answering])
    marked = {hit.index for hit, _ in folded}
    folded = add_causes(rows, [*folded, *result.folded[limit:]], causes)
    folded = add_owner_answers(rows, folded, answering, question)
    leads, state_note = find_state_leads(recall, question, result.candidates, result.ranked, folded, result.own)
    folded = add_first(folded, leads)[: filters.k + filters.spare]
    added = {candidate.index for candidate in (*causes, *answering, *leads)} - marked
    _mark_added(recall, rows, [item for item in folded if item[0].index in added])
    result = replace(result, leads=tuple(rows[lead.index]["id"] for lead in leads), state_note=state_note)
    result = replace(result, folded=folded, next_words=find_next_words(rows, folded[: filters.k], question))
    context = find_context_rows(rows, [hit.index for hit, _ in result.folded])
    around = {place for places in context.values() for place in places if place is not None}
    load_reader_columns(recall.index, [rows[place] for place in sorted(around)])
    guesses = find_guesses(rows, sorted({*around, *(hit.index for hit, _ in result.folded)}))
    load_reader_columns(recall.index, [rows[place] for place in sorted({turn for later in guesses.values() for turn in later})])
    refuted = mark_refuted(rows, guesses)
    kept = {hit: tuple(None if place in refuted else place for place in places) for hit, places in context.items()}
    return replace(result, context=kept)


def _list_changes(recall: Recall, rows: Sequence[RankingRecord]) -> list[ProjectChange]:
    """Return the numbers that the work behind the candidates replaced, in the order of time."""
    turns = [(said_at, row) for row in rows if row["changes"] and (said_at := row["said_at"]) is not None]
    load_reader_columns(recall.index, [row for _, row in turns])
    ordered = sorted(turns, key=lambda turn: (turn[0], turn[1]["key"]))
    return [(row.get("project"), said_at, read_changed_number(line)) for said_at, row in ordered for line in row["changes"] or ()]


def _load_replies(recall: Recall, rows: Sequence[RankingRecord], folded: Folded) -> dict[int, int]:
    """Return the places of what was answered to the hits, which then has its text, by the places of these."""
    context = find_context_rows(rows, [hit.index for hit, _ in folded])
    replies = {hit: places[1] for hit, places in context.items() if places[1] is not None}
    load_reader_columns(recall.index, [rows[place] for place in sorted({*replies.values()})])
    return replies


def _leave_out_forgotten(recall: Recall, candidates: Candidates) -> Candidates:
    """Return the candidates without those that were forgotten since the index was brought up to date."""
    if not recall.forgotten:
        return candidates
    load_reader_columns(recall.index, candidates.rows)
    forgotten = {number for number, row in enumerate(candidates.rows) if is_forgotten_document(row, recall.forgotten)}
    return _drop_rows(candidates, forgotten)


def _drop_rows(candidates: Candidates, dropped: set[int]) -> Candidates:
    """Return the candidates without the rows at these places."""
    if not dropped:
        return candidates
    kept = [number for number in range(len(candidates.rows)) if number not in dropped]
    vectors = candidates.vectors and (candidates.vectors[0][kept], candidates.vectors[1])
    return replace(candidates, rows=[candidates.rows[number] for number in kept], vectors=vectors)


def _read_waiting_changes(recall: Recall, folded: Folded, rows: Sequence[RankingRecord]) -> dict[str, WaitingChange]:
    """Return the changes of lines of MEMORY.md that wait for the owner, by text; nothing is read when no hit is such a line."""
    if not any(rows[candidate.index]["source"] == MEMORY for candidate, _ in folded):
        return {}
    return read_waiting_changes(recall.run)


def _read_warnings(recall: Recall, folded: Folded, rows: Sequence[RankingRecord]) -> Mapping[str, str]:
    """Return what the ground check says of the hits, by id; nothing is read when no hit is a fact or a line of MEMORY.md."""
    ids = {rows[hit.index]["id"] for hit, _ in folded if rows[hit.index]["source"] in EVENT_SOURCES}
    return read_warnings(recall.run, ids) if ids else {}


def _mark_added(recall: Recall, rows: Sequence[RankingRecord], added: Folded) -> None:
    """Mark hits that came behind the others as these were marked."""
    mark_changed_parts(rows, added, _read_changed_parts(recall, added, rows))
    mark_ended(rows, added, recall.run.zone, recall.run.today)
    mark_warnings(rows, added, _read_warnings(recall, added, rows))


def _read_changed_parts(recall: Recall, folded: Folded, rows: Sequence[RankingRecord]) -> dict[str, tuple[ChangedPart, ...]]:
    """Return what changed about facts, by id; nothing is read when no hit is a fact."""
    if not any(rows[candidate.index]["source"] == "observation" for candidate, _ in folded):
        return {}
    return read_changed_parts(recall.run)


def _find_own_projects(recall: Recall, question: Question, filters: Filters, *, is_wordless: bool) -> tuple[str, ...] | None:
    """Return the projects of the filters and those that the question names beside them; None for all projects.

    A question for all of a period, or for what is left to do, has no words by which a project that it names could lead
    (`is_wordless`), so it is about that alone, unless all projects are asked for.
    """
    projects = resolve_projects(recall, filters)
    if projects is None:
        return question.projects or None if is_wordless and filters.project != ALL_PROJECTS else None
    return tuple(dict.fromkeys([*projects, *question.projects, *find_named_projects(question.text, list_known_projects(recall))]))


def _mark_elsewhere(recall: Recall, candidates: Candidates, own: Sequence[str]) -> None:
    """Mark what is said of projects which the question is not about: lines of MEMORY.md that name only such projects, which then
    have the first one, and facts of theirs.

    A line that names none has the project of its facts and keeps its rank: what was said in one project often holds in all. Its
    mark tells the reader whose it is.
    """
    rows = [row for row in candidates.rows if row["source"] == MEMORY or row["kind"] in STANDING_KINDS]
    load_reader_columns(recall.index, rows)
    for row in rows:
        if row["source"] == MEMORY:
            home, foreign = row["project"], find_foreign_projects(row["text"], own, list_known_projects(recall))
            row["is_elsewhere"] = bool(foreign)
            if foreign:
                row["project"] = foreign[0]
            elif home is not None and home not in own and any(is_within_scope(project, (home,)) for project in own):
                row["project"] = None  # of a folder around the question's, or inside of it
            continue
        row["is_elsewhere"] = row.get("project") is not None and row.get("project") not in own


def _leave_out_elsewhere(recall: Recall, candidates: Candidates, question: Question, own: Sequence[str]) -> Candidates:
    """Return the candidates without the unreviewed facts of other projects that nothing makes this question's concern.

    They stay when they share telling words with it, or when they were said in two projects: such a wish holds for a person.
    """
    doubtful = [
        number
        for number, row in enumerate(candidates.rows)
        if row.get("is_elsewhere") and row["source"] != MEMORY and not shares_telling_words(row, question, candidates.corpus)
    ]
    wide = _find_person_wide(recall, [candidates.rows[number] for number in doubtful], own) if doubtful else set()
    return _drop_rows(candidates, {number for number in doubtful if candidates.rows[number]["id"] not in wide})


def _find_person_wide(recall: Recall, rows: Sequence[RankingRecord], own: Sequence[str]) -> set[str]:
    """Return the ids of the facts that were said in the question's projects, or in two others."""
    sessions = {row["id"]: {reference.partition(":")[0] for reference in row.get("also") or ()} for row in rows}
    if not any(sessions.values()):
        return set()
    projects = read_session_projects(recall)
    said_in = {row["id"]: {row.get("project"), *map(projects.get, sessions[row["id"]])} - {None} for row in rows}
    return {key for key, names in said_in.items() if len(names) > 1 or names & set(own)}


def _rank(
    recall: Recall,
    question: Question,
    candidates: Candidates,
    filters: Filters,
    period: QuestionPeriod,
    own: tuple[str, ...] | None,
) -> SearchResult:
    if own is not None:
        _mark_elsewhere(recall, candidates, own)
        candidates = _leave_out_elsewhere(recall, candidates, question, own)
    lead = math.inf if period.is_whole else ELSEWHERE_LEAD
    ordered = _order(recall, question, candidates, period)
    newer = set() if period.is_whole else find_newer_elsewhere(candidates.rows, ordered)
    ranked = put_elsewhere_last(candidates.rows, ordered, lead, newer)
    return SearchResult(
        candidates, ranked, fold_duplicates(candidates.rows, ranked, max(filters.k, LEAST_COMPARED) + filters.spare), own
    )


def _order(recall: Recall, question: Question, candidates: Candidates, period: QuestionPeriod) -> list[RankedCandidate]:
    if period.days and period.is_whole:
        return rank_whole_period(candidates.rows, question, period.days)
    ranked = rank_candidates(candidates.rows, question, candidates.corpus, candidates.vectors, recall.run.as_of, recall.run.zone)
    if question.projects:
        load_reader_columns(recall.index, [candidates.rows[candidate.index] for candidate in ranked])
        ranked = lift_named_projects(candidates.rows, ranked, question)
    return rank_period_first(candidates.rows, ranked, period.days, recall.run.zone) if period.days else ranked
