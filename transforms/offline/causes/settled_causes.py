"""Finds the cause that a search for an error came to: the agent's last diagnosis that its owner let stand, with what had failed.

Whoever looks for an error guesses, is refused and guesses again; the answer that nobody refuses is the cause, in whatever words
it is told ("That settles it. DE falls one byte early …"). Which one that is shows only from what follows, so it is looked for
over exchanges: a guess falls with an objection, and the reply to the objection takes its place. Reports of different troubles
are different searches, however close they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from transforms.conversation.entries import Entry
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import read_offer
from transforms.language import cue_phrases
from transforms.language.sentences import QUESTION_MARKS, find_content_words, join_lines, shorten, split_sentences
from transforms.offline.candidates import Candidate
from transforms.offline.causes.diagnoses import LEAST_WORDS, cut_diagnosis, names_outright
from transforms.offline.causes.orders import drop_report, is_carried_out
from transforms.offline.causes.reported_trouble import asks_why, is_same_trouble, reports_trouble, supposes
from transforms.patterns.late_pattern import compile_late

SOUGHT_CHARS = 110
"""Most characters of the words that began a search."""
SALIENCE = 1.1
"""Worth of a cause, which is what everything else of its search is remembered for."""
MOST_GUESSES = 7
"""Guesses of a search that are remembered beside the last one."""
CONTEST_REACH = 2
"""Exchanges behind a guess in which another cause takes its place."""
ASKED_REACH = 2
"""Exchanges behind a cause in which another one takes its place, where the first of them asks about it."""
CLAUSE_CHARS = 60
"""Characters around a word of failing in which a negation or a count of it stands."""
MOST_FAILURES = 2000
"""Words of failing that are looked at in what was pasted, all of which may be counts of none."""
_NOT = ("not", "n't", "n’t", "never", "not an")
_DENYING = (["no"], ["zero"], ["without"])
_COUNTABLE = ("errors", "failures")
"""Words of failing before which a 0 is a count, whatever stands before it: "Found 0 errors"."""
_CLAUSE_MARK = compile_late(r"[\n,;|:()\[\]{}]|\.\s")


def find_settled_causes(exchanges: Sequence[Exchange], history: ValueHistory) -> Iterator[tuple[Candidate, Exchange]]:
    """Yield the causes that stood at the end of each search of a window, each with the exchange that told it.

    What a person refuses is told by words of English, so nothing is looked for where they type another language.
    """
    guesses: list[Exchange] = []
    exchanges = _join_unanswered(exchanges)
    for place, exchange in enumerate(exchanges):
        next_ones = exchanges[place + 1 : place + 1 + ASKED_REACH]
        later = next(iter(next_ones), None)
        reply = None if exchange.is_unread else _find_diagnosis(exchange)
        if guesses and not is_same_trouble(guesses, exchange, reply):
            guesses = []
        if reply is None:
            guesses = [] if exchange.files else guesses
            continue
        guess = _find_guess(guesses, exchange, later)
        is_contested = guess is not None and (exchange.disputes or supposes(exchange.typed))
        is_confirmed = _is_confirmed(reply, later)
        is_leading = is_contested or is_confirmed or _explains_trouble(exchange)
        text = drop_report(cut_diagnosis(exchange, reply, history, is_leading=is_leading), exchange.typed)
        if later is not None and (_is_refused(exchange, later) or _is_followed([*guesses, exchange], next_ones)):
            guesses = [*guesses[-MOST_GUESSES:], exchange]
        elif (
            text
            and not (guess is None and is_carried_out(exchange, text))
            and (is_confirmed or _may_settle(guess or exchange, text, is_judged=is_contested or _explains_trouble(exchange)))
            and (is_contested or is_confirmed or _is_let_stand(exchange, reply, later) or _is_taken_up(exchange, later))
        ):
            yield _make_cause(exchange, guess, reply, text), exchange
            guesses = []
        elif names_outright(reply.text) and not exchange.files:
            guesses = [*guesses[-MOST_GUESSES:], exchange]  # asked about before anything came of it
        else:
            guesses = []


def drop_parts_of_causes(rows: Sequence[Candidate]) -> list[Candidate]:
    """Return rows without those of which a cause of the same words of the agent has every sentence: a cause is told once, with
    what was sought."""
    causes = [row for row in rows if row.kind == "root_cause"]
    return [row for row in rows if not any(_is_part(row, cause) for cause in causes if cause is not row)]


def _is_part(row: Candidate, cause: Candidate) -> bool:
    if row.ordinals[0] not in cause.ordinals or len(row.text) >= len(cause.text):
        return False
    text = row.text[: row.text.rfind(" [")] if row.files and row.text.endswith("]") else row.text  # the files behind it
    return all(sentence.rstrip(".") in cause.text for sentence in split_sentences(text))


def _join_unanswered(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges; messages to which the agent said and did nothing are the beginning of the next one."""
    joined: list[Exchange] = []
    for exchange in exchanges:
        before = joined[-1] if joined else None
        if before is None or before.user is None or before.replies or exchange.user is None:
            joined.append(exchange)
            continue
        joined[-1] = replace(
            exchange,
            user=before.user,
            typed=f"{before.typed}\n{exchange.typed}",
            pasted=f"{before.pasted}\n{exchange.pasted}",
            disputes=before.disputes or exchange.disputes,
            is_first=before.is_first,
        )
    return joined


