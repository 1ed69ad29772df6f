"""Keeps the relations of facts that rules find, without a model: a choice that its owner speaks of again (`named_again`), and a
fact of rules of which later work replaced a number (`changed_number`). Both are said beside the earlier fact, which stays in
force.

A model's fact tells how its window ended, and a model is asked what replaces it: seven changed numbers that rules found beside
such facts of six owners after that (a port in an error's words, a cap for one run, the cause of a mended fault) were none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

import polars as pl

from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.forgotten import read_forgotten
from effects.store.run import Counts, Run
from transforms.changes.changed_facts import NumberedFact, find_changed_facts
from transforms.changes.undone_values import CHANGING_CALLS, Work, list_works
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.pairing.named_again import StatedFact, find_named_again
from transforms.tables.enums import OFFLINE, Relation
from transforms.tables.fact_notes import LEFT_MARK
from transforms.tables.rows import RelationRow
from transforms.tables.schema import RELATIONS, build_frame, read_rows

NAMED_AGAIN: Relation = "named_again"
CHANGED_NUMBER: Relation = "changed_number"
BY_RULES = (NAMED_AGAIN, CHANGED_NUMBER)
RULES_VERSION = 2
"""Raised by hand when the same facts are related otherwise: they are then looked at again."""
DAYS_BACK = 28
"""Days before the last one that memory knows whose work is looked at; what was found in earlier work stays."""
_FACT_COLUMNS = ("observation_id", "session_id", "entry_ids", "also", "superseded_by", "said_at", "text", "project", "engine")
Pair = tuple[str, str]
Places = tuple[int, ...]
"""Where the values stand in both facts of a pair (`transforms.changes.changed_facts.ChangedFact`)."""


def mark_by_rules(run: Run) -> Counts:
    """Store what rules find of facts in force; return how many pairs are new, by relation.

    A pair that a model was asked about is the model's. Which facts are in force is known when all were compared: a night that
    looked before had other marks than the next one, though nothing was new.
    """
    if find_settled(run, "rules", _compute_key(run)) is not None:
        return {}
    stored = list(read_rows(RELATIONS, run.lake.read("relations")))
    asked_about, marked = split_by_rules(stored)
    judged = {(row["older_id"], row["newer_id"]) for row in asked_about}
    before = {(row["older_id"], row["newer_id"]): row for row in marked}
    places = _find_changed_numbers(run, marked)
    pairs: dict[Pair, Relation] = dict.fromkeys(places, CHANGED_NUMBER)
    pairs |= dict.fromkeys(find_named_again(_read_stated(run)).items(), NAMED_AGAIN)
    pairs = {pair: pairs[pair] for pair in sorted(pairs.keys() - judged)}
    kept = {pair: list(places.get(pair, ())) if relation == CHANGED_NUMBER else [] for pair, relation in pairs.items()}
    if pairs == {pair: row["relation"] for pair, row in before.items()} and kept == {
        pair: row["keeps"] for pair, row in before.items()
    }:
        settle(run, "rules", _compute_key(run), {})
        return {}
    rows: list[RelationRow] = [
        {
            "older_id": older, "newer_id": newer, "relation": relation, "engine": OFFLINE, "template_hash": "",
            "asked_on": before[older, newer]["asked_on"] if (older, newer) in before else run.today, "reports_asked_on": None,
            "keeps": kept[older, newer], "older_source": None, "newer_source": None,
        }
        for (older, newer), relation in pairs.items()
    ]  # fmt: skip
    with run.lake.commit() as change:
        change.replace("relations", build_frame(RELATIONS, [*asked_about, *rows]))
    settle(run, "rules", _compute_key(run), {})  # of its own result it finds the same again
    new = [relation for pair, relation in pairs.items() if pair not in before]
    return {relation: new.count(relation) for relation in BY_RULES if relation in new}


def _compute_key(run: Run) -> str:
    return compute_search_key(run, ("entries", "observations", "relations", "tombstones"), str(RULES_VERSION))


def split_by_rules(rows: Sequence[RelationRow]) -> tuple[list[RelationRow], list[RelationRow]]:
    """Return the relations that a model told, and those of rules."""
    return [row for row in rows if row["relation"] not in BY_RULES], [row for row in rows if row["relation"] in BY_RULES]


def list_doubted_by_rules(run: Run) -> list[str]:
    """Return the ids of the facts of which rules found that they may not hold as they stand: memory offers none as a line."""
    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(BY_RULES)).select("older_id").collect()
    return rows["older_id"].unique().sort().to_list()


def _read_stated(run: Run) -> list[StatedFact]:
    """Return the decisions between options that are in force, and the owner's statements of their projects, replaced ones too."""
    allowed = run.lake.scan("observations").filter(pl.col("verdict") == "allow")
    is_left = pl.col("text").str.contains(LEFT_MARK, literal=True)
    is_choice = (pl.col("kind") == "decision") & pl.col("superseded_by").is_null() & is_left
    projects = allowed.filter(is_choice).select("project").unique().collect()["project"]
    if projects.is_empty():
        return []
    is_owners = (pl.col("origin") == "owner") & (pl.col("kind") != "question")
    is_there = pl.col("project").is_in(projects.implode(), nulls_equal=True) & (is_choice | is_owners)
    rows = drop_forgotten_rows(
        allowed.filter(is_there).select(*_FACT_COLUMNS, "kind", "origin").collect(), read_forgotten(run.lake)
    )
    return [
        StatedFact(
            row["observation_id"], row["project"] or "", row["said_at"], row["text"],
            row["superseded_by"] is None,
            row["origin"] == "owner" and row["kind"] != "question",
        )
        for row in rows.iter_rows(named=True)
    ]  # fmt: skip


