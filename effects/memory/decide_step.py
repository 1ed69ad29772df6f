"""The decisions of a person who went through the proposals one by one: approved, perhaps with other words, or rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from effects.memory.proposal_store import OWNER, open_proposals, promote_approved, save_proposals
from effects.store.run import Counts, Run


def decide(run: Run, approved: Sequence[str], rejected: Sequence[str], edited: Mapping[str, str]) -> Counts:
    """Carry out decisions on proposals that still wait, and return counts; one that ended meanwhile is named in `problems`.

    `edited` are the words of approved proposals that are to be promoted in place of those proposed.
    """
    store = open_proposals(run)
    waiting = store.pending().keys()
    ended = [proposal_id for proposal_id in (*approved, *rejected) if proposal_id not in waiting]
    store.problems += [f"{proposal_id} does not wait any more; nothing was done about it" for proposal_id in ended]
    for proposal_id, text in edited.items():
        if proposal_id in waiting and text != store.rows[proposal_id]["text"]:
            store.rows[proposal_id]["text"] = text
            store.record(proposal_id, "edited", OWNER, text)
    for proposal_id in rejected:
        if proposal_id in waiting:
            store.close(proposal_id, "rejected", "rejected", OWNER)
    promoted = promote_approved(store, [proposal_id for proposal_id in approved if proposal_id not in ended])
    save_proposals(store)
    return {
        "approved": len(approved) - sum(one in ended for one in approved),
        "promoted": promoted,
        "edited": len(edited),
        "rejected": len(rejected) - sum(one in ended for one in rejected),
        "problems": store.problems,
    }
