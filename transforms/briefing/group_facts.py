"""Groups the facts of a project for its briefing: facts of high priority by kind, then what else was said and found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, OFFERED, STATED, UNJUDGED, BriefFact, FactGroup, FactSigns
from transforms.briefing.fact_worth import describe_fact
from transforms.briefing.open_work import find_open_work
from transforms.briefing.replaced_passages import find_replaced_passages
from transforms.briefing.row_signs import LEAD, fill_origin, is_doubtful, is_foreign, is_passing, read_label
from transforms.language.sentences import split_words
from transforms.language.similarity import group_forms
from transforms.language.statement import split_claim
from transforms.tables.enums import OFFLINE, WISH_KINDS
from transforms.tables.fact_notes import lead_with_chosen
from transforms.tables.schema import OBSERVATIONS, read_rows

BINDING_KINDS = ("rule", "preference", "correction", "decision", "convention", "root_cause", "state_change")
"""Kinds that matter after the session whatever their priority, most binding first."""
BRIEFED_KINDS = (*BINDING_KINDS, "fact", "task", "rejected")
"""Kinds of facts of high priority, in the order of the groups: dates and people of a project hold as long as its rules."""
HEADINGS = {
    "rule": "Rules",
    "preference": "Preferences",
    "correction": "Corrections",
    "decision": "Decisions",
    "convention": "Conventions",
    "root_cause": "Root causes and fixes",
    "state_change": "State",
    "fact": "Facts",
    "task": "Still to do",
    "rejected": "Turned down",
}
YIELDING_HEADINGS = (HEADINGS["fact"], HEADINGS["task"], HEADINGS["rejected"])
"""Groups that go before a line of MEMORY.md does."""
UNSORTED_KINDS = (*BINDING_KINDS, "request", "status")
"""Kinds of a person's words, where their language hides which of them bind."""
UNDERSTOOD_HEADING, LASTING_HEADING = "As agents understood the owner", "Rules and wishes, in the owner's words"
SAID_HEADING, FOUND_HEADING = "In the owner's words", "Found and done"
MIN_SAME_WORDS = 5
"""Words beside the day from which two facts say the same; fewer may be two names."""
FILLING_KINDS = (*BINDING_KINDS, "fix", "cure", "request", "error", "completion", "file_change", "status", "question")
"""Kinds of the facts that fill what is left of a page, most telling first."""
LEFT_OPEN = r'^[^":]{1,60} left open: "'
OPEN_HEADING = "Left open"
TASK_DAYS = 28
"""Days before the last fact of a project in which a task was named that may still be open."""
Forms = Mapping[str, tuple[int, date]]
"""Id of a fact → number of the facts of its form, and the day of the oldest."""
Considered = tuple[tuple[FactGroup, ...], frozenset[str]]
"""Groups within their limits, and the ids of the facts that they have without limits."""


def group_high_facts(observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns) -> Considered:
    """Return the facts of high priority that hold in `project`, by kind.

    Sayings of which a rule chose the kind are not among them: of a stranger's "rules" a third were some, of the "objections" a
    sixth (docs/decisions.md, "A briefing quotes the owner where rules guessed the kind"). What the owner labelled is what the
    label says, whatever a rule took it for; it stands without the rule's lead, before choices from a menu, which may be small.
    """
    # Nothing unreviewed leaves its project: a preference that holds everywhere reaches others as a line of MEMORY.md.
    of_project = observations.filter((pl.col("project") == project) & _is_high() & ~is_foreign())
    labelled = _select_current(of_project, signs.ranks).with_columns(label=read_label())
    current = labelled.with_columns(
        kind=pl.coalesce("label", "kind"),
        text=pl.when(pl.col("label").is_null()).then("text").otherwise(pl.col("text").str.replace(LEAD, '"')),
    ).sort(pl.col("rank").neg(), pl.col("label").is_null(), maintain_order=True)
    groups, considered, present = [], set[str](), set(current["kind"])
    for kind in BRIEFED_KINDS:
        kinds = [kind, "fix"] if kind == "root_cause" else [kind]
        if present.isdisjoint(kinds):
            continue
        rows = current.filter(pl.col("kind").is_in(kinds))
        rows, forms = _keep_first_of_days(rows)
        facts = _build_facts(rows.head(signs.limits.of_kind), zone, signs, forms)
        considered.update(rows["observation_id"])
        if facts:
            groups.append((HEADINGS[kind], facts))
    return tuple(groups), frozenset(considered)


def group_left_open(
    observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns, shown: tuple[FactGroup, ...] = ()
) -> Considered:
    """Return what the owner left open in any session of `project`, the newest first, behind the groups that are `shown`: the
    last window knows only its own end. Whatever kind the words got, they say themselves that something is open."""
    own = observations.filter((pl.col("project") == project) & ~is_foreign())
    seen = {fact.observation_id for _, facts in shown for fact in facts}
    is_left = pl.col("text").str.contains(LEFT_OPEN) | pl.col("observation_id").is_in(find_open_work(own))
    rows = _select_current(own.filter(is_left & ~pl.col("observation_id").is_in(seen)), signs.ranks)
    is_named = pl.col("text").str.contains(LEFT_OPEN)
    rows = rows.with_columns(text=pl.when(is_named).then("text").otherwise(pl.col("text").str.replace(LEAD, '"')))
    facts = _build_facts(rows.head(signs.limits.left_open), zone, signs)
    return ((OPEN_HEADING, facts),) if facts else (), frozenset(rows["observation_id"])


