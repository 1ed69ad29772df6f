"""Our serializer and estimates against the published pi package, byte for byte."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from tests.pi.clients import ROOT, told_by_pi
from tests.pi.generated import write_session
from transforms.conversation.serialize import convert_to_llm, estimate_tokens, project_entry, serialize_conversation
from transforms.reading.json_lines import parse_chunk

pytestmark = pytest.mark.pi
SHARED = ROOT.parent / "shared" / "sessions"
GENERATED = 500


def sessions(folder: Path) -> list[Path]:
    """Return the samples, the sessions beside the project when they are there, and generated ones."""
    real = [*(ROOT / "data/samples/sessions").rglob("*.jsonl"), *SHARED.glob("real/*.jsonl"), *SHARED.glob("made/*/*.jsonl")]
    return [*sorted(real), *(write_session(folder, seed) for seed in range(GENERATED))]


def ours(path: Path) -> tuple[str, int, list[int]]:
    """(hash of the text, its bytes, estimates) of all entries of a session in file order."""
    entries = [parsed.value for parsed in parse_chunk(path.read_bytes()).objects if parsed.value.get("type") != "session"]
    messages = [message for entry in entries if (message := project_entry(entry)) is not None]
    text = serialize_conversation(convert_to_llm(messages)).encode("utf-16-le", "surrogatepass")
    data = text.decode("utf-16-le", "replace").encode()  # as node writes lone surrogates
    return sha256(data).hexdigest(), len(data), [estimate_tokens(message) for message in messages]


def test_every_session_serializes_and_is_estimated_as_pi_itself_does_it(tmp_path: Path) -> None:
    paths = sessions(tmp_path)
    by_pi = {row["path"]: row for row in map(orjson.loads, told_by_pi("1.5.2", paths).splitlines())}
    assert len(by_pi) == len(paths) >= GENERATED
    different = []
    for path in paths:
        theirs = by_pi[str(path)]
        if ours(path) != (theirs["sha256"], theirs["bytes"], theirs["estimates"]):
            different.append(path.name)
    assert different == []
