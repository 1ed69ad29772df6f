"""What became of the lines for MEMORY.md that rest on facts: stated there, offered to the owner, or turned down; and the project
of those facts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

import polars as pl

from transforms.briefing.brief import DECLINED, OFFERED, STATED
from transforms.exchanges.replaced_values import MIN_DIGITS
from transforms.language.sentences import CLAUSE_BREAK, find_content_words
from transforms.language.statement import parse_statement, select_content_words, split_claim

NEAR_SHARE = 0.5
"""Share of a fact's words that a line has which may say the same: only these are compared in full."""
SAID_SHARE = 0.8
"""Share of a clause's words that a line has which says the clause: one may be worded anew, none of a few may be missing."""
CARRIED = 0.75
"""Share of the words by which a line states a fact that another line must have to state it, too: what stays is mostly copied."""
NAMING_WORDS = 3
"""Words of a title by which a longer text names its task: of "fix tests" it may name another one."""


def rank_line_evidence(proposals: pl.DataFrame, observations: pl.DataFrame, bullets: Collection[str]) -> dict[str, int]:
    """Return, by id, the ranks for a briefing of the facts that lines rest on, and of those that said them again.

    `bullets` are the texts of MEMORY.md without their dates: an approved line that is gone or was reworded states nothing. Of two
    fates the one that hides more counts. A line that waits, or that expired before anybody decided, is offered. Of a fact with a
    clause that no line says nothing is stated.
    """
    lines = proposals.filter((pl.col("kind") == "memory") & pl.col("op").is_in(["add", "replace"]))
    is_stated = (pl.col("status") == "approved") & pl.col("text").is_in(list(bullets))
    restated = _find_restatements(_list_evidence(lines), observations)
    in_part = _find_half_stated({*_list_evidence(lines.filter(is_stated)), *restated.values()}, observations, bullets)
    fates = {
        OFFERED: pl.col("status").is_in(["pending", "expired"]),
        DECLINED: pl.col("status") == "rejected",
        STATED: is_stated,
    }
    ranks: dict[str, int] = {}
    for rank, condition in fates.items():
        ids = _list_evidence(lines.filter(condition))
        fated = [*ids, *(restated[key] for key in ids if key in restated)]
        ranks |= dict.fromkeys([key for key in fated if rank != STATED or key not in in_part], rank)
    return ranks


def _find_half_stated(ids: Collection[str], observations: pl.DataFrame, bullets: Collection[str]) -> set[str]:
    """Return those of the facts that say more than the lines do."""
    rows = observations.filter(pl.col("observation_id").is_in(list(ids))).select("observation_id", "text")
    return {key for key, text in rows.iter_rows() if has_unsaid_clause(split_claim(text).claim, bullets)}


def has_unsaid_clause(claim: str, lines: Collection[str]) -> bool:
    """Whether a sentence or clause of a claim has most of its words in no line, so that nobody reads it without the fact.

    One word alone ("okay, perfect") says nothing.
    """
    said = [find_content_words(line) for line in lines]
    clauses = [find_content_words(clause) for part in CLAUSE_BREAK.split(claim) for clause in part.split(", ")]
    return any(len(words) > 1 and all(len(words & line) < SAID_SHARE * len(words) for line in said) for words in clauses)


