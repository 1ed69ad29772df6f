"""The relate step: a model says which earlier facts, and which lines of MEMORY.md, new facts replace or restate, in words that no
rule understands; and which earlier reports of work a replacement makes outdated.

Candidates are chosen widely, and the model decides; dedupe and reflection act on its relations. Each fact is asked about once, in
the night in which it is new; a repetition in the same words needs no question. A night asks about a limited number of pairs,
newest first, so a backlog costs the same as a day. A fact that appears behind later ones (a session that arrives late, a window
that is distilled again, a forgotten row that is back) is shown below the nearest of these, too, because they were asked about
without it; one that came back under another id takes over what was told. A second request shows a fact that replaced another
beside the reports of work near the replaced one; the row of a replacement says when, so one that got no answer is made up for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.engines.model_chain import ModelAnswer, NoAnswerError
from effects.engines.registry import build_reflector, format_owner_name
from effects.judging.owner_part import list_owners_work
from effects.judging.pair_judge import JudgedPairs, PairJudge
from effects.judging.rule_relations import split_by_rules
from effects.memory.dedupe_step import read_text_vectors
from effects.memory.replaced_lines import read_sources
from effects.store.forgotten import read_forgotten
from effects.store.memory_file import list_memory_sections, read_memory
from effects.store.run import Counts, Run
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import HARD_RULES, parse_memory
from transforms.pairing.candidates import (
    COMPARED_KINDS,
    LINE_ID,
    MAX_REPORTS,
    CandidatePair,
    PairRow,
    choose_later_pairs,
    choose_line_pairs,
    choose_pairs,
    choose_report_pairs,
    group_by_newer,
    is_only_shown,
)
from transforms.pairing.carried_relations import add_sources, carry_relations, list_judged
from transforms.pairing.new_facts import (
    CLAIMED_ORIGIN,
    IS_SHOWN_WORK,
    NO_FACT,
    OTHERS_ORIGIN,
    RELATED_DAYS,
    SHOWN_ORIGIN,
    count_room,
    find_repeated,
    list_due,
    list_settled,
)
from transforms.redaction.redact import redact
from transforms.tables.enums import OFFLINE, OPEN_KINDS, PERSON_KINDS, STANDING_KINDS, Relation
from transforms.tables.periods import find_first_moment
from transforms.tables.rows import RelationRow
from transforms.tables.schema import RELATIONS, build_frame, read_rows

MAX_COMPARED_FACTS = 60
"""New facts whose candidates are chosen at once."""
LATE_DAYS = 90
"""Days after which a fact that was forgotten and is back is not asked about again."""


def relate(run: Run) -> Counts:
    """Ask the reflector's models about new facts of the last days, and store the relations; offline it does nothing.

    Returns counts: new facts, pairs, relations by name, requests and cost. Without an answer the facts wait, after a bad
    one until the next day.
    """
    chain = build_reflector(run)
    if chain is None:
        return {}
    judge = PairJudge(chain, format_owner_name(run), run.zone)
    state = _read_state(run)
    rows, stored, due = state.rows, state.stored, state.due
    room = count_room(rows, due, stored, run.today)
    lines = list_lines(run)
    relations = [_build_row(run, older, newer, "restates", None) for newer, older in find_repeated(rows, due).items()]
    repeated = {row["newer_id"] for row in relations}
    due = [key for key in due if key not in repeated]
    waiting = ""
    former = _list_replacements(run, rows, stored)
    asked = {(row["older_id"], row["newer_id"]) for row in stored}
    reported: set[tuple[str, str]] = set()

    def ask_reports(replaced: list[CandidatePair], rows: pl.DataFrame) -> int:
        """Ask about the reports of work near replaced facts, note whose were, and return the number of pairs."""
        groups = _choose_reports(run, rows, replaced, asked)
        answered = _ask(run, judge, groups)
        relations.extend(answered)
        asked.update((row["older_id"], row["newer_id"]) for row in answered)
        reported.update((pair.older.id, pair.newer.id) for pair in replaced)
        return len(answered)

    try:
        room -= ask_reports(former[: max(room // MAX_REPORTS, 0)], rows)
    except NoAnswerError as error:  # new facts are asked about all the same: the fault may lie in this one request
        waiting = str(error)
    is_stopped = False
    due += state.returned
    while due and room > 0 and not is_stopped:
        part, due = due[:MAX_COMPARED_FACTS], due[MAX_COMPARED_FACTS:]
        questions = _choose_questions(run, state, part, lines, asked, room)
        relations += questions.without_pair
        room -= sum(map(len, questions.groups))
        try:
            related = _ask(run, judge, questions.groups)
            relations += [*related, *questions.without_earlier]
            state = _drop_replaced(state, related, due)
            asked.update((row["older_id"], row["newer_id"]) for row in related)
            room -= ask_reports(_list_replaced(questions.groups, related), state.rows)
        except NoAnswerError as error:
            waiting, is_stopped = str(error), True
    relations = add_sources(relations, state.sources)
    if relations or reported or state.is_changed:
        judged_pairs = {
            (row["older_id"], row["newer_id"]) for row in (*stored, *relations)
        }  # a pair that rules found, too, is the model's
        by_rules = [row for row in state.by_rules if (row["older_id"], row["newer_id"]) not in judged_pairs]
        marked = [
            row | {"reports_asked_on": run.today} if (row["older_id"], row["newer_id"]) in reported else row
            for row in (*stored, *relations, *by_rules)
        ]
        with run.lake.commit() as change:
            change.replace("relations", build_frame(RELATIONS, marked))
    counts = _count_relations(relations) | ({"carried": state.carried} if state.carried else {})
    return counts | ({"waiting": waiting} if waiting else {}) | chain.call_store.close()


class _State(NamedTuple):
    """What a night finds: the facts in force, the relations with those that came back under another id, and who is asked about.

    `settled` are facts that were compared before the due ones were there; `returned` were forgotten and are back.
    """

    sources: dict[str, str]
    stored: list[RelationRow]
    by_rules: list[RelationRow]
    carried: int
    is_changed: bool
    rows: pl.DataFrame
    due: list[str]
    settled: list[str]
    returned: list[str]


def _read_state(run: Run) -> _State:
    sources = read_sources(run)
    before, by_rules = split_by_rules(list(read_rows(RELATIONS, run.lake.read("relations"))))
    stored = add_sources(before, sources)
    carried = carry_relations(stored, sources)
    stored += carried
    rows = _read_facts(run)
    due = list_due(rows, list_judged(stored, sources), run.as_of)
    settled, returned = list_settled(rows, due, stored), _list_returned(run, rows, due)
    return _State(sources, stored, by_rules, len(carried), stored != before, rows, due, settled, returned)


class _Questions(NamedTuple):
    """The groups of pairs of one request, and the rows of facts without a pair, and of those that were near later ones only."""

    groups: list[list[CandidatePair]]
    without_pair: list[RelationRow]
    without_earlier: list[RelationRow]


def _choose_questions(
    run: Run, state: _State, part: Sequence[str], lines: Sequence[PairRow], asked: Collection[tuple[str, str]], room: int
) -> _Questions:
    """Return what is asked about some facts while there is room: each beside earlier ones, and below later ones without it."""
    chosen = _choose_pairs(run, state.rows, [key for key in part if key not in state.returned], lines, asked)
    behind = _choose_behind(run, state, part, asked)
    questions = _Questions([], [], [])
    later: list[CandidatePair] = []
    for key in part:
        rest = [] if key in chosen or key in state.returned else [_build_row(run, NO_FACT, key, "unrelated", None)]
        if key not in chosen and key not in behind:
            questions.without_pair.extend(rest)
        elif room > 0:
            questions.groups.extend([chosen[key]] if key in chosen else [])
            questions.without_earlier.extend(rest)
            later += behind.get(key, ())
            room -= len(chosen.get(key, ())) + len(behind.get(key, ()))
    questions.groups.extend(group_by_newer(later))
    return questions


def _count_relations(relations: Sequence[RelationRow]) -> Counts:
    pairs = [row for row in relations if row["older_id"] != NO_FACT]
    names = sorted({row["relation"] for row in pairs})
    counts: Counts = {"facts": len({row["newer_id"] for row in relations}), "pairs": len(pairs)}
    return counts | {"relations": {name: sum(row["relation"] == name for row in pairs) for name in names}}


def _read_facts(run: Run, wanted: pl.Expr | None = None) -> pl.DataFrame:
    """Return the allowed facts that are in force, or those that are wanted, without forgotten ones."""
    columns = (
        "observation_id", "session_id", "entry_ids", "kind", "priority", "project", "said_at", "text", "origin", "day", "engine",
        "window_id",
    )  # fmt: skip
    is_wanted = pl.col("superseded_by").is_null() if wanted is None else wanted
    rows = run.lake.scan("observations").filter((pl.col("verdict") == "allow") & is_wanted).select(columns).collect()
    rows = drop_forgotten_rows(rows, read_forgotten(run.lake)).with_columns(project=pl.col("project").fill_null(""))
    owners = list_owners_work(run, rows.filter(IS_SHOWN_WORK))
    return rows.with_columns(is_owners_work=pl.col("observation_id").is_in(owners))


def _list_returned(run: Run, rows: pl.DataFrame, due: Sequence[str]) -> list[str]:
    """Return the recent facts that were forgotten once and are back; those that are due are asked about anyway."""
    undone = run.lake.read("tombstones").filter(pl.col("is_undone").fill_null(value=False))["target"].unique().to_list()
    if not undone:
        return []
    recent = rows.filter(
        (pl.col("said_at") >= run.as_of - timedelta(days=LATE_DAYS)) & ~pl.col("observation_id").is_in(list(due))
    )
    returned = recent.join(drop_forgotten_rows(recent, undone), on="observation_id", how="anti")
    return sorted(returned.filter(pl.col("kind").is_in(sorted(COMPARED_KINDS)))["observation_id"])


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


def _choose_pairs(
    run: Run, rows: pl.DataFrame, newer: Sequence[str], lines: Sequence[PairRow], asked: Collection[tuple[str, str]]
) -> dict[str, list[CandidatePair]]:
    """Return the id of each new fact → its pairs with earlier facts, and behind them those with lines of MEMORY.md."""
    compared = _list_compared(rows, newer)
    chosen = choose_pairs(compared, set(newer), _align_vectors(run, compared))
    new = [row for row in compared if row.id in set(newer)]
    of_lines = choose_line_pairs(new, lines, _align_vectors(run, [*new, *lines]))
    joined = {key: [*chosen.get(key, ()), *of_lines.get(key, ())] for key in newer if key in chosen or key in of_lines}
    left = {key: [pair for pair in pairs if (pair.older.id, key) not in asked] for key, pairs in joined.items()}
    return {key: pairs for key, pairs in left.items() if pairs}


def _choose_behind(
    run: Run, state: _State, part: Sequence[str], asked: Collection[tuple[str, str]]
) -> dict[str, list[CandidatePair]]:
    """Return the id of each fact that appeared behind later ones → its pairs with the nearest of these."""
    compared = _list_compared(state.rows, part)
    return choose_later_pairs(compared, dict.fromkeys(part, state.settled), asked, _align_vectors(run, compared))


def _list_compared(rows: pl.DataFrame, newer: Sequence[str]) -> list[PairRow]:
    """Return the facts of the projects of the new ones, and of all projects a person's statements and what is open."""
    projects = rows.filter(pl.col("observation_id").is_in(list(newer)))["project"].unique().to_list()
    near = pl.col("project").is_in(projects) | pl.col("kind").is_in(sorted(PERSON_KINDS | OPEN_KINDS))
    return _build_pair_rows(rows.filter(near & pl.col("kind").is_in(sorted(COMPARED_KINDS))))


