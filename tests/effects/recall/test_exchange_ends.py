"""Asking about what was requested: what came of it stands beside the request, however much the agent said in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.recall.ask import ask, open_recall
from tests.effects.recall_world import entry, filled, settle, write
from transforms.recall.types import ContextLine, Filters

REQUEST = "please check which label templates of the printer still use millimetres"
STEPS = ["I'll start with the folder of templates:", "Now the second folder.", "Let me run the tests.", "The tests pass."]
RESULT = "Two have the old unit: `pallet.yaml` and `crate.yaml`."
PROPOSAL = " ".join(f"Option {letter}: print the barcode {'with the long header ' * 150}." for letter in "ABC") + " Which one?"
QUESTION = "Which label templates of the printer use millimetres?"


def find_context(run: object, question: str, text: str) -> list[ContextLine]:
    hits = ask(open_recall(run), question, Filters(project="shop")).hits  # type: ignore[arg-type]
    return list(next(hit for hit in hits if text in hit.text).context)


@pytest.mark.parametrize("is_told", [True, False])
def test_beside_a_request_stands_what_came_of_it(tmp_path: Path, is_told: bool) -> None:
    """Where the agent's last words say nothing, its first ones stay."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    said = [("user", REQUEST), *(("assistant", step) for step in STEPS), ("assistant", RESULT if is_told else "Done.")]
    said.append(("user", "ok, thanks"))
    write(run, "entries", [entry("shop-1", 20 + place, role, text) for place, (role, text) in enumerate(said)])
    settle(run)
    context = find_context(run, QUESTION, REQUEST)
    assert [line.text for line in context if not line.is_before] == [RESULT if is_told else STEPS[0]]


def test_beside_a_proposal_of_several_pieces_stands_the_owners_reply(tmp_path: Path) -> None:
    run = filled(tmp_path, model=str(tmp_path / "no-model"))
    said = [("user", "make a plan for the barcode"), ("assistant", PROPOSAL), ("user", "none of them, scrap it")]
    write(run, "entries", [entry("shop-1", 20 + place, role, text) for place, (role, text) in enumerate(said)])
    settle(run)
    context = find_context(run, "What about option A of the barcode?", "Option A")
    assert [line.text for line in context if not line.is_before] == ["none of them, scrap it"]
