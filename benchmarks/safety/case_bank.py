"""Reads banks of cases as JSONL: an object per line with id, kind (secret or innocent), text, secrets and where.

A secret stays when one of its strings survives in what the lake holds, whole or in part: PART_CHARS characters or half of it. A
part that the text also has outside of its secrets says nothing. An innocent text is changed when a placeholder stands in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

PART_CHARS, LEAST_PART = 8, 4
PLACES = {"typed": "user", "tool_output": "tool_result", "file": "tool_result", "agent": "assistant"}
"""Where the places of such a bank stand in a session."""
_PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]")


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a file, each with the place and the text of its entry; arguments of a tool are an object."""
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        place = case["where"]
        yield case | {"place": place, "where": PLACES.get(place, place), "source": case["text"],
                      "text": _read_arguments(case["text"]) if place == "tool_arguments" else case["text"]}  # fmt: skip


def list_survivors(case: dict[str, Any], lake: str) -> list[str]:
    """Return the strings of a case of which the lake still holds the whole or a part."""
    source = case["source"] + "\n" + "\n".join(list_texts(case["text"]))
    for secret in sorted(case["secrets"], key=len, reverse=True):
        source = source.replace(secret, "\0")
    held = _PLACEHOLDER.sub("\0", lake)
    return [secret for secret in case["secrets"] if _survives(secret, source, held)]


def is_changed(case: dict[str, Any], lake: str) -> bool:
    """Whether redaction changed an innocent text."""
    return len(set(_PLACEHOLDER.findall(lake))) > len(set(_PLACEHOLDER.findall(case["source"])))


def count_classes(cases: Sequence[dict[str, Any]], name: str) -> dict[str, int]:
    """Return how many cases there are of each value of a member."""
    counts: dict[str, int] = {}
    for case in cases:
        counts[case[name]] = counts.get(case[name], 0) + 1
    return dict(sorted(counts.items()))


def _survives(secret: str, source: str, held: str) -> bool:
    if secret in held and secret not in source:
        return True
    size = max(LEAST_PART, min(PART_CHARS, -(-len(secret) // 2)))
    parts = {secret[at : at + size] for at in range(len(secret) - size + 1)}
    return any(part in held and part not in source for part in parts)


def _read_arguments(text: str) -> Any:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {"command": text}
    return value if isinstance(value, dict) else {"command": text}


def list_texts(value: Any) -> Iterator[str]:
    """Yield the strings of a text, or of the arguments of a tool."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from list_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from list_texts(item)