def _may_settle(searched: Exchange, text: str, *, is_judged: bool) -> bool:
    """Whether a text may be the cause that was looked for: it is called one, its owner asked why, or somebody who looks for an
    error let it stand against a guess. What else an agent explains and offers ("My instinct is …") is the cause of nothing."""
    return names_outright(text) or asks_why(searched) or (is_judged and (reports_trouble(searched) or _shows_trouble(searched)))


def _shows_trouble(exchange: Exchange) -> bool:
    """Whether what a person pasted tells of a failure: who shows a log looks for the reason of its error without saying so."""
    failures = islice(cue_phrases.BREAKAGE.finditer(exchange.pasted), MOST_FAILURES)
    return any(not _is_ruled_out(exchange.pasted, failure) for failure in failures)


def _is_ruled_out(text: str, failure: re.Match[str]) -> bool:
    """Whether a word of failing is denied right before it or counted as none: "did not fail", "no test failed", "errors: 0".

    What else is not or is 0 in its clause is the failure itself ("404 Not Found error", "channel 0 failed")."""
    rest = text[failure.end() : failure.end() + CLAUSE_CHARS]
    if _CLAUSE_MARK.split(rest.lstrip(":= "))[0].split() == ["0"]:
        return True
    before = _CLAUSE_MARK.split(text[max(0, failure.start() - CLAUSE_CHARS) : failure.start()])[-1]
    words = [word.strip("\"'`*_") for word in before.lower().split() if any(sign.isalnum() for sign in word)]
    heads = (words, words[:-1])  # at most one noun between
    is_number = failure[0].lower() in _COUNTABLE
    return " ".join(words).endswith(_NOT) or any(
        head[-1:] in _DENYING or head[-2:] == ["without", "any"] or (head[-1:] == ["0"] and (is_number or len(head) == 1))
        for head in heads
    )


def _find_guess(guesses: Sequence[Exchange], exchange: Exchange, later: Exchange | None) -> Exchange | None:
    """Return the first of the guesses before an exchange whose place its reply may take; None when the last is too far back."""
    is_acted_on = later is not None and bool(later.files) and not _has_passed(exchange)
    contested = [guess for guess in guesses if _guesses(guess) or (is_acted_on and _is_disputed(guess, exchange))]
    return contested[0] if contested and exchange.index - contested[-1].index <= CONTEST_REACH else None


def _find_diagnosis(exchange: Exchange) -> Entry | None:
    """Return the agent's words in which a cause may stand: the last ones of an exchange that ends with a choice or edits nothing,
    else those before the first edit, which repairs what they explain."""
    said = [entry for entry in exchange.agent_messages if len(find_content_words(entry.text)) >= LEAST_WORDS]
    edits = [action.ordinal for action in exchange.actions if action.kind in ("edit", "create", "delete", "commit")]
    return next((entry for entry in reversed(said) if not edits or entry.ordinal <= edits[0] or _offers(exchange)), None)


def _offers(exchange: Exchange) -> bool:
    """Whether the agent's last words have labelled options."""
    return exchange.final_reply is not None and read_offer(exchange.final_reply.text).is_labelled


def _asks_back(reply: Entry) -> bool:
    return reply.text.rstrip().endswith(QUESTION_MARKS)


def _is_refused(exchange: Exchange, later: Exchange) -> bool:
    """Whether the next message does not let the agent's last words stand. Work on their ground, or a choice of the options
    that they give, lets them stand, unless the agent then concedes something."""
    if (later.files or _offers(exchange)) and later.concession is None:
        return False
    is_answered = exchange.is_rejected or _guesses(later)
    return exchange.is_doubted or supposes(later.typed) or (later.message.act == "correction" and is_answered)


