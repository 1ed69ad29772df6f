"""Asking about what an agent proposed: the owner's answer leads, and stands beside the proposal."""

from __future__ import annotations

from pathlib import Path

from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import entry, fact, filled, settle, write
from transforms.recall.types import Filters

PROPOSAL = (
    "Yes, you can build the label printer program inside the setup script, as an explicit step that is off by default. "
    "The setup script then builds the label printer program once for each machine and keeps what it built before. "
    "It needs a compiler on the machine, writes into your own folder and asks for no password. Shall I add the step now?"
)
DECIDED = (
    'User decided: "its own script please!" (about: "Yes, the setup script then builds the label printer once for each machine")'
    " Outcome: Changed: `install.sh` asks for a folder, checks the compiler, prints what is missing and links what it made."
)


def test_the_owners_decision_about_a_proposal_leads_and_his_words_stand_beside_it(tmp_path: Path) -> None:
    """The proposal has all words of the question, and was refused in the next message."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    talk = [(20, "assistant", PROPOSAL), (21, "user", "hm wait, no. its own script please!"), (22, "assistant", "Good.")]
    write(run, "entries", [entry("shop-1", number, role, text) for number, role, text in talk])
    cited = {"entry_ids": ["00000015", "00000014"], "lines": [22, 21], "ordinals": [21, 20], "origin": "owner"}
    question = "Should the setup script build the label printer program?"
    settle(run)
    proposal = next(hit for hit in ask(open_recall(run), question, Filters(project="shop")).hits if hit.text == PROPOSAL)
    assert [line.text for line in proposal.context] == ["hm wait, no. its own script please!"]
    write(run, "observations", [fact("own", DECIDED, **cited)])
    settle(run)
    answer = ask(open_recall(run), question, Filters(project="shop"))
    ids = [hit.id for hit in answer.hits]
    assert ids.index("o-own") < ids.index(proposal.id)
