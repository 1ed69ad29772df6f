"""The relate step: a model says which earlier facts, and which lines of MEMORY.md, new facts replace or restate, in words that no
rule understands; and which earlier reports of work a replacement makes outdated.

Candidates are chosen widely, and the model decides; dedupe and reflection act on its relations. Each fact is asked about once, in
the night in which it is new; a repetition in the same words needs no question. A night asks about a limited number of pairs,
newest first, so a backlog costs the same as a day. A second request shows a fact that replaced another beside the reports of work
near the replaced one; the row of a replacement says when, so one that got no answer is made up for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.engines.model_chain import ModelAnswer, NoAnswerError
from effects.engines.registry import build_reflector, format_owner_name
from effects.judging.pair_judge import JudgedRelations, PairJudge
from effects.memory.dedupe_step import read_text_vectors
from effects.store.forgotten import read_forgotten
from effects.store.memory_file import list_memory_sections, read_memory
from effects.store.run import Counts, Run
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.sentences import split_words
from transforms.memory.supersession import STANDING_KINDS
from transforms.pages.memory_md import HARD_RULES, parse_memory
from transforms.pairing.candidates import (
    COMPARED_KINDS,
    LINE_ID,
    MAX_REPORTS,
    CandidatePair,
    PairRow,
    choose_line_pairs,
    choose_pairs,
    choose_report_pairs,
)
from transforms.recall.documents import make_memory_id
from transforms.redaction.redact import redact
from transforms.tables.enums import PERSON_KINDS, Relation
from transforms.tables.periods import find_first_moment
from transforms.tables.rows import RelationRow
from transforms.tables.schema import RELATIONS, build_frame, read_rows

MAX_PAIRS = 320
"""Pairs of a night: 33 facts with five earlier ones and four lines of MEMORY.md each, and reports, about 7,500 tokens."""
MAX_COMPARED_FACTS = 60
"""New facts whose candidates are chosen at once."""
RELATED_DAYS = 30
"""Days after which a fact that nobody asked about is new no more."""
NO_FACT = ""
"""Earlier fact of a new one that was near to none."""
_TOLD = ("owner", "agent", "summary")
"""Origins of facts that may replace others: a tool's output or somebody else's text replaces nothing."""


def relate(run: Run) -> Counts:
    """Ask the reflector's models about the new facts of the last days and store the relations; do nothing offline.

    Returns counts: new facts, pairs, relations by name, requests and cost. Without an answer the facts wait, after a bad
    one until the next day.
    """
    chain = build_reflector(run)
    if chain is None:
        return {}
    judge = PairJudge(chain, format_owner_name(run), run.zone)
    stored = list(read_rows(RELATIONS, run.lake.read("relations")))
    rows = _read_facts(run)
    due = _list_due(run, rows, {row["newer_id"] for row in stored})
    room = MAX_PAIRS - sum(row["asked_on"] == run.today and row["older_id"] != NO_FACT for row in stored)
    lines = list_lines(run)
    relations = [_build_row(run, older, newer, "restates", None) for newer, older in _find_repeated(rows, due).items()]
    repeated = {row["newer_id"] for row in relations}
    due = [key for key in due if key not in repeated]
    waiting = ""
    former = _list_replacements(run, rows, stored)
    asked = {(row["older_id"], row["newer_id"]) for row in stored}
    reported: set[tuple[str, str]] = set()

    def ask_reports(replaced: list[CandidatePair]) -> int:
        """Ask about the reports of work near replaced facts, note whose were, and return the number of pairs."""
        groups = _choose_reports(run, rows, replaced, asked)
        answered = _ask(run, judge, groups)
        relations.extend(answered)
        asked.update((row["older_id"], row["newer_id"]) for row in answered)
        reported.update((pair.older.id, pair.newer.id) for pair in replaced)
        return len(answered)

    try:
        room -= ask_reports(former[: max(room // MAX_REPORTS, 0)])
    except NoAnswerError as error:  # new facts are asked about all the same: the fault may lie in this one request
        waiting = str(error)
    is_stopped = False
    while due and room > 0 and not is_stopped:
        part, due = due[:MAX_COMPARED_FACTS], due[MAX_COMPARED_FACTS:]
        chosen = _choose_pairs(run, rows, part, lines)
        groups: list[list[CandidatePair]] = []
        for newer in part:
            if newer not in chosen:
                relations.append(_build_row(run, NO_FACT, newer, "unrelated", None))
            elif room > 0:
                groups.append(chosen[newer])
                room -= len(chosen[newer])
        try:
            related = _ask(run, judge, groups)
            relations += related
            asked.update((row["older_id"], row["newer_id"]) for row in related)
            room -= ask_reports(_list_replaced(groups, related))
        except NoAnswerError as error:
            waiting, is_stopped = str(error), True
    if relations or reported:
        marked = [
            row | {"reports_asked_on": run.today} if (row["older_id"], row["newer_id"]) in reported else row
            for row in (*stored, *relations)
        ]
        with run.lake.commit() as change:
            change.replace("relations", build_frame(RELATIONS, marked))
    return _count_relations(relations) | ({"waiting": waiting} if waiting else {}) | chain.call_store.close()


def _count_relations(relations: Sequence[RelationRow]) -> Counts:
    pairs = [row for row in relations if row["older_id"] != NO_FACT]
    names = sorted({row["relation"] for row in pairs})
    counts: Counts = {"facts": len({row["newer_id"] for row in relations}), "pairs": len(pairs)}
    return counts | {"relations": {name: sum(row["relation"] == name for row in pairs) for name in names}}


def _read_facts(run: Run, wanted: pl.Expr | None = None) -> pl.DataFrame:
    """Return the allowed facts that are in force, or those that are wanted, without forgotten ones."""
    columns = ("observation_id", "session_id", "entry_ids", "kind", "priority", "project", "said_at", "text", "origin", "day")
    is_wanted = pl.col("superseded_by").is_null() if wanted is None else wanted
    rows = run.lake.scan("observations").filter((pl.col("verdict") == "allow") & is_wanted).select(columns).collect()
    return drop_forgotten_rows(rows, read_forgotten(run.lake)).with_columns(project=pl.col("project").fill_null(""))


def _list_due(run: Run, rows: pl.DataFrame, asked: set[str]) -> list[str]:
    """Return the ids of facts that nobody asked about: high ones first, finished work last, and new before old."""
    is_compared = pl.col("kind").is_in(sorted(COMPARED_KINDS))
    is_new = (
        is_compared
        & (pl.col("said_at") >= run.as_of - timedelta(days=RELATED_DAYS))
        & ~pl.col("observation_id").is_in(sorted(asked))
    )
    due = rows.filter(is_new & pl.col("origin").fill_null("agent").is_in(_TOLD))
    ranked = due.with_columns(_rank=(pl.col("priority") != "high") + 2 * (pl.col("kind") == "completion")).sort(
        "_rank", "said_at", "observation_id", descending=[False, True, False]
    )
    return ranked["observation_id"].to_list()


def _find_repeated(rows: pl.DataFrame, due: Sequence[str]) -> dict[str, str]:
    """Return the id of each new fact that repeats an earlier one of its project word by word → the newest of these.

    A quarter of the pairs of four seasons were of such facts; a model called all 161 of them restatements and nothing else.
    """
    wanted, last, repeated = set(due), dict[tuple[str, ...], str](), dict[str, str]()
    compared = rows.filter(pl.col("kind").is_in(sorted(COMPARED_KINDS))).sort("said_at", "observation_id")
    for key, project, text in compared.select("observation_id", "project", "text").iter_rows():
        words = (project, *split_words(text.casefold()))
        if key in wanted and words in last:
            repeated[key] = last[words]
        last[words] = key
    return repeated


def list_lines(run: Run) -> list[PairRow]:
    """Return the lines of MEMORY.md that a proposal can change. Without a date a line was there before any fact; those of the
    owner's section and of the hard rules yield to a person's words only."""
    personal = {list_memory_sections(run)[0], HARD_RULES}
    rows = (
        PairRow(
            make_memory_id(bullet.text),
            "rule" if bullet.section in personal else "fact",
            "",
            find_first_moment(bullet.dated, run.zone) if bullet.dated else datetime.min.replace(tzinfo=UTC),
            redact(bullet.text),
        )
        for bullet in parse_memory(read_memory(run)).bullets
        if bullet.is_one_line and bullet.text
    )
    return list({row.id: row for row in rows}.values())  # a page may have a line twice


def _choose_pairs(run: Run, rows: pl.DataFrame, newer: Sequence[str], lines: Sequence[PairRow]) -> dict[str, list[CandidatePair]]:
    """Return the id of each new fact → its pairs with earlier facts, and behind them those with lines of MEMORY.md."""
    compared = _list_compared(rows, newer)
    chosen = choose_pairs(compared, set(newer), _align_vectors(run, compared))
    new = [row for row in compared if row.id in set(newer)]
    of_lines = choose_line_pairs(new, lines, _align_vectors(run, [*new, *lines]))
    return {key: [*chosen.get(key, ()), *of_lines.get(key, ())] for key in newer if key in chosen or key in of_lines}


def _list_compared(rows: pl.DataFrame, newer: Sequence[str]) -> list[PairRow]:
    """Return the facts of the projects of the new ones, and a person's statements of all projects."""
    projects = rows.filter(pl.col("observation_id").is_in(list(newer)))["project"].unique().to_list()
    near = pl.col("project").is_in(projects) | pl.col("kind").is_in(sorted(PERSON_KINDS))
    return _build_pair_rows(rows.filter(near & pl.col("kind").is_in(sorted(COMPARED_KINDS))))


