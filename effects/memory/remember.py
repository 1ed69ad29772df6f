"""What somebody saves on purpose: a proposal like the others, or with `now` a line of MEMORY.md at once."""

from __future__ import annotations

from effects.memory.proposal_store import OWNER, Row, open_proposals, promote_approved, save_proposals
from effects.store.memory_file import list_memory_sections, read_memory, read_memory_bullets
from effects.store.run import Counts, Run
from effects.system.errors import UsageError
from transforms.memory.proposal_ids import allocate_ids
from transforms.pages.memory_md import parse_memory
from transforms.redaction.redact import redact

MAX_TEXT_CHARS = 600
"""Longest line to remember: a line of MEMORY.md is read at the start of every session. Distilled facts have 20 to 300."""
EXAMPLE_COMMAND = 'recollect remember "what to remember"'


def remember(run: Run, text: str, section: str | None = None, now: bool = False, actor: str = OWNER) -> Counts:
    """Proposes a line that somebody typed; with `now` it is promoted at once. The weekly limit does not apply to it.

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
    place = _find_section(run, section)
    if words in read_memory_bullets(run):
        return {"proposal_id": None, "text": words, "section": place, "promoted": 0, "already": "memory", "problems": []}
    ledger = open_proposals(run)
    waiting = next((key for key, row in ledger.pending().items() if (row["op"], row["text"]) == ("add", words)), None)
    if waiting and not now:
        return {"proposal_id": waiting, "text": words, "section": place, "promoted": 0, "already": "review", "problems": []}
    proposal_id = waiting or allocate_ids(ledger.rows, ledger.past["proposal_id"].to_list(), run.today, 1)[0]
    if not waiting:
        ledger.rows[proposal_id] = build_proposal_row(run, proposal_id, place, words)
        ledger.record(proposal_id, "proposed", actor, words)
    promoted = promote_approved(ledger, [proposal_id]) if now else 0
    save_proposals(ledger)
    return {"proposal_id": proposal_id, "text": words, "section": place, "promoted": promoted, "problems": ledger.problems}


def build_proposal_row(run: Run, proposal_id: str, section: str, text: str) -> Row:
    """A pending addition to MEMORY.md without evidence, shown by the run that makes it."""
    return {
        "proposal_id": proposal_id, "kind": "memory", "op": "add", "section": section, "text": text, "old_text": None,
        "target": "MEMORY.md", "evidence_ids": [], "severity": None, "project": None, "said_at": run.as_of,
        "status": "pending", "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
    }  # fmt: skip


def _find_section(run: Run, named: str | None) -> str:
    """The section's name as MEMORY.md writes it; left out, the owner's."""
    known = list_memory_sections(run)
    if named is None:
        return known[0]
    own = parse_memory(read_memory(run)).section(named)
    found = own.name if own else next((name for name in known if name.casefold() == named.strip().casefold()), None)
    if found is None:
        raise UsageError(f"MEMORY.md has no section `{named}`", f"one of: {', '.join(known)}")
    return found
