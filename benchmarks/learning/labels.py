"""Labelled turns from all places in one form: bench sets, dialogues in this repository, labels of real sessions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.distil.people import unpack_people

HERE = Path(__file__).resolve().parent
VOICES = HERE / "voices"
"""Dialogues that writers made up, who had not seen the rules; one file per voice."""
REAL_LABELS = HERE / "real_turns.jsonl"
"""Labels of turns in the sessions of `../shared`: ids and labels, no words."""

REFUTED = HERE / "refuted.txt"
"""Ids of questions and reports of `voices/` after which a claim of the agent no longer stands: "did you boot it?" — "No, I
inferred it". The engineer, who had read what the engine wrongly kept of other voices, went through them once."""
ANSWER_CHARS = 500
"""Characters of an answer that are kept."""
OWNER_SPEAKERS = ("owner", "mixed")


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A user entry with the judgement of a reader. `typed` holds the owner's stretches of `text`, None when nobody marked them;
    `keep` is None where the set does not say."""

    owner: str
    session: str
    before: str
    text: str
    speaker: str
    act: str
    keep: str | None
    typed: tuple[str, ...] | None
    span: str | None
    place: tuple[str, int] | None = None
    """Name of the session's file below `sessions/`, and the line; None where only the turn is there."""
    turn_id: str = ""
    answer: str = ""
    """What the agent says first behind the turn; of voices and gold."""

    @property
    def is_owner(self) -> bool:
        """Whether the owner typed any of it."""
        return self.speaker in OWNER_SPEAKERS


def read_labelled_turns(bench: Path) -> list[LabelledTurn]:
    """Return all labelled turns; sets that are not there give none.

    Args:
        bench: the folder of the bench sets; sessions are looked for beside it.
    """
    return [*_bench_turns(bench), *_gold_turns(bench), *_real_turns(bench), *_voices()]


def read_people_turns() -> list[LabelledTurn]:
    """Return the labelled turns of the made-up people (`benchmarks.distil.people`)."""
    with tempfile.TemporaryDirectory() as folder:
        return [turn for home in unpack_people(Path(folder)).values() for turn in _gold_turns(home / "bench")]


def read_refuted() -> frozenset[str]:
    """Return the ids of the questions and reports of voices that refute what the agent said before them."""
    return frozenset(REFUTED.read_text(encoding="utf-8").split())


def refutes(turn: LabelledTurn, refuted: frozenset[str]) -> bool:
    """Whether a turn refutes what the agent said before it: a correction does by its act."""
    return turn.act == "correction" or turn.turn_id in refuted


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _typed_of(speaker: str, text: str) -> tuple[str, ...] | None:
    return None if speaker == "mixed" else (text,) if speaker == "owner" else ()


def _bench_turns(bench: Path) -> Iterator[LabelledTurn]:
    for path in sorted((bench / "turns").glob("*.labels.jsonl")):
        labels = {row["id"]: row for row in _rows(path)}
        for row in _rows(path.with_name(path.name.replace(".labels", ""))):
            label = labels[row["id"]]
            yield LabelledTurn(
                row["owner"], row["session"], row["before"], row["text"], label["speaker"], label["act"], label["keep"],
                _typed_of(label["speaker"], row["text"]), label["span"],
            )  # fmt: skip


def _gold_turns(bench: Path) -> Iterator[LabelledTurn]:
    for path in sorted((bench / "gold_owners").glob("*.gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        texts = _turns_of(bench.parent / "sessions" / "owners" / gold["file"])
        for turn in gold["turns"]:
            if (entry := texts.get(turn["line"])) is None:
                continue
            before, text, answer = entry
            yield LabelledTurn(
                path.name.split("-")[0].split(".")[0], gold["session"], before, text,
                turn["speaker"], turn["act"] or "none", None,
                _find_stretches(turn["owner_text"] or "", text), None,
                (gold["file"], turn["line"]), answer=answer,
            )  # fmt: skip


def _find_stretches(words: str, text: str) -> tuple[str, ...] | None:
    """The stretches of `text` that annotators wrote as `words`, with […] for gaps; None when one of them is not in it."""
    stretches = []
    for part in (part.strip() for part in words.split("[…]")):
        start = text.lower().find(part.lower())
        if start < 0:
            return None
        if part:
            stretches.append(text[start : start + len(part)])
    return tuple(stretches)


def _real_turns(bench: Path) -> Iterator[LabelledTurn]:
    if not REAL_LABELS.exists():
        return
    paths = {path.stem.split("__")[-1]: path for path in (bench.parent / "sessions").rglob("*.jsonl")}
    texts: dict[str, dict[int, tuple[str, str, str]]] = {}
    for label in _rows(REAL_LABELS):
        session = label["session"]
        if session not in texts:
            texts[session] = _turns_of(paths[session]) if session in paths else {}
        if (entry := texts[session].get(label["line"])) is None:
            continue
        before, text, _ = entry
        typed = tuple(text[start:end] for start, end in label["typed"])
        span = text[slice(*label["span"])] if label["span"] else None
        place = (paths[session].name, label["line"])
        yield LabelledTurn(
            label["owner"], session, before, text, label["speaker"], label["act"], label["keep"], typed, span, place
        )


def _voices() -> Iterator[LabelledTurn]:
    for path in sorted(VOICES.glob("*.jsonl")):
        rows = [*_rows(path)]
        for row, later in zip_longest(rows, rows[1:]):
            answer = later["before"] if later and later["session"] == row["session"] else ""
            answer = "" if answer == row["before"] else answer  # nobody answered
            yield LabelledTurn(
                row["voice"], row["session"], row["before"], row["text"], row["speaker"], row["act"], row["keep"],
                tuple(row["typed"]), row["span"], turn_id=row["id"], answer=answer,
            )  # fmt: skip


def _turns_of(path: Path) -> dict[int, tuple[str, str, str]]:
    """The agent's last text, the user's text and the agent's first answer, by line, of a session of any of the three clients."""
    before, asked, turns = "", -1, dict[int, tuple[str, str, str]]()
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines):
            try:
                role, text = _message_of(json.loads(line))
            except (ValueError, AttributeError, TypeError):
                continue
            if role == "assistant" and text.strip():
                before = text
                if asked in turns and not turns[asked][2]:
                    turns[asked] = (*turns[asked][:2], text[:ANSWER_CHARS])
            elif role == "user" and text.strip():
                asked, turns[number] = number, (before[-1500:], text, "")
    return turns


def _message_of(entry: dict[str, Any]) -> tuple[str, str]:
    message = entry.get("message") or entry.get("payload") or {}
    content = message.get("content") or ""
    if isinstance(content, str):
        return str(message.get("role")), content
    if any(isinstance(part, dict) and part.get("type") == "tool_result" for part in content):
        return "tool", ""
    kinds = ("text", "input_text", "output_text")
    return str(message.get("role")), "\n".join(part.get("text", "") for part in content if part.get("type") in kinds)