def add_open_tasks(
    groups: tuple[FactGroup, ...], observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns
) -> Considered:
    """Return the groups with the latest tasks of medium priority that a model named in `project`, behind those of high priority.

    For a page whose last window was finished: nothing else tells there what comes next. A rule's tasks are noise of agents.
    """
    is_task = (pl.col("kind") == "task") & (pl.col("priority") == "medium") & (pl.col("engine") != OFFLINE)
    own = observations.filter(pl.col("project") == project)
    is_recent = pl.col("said_at") >= pl.col("said_at").max() - timedelta(days=TASK_DAYS)
    rows = _select_current(own.filter(is_recent).filter(is_task & ~is_foreign()), signs.ranks)
    considered = frozenset(rows["observation_id"])
    tasks = tuple(replace(fact, rank=MEDIUM) for fact in _build_facts(rows.head(signs.limits.left_open), zone, signs))
    if not tasks:
        return groups, considered
    heading = HEADINGS["task"]
    if all(name != heading for name, _ in groups):
        return (*groups, (heading, tasks)), considered
    return tuple((name, (*facts, *tasks) if name == heading else facts) for name, facts in groups), considered


def group_unsorted_words(observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns) -> Considered:
    """Return all else that the owner said in `project`, the newest first: what is meant for good, then the rest.

    For an owner whose language no rule reads: priority says little about such words, nor does their kind but for what the
    multilingual model takes for a rule or a wish (without it hardly anything is). What was said last holds.
    """
    is_said = (pl.col("origin") == "owner") & pl.col("kind").is_in(UNSORTED_KINDS) & (pl.col("project") == project)
    rows = _select_current(observations.filter(is_said & ~_is_grouped()), signs.ranks)
    rows = rows.with_columns(pl.when(is_doubtful()).then(pl.col("text").str.replace(LEAD, '"')).otherwise("text").alias("text"))
    is_lasting = pl.col("kind").is_in(WISH_KINDS)
    parts = ((LASTING_HEADING, rows.filter(is_lasting)), (SAID_HEADING, rows.filter(~is_lasting)))
    groups = tuple(
        (heading, _build_facts(part.head(signs.limits.filling), zone, signs)) for heading, part in parts if part.height
    )
    return groups, frozenset(rows["observation_id"])


def group_filling_facts(
    observations: pl.DataFrame, project: str, zone: ZoneInfo, signs: FactSigns, shown: tuple[FactGroup, ...]
) -> Considered:
    """Return what fills the rest of a page behind the groups that are `shown`: other facts of `project` that rules found.

    Rules cannot tell which of an owner's words matter, a model can: facts of medium and low priority fill a page only where the
    offline engine observed them. First come the owner's wishes in the words of an agent or of a summary, then sayings of the
    owner, those that are meant to last before the others, under headings of their own and without the lead that names a kind
    ("User decided: …"), which is doubtful where a rule found it, last what an agent found or did, also where the owner had asked
    for it: readers find a quarter of that worth reading, of sayings half. Texts of others, and what a program printed, are left
    out, and so are passages of agents about what was replaced since; a cure is judged by exit codes. Of reports and questions of
    one form the newest stands for all.
    """
    seen = {fact.observation_id for _, facts in shown for fact in facts}
    headings = {heading for heading, _ in shown}
    is_filling = (pl.col("engine") == OFFLINE) & pl.col("kind").is_in(FILLING_KINDS) & (pl.col("project") == project)
    is_judged = ~is_foreign() & ((pl.col("kind") == "cure") | ~fill_origin().is_in(["tool", "other"]))
    is_other = ~pl.col("observation_id").is_in(seen) & ~_is_grouped() & ~pl.col("text").str.contains(LEFT_OPEN)
    rows = _select_current(observations.filter(is_filling & is_judged & is_other), signs.ranks)
    is_said = (fill_origin() == "owner") & pl.col("text").str.contains(LEAD)
    stale = find_replaced_passages(rows.filter((fill_origin() != "summary") & ~is_said), observations)
    rows = rows.filter(~pl.col("observation_id").is_in(sorted(stale)))
    rank = pl.when(pl.col("rank") == DECLINED).then(LOW).when(pl.col("rank") == OFFERED).then(OFFERED).otherwise(MEDIUM)
    place = pl.col("kind").replace_strict({kind: place for place, kind in enumerate(FILLING_KINDS)}, return_dtype=pl.Int64)
    ordered = rows.with_columns(rank=rank, place=place).sort(
        ["rank", "place", "said_at", "observation_id"], descending=[True, False, True, False]
    )
    ordered, forms = _keep_newest_of_forms(ordered)
    heading_of = (
        pl.when(is_said & pl.col("kind").is_in(WISH_KINDS))
        .then(pl.lit(LASTING_HEADING))
        .when(is_said)
        .then(pl.lit(SAID_HEADING))
        .when((fill_origin() == "summary") | ((fill_origin() == "owner") & pl.col("kind").is_in(WISH_KINDS)))
        .then(pl.lit(UNDERSTOOD_HEADING))
        .otherwise(pl.lit(FOUND_HEADING))
    )
    placed = ordered.with_columns(heading=heading_of)
    said = _sort_newest(placed).with_columns(text=pl.col("text").str.replace(LEAD, '"'))
    parts = [
        (heading, rows.filter(pl.col("heading") == heading))
        for heading, rows in (
            (UNDERSTOOD_HEADING, placed), (LASTING_HEADING, said), (SAID_HEADING, said), (FOUND_HEADING, placed)
        )
    ]  # fmt: skip
    filled = [(heading, part) for heading, part in parts if part.height and heading not in headings]
    groups = tuple((heading, _build_facts(part.head(signs.limits.filling), zone, signs, forms)) for heading, part in filled)
    return groups, frozenset(key for _, part in filled for key in part["observation_id"])


