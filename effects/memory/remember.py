"""Remembers a line that somebody saves on purpose: as a proposal, or with `is_immediate` as a line of MEMORY.md at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import polars as pl

from effects.memory.proposal_store import OWNER_ACTOR, ProposalStore, open_proposals, promote_approved, save_proposals
from effects.store.memory_file import list_memory_sections, read_memory, read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import NotFoundError, UsageError
from transforms.memory.lasting.held_line import word_held_line
from transforms.memory.lasting.line_scope import holds_everywhere
from transforms.memory.promotion import UnfitLineError, clean_line
from transforms.memory.same_claim import is_retired_by
from transforms.pages.memory_md import MAX_LINE_CHARS, Bullet, parse_memory
from transforms.pages.page_names import find_named_projects
from transforms.pages.review.read_review import OwnLine
from transforms.pages.review_lines import is_same
from transforms.pages.visible_text import format_inline
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Actor, Origin
from transforms.tables.ids import allocate_ids, shorten_id
from transforms.tables.rows import ObservationRow, ProposalRow
from transforms.tables.schema import OBSERVATIONS, read_rows

_MARKS = compile_late(r"[,;:](?=\s)|(?<=[^\W\d_])-(?=[^\W\d_])")
_LISTED_FACT = compile_late(r"^[`*]*(?P<id>o-[0-9a-f]{8,})\b[`*]*:?\s*(?P<text>.*)$")
EXAMPLE_COMMAND = 'recollect remember "what to remember"'


def remember(
    run: Run,
    text: str,
    section: str | None = None,
    is_immediate: bool = False,
    actor: Actor = OWNER_ACTOR,
    project: str | None = None,
) -> Counts:
    """Propose a line that somebody typed; with `is_immediate` it is promoted at once. The weekly limit does not apply to it.

    `project` is where it holds; without one it holds everywhere.

    White space becomes one space, what cannot be seen is left out, and secrets become placeholders. The same words are not
    proposed twice: then `already` says where they are, `memory` or `review`; what waits moves to a `section` that is named.
    A proposal that gives the subject of one line of MEMORY.md another value takes the place of that line, which `replaces` has;
    `contradicts` has other lines, there and on REVIEW.md, that say something else of it.

    Raises:
        UsageError: when there are no words to remember, too many of them, or MEMORY.md has no such section.
    """
    try:
        words = clean_line(text)
    except UnfitLineError as error:
        raise UsageError(str(error), f"at most {MAX_LINE_CHARS}: one fact per line" if error.size else EXAMPLE_COMMAND) from error
    target_section = _find_section(run, section)
    store = open_proposals(run)
    replaced = None if is_immediate else _find_retired_line(store, words, project)
    proposal_id, place = add_line(store, words, target_section, actor, project, replaced)
    done: Counts = {
        "proposal_id": proposal_id or None, "text": words, "section": target_section, "project": project, "promoted": 0,
        "problems": [],
    }  # fmt: skip
    if place == "memory":
        return done | {"already": place}
    if place == "review":
        row = store.rows[proposal_id]
        if section is not None and row["section"] != target_section and row["op"] == "add":
            row["section"] = target_section
            store.record(proposal_id, "edited", actor, words)
        done |= {"section": row["section"], "project": row["project"], "replaces": row["old_text"]}
        if not is_immediate:
            save_proposals(store)
            return done | {"already": place}
    elif replaced:
        row = store.rows[proposal_id]
        done |= {"section": row["section"], "project": row["project"], "replaces": row["old_text"]}
    contradicted = _list_contradicted(store, words, proposal_id, replaced)
    done |= {"contradicts": contradicted} if contradicted else {}
    promoted = promote_approved(store, [proposal_id]) if is_immediate else 0
    save_proposals(store)
    return done | {"promoted": promoted, "problems": store.problems}


def _list_contradicted(store: ProposalStore, words: str, proposal_id: str, replaced: Bullet | None) -> list[str]:
    """Return the lines that wait, by id, and the lines of MEMORY.md, of which these words say something else: nobody else tells
    the owner that both are there. The line whose place is taken is none."""
    project = store.rows[proposal_id]["project"]
    waiting = [
        f"{key}: {row['text']}"
        for key, row in store.list_pending().items()
        if key != proposal_id
        and row["op"] != "remove"
        and row["project"] in (None, project)
        and is_retired_by(row["text"], row["section"], words, "correction")
    ]
    standing = [bullet.text for bullet in _list_retired_lines(store, words, project) if bullet != replaced]
    return waiting + standing


def add_line(
    store: ProposalStore, words: str, section: str, actor: Actor, project: str | None = None, replaced: Bullet | None = None
) -> tuple[str, Literal["new", "review", "memory"]]:
    """Add a proposal for a line unless it waits or stands in MEMORY.md; return its id and where the line was (then no id).

    With `replaced` it takes the place of that line, in its section, and holds where that one did.
    """
    run = store.run
    if words in read_memory_bullets(run):
        return "", "memory"
    waiting = [key for key in (*store.list_pending(), *store.list_unwritten()) if store.rows[key]["op"] in ("add", "replace")]
    waiting_id = next((key for key in waiting if _fold_marks(store.rows[key]["text"]) == _fold_marks(words)), None)
    if waiting_id:
        return waiting_id, "review"
    proposal_id = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1)[0]
    row = build_proposal_row(run, proposal_id, section, words, "owner" if actor == "owner" else "agent")
    store.rows[proposal_id] = {**row, "project": project}
    if replaced:
        holds_in = project if project == _find_home(store, replaced, project) else None
        store.rows[proposal_id] |= {
            "op": "replace", "old_text": replaced.line, "section": replaced.section, "project": holds_in,
        }  # fmt: skip
    store.record(proposal_id, "proposed", actor, words)
    return proposal_id, "new"


def _fold_marks(text: str) -> str:
    """Return a line as another one of the same words would be written, in any case; signs that mean something stay (`C++`)."""
    return " ".join(_MARKS.sub(" ", text.casefold()).split()).rstrip(" .")


def _find_retired_line(store: ProposalStore, words: str, project: str | None) -> Bullet | None:
    """Return the line of MEMORY.md whose subject these words give another value; None when it is none, or not one alone.

    Both would stand there else, and nobody knows which one holds. A line of another project is none of these words' concern.
    """
    retired = _list_retired_lines(store, words, project)
    return retired[0] if len(retired) == 1 else None


def _list_retired_lines(store: ProposalStore, words: str, project: str | None) -> list[Bullet]:
    return [
        bullet
        for bullet in parse_memory(read_memory(store.run)).bullets
        if bullet.is_one_line
        and is_retired_by(bullet.text, bullet.section, words, "correction")
        and _find_home(store, bullet, project) in (None, project)
    ]


def _find_home(store: ProposalStore, bullet: Bullet, project: str | None) -> str | None:
    """Return the project of a line: the one in whose folder it was saved, or the one that it names; None when it is for all."""
    saved = next((row["project"] for row in store.rows.values() if row["text"] == bullet.text and row["project"]), None)
    known = {*store.run.lake.read("sessions")["project"].drop_nulls(), *([project] if project else [])}
    named = find_named_projects(bullet.text, known)
    return saved or (project if project in named else next(iter(named), None))


def add_own_lines(store: ProposalStore, lines: Iterable[OwnLine]) -> list[str]:
    """Add proposals for lines that the owner wrote into REVIEW.md and ticked; return the ids of those to promote.

    A section that MEMORY.md does not have becomes the owner's section. One that begins with the id of an observation, as the
    page lists what no line came of, takes that over: in these words, without the id.
    """
    added = []
    for line in lines:
        listed = _LISTED_FACT.match(line.text)
        if listed and any(key.startswith(listed["id"]) for key in store.forgotten):
            store.problems.append(f"REVIEW.md: `{listed['id']}` was not taken: it is forgotten")
            continue
        facts = _find_facts(store, listed["id"]) if listed else []
        try:
            section = _find_section(store.run, line.section)
        except UsageError:
            section = _find_section(store.run, None)
        try:
            held = word_held_line(facts[0]["text"]) if len(facts) == 1 else ""
            text = listed["text"] if listed else line.text
            is_kept = bool(held) and (not text or is_same(text, format_inline(held)))
            words = clean_line(held if is_kept else text)
        except UnfitLineError as error:
            store.problems.append(f"REVIEW.md: a line of your own was not taken, it stands in .REVIEW.md.bak: {error}")
            continue
        if held:
            added += _add_fact_line(store, words, facts[0], facts[0]["origin"] if is_kept else "owner")
            continue
        proposal_id, place = add_line(store, words, section, OWNER_ACTOR)
        added += [proposal_id] if place != "memory" else []
    return list(dict.fromkeys(added))


def take_over_rows(store: ProposalStore, names: Iterable[str]) -> list[str]:
    """Add proposals for what the owner said and no line came of; return their ids. A name is an observation's id, or begins one.

    Raises:
        NotFoundError: when a name is of no observation, or of several.
        UsageError: when another observation took its place, or its words are no line.
    """
    added = []
    for name in names:
        meant = _find_facts(store, name)
        if len(meant) != 1:
            raise NotFoundError(f"`{name}` is the id of no fact alone that memory has", "recollect review list")
        if heir := meant[0]["superseded_by"]:
            raise UsageError(f"`{name}` holds no more: `{shorten_id(heir)}` took its place", f"recollect show {shorten_id(heir)}")
        try:
            words = clean_line(word_held_line(meant[0]["text"]))
        except UnfitLineError as error:
            raise UsageError(f"`{name}`: {error}", EXAMPLE_COMMAND) from error
        added += _add_fact_line(store, words, meant[0], meant[0]["origin"])
    return list(dict.fromkeys(added))


def _find_facts(store: ProposalStore, name: str) -> list[ObservationRow]:
    """Return the observations of an id, or of its beginning, without forgotten ones."""
    is_meant = pl.col("observation_id").str.starts_with(name) & (pl.col("verdict") == "allow")
    rows = read_rows(OBSERVATIONS, store.run.lake.scan("observations").filter(is_meant).collect())
    return [row for row in rows if row["observation_id"] not in store.forgotten]


def _add_fact_line(store: ProposalStore, words: str, fact: ObservationRow, origin: Origin | None) -> list[str]:
    """Add a proposal for a line that rests on an observation; return its id, nothing when MEMORY.md has the line."""
    from effects.judging.line_scopes import weigh_line_scope  # an encoder, of which no line that somebody types needs anything

    project = None if holds_everywhere(weigh_line_scope(words), words) else fact["project"]
    proposal_id, place = add_line(store, words, _find_section(store.run, None), OWNER_ACTOR, project)
    if place == "new":
        store.rows[proposal_id] |= {
            "evidence_ids": [fact["observation_id"]], "said_at": fact["said_at"] or store.run.as_of, "origin": origin,
        }  # fmt: skip
    return [proposal_id] if place != "memory" else []


def build_proposal_row(run: Run, proposal_id: str, section: str, text: str, origin: Origin) -> ProposalRow:
    """Return a pending addition to MEMORY.md without evidence, shown by the run that makes it; `origin` is who said it."""
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "add", "section": section, "text": text, "old_text": None,
        "target": "MEMORY.md", "evidence_ids": [], "severity": None, "pattern": None, "origin": origin, "project": None,
        "said_at": run.as_of,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": None, "evidence_sources": None,
    }  # fmt: skip


def _find_section(run: Run, name: str | None) -> str:
    """Return the section's name as MEMORY.md writes it; without a name the owner's section."""
    known = list_memory_sections(run)
    if name is None:
        return known[0]
    present = parse_memory(read_memory(run)).find_section(name)
    section_name = (
        present.name if present else next((listed for listed in known if listed.casefold() == name.strip().casefold()), None)
    )
    if section_name is None:
        problem = f"MEMORY.md has no section `{name}`, but: {', '.join(known)}"
        raise UsageError(problem, f'{EXAMPLE_COMMAND} --section "{known[1]}"')
    return section_name
