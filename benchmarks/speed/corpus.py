"""A corpus of any size from the sessions at hand: fresh ids, moved dates, other words in every copy.

Copies with the same text would compress to nothing and stay in every cache; here each copy exchanges a quarter of the words
of its texts for others of the corpus, so that a copy compresses like a session of its own.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples" / "sessions"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "sessions"
WORD = re.compile(r"[A-Za-z][a-z]{3,}")
TEXT_KEYS = frozenset({"text", "thinking", "content", "output", "summary", "command", "oldText", "newText", "diff"})
ENVELOPE = frozenset({"type", "id", "parentId"})
ID_KEYS = frozenset({"firstKeptEntryId", "targetId", "fromId"})
FIRST_DAY = datetime(2024, 1, 1, 7, tzinfo=UTC)
SHARE = 0.25
"""Part of the vocabulary that a copy exchanges."""
BYTES_A_DAY = 2_500_000
"""A busy day: some fifteen sessions. Sessions begin on as many days as the corpus then has."""


def sources() -> list[Path]:
    """Return the session files that a corpus is made from, whole ones only."""
    folders = [SAMPLES, *(SHARED / name for name in ("real", "made") if (SHARED / name).is_dir())]
    return sorted(path for folder in folders for path in folder.rglob("*.jsonl"))


def build(folder: Path, megabytes: float, seed: int = 1, first_day: int = 0) -> list[Path]:
    """Write sessions of about `megabytes` in total, begun on `first_day` of the corpus or later; the files, sorted."""
    plan: list[tuple[Path, int, int]] = []
    size, copy = 0, 0
    inputs = sources()
    while size < megabytes * 1e6:
        for path in inputs:
            plan.append((path, copy, first_day + size // BYTES_A_DAY))
            size += path.stat().st_size
            if size >= megabytes * 1e6:
                break
        copy += 1
    return _write_copies(folder, seed, plan)


def build_many(folder: Path, count: int, megabytes: float, seed: int = 1) -> tuple[list[Path], int]:
    """Write `count` sessions of together about `megabytes`: small and large ones by turns; the files, sorted, and their days."""
    by_size = sorted(sources(), key=lambda path: (path.stat().st_size, path))
    mean = megabytes * 1e6 / count
    small = [path for path in by_size if path.stat().st_size <= mean]
    large = [path for path in by_size if path.stat().st_size > mean]
    if not small or not large:
        raise ValueError(f"sessions of {mean / 1e6:.2f} MB cannot be made of these files")
    plan: list[tuple[Path, int, int]] = []
    used = {True: 0, False: 0}
    size = 0
    for number in range(count):
        is_large = size <= mean * number
        kind = large if is_large else small
        copy, place = divmod(used[is_large], len(kind))
        plan.append((kind[place], copy, size // BYTES_A_DAY))
        used[is_large] += 1
        size += kind[place].stat().st_size
    return _write_copies(folder, seed, plan), size // BYTES_A_DAY + 1


def _write_copies(folder: Path, seed: int, plan: list[tuple[Path, int, int]]) -> list[Path]:
    with ProcessPoolExecutor(2) as pool:
        return sorted(pool.map(partial(_write_copy, folder, seed), plan, chunksize=8))


def build_small(folder: Path, count: int, seed: int = 1) -> list[Path]:
    """Write `count` small sessions (a few entries each)."""
    base = min(sources(), key=lambda path: (path.stat().st_size, path))
    lines = base.read_bytes().split(b"\n")[:8]
    return [_write(folder, _renewed(lines, f"{seed}-small-{copy}", copy // 15, {})) for copy in range(count)]


def build_one(folder: Path, megabytes: float, seed: int = 1) -> Path:
    """Write one session of about `megabytes`, of all sources behind one another."""
    target, size, copy = folder / "one.jsonl", 0, 0
    words = vocabulary()
    with target.open("wb") as handle:
        while size < megabytes * 1e6:
            for path in sources():
                words_now = exchange(words, seed, copy)
                lines = _renewed(path.read_bytes().split(b"\n"), f"{seed}-one-{copy}-{path.name}", copy % 20, words_now)
                size += handle.write(b"".join(line + b"\n" for line in (lines if size == 0 else lines[1:])))
            copy += 1
    return target


def vocabulary() -> list[str]:
    """Return the words of all sources, sorted."""
    return sorted({word for path in sources() for word in WORD.findall(path.read_text("utf-8", "replace"))})


def exchange(words: list[str], seed: int, copy: int) -> dict[str, str]:
    """Return the words of the vocabulary that a copy exchanges, with their substitutes."""
    chance = random.Random(f"{seed}-{copy}")
    return {word: chance.choice(words) for word in words if chance.random() < SHARE}


_words: list[str] = []
_exchanged: dict[int, dict[str, str]] = {}


def _write_copy(folder: Path, seed: int, task: tuple[Path, int, int]) -> Path:
    path, copy, day = task
    if not _words:
        _words.extend(vocabulary())
    if copy not in _exchanged:
        _exchanged.clear()
        _exchanged[copy] = exchange(_words, seed, copy)
    return _write(folder, _renewed(path.read_bytes().split(b"\n"), f"{seed}-{path.name}-{copy}", day, _exchanged[copy]))


def _write(folder: Path, lines: list[bytes]) -> Path:
    header = orjson.loads(lines[0])
    cwd = str(header["cwd"]).strip("/").replace("/", "-")
    stamp = header["timestamp"].replace(":", "-").replace(".", "-")
    target = folder / f"--{cwd}--" / f"{stamp}_{header['id']}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"".join(line + b"\n" for line in lines))
    return target


def _renewed(lines: list[bytes], seed: str, day: int, words: dict[str, str]) -> list[bytes]:
    """Return the lines of a session as version 3, with fresh ids, begun on `day` of the corpus, with words exchanged."""
    chance = random.Random(seed)
    values = list(_objects(lines))
    begun = FIRST_DAY + timedelta(days=day, minutes=chance.randrange(900))
    shift = begun - datetime.fromisoformat(values[0]["timestamp"])
    own = str(UUID(int=chance.getrandbits(128), version=4))
    ids: dict[str, str] = {}
    header = {"type": "session", "version": 3, "id": own, "timestamp": values[0]["timestamp"], "cwd": values[0].get("cwd", "/w")}
    renewed = [_dumped(_moved(header, shift))]
    before = None
    for number, value in enumerate(values[1:]):
        fresh = ids.setdefault(value.get("id") or f"line {number}", f"{chance.getrandbits(32):08x}")
        parent = ids.get(value["parentId"]) if value.get("parentId") else before if "parentId" not in value else None
        rest = {key: ids.get(item, item) if key in ID_KEYS else item for key, item in value.items() if key not in ENVELOPE}
        envelope = {"type": value.get("type"), "id": fresh, "parentId": parent}
        renewed.append(_dumped(_moved(envelope | _exchanged_texts(rest, "", words), shift)))
        before = fresh
    return renewed


def _objects(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict) and "timestamp" in value:
            yield value


def _moved(value: dict[str, Any], shift: timedelta) -> dict[str, Any]:
    moved = datetime.fromisoformat(value["timestamp"]) + shift
    value["timestamp"] = moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("timestamp"), int):
        message["timestamp"] += int(shift.total_seconds() * 1000)
    return value


def _exchanged_texts(value: Any, key: str, words: dict[str, str]) -> Any:
    if isinstance(value, str):
        return WORD.sub(lambda match: words.get(match[0], match[0]), value) if key in TEXT_KEYS else value
    if isinstance(value, dict):
        return {name: _exchanged_texts(item, name, words) for name, item in value.items()}
    return (
        [_exchanged_texts(item, key if isinstance(item, str) else "", words) for item in value]
        if isinstance(value, list)
        else value
    )


def _dumped(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate: as a JavaScript writer escapes it
        return json.dumps(value).encode()
