"""Makes machine-readable truth from planted quotations: session, kind, keys and the file lines that prove each fact."""

from __future__ import annotations

import json
from typing import Any


def join_words(entry: dict[str, Any]) -> str:
    """Return everything that can be quoted from an entry: text, thinking, arguments, output, summary."""
    message = entry.get("message", {})
    content = message.get("content", entry.get("content", ""))
    parts = content if isinstance(content, list) else [{"text": content}]
    words = [
        part.get("text", "") or part.get("thinking", "") or json.dumps(part.get("arguments", ""), ensure_ascii=False)
        for part in parts
    ]
    words += [message.get("command", ""), message.get("output", ""), entry.get("summary", "")]
    return " ".join(" ".join(map(str, words)).split())


def find_lines(quote: str, text: str) -> list[int]:
    """Return the 0-based lines of the file whose entry contains the quotation (white space folded)."""
    wanted = " ".join(quote.split())
    entries = [json.loads(line) for line in text.splitlines()]
    return [number for number, entry in enumerate(entries) if entry["type"] != "session" and wanted in join_words(entry)]


def build_truth(planted: dict[str, Any], texts: dict[str, str], names: dict[str, str]) -> dict[str, Any]:
    """Return the table for tests.

    Raises:
        ValueError: when a quotation is not in its session.
    """
    ids = {slug: json.loads(text.splitlines()[0])["id"] for slug, text in texts.items()}

    def locate(row: dict[str, Any]) -> dict[str, Any]:
        quotes = row["quote"] if isinstance(row["quote"], list) else [row["quote"]]
        lines = sorted({line for quote in quotes for line in find_lines(quote, texts[row["session"]])})
        if missing := [quote for quote in quotes if not find_lines(quote, texts[row["session"]])]:
            raise ValueError(f"{row['session']}: nobody says {missing}")
        kept = {key: value for key, value in row.items() if key not in ("quote", "session")}
        return kept | {"session": ids[row["session"]], "scene": row["session"], "lines": lines}

    sessions = [{"scene": slug, "session": ids[slug], "path": names[slug]} for slug in texts]
    return {
        "sessions": sessions,
        "facts": [locate(row) for row in planted["facts"]],
        "must_not": [locate(row) for row in planted["must_not"]],
        "superseded": planted["superseded"],
        "questions": [locate(row) for row in planted["questions"]],
    }