def _find_changed_numbers(run: Run, marked: Sequence[RelationRow]) -> dict[Pair, Places]:
    """Return the facts in force of which work of the last days replaced a number, each with the later fact that gives the new
    one, and those that were found by earlier work; with where both have the values."""
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null() & pl.col("said_at").is_not_null()
    rows = run.lake.scan("observations").filter(is_current).select(*_FACT_COLUMNS, "kind").collect()
    rows = drop_forgotten_rows(rows, read_forgotten(run.lake))
    latest = rows["said_at"].max()
    if not isinstance(latest, datetime):
        return {}
    columns = ("observation_id", "project", "said_at", "text", "kind")
    facts = [NumberedFact(*row) for row in rows.with_columns(pl.col("project").fill_null("")).select(columns).iter_rows()]
    of_rules = set(rows.filter(pl.col("engine").fill_null(OFFLINE) == OFFLINE)["observation_id"])
    since = latest - timedelta(days=DAYS_BACK)
    said_at = {fact.id: fact.said_at for fact in facts}
    kept: dict[Pair, Places] = {
        (row["older_id"], row["newer_id"]): tuple(row["keeps"])
        for row in marked
        if row["relation"] == CHANGED_NUMBER and row["older_id"] in of_rules and said_at.get(row["newer_id"], since) < since
    }
    works = _read_works(run, since) if of_rules else {}
    changes = find_changed_facts(facts, works).items()
    return kept | {(older, changed.newer_id): changed.places for older, changed in changes if older in of_rules}


def _read_works(run: Run, since: datetime) -> dict[str, list[Work]]:
    """Return, by project and in the order of time, the exchanges since a moment whose calls changed values in files."""
    first = since.astimezone(run.zone).date()
    days = [first + timedelta(days=day) for day in range((run.today - first).days + 1)]
    scan, raw = run.lake.scan("entries", days), pl.col("raw_json").str
    is_change = (pl.col("role") == "assistant") & raw.contains_any(list(CHANGING_CALLS))
    sessions = scan.filter(is_change).select("session_id").unique()
    rows = scan.join(sessions, on="session_id", how="semi").select(ENTRY_COLUMNS_READ).collect()
    entries = build_entries(drop_forgotten_rows(rows, read_forgotten(run.lake)))
    projects = dict(run.lake.scan("sessions").select("session_id", "project").collect().iter_rows()) if entries else {}
    works: defaultdict[str, list[Work]] = defaultdict(list)
    for session, own in groupby(entries, lambda entry: entry.session_id):
        works[projects.get(session) or ""] += list_works(list(own))
    return {name: sorted(done, key=lambda work: (work.entry.said_at, work.entry.session_id)) for name, done in works.items()}