def _build_pair_rows(rows: pl.DataFrame) -> list[PairRow]:
    columns = ("observation_id", "kind", "project", "said_at", "text")
    is_from_owner = pl.col("origin").eq("owner").fill_null(value=False).alias("owner")
    is_shown = (pl.col("origin").eq(SHOWN_ORIGIN).fill_null(value=False) & ~pl.col("is_owners_work")).alias("shown")
    answer = pl.when(pl.col("engine").fill_null(OFFLINE) == OFFLINE).then(pl.lit("")).otherwise("window_id").alias("answer")
    claimed, others = (pl.col("origin").eq(name).fill_null(value=False).alias(name) for name in (CLAIMED_ORIGIN, OTHERS_ORIGIN))
    chosen = rows.sort("said_at", "observation_id").select(*columns, is_from_owner, is_shown, answer, claimed, others)
    return [PairRow(*fields) for fields in chosen.iter_rows()]


def _list_replaced(groups: Sequence[Sequence[CandidatePair]], related: Sequence[RelationRow]) -> list[CandidatePair]:
    """Return the pairs of facts of which the newer one replaces the earlier one."""
    replacing = {(row["older_id"], row["newer_id"]) for row in related if _is_replacement(row)}
    return [pair for group in groups for pair in group if (pair.older.id, pair.newer.id) in replacing]