def find_line_projects(
    proposals: pl.DataFrame, observations: pl.DataFrame, sessions: pl.DataFrame, bullets: Collection[str]
) -> dict[str, str]:
    """Return the project of each of the `bullets` whose facts all belong to one, by the bullet's text without its date.

    The facts are those that an approved proposal with this text rests on, with every session in which they were said again. A
    line that its owner wrote or reworded in MEMORY.md rests on none; one that was saved in a project's folder is the project's;
    one that a model takes for its owner's way of working holds everywhere, also when it was said in one.
    """
    is_line = (pl.col("kind") == "memory") & pl.col("op").is_in(["add", "replace"]) & (pl.col("status") == "approved")
    lines = proposals.filter(is_line & pl.col("text").is_in(list(bullets))).select(
        "text", "evidence_ids", "project", "is_everywhere"
    )
    cited = (
        lines.filter(pl.col("is_everywhere").is_null())
        .select("text", "evidence_ids")
        .explode("evidence_ids")
        .rename({"evidence_ids": "observation_id"})
        .drop_nulls()
    )
    is_saved = (pl.col("evidence_ids").list.len().fill_null(0) == 0) & pl.col("project").is_in(sessions["project"].implode())
    saved = lines.filter(is_saved).select("text", "project")
    if cited.is_empty() and saved.is_empty():
        return {}
    heirs = _find_restatements(cited["observation_id"].unique().to_list(), observations)
    rows = observations.filter(pl.col("observation_id").is_in([*cited["observation_id"], *heirs.values()]))
    project_of = dict(sessions.select("session_id", "project").iter_rows())
    places = {
        key: {project, *(project_of.get(ref.split(":", 1)[0], project) for ref in also or ())} - {None}
        for key, project, also in rows.select("observation_id", "project", "also").iter_rows()
    }
    line_projects: dict[str, set[str]] = {}
    for text, project in saved.iter_rows():
        line_projects.setdefault(text, set()).add(project)
    for text, key in cited.iter_rows():
        line_projects.setdefault(text, set()).update(places.get(key, ()), places.get(heirs.get(key, ""), ()))
    return {text: next(iter(projects)) for text, projects in sorted(line_projects.items()) if len(projects) == 1}


def find_stated_facts(observations: pl.DataFrame, bullets: Collection[str]) -> list[str]:
    """Return the ids of the current facts of high priority that a line of MEMORY.md says, whatever it rests on: its owner may
    have reworded it, or said the same again in words that were never joined."""
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null() & (pl.col("priority") == "high")
    lines = [(bullet, find_content_words(bullet)) for bullet in bullets]
    stated = list[str]()
    if not lines:
        return stated
    for key, text in observations.filter(is_current).select("observation_id", "text").sort("observation_id").iter_rows():
        claim = split_claim(text).claim
        words = find_content_words(claim)
        if near := [line for line, other in lines if len(words & other) >= NEAR_SHARE * len(words) > 0]:
            from transforms.memory.same_claim import is_same_claim  # numpy: an opening that makes its page anew mostly needs none

            if any(is_same_claim(claim, line) for line in near) and not has_unsaid_clause(claim, bullets):
                stated.append(key)
    return stated


def find_closed_work(observations: pl.DataFrame, closed: Mapping[str, datetime]) -> list[str]:
    """Return the ids of the tasks and of the matters left open that were named before a task of the same words was `closed`, by
    its title."""
    if not closed:
        return []
    is_left_open = (pl.col("kind") == "question") & pl.col("text").str.contains(" left open: ", literal=True)
    rows = observations.filter((pl.col("kind") == "task") | is_left_open).sort("observation_id")
    texts = rows.select("observation_id", "text", "said_at").iter_rows()
    return [key for key, text, said_at in texts if is_closed_work(text, said_at, closed)]


def is_closed_work(text: str, said_at: datetime, closed: Mapping[str, datetime]) -> bool:
    """Whether a text names work of which a task was closed afterwards: the words of its title, or most of them."""
    words = find_content_words(text)
    for title, closed_at in closed.items():
        of_title = find_content_words(title)
        if closed_at >= said_at and len(words & of_title) >= NEAR_SHARE * len(of_title) > 0:
            from transforms.memory.same_claim import is_same_claim

            is_named = len(of_title) >= NAMING_WORDS and of_title <= words
            if is_named or is_same_claim(split_claim(text).claim, title):
                return True
    return False


def find_replacing(line: str, retired: Iterable[tuple[str, str, str]]) -> str:
    """Return the id of the last fact that replaced one which says what a line says; empty when none did.

    `retired` are the text of a person's fact, and id and text of what replaced it, in the order of time. Whoever wrote the line,
    it is as old as that fact.
    """
    line_words, last = find_content_words(line), ""
    for former, newer_id, newer in retired:
        claim = split_claim(former).claim
        words = find_content_words(claim)
        is_near = len(words & line_words) >= NEAR_SHARE * len(words) > 0
        if (words & line_words and _names_former_numbers(line, claim, newer)) or (is_near and _is_said_by(line, claim, newer)):
            last = newer_id
    return last


