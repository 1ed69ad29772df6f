"""What the observer of a compaction reads: nothing that anybody said is missing, and output of tools stands there once."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.pi.clients import ROOT, node

pytestmark = pytest.mark.pi

FILE = [f"line {number} of a file that is read more than once" for number in range(12)]
WHOLE = 1_000_000


def serialize(cases: list[tuple[list[dict[str, Any]], int]]) -> list[list[str]]:
    """Return the pieces of each list of messages, from one process of node."""
    script = [str(ROOT / "tests/pi/serialize_messages.mjs"), str(ROOT / "extensions/pi/observational-memory/observer.ts")]
    lines = "".join(json.dumps({"messages": messages, "threshold": threshold}) + "\n" for messages, threshold in cases)
    command = [str(node()), "--experimental-strip-types", "--no-warnings", *script]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def say(text: str) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def read(text: str) -> dict[str, Any]:
    """Return the output of a tool."""
    return {"role": "toolResult", "toolName": "read", "content": [{"type": "text", "text": text}]}


def test_a_file_that_is_read_again_is_named_and_what_is_new_in_it_stays() -> None:
    """Also in the middle of other lines; the label of the message stays, whatever its output is."""
    text = "\n".join(FILE)
    (piece,) = serialize([([read(text), read(f"{text}\nnew\n{text}"), read(text)], WHOLE)])[0]
    label = "[time unknown] Result of read: "
    first, second, third = piece.split("\n\n")
    assert first == label + text
    assert second == f"{label}[… 12 lines as above]\nnew\n[… 12 lines as above]"
    assert third == f"{label}[… 12 lines as above]"


def test_each_request_holds_what_it_names() -> None:
    """A long conversation is read in pieces: the second piece shows the file anew."""
    text = "\n".join(FILE)
    pieces = serialize([([read(text), say("x" * 4_000), read(text)], 1_000)])[0]
    assert len(pieces) == 3
    assert text in pieces[0]
    assert text in pieces[2]


LINES = st.lists(st.sampled_from([*FILE, "", "}", "  return 1", "Tests: 12 passed"]), max_size=12).map("\n".join)
MESSAGES = st.lists(st.one_of(LINES.map(say), LINES.map(read)), min_size=1, max_size=6)


@given(st.lists(st.tuples(MESSAGES, st.sampled_from([100, 400, WHOLE])), min_size=10, max_size=20))
@settings(max_examples=5, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_no_line_is_lost_and_words_are_never_shortened(cases: list[tuple[list[dict[str, Any]], int]]) -> None:
    """Each line of an output stands somewhere before its name; what a person said stands there whole."""
    for (messages, _), pieces in zip(cases, serialize(cases), strict=True):
        whole = "\n\n".join(pieces)
        for message in messages:
            if message["role"] == "user":
                assert message["content"].strip() in whole
            else:
                lines = message["content"][0]["text"].strip().splitlines()
                assert all(line.strip() in whole for line in lines)
