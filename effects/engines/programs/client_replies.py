"""From what a client printed to a reply, or to the error that says whether another request would be answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel

from effects.engines.programs.program import ProgramOutput, clean_message, is_busy, is_login_missing, is_used_up
from effects.engines.provider_errors import TRANSIENT_STATUS
from effects.engines.requests import Reply, TransportError
from transforms.model_answers.client_events import ClientAnswer
from transforms.model_answers.cut_answer import find_answer
from transforms.pricing.spend import weigh_cached_tokens

_FORM_FAULTS = (400, 413, 422)
_UNKNOWN_OPTION = ("unknown option", "unexpected argument", "unrecognized subcommand")


@dataclass(frozen=True, slots=True)
class Client:
    """A program that its owner is logged in to: its name for people, the oldest version whose options we know, and the commands
    that log in and update it."""

    program: str
    name: str
    oldest: tuple[int, ...]
    login_command: str
    update_command: str


CLAUDE = Client("claude", "Claude Code", (2, 1, 197), "claude auth login", "claude update")
CODEX = Client("codex", "Codex", (0, 169, 0), "codex login", "codex update")


def build_reply(client: Client, answer: ClientAnswer, output: ProgramOutput, schema: type[BaseModel]) -> Reply:
    """Return the reply that a client's answer is: its object without the words around it.

    Raises:
        TransportError: when there is no answer.
    """
    if answer.error:
        raise _convert_error(client, answer, clean_message(answer.error))
    if not answer.text and not answer.is_refusal and answer.plain_tokens is None:
        raise _convert_error(client, answer, output.complaint or f"it ended with {output.code}")
    written = find_answer(answer.text, schema)
    problem = "" if written else "there is no JSON object in it" if answer.text else "it is empty"
    plain = answer.plain_tokens
    return Reply(
        written or answer.text,
        "it refused" if answer.is_refusal else "it was cut off at the output limit" if answer.is_cut else problem,
        answer.is_refusal,
        None if plain is None else plain + answer.written_tokens + answer.cached_tokens,
        answer.output_tokens,
        None if plain is None else weigh_cached_tokens(plain, answer.written_tokens, answer.cached_tokens),
        answer.usd,
    )


def _convert_error(client: Client, answer: ClientAnswer, message: str) -> TransportError:
    """Return the error with the next command, where one helps; the time at which a limit resets stands in it.

    An answer that broke off may be billed.
    """
    if answer.resets_at or is_used_up(message):
        until = f"; it resets at {datetime.fromtimestamp(answer.resets_at, UTC):%Y-%m-%d %H:%M} UTC" if answer.resets_at else ""
        return TransportError(f"{client.name}: {message}{until}", is_final=True)
    if answer.status in (401, 403) or is_login_missing(message):
        return TransportError(f"{client.name} is not logged in ({message}): `{client.login_command}`", is_final=True)
    if any(words in message for words in _UNKNOWN_OPTION):
        return TransportError(f"{client.name} is too old ({message}): `{client.update_command}`", is_final=True)
    if answer.status in _FORM_FAULTS or "invalid_request" in message:
        return TransportError(f"{client.name}: {message}", is_request_at_fault=True)
    is_transient = answer.status in TRANSIENT_STATUS or answer.status >= 500 or is_busy(message)
    return TransportError(f"{client.name}: {message}", is_transient=is_transient, may_be_billed=bool(answer.output_tokens))
