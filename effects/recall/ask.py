"""Asks the memory: hybrid search over everything kept and said, a short cited answer, and its freshness.

    recall = open_recall(run)                               once per process; loads nothing
    answer = ask(recall, "what did we decide about cache TTLs?", Filters(cwd=str(Path.cwd())))
    answers = ask_batch(recall, [{"id": …, "question": …, "project": …}], Filters(k=50))
    answer.as_json()                                        the JSON of docs/contract.md

The first question opens the index and the model. When one of them is missing, the search uses words only (`mode` "lexical") and
`note` says why.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from effects.recall.index_search import load_reader_columns
from effects.recall.nearer_project import describe_nearer_project
from effects.recall.open_work import describe_open_work
from effects.recall.project_filter import ALL_PROJECTS, list_known_projects, read_project_names, resolve_projects
from effects.recall.recall_state import Recall, find_freshness, open_index_and_model, open_recall
from effects.recall.search import SearchResult, find_question_period, search_memory
from effects.system.cores import use_one_blas_thread
from effects.system.errors import NotFoundError, UsageError
from transforms.answers.cause_hits import asks_for_cause
from transforms.answers.closest_sentence import put_near_hits_first
from transforms.answers.compose_answer import (
    AnswerForm,
    compose_answer,
    describe_doubt,
    describe_nearest_hit,
    limit_answer_tokens,
    make_hits,
    mark_elsewhere,
    name_elsewhere,
)
from transforms.answers.near_words import NO_NEAR_WORDS, NearWords, find_near_words, list_written_words
from transforms.answers.next_words import put_next_words_first
from transforms.answers.states.state_hits import put_leads_first
from transforms.pages.page_names import shorten_project
from transforms.projects.project_names import find_question_projects
from transforms.recall.answerability import EVIDENCE_HITS, estimate_unanswerability
from transforms.recall.period_ranking import QuestionPeriod, asks_only_for_period, has_subject
from transforms.recall.question import Question, parse_question
from transforms.recall.question_dates import asks_for_date, asks_for_present, find_question_time
from transforms.recall.question_language import leave_out_unsaid
from transforms.recall.question_type import asks_for_open_work, classify_question
from transforms.recall.rank import RankedCandidate
from transforms.recall.types import DOCUMENT_SOURCES, Answer, Filters, Hit
from transforms.tables.enums import KINDS, PRIORITIES

__all__ = ["Recall", "ask", "ask_batch", "open_recall"]

MS_PER_SECOND = 1000
MOST_CHARS = 4000
"""Characters of a question that are searched: its time grows with them, and a model of vectors reads the first part alone."""
LEAST_WORDS = 2
"""Index words that are left of a question without a project's name that may be a word: "What did we decide on labels?"."""
NO_WORDS = "the question has no words"
EXAMPLE = 'recollect ask "what did we decide about …?"'
UNKNOWN_FOLDER_NOTE = (
    "no session was held in this folder: only what holds everywhere was searched; project `all` searches the rest"
)
NAMED_ALONE_NOTE = "only project {} was searched, which the question names; project `all` searches the rest"


def ask(recall: Recall, question: str, filters: Filters | None = None) -> Answer:
    """Return the best hits and an answer composed from them.

    A preference, rule or line of MEMORY.md of another project leads only what is far from the question, and is marked with it.
    For an agent (`filters.is_folder_only`) the note names the project that was not searched and has most about the question.

    Raises:
        UsageError: for an empty question or an unknown filter value.
        NotFoundError: for a project that no session has.
    """
    started = time.perf_counter()
    filters = filters or Filters()
    _check_arguments(question, filters)
    open_index_and_model(recall)
    searched, cut_note = _cut_question(question)
    asked = parse_named_question(recall, searched, filters)
    parsed, period, result = _search(recall, asked, filters)
    is_of_name = bool(result.own) and resolve_projects(recall, filters) is None
    is_known = bool(result.state_note) or _has_hits_of(result, asked.projects)
    if is_of_name and not asked.is_project_written and not is_known:  # a word: "at work in March"
        asked, is_of_name = parse_question(searched, recall.run.today), False
        parsed, period, result = _search(recall, asked, filters)
    answer = _answer(recall, parsed, filters, period, result, asked.text)
    nearer = describe_nearer_project(recall, parsed, filters, period, result)
    names = " and ".join(f"`{shorten_project(project)}`" for project in result.own or ())
    filter_note = NAMED_ALONE_NOTE.format(names) if is_of_name else ""
    notes = (result.state_note, answer.note, filter_note, describe_open_work(recall, parsed, result.own), nearer, cut_note)
    answer = replace(answer, question=question, note="; ".join(note for note in notes if note))
    return replace(answer, took_ms=round((time.perf_counter() - started) * MS_PER_SECOND))


