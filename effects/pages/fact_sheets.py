"""Makes the sheets of facts about first requests, from the facts that memory holds now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import polars as pl

from effects.judging.told_relations import read_outdated_reports
from effects.pages.fact_sheet_file import EMPTY_SHEET, read_stored_sheets
from effects.pages.page_facts import drop_ended_facts, list_refused_facts, read_marks, read_refusals
from effects.store.run import Run
from effects.system.templates import render_template
from transforms.briefing.row_signs import is_doubtful, read_label
from transforms.opening.common_words import mark_common_words
from transforms.opening.fact_sheet import FactSheet, build_fact_sheet
from transforms.opening.request_facts import REQUEST_FACT_COLUMNS, list_request_facts, quote_saying
from transforms.tables.rows import ObservationRow


def make_fact_sheets(run: Run, observations: pl.DataFrame, projects: Iterable[str]) -> dict[str, FactSheet]:
    """Return the sheets of some projects from all remembered observations; a project without facts has an empty one.

    Which words are common to the owner's projects is told by all of these, and by the last rendering for the others.
    """
    known = read_stored_sheets(run)
    holding = drop_ended_facts(run, observations)
    refused = list_refused_facts(holding, read_refusals(run, holding))
    holding = holding.filter(~pl.col("observation_id").is_in(refused))
    guessed = set(holding.filter(is_doubtful() & read_label().is_null())["observation_id"])
    holding = holding.select(REQUEST_FACT_COLUMNS)
    rows = cast(list[ObservationRow], holding.to_dicts())  # these columns only
    marks, outdated = read_marks(run), read_outdated_reports(run)
    sheets: dict[str, FactSheet] = {}
    for project in projects:
        facts, texts = list_request_facts(rows, project, marks, run.zone, outdated)
        if not facts:
            sheets[project] = EMPTY_SHEET
            continue
        shown = [quote_saying(fact) if fact.observation_id in guessed else fact for fact in facts]
        page = render_template("pages/request_recall.md.j2", facts=shown)
        heading, *lines = [line for line in page.splitlines() if line]
        sheets[project] = build_fact_sheet(heading, [fact.observation_id for fact in facts], lines, texts, known.get(project))
    present = set(observations["project"])  # a project that was joined to another one is among the stored sheets still
    marked = mark_common_words({project: sheet for project, sheet in known.items() if project in present} | sheets)
    return {project: marked[project] for project in sheets}