def _drop_replaced(state: _State, related: Sequence[RelationRow], due: Sequence[str]) -> _State:
    """Return the state without facts that an answer of this night replaced: what is asked next does not show them as in force.
    Those that are still `due` stay, because they may have replaced others."""
    gone = sorted({row["older_id"] for row in related if _is_replacement(row)}.difference(due))
    return state._replace(rows=state.rows.filter(~pl.col("observation_id").is_in(gone))) if gone else state


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
        _build_row(run, *key, _limit_scope(pair, answer.result.relations[key]), answer)
        | {"keeps": list(answer.result.kept.get(key, ()))}
        for group in groups
        for pair in group
        for key in [(pair.older.id, pair.newer.id)]
    ]


def _limit_scope(pair: CandidatePair, relation: Relation) -> Relation:
    """Return the relation; only what is about the person restates a fact of another project, because a decision that was merged
    into another project's would leave its own, and work of another project finishes a request or does nothing. A command's output
    takes no word of a person back: at most it shows that what they were bound to may be over."""
    is_across = pair.older.project != pair.newer.project and not pair.older.id.startswith(LINE_ID)
    is_personal = {pair.older.kind, pair.newer.kind} <= STANDING_KINDS
    if is_only_shown(pair.older, pair.newer):
        return "perhaps_over" if relation == "replaces" else "unrelated"
    is_joined = relation == "restates" and not is_personal
    is_of_work = pair.older.kind in OPEN_KINDS and relation != "finishes"
    return "other_scope" if is_across and (is_joined or is_of_work) else relation


def _build_row(run: Run, older: str, newer: str, relation: Relation, answer: ModelAnswer[JudgedPairs] | None) -> RelationRow:
    return {
        "older_id": older, "newer_id": newer, "relation": relation, "engine": answer.engine if answer else "",
        "template_hash": answer.template_hash if answer else "", "asked_on": run.today, "reports_asked_on": None,
        "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip
