"""Fills the record of requests from a provider's batch, so that the requests that follow are answered from it.

A batch is noted on disk before it is submitted and with its id afterwards: a run that was killed waits for the same batch, and a
batch whose id was lost, by a kill or with the provider's answer, is looked for at that provider before its requests go out again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from effects.engines.call_store import BudgetError, CallResult, CallStore, ModelCall
from effects.engines.model_chain import PreparedCall
from effects.engines.requests import Reply
from effects.store.run import Run
from effects.system.errors import ConfigError
from effects.system.files import replace_file
from transforms.pricing.spend import Spend, bound_billed_tokens
from transforms.tables.enums import CallOutcome
from transforms.tables.ids import hash_fields
from transforms.tables.json_object import JsonObject
from transforms.tables.tokens import count_tokens

if TYPE_CHECKING:
    from effects.batches.batch_clients import BatchClient

BATCH_FOLDER = "_batches"
MAX_CAUSE_CHARS = 160
POLL_S = 20.0
MAX_WAIT_S = 25 * 3600.0
"""Both providers end a batch within 24 hours."""
MAX_REQUESTS = 2_000
"""Requests of one batch: well below the limits of both providers."""


class BatchWaitError(Exception):
    """The batch was not there, or not done, in time: its requests wait for the next run."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch as it is noted: `batch_id` is empty while it is being submitted; `items` are its calls by key. `base_url` is the
    address that it went to, None for the provider's own."""

    path: Path
    batch_id: str
    items: dict[str, ModelCall]
    base_url: str | None


def prefetch(run: Run, store: CallStore, prepared: Sequence[PreparedCall], poll_s: float = POLL_S) -> int:
    """Have the requests that are not recorded yet answered in a batch, and return how many were.

    Requests that do not fit the budgets are left out, and so are those that fail or expire.

    Raises:
        ConfigError: when the provider has no batches.
        BatchWaitError: when the provider could not be reached or did not end the batch.
    """
    by_key = {call.call.key: call for call in prepared}
    if not by_key:
        return 0
    from effects.batches.batch_clients import open_batch_client  # a night without batches needs no client of a provider

    base_url, timeout = run.settings.engine.base_url, run.settings.engine.timeout_s
    client = open_batch_client(prepared[0].call.model, base_url, timeout)
    answered = sum(_collect_noted(run, store, note, by_key, poll_s) for note in _read_notes(run))
    tried: set[str] = set()
    while True:
        open_calls = {key: call for key, call in by_key.items() if key not in tried and not store.is_answered(key)}
        held = _reserve(store, open_calls)
        if not held:
            return answered
        tried |= held.keys()
        note = _submit(run, store, client, {key: open_calls[key] for key in held}, held)
        answered += _collect(run, store, client, note, held, by_key, poll_s)


def _reserve(store: CallStore, open_calls: dict[str, PreparedCall]) -> dict[str, Spend]:
    """Reserve the most that each of the first requests costs, as many as fit the budgets."""
    held: dict[str, Spend] = {}
    for key, call in list(open_calls.items())[:MAX_REQUESTS]:
        expected = bound_billed_tokens(call.request.system, call.request.prompt)
        try:
            held[key] = store.reserve(call.call.model, expected, call.request.max_output_tokens, may_wait=False)
        except BudgetError:
            break
    return held


def _submit(run: Run, store: CallStore, client: BatchClient, items: dict[str, PreparedCall], held: dict[str, Spend]) -> _Batch:
    name = hash_fields(*items, size=12)
    path = run.lake.root / BATCH_FOLDER / f"{name}.json"
    base_url = run.settings.engine.base_url
    _write_note(path, "", items, base_url)
    try:
        batch_id = client.submit(name, {key: call.request for key, call in items.items()})
    except Exception as error:
        for spend in held.values():
            store.release(spend)
        cause = " ".join(str(error).split())[:MAX_CAUSE_CHARS]
        if _is_refusal(error):
            path.unlink(missing_ok=True)
            raise BatchWaitError(f"the batch was not accepted: {cause}") from error
        raise BatchWaitError(f"whether the batch was accepted is not known, the next run looks for it: {cause}") from error
    _write_note(path, batch_id, items, base_url)
    return _Batch(path, batch_id, {key: call.call for key, call in items.items()}, base_url)


