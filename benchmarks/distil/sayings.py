"""Messages of owners to their agents, labelled clause by clause by ten writers who had seen neither rules nor code.

`sayings.jsonl.xz` has sixty-six voices, each a person with a project of their own, as a stream of work over days: `before` (what
the agent said), `text`, `after`, and `parts`, each with `span`, `kind` and `keep` (lasting, days, no). Everything in it is
invented. `write_sessions` makes session files of it, so that the engine reads what it reads of people.
"""

from __future__ import annotations

import json
import lzma
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from transforms.language.sentences import split_words

ARCHIVE = Path(__file__).with_name("sayings.jsonl.xz")
FIRST_DAY = datetime(2026, 9, 1, 9, tzinfo=UTC)
TURN = timedelta(seconds=40)
HELD_SHARE = 0.6
"""Share of the words of a part that a quotation has, if it quotes the part."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A message with its parts, as (words, kind, keep)."""

    writer: str
    voice: str
    session: str
    before: str
    text: str
    after: str
    parts: tuple[tuple[str, str, str], ...]

    def list_quoted(self, quote: str) -> list[tuple[str, str, str]]:
        """Return the parts that a quotation of the message has."""
        words = set(split_words(quote.casefold()))
        spans = [(part, set(split_words(part[0].casefold()))) for part in self.parts]
        return [part for part, own in spans if own and len(own & words) >= HELD_SHARE * len(own)]


def read_sayings(archive: Path = ARCHIVE) -> list[Saying]:
    """Return all messages of an archive, in order."""
    with lzma.open(archive, "rt", encoding="utf-8") as lines:
        return [
            Saying(
                row["writer"], f"{row['writer']}.{row['voice']}", row["session"], row["before"], row["text"], row["after"],
                tuple((part["span"], part["kind"], part["keep"]) for part in row["parts"]),
            )
            for row in map(json.loads, lines)
        ]  # fmt: skip


def write_sessions(sayings: Sequence[Saying], folder: Path) -> dict[str, Path]:
    """Write a session file of pi for each session of each voice; return the folders of the voices."""
    voices: dict[str, dict[str, list[Saying]]] = {}
    for saying in sayings:
        voices.setdefault(saying.voice, {}).setdefault(saying.session, []).append(saying)
    for voice, sessions in voices.items():
        (folder / voice / "owners").mkdir(parents=True)
        for day, (name, said) in enumerate(sessions.items()):
            rows = _list_entries(f"{voice}/{name}", said, FIRST_DAY + timedelta(days=day))
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / voice / "owners" / f"{voice}-{day}.jsonl").write_text(lines, encoding="utf-8")
    return {voice: folder / voice for voice in voices}


def _list_entries(name: str, sayings: Sequence[Saying], at: datetime) -> Iterator[dict[str, Any]]:
    key = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    yield {"type": "session", "version": 3, "id": key, "timestamp": _word_time(at), "cwd": f"/home/{name.partition('/')[0]}/work"}
    parent, answer = None, ""
    for number, saying in enumerate(sayings):
        turns = [
            ("assistant", saying.before if saying.before != answer else ""),
            ("user", saying.text),
            ("assistant", saying.after),
        ]
        answer = saying.after
        for place, (role, text) in enumerate(turns):
            if text.strip():
                entry = f"{number:06x}{place:02x}"
                message = {"role": role, "content": [{"type": "text", "text": text}]}
                when = _word_time(at + TURN * (3 * number + place + 1))
                yield {"type": "message", "id": entry, "parentId": parent, "timestamp": when, "message": message}
                parent = entry


def _word_time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", ".000Z")
