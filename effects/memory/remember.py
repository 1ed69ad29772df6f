"""Remembers a line that somebody saves on purpose: as a proposal, or with `is_immediate` as a line of MEMORY.md at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from effects.memory.proposal_store import OWNER_ACTOR, ProposalStore, open_proposals, promote_approved, save_proposals
from effects.store.memory_file import list_memory_sections, read_memory, read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import UsageError
from transforms.memory.promotion import UnfitLineError, clean_line
from transforms.pages.memory_md import MAX_LINE_CHARS, parse_memory
from transforms.pages.review_md import OwnLine
from transforms.tables.enums import Actor, Origin
from transforms.tables.ids import allocate_ids
from transforms.tables.rows import ProposalRow

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

    Raises:
        UsageError: when there are no words to remember, too many of them, or MEMORY.md has no such section.
    """
    try:
        words = clean_line(text)
    except UnfitLineError as error:
        raise UsageError(str(error), f"at most {MAX_LINE_CHARS}: one fact per line" if error.size else EXAMPLE_COMMAND) from error
    target_section = _find_section(run, section)
    store = open_proposals(run)
    proposal_id, place = add_line(store, words, target_section, actor, project)
    done: Counts = {
        "proposal_id": proposal_id or None, "text": words, "section": target_section, "project": project, "promoted": 0,
        "problems": [],
    }  # fmt: skip
    if place == "memory":
        return done | {"already": place}
    if place == "review":
        row = store.rows[proposal_id]
        if section is not None and row["section"] != target_section:
            row["section"] = target_section
            store.record(proposal_id, "edited", actor, words)
        done |= {"section": row["section"], "project": row["project"]}
        if not is_immediate:
            save_proposals(store)
            return done | {"already": place}
    promoted = promote_approved(store, [proposal_id]) if is_immediate else 0
    save_proposals(store)
    return done | {"promoted": promoted, "problems": store.problems}


def add_line(
    store: ProposalStore, words: str, section: str, actor: Actor, project: str | None = None
) -> tuple[str, Literal["new", "review", "memory"]]:
    """Add a proposal for a line unless it waits or stands in MEMORY.md; return its id and where the line was (then no id)."""
    run = store.run
    if words in read_memory_bullets(run):
        return "", "memory"
    waiting = [*store.list_pending(), *store.list_unwritten()]
    waiting_id = next((key for key in waiting if (store.rows[key]["op"], store.rows[key]["text"]) == ("add", words)), None)
    if waiting_id:
        return waiting_id, "review"
    proposal_id = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1)[0]
    row = build_proposal_row(run, proposal_id, section, words, "owner" if actor == "owner" else "agent")
    store.rows[proposal_id] = {**row, "project": project}
    store.record(proposal_id, "proposed", actor, words)
    return proposal_id, "new"


def add_own_lines(store: ProposalStore, lines: Iterable[OwnLine]) -> list[str]:
    """Add proposals for lines that the owner wrote into REVIEW.md and ticked; return the ids of those to promote.

    A section that MEMORY.md does not have becomes the owner's section.
    """
    added = []
    for line in lines:
        try:
            section = _find_section(store.run, line.section)
        except UsageError:
            section = _find_section(store.run, None)
        try:
            words = clean_line(line.text)
        except UnfitLineError as error:
            store.problems.append(f"REVIEW.md: a line of your own was not taken, it stands in .REVIEW.md.bak: {error}")
            continue
        proposal_id, place = add_line(store, words, section, OWNER_ACTOR)
        added += [proposal_id] if place != "memory" else []
    return list(dict.fromkeys(added))


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
        raise UsageError(f"MEMORY.md has no section `{name}`", f"one of: {', '.join(known)}")
    return section_name
