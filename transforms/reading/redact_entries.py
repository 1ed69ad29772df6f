"""Removes secrets and bulk from entries, and writes their JSON as it is stored.

Rust searches the lines as they were written, and Python looks only at entries with something to take out. All others keep
their bytes, so that they are not written anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import orjson
import polars as pl

from transforms.conversation.claude_form import list_results
from transforms.reading.pi.entry_text import cut_bulk
from transforms.reading.secret_prefilter import (
    find_agent_candidates,
    find_matching_rows,
    find_output_candidates,
    find_secret_candidates,
    find_spoken_candidates,
)
from transforms.redaction.apart.asked_answers import AskedBefore
from transforms.redaction.apart.spread_secrets import (
    add_plain_forms,
    choose_followed,
    is_session_word,
    list_line_forms,
    reads_as_name,
    replace_followed,
)
from transforms.redaction.context import BARE, LISTS, PASSWORDS, PRINTED, RUNS, TOKENS, TRANSLATED
from transforms.redaction.formats.stored_secrets import choose_secrets, find_rows_with_secrets
from transforms.redaction.redact import ASSIGNED, COMMANDS, NO_SECRETS, redact_answer, redact_value
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates

BULK = r'Signature"|"signature"|encrypted_content|"image"|"truncation"|\\u|\\/|\x{FFFD}'
"""Text that may have to be cut, or whose form hides secrets from a search: escapes, replaced characters."""

BESIDE_SECRETS = ASSIGNED | COMMANDS | PASSWORDS | TOKENS | LISTS | RUNS | TRANSLATED
"""Searches that look at every entry with a secret."""
NO_REQUESTS: Mapping[int, AskedBefore] = MappingProxyType({})
USER_ROLES = ("user", "bashExecution")
AGENT_PAYLOADS = ("agent_message", "function_call", "custom_tool_call", "reasoning")
"""Types of the entries of Codex that an agent wrote."""


@dataclass(frozen=True, slots=True)
class CleanEntries:
    """Entries as they are stored, the number of secrets that were removed from each, and the column `raw_json`.

    `given_away` are the secrets that the rules found in each session, those of its earlier entries among them.
    """

    entries: list[JsonObject]
    secret_counts: list[int]
    raw_json: pl.Series
    given_away: list[dict[str, str]]


def clean_entries(
    entries: Sequence[JsonObject],
    lines: Sequence[bytes],
    secrets: Mapping[str, str] = NO_SECRETS,
    requests: Mapping[int, AskedBefore] = NO_REQUESTS,
    sessions: Sequence[tuple[int, Mapping[str, str]]] = (),
) -> CleanEntries:
    """Return the entries with bulk cut and secrets redacted.

    `lines` are the entries as their files have them; an entry with an empty line is written anew. In the words of a user a
    spoken secret and a bare token count as well. `secrets` are known ones with their placeholders: they go wherever they stand.
    `requests` are what was asked for right before an entry. `sessions` are how many of the entries each session has, and the
    secrets that its earlier entries gave away: what one entry of a session gives away goes from all of them.
    """
    clean, stored = list(entries), list(lines)
    (bulky,) = find_matching_rows(_make_raw_json(stored), (BULK,))
    for row in sorted({*bulky, *(row for row, line in enumerate(stored) if not line)}):
        clean[row], stored[row] = _write_entry(cut_bulk(clean[row]))
    users = dict.fromkeys(row for row, entry in enumerate(entries) if is_user_message(entry))
    agents = dict.fromkeys(row for row, entry in enumerate(entries) if is_agent_message(entry))
    outputs = dict.fromkeys(row for row in range(len(entries)) if row not in users and row not in agents)
    secret_counts = [0] * len(clean)
    raw_json = _make_raw_json(stored)
    candidates = _find_candidates(raw_json, list(users), list(agents), list(outputs))
    known = {row: choose_secrets(raw_json[row], secrets) for row in find_rows_with_secrets(raw_json, secrets)}
    given_by_row: dict[int, dict[str, str]] = {}
    for row in sorted({*candidates, *known}):
        stored_secrets, is_user = known.get(row, NO_SECRETS), row in users
        shapes, assigned = candidates.get(row, (0, 0))
        value, count = redact_value(clean[row], is_user, shapes, assigned, stored_secrets)
        if count:  # a placeholder changes what stands around other values: they are judged again
            again = assigned | BESIDE_SECRETS | (PRINTED if row in outputs else BARE)
            value, count = redact_value(clean[row], is_user, shapes, again, stored_secrets, given_by_row.setdefault(row, {}))
        # Written anew also when nothing was found: of a member that occurs twice, the first value stands in the line only.
        clean[row], stored[row] = _write_entry(value)
        secret_counts[row] = count
    for row, request in requests.items():
        value, count = redact_answer(clean[row], request, row in users, given_by_row.setdefault(row, {}))
        if count:
            clean[row], stored[row] = _write_entry(value)
            secret_counts[row] += count
    given_away, start = list[dict[str, str]](), 0
    for size, earlier in sessions:
        rows = range(start, start + size)
        here = {secret: mark for row in rows for secret, mark in given_by_row.get(row, NO_SECRETS).items()}
        given_away.append({**earlier, **add_plain_forms(here)})
        followed = find_followed(_make_raw_json(stored[start : start + size]), given_away[-1]) if given_away[-1] else {}
        for row, secrets_here in followed.items():
            clean[start + row], stored[start + row] = _write_entry(replace_followed(clean[start + row], secrets_here))
            secret_counts[start + row] += len(secrets_here)
        start += size
    return CleanEntries(clean, secret_counts, _make_raw_json(stored), given_away)


def find_followed(lines: pl.Series, given_away: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """Return the lines of JSON of a session that still hold secrets which others of it gave away, with their placeholders."""
    forms = {secret: list_line_forms(secret) for secret in choose_followed(given_away)}
    if not forms or not len(lines):
        return {}
    rows = lines.str.contains_any(sorted({form for some in forms.values() for form in some})).arg_true().to_list()
    standing = {row: str(lines[row]) for row in rows}
    followed: dict[int, dict[str, str]] = {}
    for secret, some in forms.items():
        holding = {row: text for row, text in standing.items() if any(form in text for form in some)}
        if holding and not (reads_as_name(secret) and is_session_word(secret, list(holding.values()))):
            for row in holding:
                followed.setdefault(row, {})[secret] = given_away[secret]
    return followed


def is_user_message(entry: JsonObject) -> bool:
    """Whether a person may have written the entry: role user, in the format of any agent."""
    message = entry.get("message")
    payload = entry.get("payload")
    if isinstance(payload, dict) and "id" not in entry:
        return payload.get("role") == "user" or payload.get("type") == "user_message"
    if entry.get("type") in ("queue-operation", "last-prompt", "attachment"):
        return True
    if entry.get("type") == "user":
        return not list_results(entry)
    return isinstance(message, dict) and message.get("role") in USER_ROLES and entry.get("type") == "message"


def is_agent_message(entry: JsonObject) -> bool:
    """Whether an agent wrote the entry: its words, thoughts and the arguments of its tools, in the format of any agent."""
    message, payload = entry.get("message"), entry.get("payload")
    if isinstance(payload, dict) and "id" not in entry:
        return payload.get("role") == "assistant" or payload.get("type") in AGENT_PAYLOADS
    return isinstance(message, dict) and message.get("role") == "assistant"


def _find_candidates(raw_json: pl.Series, users: list[int], agents: list[int], outputs: list[int]) -> dict[int, tuple[int, int]]:
    """Return the rows that may hold a secret, with the bits of `find_secret_candidates`."""
    candidates = find_secret_candidates(raw_json, users)
    for rows, find in (
        (users, find_spoken_candidates),
        (agents, find_agent_candidates),
        (outputs, find_output_candidates),
    ):
        for place, bits in find(raw_json.gather(rows)).items():
            shapes, assigned = candidates.get(rows[place], (0, 0))
            candidates[rows[place]] = (shapes, assigned | bits)
    return candidates


def _make_raw_json(lines: Sequence[bytes]) -> pl.Series:
    return pl.Series("raw_json", lines, pl.Binary).cast(pl.String)


def _write_entry(entry: JsonObject) -> tuple[JsonObject, bytes]:
    """Return the entry and its compact JSON. Lone surrogates become U+FFFD in both: Parquet refuses them."""
    try:
        return entry, orjson.dumps(entry)
    except (TypeError, orjson.JSONEncodeError):
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        data = replace_surrogates(text).encode()
        try:
            return orjson.loads(data), data
        except orjson.JSONDecodeError:  # nested deeper than orjson reads
            return json.loads(data), data