def _is_high() -> pl.Expr:
    """Whether a row stands under the heading of its kind: of high priority, and its kind is more than a rule's guess."""
    return ((pl.col("priority") == "high") & ~is_doubtful()) | read_label().is_not_null()


def _is_grouped() -> pl.Expr:
    """Whether `group_high_facts` has a row or one that stands for it, also beyond its limit."""
    return _is_high() & (pl.col("kind").is_in([*BRIEFED_KINDS, "fix"]) | read_label().is_not_null())


def _keep_newest_of_forms(rows: pl.DataFrame) -> tuple[pl.DataFrame, Forms]:
    """Return the rows without those that say in passing what a newer one says in the same form, and what each form stands for."""
    passing = _sort_newest(rows.filter(is_passing()))
    keys, days = passing["observation_id"].to_list(), passing["day"].to_list()
    forms = group_forms([split_claim(text).claim for text in passing["text"]])
    older = [keys[place] for places in forms for place in places[1:]]
    return rows.filter(~pl.col("observation_id").is_in(older)), {
        keys[places[0]]: (len(places), min(days[place] for place in places)) for places in forms
    }


def _keep_first_of_days(rows: pl.DataFrame) -> tuple[pl.DataFrame, Forms]:
    """Return the rows without those that say of another day what one before them says, and what each of these stands for.

    The same fault comes back, and the same words with it: "the lot of 2026-06-01 was empty because …".
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(rows["text"]):
        words = (word for word in split_claim(text).claim.split() if not _is_day(word.strip(".,;:()")))
        places.setdefault(tuple(split_words(" ".join(words))), []).append(place)
    keys, days = rows["observation_id"].to_list(), rows["day"].to_list()
    alike = [same for said, same in places.items() if len(same) > 1 and len(said) >= MIN_SAME_WORDS]
    repeated = {place for same in alike for place in same[1:]}
    kept = [place for place in range(rows.height) if place not in repeated]
    return rows[kept], {keys[same[0]]: (len(same), min(days[place] for place in same)) for same in alike}


def _is_day(word: str) -> bool:
    try:
        return bool(date.fromisoformat(word))
    except ValueError:
        return False


def _sort_newest(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort(["said_at", "observation_id"], descending=[True, False])


def _select_current(observations: pl.DataFrame, ranks: Mapping[str, int]) -> pl.DataFrame:
    """Return the facts that hold and that no line of MEMORY.md states, by rank, then the newest first."""
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    rank = pl.col("observation_id").replace_strict(ranks, default=UNJUDGED, return_dtype=pl.Int64)
    current = observations.filter(is_current).with_columns(rank=rank).filter(pl.col("rank") > STATED)
    return current.sort(["rank", "said_at", "observation_id"], descending=[True, True, False])


def _build_facts(rows: pl.DataFrame, zone: ZoneInfo, signs: FactSigns, forms: Forms | None = None) -> tuple[BriefFact, ...]:
    if rows.is_empty():
        return ()
    ranks = rows["rank"].to_list()
    labels = rows["label"].to_list() if "label" in rows.columns else [None] * rows.height
    return tuple(
        BriefFact(
            lead_with_chosen(row["text"]),
            row["said_at"].astimezone(zone).date(),
            row["observation_id"],
            signs.marks.get(row["observation_id"], ""),
            rank,
            0.0,
            describe_fact(row) if row["engine"] == OFFLINE and label is None else (),
            row["said_at"],
            *(forms or {}).get(row["observation_id"], ()),
        )
        for row, rank, label in zip(
            read_rows(OBSERVATIONS, rows.drop("rank", "place", "label", "heading", strict=False)), ranks, labels, strict=True
        )
    )