def _search(recall: Recall, asked: Question, filters: Filters) -> tuple[Question, QuestionPeriod, SearchResult]:
    """Return the question that was searched, without the event that bounds its period, the period, and what was found."""
    period = find_question_period(recall, asked, filters)
    parsed = replace(asked, days=period.days) if asked.days and period.days else asked
    if period.remainder:
        bare = parse_question(period.remainder, recall.run.today)
        parsed = replace(bare, is_past=asked.is_past, projects=asked.projects, is_project_written=asked.is_project_written)
    return parsed, period, search_memory(recall, parsed, filters, period)


def _has_hits_of(result: SearchResult, projects: Collection[str]) -> bool:
    return any(result.candidates.rows[hit.index].get("project") in projects for hit, _ in result.folded)


def parse_named_question(recall: Recall, text: str, filters: Filters) -> Question:
    """Return a parsed question with the projects that it names, whose names are no words of it where others are left.

    All of a period is asked of the named projects alone, so where all are asked for, the name stays. In a memory of one project
    its name is a word like others.
    """
    named = find_question_projects(text, read_project_names(recall)) if len(list_known_projects(recall)) > 1 else None
    if named is None:
        return parse_question(text, recall.run.today)
    rest = parse_question(named.rest, recall.run.today)
    if _asks_for_period(recall, rest):
        is_enough = filters.project != ALL_PROJECTS
    else:
        is_enough = has_subject(rest) if named.is_written else len({*rest.words}) >= LEAST_WORDS
        is_enough |= asks_for_open_work(rest.text)
    parsed = rest if is_enough and _has_words(named.rest) else parse_question(text, recall.run.today)
    return replace(parsed, projects=named.projects, is_project_written=named.is_written)


def _asks_for_period(recall: Recall, question: Question) -> bool:
    """Whether a question asks for all of a period: no word tells which project it is about."""
    time = find_question_time(question.text, recall.run.today)
    return time is not None and asks_only_for_period(question, time.phrase)


def ask_batch(recall: Recall, questions: Iterable[Mapping[str, Any]], filters: Filters | None = None) -> Iterator[Answer]:
    """Yield an answer for each row `{id, question, project?}` in order; an unknown project gives no hits and a note.

    Raises:
        UsageError: for a row without a question.
    """
    filters = filters or Filters()
    for number, row in enumerate(questions, 1):
        if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
            raise UsageError(
                f"row {number} of the batch has no `question`", 'write one object per line: {"id": "1", "question": "…"}'
            )
        project = str(row["project"]) if row.get("project") else filters.project
        is_empty = bool(row["question"].strip()) and not _has_words(row["question"])
        try:
            answer = (
                Answer(row["question"], "lexical", find_freshness(recall), None, (), note=NO_WORDS)
                if is_empty
                else ask(recall, row["question"], replace(filters, project=project))
            )
        except NotFoundError as error:
            note = f"{error.message} ({error.hint})"
            answer = Answer(row["question"], "lexical", find_freshness(recall), None, (), note=note)
        own = row.get("id")  # as it came: who joins answers to questions compares 7 with 7
        yield replace(answer, id=own if isinstance(own, str | int) else str(number if own is None else own))


def _cut_question(question: str) -> tuple[str, str]:
    """Return the part of a question that is searched, up to the end of a word, and a note when that is not all of it."""
    if len(question) <= MOST_CHARS:
        return question, ""
    head = question[:MOST_CHARS]
    cut = max(head.rfind(space) for space in " \n\t")
    head = head[:cut] if cut > MOST_CHARS / 2 else head
    return head, f"the question is {len(question):,} characters long: its first {len(head):,} were searched"