def _build_pair_rows(rows: pl.DataFrame) -> list[PairRow]:
    columns = ("observation_id", "kind", "project", "said_at", "text")
    is_from_owner = pl.col("origin").eq("owner").fill_null(value=False)
    return [PairRow(*fields) for fields in rows.sort("said_at", "observation_id").select(*columns, is_from_owner).iter_rows()]


def _list_replaced(groups: Sequence[Sequence[CandidatePair]], related: Sequence[RelationRow]) -> list[CandidatePair]:
    """Return the pairs of facts of which the newer one replaces the earlier one."""
    replacing = {(row["older_id"], row["newer_id"]) for row in related if _is_replacement(row)}
    return [pair for group in groups for pair in group if (pair.older.id, pair.newer.id) in replacing]


def _is_replacement(row: RelationRow) -> bool:
    """Whether a fact replaces an earlier one; a line of MEMORY.md has no reports."""
    return row["relation"] == "replaces" and not row["older_id"].startswith(LINE_ID)


def _list_replacements(run: Run, rows: pl.DataFrame, stored: Sequence[RelationRow]) -> list[CandidatePair]:
    """Return the stored replacements of the last days near whose earlier fact no report was asked about, the newest first.

    The newer fact holds still; the earlier one is retired, as a rule.
    """
    open_rows = {row.id: row for row in _build_pair_rows(rows)}
    left = [row for row in stored if _is_replacement(row) and not row["reports_asked_on"] and row["newer_id"] in open_rows]
    wanted = pl.col("observation_id").is_in(sorted({row["older_id"] for row in left}))
    older = {row.id: row for row in _build_pair_rows(_read_facts(run, wanted))} if left else {}
    pairs = [CandidatePair(older[row["older_id"]], open_rows[row["newer_id"]]) for row in left if row["older_id"] in older]
    recent = [pair for pair in pairs if pair.newer.said_at >= run.as_of - timedelta(days=RELATED_DAYS)]
    return sorted(recent, key=lambda pair: (pair.newer.said_at, pair.newer.id, pair.older.id), reverse=True)


