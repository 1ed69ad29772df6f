"""How a window ends: what was being worked on or was completed, and how an agent would go on."""

from __future__ import annotations

import re

from transforms.language import cues, entities
from transforms.language.dialogue_acts import Sentence
from transforms.language.sentences import content_words, one_line, sentences, shorten
from transforms.offline import claims
from transforms.offline.exchanges import Exchange
from transforms.offline.tasks import task_of
from transforms.offline.work_facts import stretches

LIMIT = 240
_TASK_ACTS = ("request", "report", "correction", "decision", "preference", "question")
_NODS = re.compile(r"\b(?:noted|understood|got it|okay|fine|will do|thanks|you'?re welcome)\b", re.I)


def current_task(exchanges: list[Exchange]) -> str:
    """The task at the end as an imperative; `Completed: …` when nothing of it is open; empty when nobody asked for anything."""
    if exchanges and not _is_open(exchanges[-1]) and (done := _done(exchanges)):
        return shorten(f"Completed: {re.sub(r'^(?:completed|done): ', '', done, flags=re.I)}", LIMIT)
    return shorten(_last_task(exchanges), LIMIT)


def suggested_response(exchanges: list[Exchange], owner: str) -> str:
    """What comes next: unfinished work, unanswered words, an open offer of the agent, what is left; else what was completed."""
    if not exchanges:
        return ""
    last = exchanges[-1]
    if last.user and last.closing is None and last.speech.kept:
        task = _task_in(last)
        if task:
            return shorten(f"Go on with: {task}" if last.actions else f"Begin with: {task}", LIMIT)
        return shorten(f'Answer {owner}: "{one_line(last.typed)}"', LIMIT)
    closing = last.closing.text if last.closing else ""
    if offers := _offers(closing):
        return shorten(f'Waiting for an answer to: "{one_line(offers[-1])}"', LIMIT)
    if failed := _failed(last):
        return shorten(f"`{failed}` failed last; look at its output before going on.", LIMIT)
    if left := _left(exchanges):
        return shorten(f"Still to do: {left}", LIMIT)
    done = _done(exchanges)
    return shorten(f"Nothing is open. Last completed: {done}", LIMIT) if done else "Nothing is open."


def _last_task(exchanges: list[Exchange]) -> str:
    for exchange in reversed(exchanges):
        if task := _task_in(exchange):
            return task
    return ""


def _task_in(exchange: Exchange) -> str:
    """The first task of a message; a bare "commit" or "go on" is none."""
    found = (task_of(one) for one in exchange.speech.kept if one.act in _TASK_ACTS and _weight(one) > 1)
    return next((task for task in found if task), "")


def _weight(one: Sentence) -> int:
    return len(content_words(one.text)) + 2 * entities.count(one.text)


def _is_open(last: Exchange) -> bool:
    return last.closing is None or bool(_offers(last.closing.text)) or bool(_failed(last))


def _offers(closing: str) -> list[str]:
    return [one for one in sentences(closing)[-4:] if cues.OFFER.match(one) or one.endswith("?")]


def _failed(last: Exchange) -> str:
    checks = [action for action in last.actions if action.kind in ("check", "publish", "commit")]
    return checks[-1].detail if checks and not checks[-1].is_ok else ""


def _left(exchanges: list[Exchange]) -> str:
    """What the agent said is left to do, in one of its last three results."""
    for exchange in reversed(exchanges[-3:]):
        for claim in claims.claims_of(exchange.closing.text if exchange.closing else ""):
            if found := cues.UNDONE.search(claim.text):
                bare = claim.text[found.end() :].lstrip(" :,-–—") if found.start() == 0 else claim.text
                return bare or claim.text
    return ""


def _done(exchanges: list[Exchange]) -> str:
    """What the last exchange that did something came to; words of assent alone are no result."""
    for exchange in reversed(exchanges):
        told = claims.headline(exchange.closing.text, 160) if exchange.closing else ""
        is_work = bool(exchange.actions or exchange.has_commands)
        is_result = (
            is_work and not exchange.is_rejected and bool(told) and not claims.is_talk(told) and not cues.HEDGE.search(told)
        )
        if is_result and (entities.count(told) or len(content_words(_NODS.sub("", told))) >= 3):
            return told
        if commits := [commit.detail for _, commit in stretches(exchange)]:
            return f'committed "{commits[-1]}"'
    return ""
