"""Counts the tokens of a Codex session: the client reports sums since the session began, so a report is worth its difference."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.conversation.codex_form import get_payload
from transforms.reading.placed_entry import Usage
from transforms.tables.json_object import JsonObject


def read_usages(lines: Sequence[JsonObject]) -> dict[int, Usage]:
    """Return (input with cache, output, no cost) of each report of usage that adds something, by line.

    Sums that become smaller began anew.
    """
    usages: dict[int, Usage] = {}
    before = (0, 0)
    for index, line in enumerate(lines):
        total = _read_total(line)
        if total is None or total == before:
            continue
        begins_anew = total[0] < before[0] or total[1] < before[1]
        usages[index] = (total[0], total[1], None) if begins_anew else (total[0] - before[0], total[1] - before[1], None)
        before = total
    return usages


def _read_total(line: JsonObject) -> tuple[int, int] | None:
    payload = get_payload(line)
    info = payload.get("info") if line.get("type") == "event_msg" and payload.get("type") == "token_count" else None
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if not isinstance(total, dict):
        return None
    counts = [total.get(name) for name in ("input_tokens", "output_tokens")]
    sums = [count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53 else 0 for count in counts]
    return sums[0], sums[1]
