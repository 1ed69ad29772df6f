"""Makes the sheets of facts about first requests, from the facts that memory holds now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

import polars as pl

from effects.judging.told_relations import read_outdated_reports
from effects.pages.fact_sheet_file import EMPTY_SHEET, ShownSigns, read_stored_sheets
from effects.pages.page_facts import ChangedParts, list_ended_facts, list_refused_facts, read_marks, read_refusals
from effects.store.content_key import compute_content_key
from effects.store.run import Run
from effects.system.templates import render_template
from transforms.briefing.row_signs import is_doubtful, read_label
from transforms.opening.fact_sheet import FactSheet, build_fact_sheet, list_new_places, mark_common_words
from transforms.opening.request_facts import (
    REQUEST_FACT_COLUMNS,
    RequestFact,
    RequestRows,
    list_request_facts,
    make_line_key,
    quote_saying,
)
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ObservationRow

_REFUSED, _ENDED = "refused", "ended"
_SHOWN_TABLES = ("observations", "tombstones", "relations", "projects", "sessions")
"""The tables of which sheets show something in any case."""


def make_fact_sheets(
    run: Run,
    observations: pl.DataFrame,
    projects: Collection[str],
    ended: Collection[str] | None = None,
    due: Collection[str] | None = None,
) -> dict[str, FactSheet]:
    """Return the sheets of some projects from all remembered observations; a project without facts has an empty one.

    Which words are common to the owner's projects is told by all of these, and by the last rendering for the others. `ended` are
    the ids of `list_ended_facts`, where they are known. Where only some sheets are `due`, the others show what is stored.
    """
    known, may_reuse = read_stored_sheets(run)
    gone = list_ended_facts(run, observations) if ended is None else list(ended)
    holding = observations.filter(~pl.col("observation_id").is_in(gone))
    refused = list_refused_facts(holding, read_refusals(run, holding))
    holding = holding.filter(~pl.col("observation_id").is_in(refused))
    guessed = set(holding.filter(is_doubtful() & read_label().is_null())["observation_id"])
    holding = holding.select(REQUEST_FACT_COLUMNS)
    made = set(projects) if due is None else set(projects) & {*due, *(set(projects) - known.keys())}
    if due is not None:
        own = holding.filter(pl.col("project").is_in(sorted(made)))["observation_id"]
        holding = holding.filter(pl.col("observation_id").is_in(sorted(_find_related(holding, own.to_list()))))
    rows = cast(list[ObservationRow], holding.to_dicts())  # these columns only
    marks, request_rows = read_marks(run), RequestRows(rows, read_outdated_reports(run))
    (heading,) = _render_lines([])
    sheets: dict[str, FactSheet] = {}
    for project in projects:
        if project not in made:
            sheets[project] = known[project]
            continue
        facts, texts = list_request_facts(request_rows, project, marks, run.zone)
        if not facts:
            sheets[project] = EMPTY_SHEET
            continue
        shown = [quote_saying(fact) if fact.observation_id in guessed else fact for fact in facts]
        keys = [make_line_key(fact, text) for fact, text in zip(shown, texts, strict=True)]
        former = known.get(project) if may_reuse else None
        new = list_new_places(keys, former)
        _, *lines = _render_lines([shown[place] for place in new])
        new_lines = dict(zip((keys[place] for place in new), lines, strict=True))
        sheets[project] = build_fact_sheet(heading, keys, [fact.observation_id for fact in facts], new_lines, texts, former)
    present = set(observations["project"])  # a project that was joined to another one is among the stored sheets still
    marked = mark_common_words({project: sheet for project, sheet in known.items() if project in present} | sheets)
    return {project: marked[project] for project in sheets}


def read_shown_signs(
    run: Run, observations: pl.DataFrame, ended: Collection[str], parts: ChangedParts | None = None
) -> ShownSigns:
    """Return what sheets show of all remembered observations.

    Of proposals and lines of MEMORY.md that is nothing but which facts the owner refused and what stands beside facts, so that a
    decision leaves most sheets as they are. `ended` are the ids of `list_ended_facts`, `parts` the changed parts of facts, where
    they were read.
    """
    holding = observations.filter(~pl.col("observation_id").is_in(list(ended)))
    refused = list_refused_facts(holding, read_refusals(run, holding))
    signs = {**read_marks(run, parts), **dict.fromkeys(refused, _REFUSED), **dict.fromkeys(ended, _ENDED)}
    content = compute_content_key(run.lake.root, _SHOWN_TABLES)
    tables = hash_fields(content, run.settings.timezone) if content else ""
    return ShownSigns(tables, {key: hash_fields(sign) for key, sign in sorted(signs.items())})


def find_shown_projects(observations: pl.DataFrame, ids: Collection[str]) -> set[str]:
    """Return the projects whose sheets show something of some facts: their own, and those of predecessors and successors."""
    related = observations.filter(pl.col("observation_id").is_in(sorted(_find_related(observations, ids))))
    return set(related["project"].drop_nulls())


def _find_related(observations: pl.DataFrame, ids: Collection[str]) -> set[str]:
    """Return the ids of some facts, of what they replaced, and of their successors, through any number of these."""
    replaced = observations.filter(pl.col("superseded_by").is_not_null()).select("observation_id", "superseded_by")
    related, size = set(ids), -1
    while len(related) > size:
        size = len(related)
        among = sorted(related)
        rows = replaced.filter(pl.col("observation_id").is_in(among) | pl.col("superseded_by").is_in(among))
        related |= {*rows["observation_id"], *rows["superseded_by"]}
    return related


def _render_lines(facts: Sequence[RequestFact]) -> list[str]:
    """Return the heading and the line of each fact."""
    return [line for line in render_template("pages/request_recall.md.j2", facts=facts).splitlines() if line]