def _answer(
    recall: Recall, parsed: Question, filters: Filters, period: QuestionPeriod, result: SearchResult, question: str
) -> Answer:
    candidates, ranked = result.candidates, result.ranked
    own = result.own if result.own is not None else parsed.projects or None
    weights = {word: candidates.corpus.compute_inverse_frequency(word) for word in parsed.words}
    hits = make_hits(candidates.rows, result.folded, result.context, weights, filters.max_tokens)
    marked = [mark_elsewhere(replace(hit, said_at=_limit_time(recall, hit.said_at)), name_elsewhere(hit, own)) for hit in hits]
    near = _find_near_words(recall, question, marked[: filters.k], weights) if candidates.vectors is not None else NO_NEAR_WORDS
    value = classify_question(parsed.text).answer_pattern
    is_present = not parsed.is_past and (value is not None or asks_for_present(parsed.text))
    is_why = asks_for_cause(parsed)
    hits, spare = marked[: filters.k], marked[filters.k :]
    if not period.is_whole:
        hits = put_near_hits_first(hits, weights, near, value, is_present=is_present, is_past=parsed.is_past, is_why=is_why)
        hits = put_leads_first(hits, result.leads)
    vocabulary = leave_out_unsaid(candidates.vocabulary, candidates.rows)
    estimate = partial(estimate_unanswerability, parsed, candidates.rows)
    unanswerability = estimate(ranked, candidates.corpus, vocabulary, candidates.best_cosine, near)
    doubted = unanswerability
    if result.own is None and (evidence := _list_evidence_of(recall, result, parsed.projects)):
        doubted = estimate(evidence, candidates.corpus, vocabulary, candidates.best_cosine, near)
    text = None
    is_known = period.is_whole or bool(result.leads)
    if hits and (is_known or not unanswerability.abstains):
        today = recall.run.today if asks_for_date(question) else None
        is_any_project = own is None and bool(result.leads) and len(list_known_projects(recall)) > 1
        form = AnswerForm(
            limit_answer_tokens(filters.max_tokens),
            recall.run.zone,
            today,
            parsed.is_past,
            () if is_any_project else own,  # of which of them a command is
            near,
            value,
            is_present,
            is_why,
            doubted.lacks_subject and not result.leads,
            result.leads,
        )
        text = compose_answer(put_next_words_first(marked[: filters.k], result.next_words), weights, form)
    folder_note = UNKNOWN_FOLDER_NOTE if result.own == () else ""
    is_hybrid = candidates.vectors is not None or (period.is_whole and recall.embedder is not None)
    return Answer(
        question,
        "hybrid" if is_hybrid else "lexical",
        find_freshness(recall),
        text,
        tuple(hits),
        note="; ".join(note for note in (recall.note, period.note, folder_note) if note),
        nearest=describe_nearest_hit(hits, weights, recall.run.zone) if text is None else "",
        doubt=describe_doubt(doubted) if text is not None and not is_known else "",
        unanswerability=unanswerability,
        spare=tuple(spare),
        searched=_name_searched(filters, result.own),
    )


def _list_evidence_of(recall: Recall, result: SearchResult, projects: Collection[str]) -> list[RankedCandidate]:
    """Return the first candidates of the projects that a question names; what is of no project counts where one of these is."""
    rows = result.candidates.rows
    places = {*projects, None}
    evidence = [hit for hit in result.ranked if rows[hit.index].get("project") in places][:EVIDENCE_HITS] if projects else []
    if not any(rows[hit.index].get("project") in projects for hit in evidence):
        return []
    load_reader_columns(recall.index, [rows[hit.index] for hit in evidence])
    return evidence


def _name_searched(filters: Filters, own: Collection[str] | None) -> str:
    """Return the part of memory that an agent's question was put to: its folder chose it, and the rest may know."""
    if not filters.is_folder_only or filters.project is not None or own is None:
        return "memory"
    return "the memory of this project" if own else "what holds everywhere"


def _find_near_words(recall: Recall, question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> NearWords:
    """Return the words of the hits that are near words of the question; none where the model has no vectors of words."""
    embed_words = recall.embedder.result().embed_words if recall.embedder else None
    if embed_words is None:
        return NO_NEAR_WORDS
    question_words = list_written_words([question])
    hit_words = list_written_words(
        [text for hit in hits[:EVIDENCE_HITS] for text in (hit.text, *(line.text for line in hit.context))]
    )
    with use_one_blas_thread():
        return find_near_words((question_words, embed_words(question_words)), (hit_words, embed_words(hit_words)), weights)


def _limit_time(recall: Recall, said_at: datetime | None) -> datetime | None:
    """Return the time of a hit, today at most now: of a line and of a period only the day is known, and its end is given."""
    run = recall.run
    is_later_today = said_at and said_at > run.as_of and said_at.astimezone(run.zone).date() == run.today
    return run.as_of if is_later_today else said_at


def _has_words(question: str) -> bool:
    return any(map(str.isalnum, question))


def _check_arguments(question: str, filters: Filters) -> None:
    if not question.strip():
        raise UsageError("the question is empty", EXAMPLE)
    if not _has_words(question):
        raise UsageError(NO_WORDS, EXAMPLE)
    for name, values, known in (
        ("--in", filters.sources, DOCUMENT_SOURCES),
        ("--kind", filters.kinds, KINDS),
        ("--priority", filters.priorities, PRIORITIES),
    ):
        if unknown := sorted(set(values) - {*known, *(f"{value}s" for value in known)}):
            names = [f"{value}s" if name == "--in" and value != "memory" else value for value in known]
            raise UsageError(f"{name} does not know `{unknown[0]}`", f"one or more of: {', '.join(names)}")
    if filters.since and filters.until and filters.since > filters.until:
        raise UsageError(f"--since {filters.since} is after --until {filters.until}", "recollect ask --help")
    if filters.k < 1 or (filters.max_tokens is not None and filters.max_tokens < 1):
        raise UsageError("-k and --max-tokens are numbers from 1", "recollect ask --help")