def _names_former_numbers(line: str, former: str, newer: str) -> bool:
    """Whether all numbers of a line stand in the former claim and not all of them in the newer one; one of few digits is none
    by which two texts are known to be about the same thing."""
    numbers, before, now = (set(re.findall(r"\d+", text)) for text in (line, former, newer))
    is_telling = len(numbers) > 1 or any(len(number) >= MIN_DIGITS for number in numbers)
    return is_telling and numbers <= before and not numbers <= now


def _is_said_by(line: str, former: str, newer: str) -> bool:
    from transforms.memory.same_claim import is_same_claim

    return is_same_claim(former, line) and not is_same_claim(newer, line)


def list_refusals(
    proposals: pl.DataFrame, memory_lines: pl.DataFrame, observations: pl.DataFrame, lines: Collection[str]
) -> dict[str, datetime]:
    """Return when the owner refused facts as lines of MEMORY.md, by id: struck a proposal, or took a promoted line out again.

    `lines` are the bullets of MEMORY.md as they stand; without any, the file is lost and nothing was taken out. What a proposal
    replaced or removed is none of the owner's own strikes, nor is a line whose words about the fact stand in another one. When
    a line was taken out is not known: what was said since it was promoted may be later.
    """
    struck = proposals.filter(
        (pl.col("status") == "rejected") & pl.col("decided_at").is_not_null() & (pl.col("op") == "add")
    ).select("evidence_ids", "decided_at", line=pl.lit(""))
    changed = proposals.filter(pl.col("status") == "approved")["old_text"].drop_nulls()
    gone = memory_lines.filter(~pl.col("text").is_in([*lines, *changed])).select("proposal_id", line="text", decided_at="at")
    approved = proposals.filter((pl.col("status") == "approved") & (pl.col("kind") == "memory") & (pl.col("op") != "remove"))
    taken_out = approved.select("proposal_id", "evidence_ids").join(gone, on="proposal_id") if lines else None
    frames = [struck, *([taken_out.select(struck.columns)] if taken_out is not None else [])]
    refused = pl.concat(frames).explode("evidence_ids").drop_nulls("evidence_ids").sort("evidence_ids", "decided_at", "line")
    cited = observations.filter(pl.col("observation_id").is_in(refused["evidence_ids"].unique().to_list()))
    texts = dict(cited.select("observation_id", "text").iter_rows())
    return {
        key: at for key, at, line in refused.iter_rows() if key in texts and not (line and is_carried(texts[key], line, lines))
    }


def _list_evidence(lines: pl.DataFrame) -> list[str]:
    return lines["evidence_ids"].explode().drop_nulls().unique().sort().to_list()


def _find_restatements(ids: list[str], observations: pl.DataFrame) -> dict[str, str]:
    """Return, for facts that a later one absorbed, that one: it cites what they cite. A replacement says something else."""
    older = observations.filter(pl.col("observation_id").is_in(ids) & pl.col("superseded_by").is_not_null())
    heirs = observations.filter(pl.col("observation_id").is_in(older["superseded_by"].unique().to_list()))
    also = {key: set(cited or ()) for key, cited in heirs.select("observation_id", "also").iter_rows()}
    cites = older.select("observation_id", "session_id", "entry_ids", "superseded_by")
    return {
        key: heir
        for key, session, entries, heir in cites.iter_rows()
        if also.get(heir, set()) & {f"{session}:{entry}" for entry in entries or ()}
    }


def is_carried(fact: str, line: str, others: Collection[str]) -> bool:
    """Whether one of the other lines says what the line says of a fact; so it is when the line says nothing of it."""
    stated = select_content_words(parse_statement(fact)) & select_content_words(parse_statement(line))
    shared = (len(stated & select_content_words(parse_statement(other))) for other in others)
    return len(stated) < 2 or any(count >= CARRIED * len(stated) for count in shared)
