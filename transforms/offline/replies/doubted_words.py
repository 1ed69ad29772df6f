"""Tells whose words in a window hold only for now: chat beside the work, and what the next message may refute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from transforms.changes.undone_values import list_edits
from transforms.classify.linear_model import LinearModel
from transforms.classify.objections import (
    JUDGED_CHARS,
    MIN_OBJECTION,
    OBJECTION_WEIGHTS,
    ObjectionWeights,
    describe_objection,
    judge_objection,
)
from transforms.classify.refutations import MIN_REFUTATION, MOST_JUDGED_CHARS, Aftermath, judge_refutation
from transforms.classify.retractions import MIN_RETRACTION, MIN_RETRACTION_UNREAD, judge_openings, judge_retraction
from transforms.exchanges.denials import is_counterfactual
from transforms.exchanges.exchange import Exchange, change_exchange
from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words
from transforms.language.tokenizer import find_telling_words

CHAT_EXCHANGES, CHAT_SHARE = 4, 0.25
"""Exchanges of a window, and the share of them in which the agent worked, below which the others are chat."""


def mark_chat(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges; where the agent worked in few of several, those without work are chat."""
    typed = [exchange for exchange in exchanges if exchange.typed.strip()]
    worked = sum(_has_work(exchange) for exchange in typed)
    if len(typed) < CHAT_EXCHANGES or worked >= CHAT_SHARE * len(typed):
        return list(exchanges)
    return [exchange if _has_work(exchange) else change_exchange(exchange, is_chat=True) for exchange in exchanges]


def _has_work(exchange: Exchange) -> bool:
    return bool(exchange.actions) or exchange.has_commands


def mark_doubted(
    exchanges: Sequence[Exchange], openings: LinearModel | None = None, weights: ObjectionWeights = OBJECTION_WEIGHTS
) -> list[Exchange]:
    """Return the exchanges; those whose agent's words the next message may refute are doubted, and that message disputes them.

    Args:
        exchanges: those of a window, in order.
        openings: the learned openings of messages that refute and of answers that take back; without it form alone decides, and
            only in a language that no rule reads.
        weights: of the form of an objection.
    """
    marked, is_doubted = list[Exchange](), False
    for exchange, later in zip_longest(exchanges, exchanges[1:]):
        disputes = is_doubted and not exchange.is_unread  # there few words have a reference at all
        is_doubted = later is not None and _may_fall(exchange, later, openings, weights)
        marked.append(change_exchange(exchange, is_doubted=is_doubted, disputes=disputes))
    return marked


def _may_fall(exchange: Exchange, later: Exchange, openings: LinearModel | None, weights: ObjectionWeights) -> bool:
    """Whether what the agent said last may fall with the message behind it, as the form of both and the answer have it."""
    if not exchange.agent_messages or not later.typed.strip():
        return False
    if is_counterfactual(later.typed) or _is_given_up(exchange, later, openings):
        return True
    features = describe_later_words(exchange.agent_messages[-1].text, later.typed)
    if exchange.is_unread and judge_objection(features, weights) >= MIN_OBJECTION:
        return True
    if openings is None:
        return False
    answer = later.agent_messages[0].text if later.agent_messages else ""
    log_odds = judge_openings(later.typed, answer, openings)
    least = MIN_RETRACTION_UNREAD if exchange.is_unread else MIN_RETRACTION
    if judge_retraction(features, log_odds) >= least:
        return True
    is_short = len(exchange.agent_messages[-1].text) <= MOST_JUDGED_CHARS
    return is_short and judge_refutation(describe_aftermath(exchange, later, log_odds)) >= MIN_REFUTATION


MIN_QUESTIONED = 0.5
"""Log-odds of the openings of a question and of its answer from which the words that are questioned are doubted."""


def _is_given_up(earlier: Exchange, later: Exchange, openings: LinearModel | None) -> bool:
    """Whether a message questions the agent's words before it, and the agent gives way; or the agent concedes, and the message or
    its answer names what these words named."""
    if not later.agent_messages or cue_phrases.AGREEMENT.match(later.typed):
        return False
    if not later.asks:
        said = find_content_words(earlier.agent_messages[-1].text)  # "the docs in German, please" speaks of another matter
        about = find_content_words(f"{later.typed} {later.agent_messages[0].text}")
        return later.concession is not None and bool(said & about)
    return openings is not None and judge_openings(later.typed, later.agent_messages[0].text, openings) >= MIN_QUESTIONED


LAST_COMMANDS, NEXT_COMMANDS = 3, 2
"""Commands of an exchange, and of the next one, that are compared."""
SHORTEST_LINE = 7
"""Characters of a written line that says something."""


def describe_aftermath(exchange: Exchange, later: Exchange, openings: float) -> Aftermath:
    """Return what follows the last words of the agent in an exchange, as far as it tells whether they stand.

    Args:
        exchange: one in which the agent said something.
        later: the next one.
        openings: the log-odds of the message and the answer (`judge_openings`).
    """
    said = exchange.agent_messages[-1].text[-JUDGED_CHARS:]
    claimed = find_telling_words(said)
    answer = find_telling_words(" ".join(entry.text for entry in later.agent_messages)[:JUDGED_CHARS])
    width, _, asks, _, _, repeats, *_ = describe_later_words(said, later.typed)
    before, behind = (_list_commands(part) for part in (exchange, later))
    last = set(" ".join(before[-LAST_COMMANDS:])[-JUDGED_CHARS:].split())
    following = set(" ".join(behind[:NEXT_COMMANDS])[:JUDGED_CHARS].split())
    written = {line for _, new in _list_written_lines(exchange) for line in new}
    replaced = written & {line for old, _ in _list_written_lines(later) for line in old}
    checks = [action for action in later.actions if action.kind == "check" and action.is_known]
    return Aftermath(
        width=width,
        asks=asks,
        repeats=repeats,
        openings=openings,
        answers=0.0 if claimed <= answer else len(claimed & answer) / len(claimed),  # said again, it stands
        runs_again=len(last & following) / max(1, len(following)),
        ran_commands=float(exchange.has_commands),
        replaces=len(replaced) / max(1, len(written)),
        fails=float(bool(checks) and not checks[0].is_ok),
        hedges=float(cue_phrases.HEDGE.search(said) is not None),
        proposes=float(cue_phrases.PROPOSAL.search(said) is not None),
        concedes=float(later.concession is not None),
        pushes_back=float(exchange.is_rejected),
        agrees=float(cue_phrases.AGREEMENT.match(later.typed) is not None),
        is_unread=float(exchange.is_unread),
    )


def _list_commands(exchange: Exchange) -> list[str]:
    commands = (call.arguments.get("command") or call.arguments.get("cmd") for call in exchange.tool_calls)
    return [command for command in commands if isinstance(command, str)]


def _list_written_lines(exchange: Exchange) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the lines that edits and new files of an exchange took out and wrote."""
    for call in exchange.tool_calls:
        parts = [*((old, new) for old, new, _ in list_edits(call)), ("", str(call.arguments.get("content") or ""))]
        for part in parts:
            old, new = ({line.strip() for line in text.splitlines() if len(line.strip()) >= SHORTEST_LINE} for text in part)
            yield old, new


def describe_later_words(before: str, typed: str) -> tuple[float, ...]:
    """Return the features of a message behind an agent's text by which an objection is judged."""
    telling = find_telling_words(before[-JUDGED_CHARS:])
    repeated = len(telling & find_telling_words(typed[:JUDGED_CHARS])) / max(1, len(telling))
    return describe_objection(before, typed, repeated)
