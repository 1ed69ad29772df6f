"""Finds the sessions that a query means, best first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import polars as pl

from effects.recall.ask import open_recall
from effects.recall.project_filter import resolve_projects
from effects.recall.recall_state import Recall, open_index_and_model
from effects.recall.search import search_memory
from effects.sessions.commit_traces import (
    collect_texts,
    match_commit_commands,
    match_commit_files,
    read_blamed_commit,
    read_commit,
)
from effects.sessions.found_session import FoundSession, make_found_session
from effects.store.forgotten import read_remembered
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.language.tokenizer import tokenize, tokenize_question
from transforms.quoting.closed_cut import cut_as_line
from transforms.quoting.speaker_labels import label_spoken_text
from transforms.recall.period_ranking import QuestionPeriod
from transforms.recall.question import parse_question
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Filters
from transforms.sessions.commits import COMMITTED, GitCommit, find_commits, is_same_commit
from transforms.sessions.session_query import SessionMatch, SessionQuery, order_matches, parse_session_query
from transforms.tables.rows import SessionRow

CANDIDATE_HITS = 50
MIN_ERROR_CHARS = 12
"""Shorter words are in many errors."""
MIN_ID_CHARS = 6
DETAIL_CHARS = 100


def find_sessions(run: Run, query: str, project: str, limit: int, here: Path) -> list[FoundSession]:
    """Return the sessions that match `query`, best first; without a query the newest ones. Sub-agents count as their parent.

    `here` is the folder whose git repository knows commits and lines. `project` limits the search; `all` does not.

    Raises:
        NotFoundError: for a project that no session has.
    """
    recall = open_recall(run)
    sessions = _read_sessions(run.lake)
    parents = _find_parents(sessions)
    projects = resolve_projects(recall, Filters(project=project))
    shown = {
        session_id: row
        for session_id, row in sessions.items()
        if session_id not in parents and (projects is None or row["project"] in projects)
    }
    if not query.strip():
        newest = sorted(shown.values(), key=lambda row: (row["ended_at"], row["session_id"]), reverse=True)
        return [make_found_session(row, "", "") for row in newest[:limit]]
    matches = _find_matches(recall, parse_session_query(query), project, here, sessions)
    of_parents = (match._replace(session_id=parents.get(match.session_id, match.session_id)) for match in matches)
    ordered = order_matches(of_parents, {session_id: row["ended_at"] for session_id, row in shown.items()})
    return [make_found_session(shown[match.session_id], match.why, match.detail) for match in ordered[:limit]]


def _read_sessions(lake: Lake) -> dict[str, SessionRow]:
    rows = cast(list[SessionRow], read_remembered(lake, "sessions").drop("schema_version").rows(named=True))
    return {row["session_id"]: row for row in rows}


def _find_parents(sessions: dict[str, SessionRow]) -> dict[str, str]:
    """Return the session that each sub-agent worked for, over several levels."""
    parents = {own: row["parent_session"] for own, row in sessions.items() if row["is_subagent"] and row["parent_session"]}
    parent_of: dict[str, str] = {}
    for own in parents:
        ancestor, seen = own, {own}
        while (parent := parents.get(ancestor)) and parent not in seen:
            seen.add(parent)
            ancestor = parent
        parent_of[own] = ancestor
    return parent_of


def _find_matches(
    recall: Recall, query: SessionQuery, project: str, here: Path, sessions: dict[str, SessionRow]
) -> Iterator[SessionMatch]:
    lake = recall.run.lake
    yield from _match_ids(query.text, sessions)
    commit = None
    if query.path and query.line:
        commit = read_blamed_commit(here, query.path, query.line)
    elif query.commit:
        commit = read_commit(here, query.commit) or GitCommit(query.commit, query.text if query.commit.isalpha() else "")
    subject = commit.subject if commit else query.text
    printed = list(_match_commits(lake, commit.hash if commit else None, subject))
    yield from printed or match_commit_commands(lake, subject)
    if commit and not printed:
        yield from match_commit_files(lake, commit, here, sessions)
    if query.path:
        yield from _match_files(lake, query.path)
    if commit is None or commit.subject:
        if query.path is None or query.line is not None:
            yield from _match_titles(subject, sessions)
        yield from _match_words(recall, subject, project)
    if query.commit:
        yield from _match_literally(lake, query.commit[:7], "words", pl.lit(value=True))
    elif query.path is None and len(query.text) >= MIN_ERROR_CHARS:
        yield from _match_literally(lake, query.text, "error", pl.col("is_error"))


def _match_ids(text: str, sessions: dict[str, SessionRow]) -> Iterator[SessionMatch]:
    if len(text) >= MIN_ID_CHARS:
        yield from (SessionMatch(own, "id", 0, own) for own in sessions if own.startswith(text))


def _match_commits(lake: Lake, commit_hash: str | None, subject: str) -> Iterator[SessionMatch]:
    """Yield the sessions in which git printed that this commit was made."""
    printed = lake.scan("entries").filter(
        pl.col("role").is_in(["toolResult", "bashExecution"])
        & pl.col("flags").list.contains("copied").not_()
        & pl.col("text").str.contains(COMMITTED)
    )
    for session_id, text in collect_texts(lake, printed):
        for made in find_commits(text):
            if is_same_commit(made, commit_hash, subject):
                yield SessionMatch(session_id, "commit", 0, f"{made.hash} {made.subject}")


def _match_files(lake: Lake, path: str) -> Iterator[SessionMatch]:
    """Yield the sessions that changed or read a file: the path itself, or one that ends with it."""
    wanted = path.removeprefix("./").rstrip("/")
    windows = lake.scan("windows").select("session_id", "files_modified", "files_read")
    for column, why in (("files_modified", "modified"), ("files_read", "read")):
        files = windows.select("session_id", file=pl.col(column)).explode("file").drop_nulls().unique().collect()
        for session_id, file in files.sort("session_id", "file").iter_rows():
            if file == wanted or file.endswith(f"/{wanted}") or (wanted.startswith("/") and wanted.endswith(f"/{file}")):
                yield SessionMatch(session_id, why, 0, file)


def _match_titles(text: str, sessions: dict[str, SessionRow]) -> Iterator[SessionMatch]:
    """Yield the sessions whose title has every word of the query, or has it whole."""
    words = set(tokenize_question(text))
    for own, row in sessions.items():
        title = row["title"] or ""
        if (words and words <= set(tokenize_question(title))) or (len(text) > 1 and text.casefold() in title.casefold()):
            yield SessionMatch(own, "title", 0, title)


def _match_words(recall: Recall, text: str, project: str) -> Iterator[SessionMatch]:
    """Yield the sessions of recall's hits, in their order; none when no hit has a word of the query."""
    open_index_and_model(recall)
    question = parse_question(text, recall.run.today)
    result = search_memory(recall, question, Filters(project=project, k=CANDIDATE_HITS), QuestionPeriod())
    rows = result.candidates.rows
    words = set(tokenize_question(text))
    if not any(words & set(tokenize(str(rows[hit.index].get("text") or ""))) for hit, _ in result.folded):
        return
    rank = 0
    for hit, duplicates in result.folded:
        for index in (hit.index, *duplicates):
            if session_id := rows[index].get("session_id"):
                yield SessionMatch(str(session_id), "words", rank, cut_as_line(_label_row(rows[index]), DETAIL_CHARS))
                rank += 1


def _label_row(row: RankingRecord) -> str:
    """Return the text of a document; of a turn with the names of those who wrote it."""
    text, speaker = row.get("text") or "", None if row["source"] != "turn" or row["position"] is None else row["speaker"]
    return label_spoken_text(text, speaker, row.get("quoted") or ())


def _match_literally(lake: Lake, text: str, why: str, condition: pl.Expr) -> Iterator[SessionMatch]:
    rows = lake.scan("entries").filter(condition & pl.col("text").str.contains(text, literal=True))
    seen: set[str] = set()
    for session_id, entry_text in collect_texts(lake, rows.sort("said_at", descending=True)):
        if session_id not in seen:
            seen.add(session_id)
            start = max(0, entry_text.find(text) - DETAIL_CHARS // 4)
            yield SessionMatch(session_id, why, CANDIDATE_HITS + len(seen), cut_as_line(entry_text[start:], DETAIL_CHARS))