def _choose_reports(
    run: Run, rows: pl.DataFrame, replaced: Sequence[CandidatePair], asked: Collection[tuple[str, str]]
) -> list[list[CandidatePair]]:
    """Return the pairs of each fact that replaced an earlier one with the reports of work near the replaced one."""
    if not replaced:
        return []
    compared = _build_pair_rows(rows.filter(pl.col("project").is_in(sorted({pair.older.project for pair in replaced}))))
    present = {row.id for row in compared}
    compared += {pair.older.id: pair.older for pair in replaced if pair.older.id not in present}.values()
    return list(choose_report_pairs(compared, replaced, asked, _align_vectors(run, compared)).values())


def _align_vectors(run: Run, compared: Sequence[PairRow]) -> NDArray[np.float32] | None:
    """Return a vector per fact, zeros where there is none yet."""
    vectors = read_text_vectors(run, [row.text for row in compared])
    if not vectors.rows:
        return None
    aligned = np.zeros((len(compared), vectors.matrix.shape[1]), dtype=np.float32)
    for index, row in enumerate(compared):
        if (vector := vectors.find(row.text)) is not None:
            aligned[index] = vector
    return aligned


def _ask(run: Run, judge: PairJudge, groups: Sequence[Sequence[CandidatePair]]) -> list[RelationRow]:
    """Return the relation of each pair as rows.

    Raises:
        NoAnswerError: when no model gave a usable answer.
    """
    if not groups:
        return []
    answer = judge.judge(groups, run.today.toordinal())
    return [
        _build_row(run, pair.older.id, pair.newer.id, _limit_scope(pair, answer.result[pair.older.id, pair.newer.id]), answer)
        for group in groups
        for pair in group
    ]


def _limit_scope(pair: CandidatePair, relation: Relation) -> Relation:
    """Return the relation; only what is about the person restates a fact of another project, because a decision that was merged
    into another project's would leave its own."""
    is_across = pair.older.project != pair.newer.project and not pair.older.id.startswith(LINE_ID)
    is_personal = {pair.older.kind, pair.newer.kind} <= STANDING_KINDS
    return "other_scope" if relation == "restates" and is_across and not is_personal else relation


def _build_row(run: Run, older: str, newer: str, relation: Relation, answer: ModelAnswer[JudgedRelations] | None) -> RelationRow:
    return {
        "older_id": older, "newer_id": newer, "relation": relation, "engine": answer.engine if answer else "",
        "template_hash": answer.template_hash if answer else "", "asked_on": run.today, "reports_asked_on": None,
    }  # fmt: skip
