"""Searches the rows that answer a question for the state of work (what was merged, closed, pushed, what is open), and for how
something is run.

Few rows tell states, or commands, and what led to one has more of the question's words, so they are searched by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from effects.index.manifest import quote_sql_list
from effects.recall.index_search import Candidates, join_candidates, load_reader_columns
from effects.recall.project_filter import list_known_projects
from effects.recall.recall_state import Recall
from transforms.answers.commands.command_hits import UNDATED, find_asked_command
from transforms.answers.commands.command_question import AskedWork, read_asked_work
from transforms.answers.states.state_hits import (
    STATE_KINDS,
    UNENDED,
    StateRow,
    find_state,
    is_told_later,
    keep_meant_projects,
    list_linked_numbers,
    list_open_rows,
    list_state_rows,
)
from transforms.answers.states.state_question import (
    StateQuestion,
    asks_which_are_open,
    find_thing,
    read_state_question,
)
from transforms.habits.command_row import COMMAND_KIND, LEAD
from transforms.recall.newer_values import Folded
from transforms.recall.question import Question, parse_question
from transforms.recall.rank import RankedCandidate

OPENING_ROWS = "Opened pull request issue. Merged pull request. Closed issue. is open"
"""Words by which the rows of what was opened, and of its end, are answer."""

UNCLOSED = "opened, and nothing about an end in memory"
MOST_PROJECTS = 5
"""Projects whose commands answer a question that is asked in none."""
MOST_LINKED = 2
"""Numbers of the work that a question names by words, whose rows are searched."""

Search = Callable[[Question, str], Candidates]
"""A search for candidates with a further condition."""


def add_state_candidates(recall: Recall, question: Question, candidates: Candidates, search: Search) -> Candidates:
    """Return the candidates with the rows of states that a question asks for, and with those that have the same numbers."""
    if read_asked_work(question) is not None:
        words = parse_question(LEAD, recall.run.today)
        return _join(candidates, search(words, f"kind = '{COMMAND_KIND}'"), is_counted=False)
    asked = read_state_question(question)
    condition = f"kind IN {quote_sql_list(sorted(STATE_KINDS))}"
    if asked is None:
        if not asks_which_are_open(question):
            return candidates
        return _join(candidates, search(parse_question(OPENING_ROWS, recall.run.today), condition), is_counted=False)
    candidates = _join(candidates, search(question, condition), is_counted=True)
    numbers = list_linked_numbers(_list_states(recall, candidates), asked, _weigh(candidates, asked))
    for number in numbers[:MOST_LINKED]:
        words = parse_question(f"{asked.thing or 'pull request'} {number}", recall.run.today)
        candidates = _join(candidates, search(words, condition), is_counted=False)
    return candidates


def _join(candidates: Candidates, more: Candidates, *, is_counted: bool) -> Candidates:
    if not is_counted:
        for row in more.rows:
            row.pop("counts", None)  # of other words than the question's
    return join_candidates(candidates, more)


def _list_states(recall: Recall, candidates: Candidates) -> list[StateRow]:
    facts = [row for row in candidates.rows if row["source"] == "observation" and row["kind"] in STATE_KINDS]
    load_reader_columns(recall.index, facts)
    return list_state_rows(candidates.rows)


def _weigh(candidates: Candidates, asked: StateQuestion) -> dict[str, float]:
    return {word: candidates.corpus.compute_inverse_frequency(word) for word in asked.subject}


def find_state_leads(
    recall: Recall,
    question: Question,
    candidates: Candidates,
    ranked: list[RankedCandidate],
    folded: Folded,
    own: Collection[str] | None,
) -> tuple[list[RankedCandidate], str]:
    """Return the candidates that answer a question for a state, or for what is open, and a note where memory knows no end.

    `own` are the projects that the question is asked in, None for all.
    """
    places = {candidate.index: candidate for candidate in ranked}
    if (work := read_asked_work(question)) is not None:
        return _find_command_leads(recall, question, candidates, places, folded, own, work), ""
    asked = read_state_question(question)
    if asked is None:
        if not asks_which_are_open(question) or (own is None and len(list_known_projects(recall)) > 1):
            return [], ""
        thing = find_thing(question)
        rows = list_open_rows(_list_states(recall, candidates), thing)
        return ([_rank(row, places) for row in rows], "") if thing else ([], _tell_open(candidates, rows))
    weights = _weigh(candidates, asked)
    states = keep_meant_projects(_list_states(recall, candidates), asked, question.projects or own or ())
    answer = find_state(states, asked, weights)
    if answer is None or is_told_later(candidates.rows, folded, answer, asked, weights):
        return [], ""
    note = "" if answer.decides else _tell_unended(recall, answer.row)
    return [_rank(answer.row, places)], note


def _find_command_leads(
    recall: Recall,
    question: Question,
    candidates: Candidates,
    places: Mapping[int, RankedCandidate],
    folded: Folded,
    own: Collection[str] | None,
    work: AskedWork,
) -> list[RankedCandidate]:
    """Return the candidate that tells how this work is run in the project that is asked about; if none is named, that of each
    project where it is run, of the latest first."""
    load_reader_columns(recall.index, [row for row in candidates.rows if row["kind"] == COMMAND_KIND])
    weights = {word: candidates.corpus.compute_inverse_frequency(word) for word in work.words if not work.is_run}
    asked = question.projects or own
    groups = [asked] if asked else [(project,) for project in list_known_projects(recall)]
    commands = [
        place
        for group in groups
        if (place := find_asked_command(candidates.rows, work.words, group, weights, folded, recall.run.zone)) is not None
    ]
    if len(commands) > 1:
        commands.sort(key=lambda place: (candidates.rows[place]["said_at"] or UNDATED, place), reverse=True)
    return [places.get(place, RankedCandidate(place, 0.0, 0.0, 0.0, 0.0)) for place in commands[:MOST_PROJECTS]]


def _rank(row: StateRow, places: Mapping[int, RankedCandidate]) -> RankedCandidate:
    """Return the candidate of a row, which need have no word of the question."""
    return places.get(row.place, RankedCandidate(row.place, 0.0, 0.0, 0.0, 0.0))


def _tell_open(candidates: Candidates, rows: list[StateRow]) -> str:
    """Return a note of what was opened and has no end in memory: beside what else is left to do it may be closed elsewhere."""
    texts = [(candidates.rows[row.place].get("text") or "").rstrip(".") for row in rows]
    return f"{UNCLOSED}: {'; '.join(texts)}" if texts else ""


def _tell_unended(recall: Recall, row: StateRow) -> str:
    deed = next(iter(sorted(row.change.deeds)), "") if row.change.is_ok else "tried"
    return UNENDED.format(deed.removeprefix("is "), row.said_at.astimezone(recall.run.zone).date())
