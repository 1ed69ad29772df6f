"""Remembers a line that somebody saves on purpose: as a proposal, or with `now` as a line of MEMORY.md at once."""

from __future__ import annotations

from effects.memory.proposal_store import OWNER, open_proposals, promote_approved, save_proposals
from effects.store.memory_file import list_memory_sections, read_memory, read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import UsageError
from transforms.memory.proposal_ids import allocate_ids
from transforms.pages.memory_md import parse_memory
from transforms.redaction.redact import redact
from transforms.tables.enums import Actor, Origin
from transforms.tables.rows import ProposalRow

MAX_TEXT_CHARS = 600
"""Longest line to remember: every session reads the lines of MEMORY.md at its start."""
EXAMPLE_COMMAND = 'recollect remember "what to remember"'


def remember(run: Run, text: str, section: str | None = None, now: bool = False, actor: Actor = OWNER) -> Counts:
    """Propose a line that somebody typed; with `now` it is promoted at once. The weekly limit does not apply to it.

    White space becomes one space and secrets become placeholders. The same words are not proposed twice: then `already` says
    where they are, `memory` or `review`.

    Raises:
        UsageError: when there are no words to remember, too many of them, or MEMORY.md has no such section.
    """
    words = redact(" ".join(text.split()), is_user=True)
    if not words:
        raise UsageError("there is nothing to remember", EXAMPLE_COMMAND)
    if len(words) > MAX_TEXT_CHARS:
        raise UsageError(
            f"{len(words)} characters are too many for a line of memory", f"at most {MAX_TEXT_CHARS}: one fact per line"
        )
    target_section = _find_section(run, section)
    if words in read_memory_bullets(run):
        return {"proposal_id": None, "text": words, "section": target_section, "promoted": 0, "already": "memory", "problems": []}
    store = open_proposals(run)
    pending_id = next((key for key, row in store.pending().items() if (row["op"], row["text"]) == ("add", words)), None)
    if pending_id and not now:
        return {
            "proposal_id": pending_id,
            "text": words,
            "section": target_section,
            "promoted": 0,
            "already": "review",
            "problems": [],
        }
    proposal_id = pending_id or allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1)[0]
    if not pending_id:
        store.rows[proposal_id] = build_proposal_row(
            run, proposal_id, target_section, words, "owner" if actor == "owner" else "agent"
        )
        store.record(proposal_id, "proposed", actor, words)
    promoted = promote_approved(store, [proposal_id]) if now else 0
    save_proposals(store)
    return {
        "proposal_id": proposal_id,
        "text": words,
        "section": target_section,
        "promoted": promoted,
        "problems": store.problems,
    }


def build_proposal_row(run: Run, proposal_id: str, section: str, text: str, origin: Origin) -> ProposalRow:
    """Return a pending addition to MEMORY.md without evidence, shown by the run that makes it; `origin` is who said it."""
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "add", "section": section, "text": text, "old_text": None,
        "target": "MEMORY.md", "evidence_ids": [], "severity": None, "pattern": None, "origin": origin, "project": None,
        "said_at": run.as_of,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
    }  # fmt: skip


def _find_section(run: Run, name: str | None) -> str:
    """Return the section's name as MEMORY.md writes it; without a name the owner's section."""
    known = list_memory_sections(run)
    if name is None:
        return known[0]
    present = parse_memory(read_memory(run)).section(name)
    section_name = (
        present.name if present else next((listed for listed in known if listed.casefold() == name.strip().casefold()), None)
    )
    if section_name is None:
        raise UsageError(f"MEMORY.md has no section `{name}`", f"one of: {', '.join(known)}")
    return section_name