def _is_refusal(error: Exception) -> bool:
    """Whether the provider said that it took nothing; after a timeout, a cut connection or a fault of its own it may have."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and 400 <= status < 500 and status not in (408, 409)


def _collect_noted(run: Run, store: CallStore, note: _Batch, known: dict[str, PreparedCall], poll_s: float) -> int:
    """Collect a batch of a former run from the provider that it went to.

    Answers that nobody asks for now (of a former model, say) are taken when they are there, and never waited for.
    """
    from effects.batches.batch_clients import open_batch_client

    is_wanted = not known.keys().isdisjoint(note.items)
    try:
        model = next(iter(note.items.values())).model
        client = open_batch_client(model, note.base_url, run.settings.engine.timeout_s)
        return _collect(run, store, client, note, {}, known, poll_s if is_wanted else None)
    except (BatchWaitError, ConfigError):
        if is_wanted:
            raise
        return 0


def _collect(
    run: Run,
    store: CallStore,
    client: BatchClient,
    note: _Batch,
    held: dict[str, Spend],
    known: dict[str, PreparedCall],
    poll_s: float | None,
) -> int:
    """Wait for a batch, unless `poll_s` is None, and record its answers; the note goes when they are stored."""
    from effects.batches.batch_clients import BATCH_PRICE

    response_model = next(call.request.response_model for call in known.values())
    try:
        batch_id = _await_batch(run, client, note, poll_s)
        replies = client.read(batch_id, response_model) if batch_id else {}
    except BatchWaitError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split())[:MAX_CAUSE_CHARS]
        raise BatchWaitError(f"the batch of {BATCH_FOLDER}/{note.path.name} cannot be read: {cause}") from error
    finally:
        for key, spend in held.items():
            if key in note.items:
                store.release(spend)
    count = 0
    for key, reply in sorted(replies.items()):
        if key in note.items and not store.is_answered(key):
            store.record(note.items[key], Spend(), _build_result(reply), BATCH_PRICE)
            count += 1
    note.path.unlink(missing_ok=True)
    return count


def _await_batch(run: Run, client: BatchClient, note: _Batch, poll_s: float | None) -> str:
    """Return the id of a noted batch that has ended; empty when the provider has none. Without seconds, do not wait."""
    batch_id = note.batch_id or client.find(note.path.stem, note.items)
    while batch_id:
        _wait(run, client, batch_id, len(note.items), poll_s)
        settled = note.batch_id or client.find(note.path.stem, note.items)
        if settled == batch_id:
            break
        batch_id = settled  # one that still ran was another program's: only an ended batch shows its requests
    return batch_id


def _wait(run: Run, client: BatchClient, batch_id: str, total: int, poll_s: float | None) -> None:
    waited = 0.0
    while not (state := client.ask_state(batch_id)).is_ended:
        if poll_s is None:
            raise BatchWaitError(f"the batch {batch_id} has not ended")
        if waited >= MAX_WAIT_S:
            raise BatchWaitError(f"the batch {batch_id} did not end in a day")
        run.progress(f"batch {batch_id}", state.done, total)
        time.sleep(poll_s)
        waited += poll_s


def _build_result(reply: Reply) -> CallResult:
    outcome: CallOutcome = "refused" if reply.is_refusal else "invalid" if reply.problem else "ok"
    spent_out = reply.output_tokens if reply.output_tokens is not None else count_tokens(reply.text)
    return CallResult(outcome, reply.text, reply.problem, reply.input_tokens or 0, spent_out, charged_tokens=reply.charged_tokens)


def _write_note(path: Path, batch_id: str, items: dict[str, PreparedCall], base_url: str | None) -> None:
    calls = [
        {
            "key": call.call.key, "engine": call.call.engine, "model": call.call.model,
            "template_hash": call.call.template_hash, "session_id": call.call.session_id,
        }
        for call in items.values()
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, orjson.dumps({"batch_id": batch_id, "base_url": base_url, "calls": calls}))


def _read_notes(run: Run) -> list[_Batch]:
    notes = []
    for path in sorted((run.lake.root / BATCH_FOLDER).glob("*.json")):
        stored: JsonObject = orjson.loads(path.read_bytes())
        base_url = stored.get("base_url", run.settings.engine.base_url)  # notes of 0.7 name no address
        notes.append(_Batch(path, stored["batch_id"], {call["key"]: ModelCall(**call) for call in stored["calls"]}, base_url))
    return notes
