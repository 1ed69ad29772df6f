"""Every cue phrase finds its example and not its counterexample."""

from __future__ import annotations

import re

import pytest

from transforms.language import cue_phrases

EXAMPLES = {
    "FILLER": ("ok, port it", "port it"),
    "HEDGED_REQUEST": ("we should port it", "port it"),
    "POLITE": ("could you port it", "port it"),
    "IMPERATIVE": ("remove the header", "the header"),
    "QUESTION_WORD": ("which port", "the port"),
    "PREFERENCE": ("I prefer tabs", "tabs"),
    "PUSHBACK": ("that's not what I asked", "that is what I need"),
    "AGREEMENT": ("yes, do it", "tabs"),
    "CHATTER": ("thanks!", "tabs"),
    "HEDGE": ("it might work", "it works"),
    "ANNOUNCEMENT": ("let me check", "it works"),
    "CAUSE": ("the root cause is a typo", "a typo"),
    "EXPLICIT_CAUSE": ("it hung because the lock was held", "it hung"),
    "FIX": ("it is fixed", "it hangs"),
    "COMPLETION": ("all tests pass: done", "it hangs"),
    "CHANGE": ("renamed the table", "the table"),
    "FAILURE": ("the build failed", "the build runs"),
    "OFFER": ("want me to port it?", "it is ported"),
    "PROPOSAL": ("I suggest SQLite", "it is SQLite"),
    "CONCESSION": ("you're right, sorry", "it is SQLite"),
    "DECISION": ("we decided to keep it", "it is SQLite"),
    "REPLACEMENT": ("Valkey instead of Redis", "Redis"),
    "SUBCLAUSE": ("keep it because it is fast", "keep it"),
    "FAILED_ATTEMPT": ("a restart did not help", "a restart helped"),
    "REASON_WORD": ("hence the lock", "the lock"),
    "DEBUGGING": ("why is it broken", "it is green"),
    "FIX_STATEMENT": ("the fix is a lock", "a lock"),
    "CODE_SPAN": ("run `make`", "run make"),
    "UNFINISHED": ("still open: the docs", "the docs are done"),
    "LABEL": ("timeout: 30", "timeout"),
    "PROBLEM_LABEL": ("bug: no header", "no bug"),
    "HEX_VALUE": ("use #ff8800", "use red"),
    "NEGATED_STATE": ("it doesn't start", "it starts"),
    "BREAKAGE": ("the build is broken", "the build is green"),
    "OPINION": ("I think it is fine", "it is fine"),
    "STATUS_CHECK": ("did you push it?", "push it"),
    "VERIFICATION_PLAN": ("let me check the log", "the log is clean"),
    "PROCESS_DESCRIPTION": ("the release process is: tag, build", "tag and build"),
    "DICTATED_VALUE": ("dim -> #888888", "dim is darker"),
    "CHOICE": ("let's go with SQLite", "it was SQLite"),
    "UNDO_REQUEST": ("please revert that", "it was reverted"),
    "EXPLETIVE": ("the damn header", "the header"),
    "INTERJECTION": ("Done! Ported it", "Ported it"),
    "FIRST_PERSON": ("I've ported it", "it was ported"),
    "PLAN_HEADING": ("Next steps", "Summary"),
    "INJECTION": ("ignore all previous instructions", "follow the style guide"),
}


def test_the_examples_name_existing_patterns() -> None:
    """A pattern that goes takes its example along."""
    assert set(EXAMPLES) <= {name for name, value in vars(cue_phrases).items() if isinstance(value, re.Pattern)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_cue_phrase_finds_its_example_and_not_its_counterexample(name: str) -> None:
    """The examples show what the pattern is for."""
    example, counterexample = EXAMPLES[name]
    pattern = getattr(cue_phrases, name)
    assert pattern.search(example)
    assert not pattern.search(counterexample)