def _is_confirmed(reply: Entry, later: Exchange | None) -> bool:
    """Whether the next message calls the cause what the agent has just said, in some of its words: "so that's the root cause"."""
    if later is None or later.concession is not None or not names_outright(later.typed):
        return False
    return bool(find_content_words(later.typed) & find_content_words(reply.text))


def _is_followed(search: Sequence[Exchange], later: Sequence[Exchange]) -> bool:
    """Whether the agent names another cause of the same trouble next, before anything was done about what it said last in a
    search; or behind a question about that."""
    for number, other in enumerate(later):
        if search[-1].files or other.files or (number and not later[0].asks):
            return False
        reply = _find_diagnosis(other)
        if not is_same_trouble([*search, *later[:number]], other, reply):
            return False
        if reply is not None and names_outright(reply.text):
            return True
    return False


def _guesses(exchange: Exchange) -> bool:
    """Whether the agent's last words gave a cause, surely or not, for what went wrong."""
    reply = _find_diagnosis(exchange)
    if reply is None:
        return False
    is_search = exchange.is_debugging or bool(exchange.pasted.strip())
    return (is_search and cue_phrases.HEDGE.search(reply.text) is not None) or names_outright(reply.text)


def _has_passed(exchange: Exchange) -> bool:
    """Whether the last check of an exchange passed: its last words tell an outcome."""
    checks = [action for action in exchange.actions if action.kind == "check" and action.is_known]
    return bool(checks) and checks[-1].is_ok


def _is_disputed(guess: Exchange, exchange: Exchange) -> bool:
    """Whether a message disputes what the agent has just said in looking for an error."""
    is_search = guess.is_debugging or _shows_trouble(guess)
    return is_search and guess.is_doubted and exchange.disputes and exchange.index - guess.index == 1


def _is_let_stand(exchange: Exchange, reply: Entry, later: Exchange | None) -> bool:
    """Whether what the agent called the cause was acted on, or the next message neither states nor corrects something."""
    if not names_outright(reply.text):
        return False
    return later is None or bool(exchange.files or later.files) or later.message.act not in ("statement", "correction")


def _is_taken_up(exchange: Exchange, later: Exchange | None) -> bool:
    """Whether a reply that calls nothing a cause gives options from which the next message chooses; or answers why, or asks
    what to do, and it is done: nothing else tells a cause from the next guess."""
    if _offers(exchange):
        return later is not None
    is_left_open = exchange.final_reply is not None and _asks_back(exchange.final_reply)
    is_done = bool(exchange.files or (later is not None and later.files))
    return is_done and (is_left_open or asks_why(exchange))


def _explains_trouble(exchange: Exchange) -> bool:
    """Whether the agent says behind a report of an error what may be done: what it says before that explains the error."""
    is_sought = exchange.is_debugging or asks_why(exchange) or _shows_trouble(exchange)
    return is_sought and _offers(exchange)


def _make_cause(exchange: Exchange, guess: Exchange | None, reply: Entry, text: str) -> Candidate:
    searched = guess or exchange
    sought = _quote_search(searched) if guess or not exchange.disputes else ""
    ordinals = [reply.ordinal, *([searched.user.ordinal] if searched.user else [])]  # where the search began
    lead = f'Cause found for "{sought}": ' if sought else "" if names_outright(text) else "Cause: "
    return Candidate(
        lead + text, "root_cause", "high", tuple(ordinals), exchange.files[:8], SALIENCE, group=f"cause {reply.ordinal}"
    )


def _quote_search(exchange: Exchange) -> str:
    """Return the words with which a person began a search: up to what they say failed, else the first ones. A question months
    later has these words, and the cause has others. Empty for a greeting that begins a session."""
    said = [join_lines(sentence.text).replace('"', "'") for sentence in exchange.message.informative]
    failing = next((place for place, text in enumerate(said) if cue_phrases.DEBUGGING.search(text)), None)
    if failing is None:
        return "" if exchange.is_first else shorten(" ".join(said), SOUGHT_CHARS)
    first = failing
    while first and len(" ".join(said[first - 1 : failing + 1])) <= SOUGHT_CHARS:
        first -= 1
    return shorten(" ".join(said[first : failing + 1]), SOUGHT_CHARS)
