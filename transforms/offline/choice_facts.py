"""Finds decisions by pointing: a short message that picks options of the agent's turn is one row with their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from transforms.conversation.edited_blocks import find_edited_block, tell_change, tell_struck
from transforms.conversation.entries import Entry
from transforms.conversation.quoted_lines import read_verdict
from transforms.conversation.speakers import EDITED
from transforms.distil.engine_result import Tail
from transforms.exchanges.choosing.pointers import has_label
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import Exchange, change_exchange
from transforms.exchanges.itemised_answers import ITEM_CHARS, ItemAnswer, read_itemised_answers, read_points
from transforms.exchanges.offers import MENU_WORDS, Offer, read_offer, read_offers
from transforms.exchanges.pointing import (
    DENYING,
    Choice,
    find_confirmed,
    is_own_list,
    is_unsure,
    may_point,
    resolve_answer,
    resolve_menus,
)
from transforms.exchanges.quoted_answers import read_quoted_answers
from transforms.language import cue_phrases
from transforms.language.sentences import QUESTION_MARKS, find_content_words, join_lines, shorten
from transforms.offline.candidates import CANDIDATE_CHARS, RECORDED, Candidate, append_files, is_unfit, shorten_row
from transforms.offline.quotation_context import turns_down
from transforms.offline.replies.outcomes import find_outcome, find_reply
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import FactKind

ITEM_ASKED_CHARS = 160
"""Characters of an item that was asked about: it is all of the question."""
POINTER_WORDS = 4
"""Words of a pointer at the end of an answer."""
MIN_ANSWER_WORDS = 2
"""Content words of an answer to alternatives that picks none of them."""
MENU_QUOTE_CHARS, ASKED_CHARS, PICKED_CHARS, LEFT_CHARS, OUTCOME_CHARS = 180, 120, 130, 30, 110
"""Characters of the message, of what was asked, of the picked options, of each that was left, and of the outcome."""
MAX_LEFT = 2
"""Options that were left and are named."""
MIN_ROOM = 40
"""Characters that an outcome needs."""
GROUP_CHARS = 24
"""Beginning of a message that identifies its wordings, of which one is selected."""
CHOICE_SALIENCE, ORDER_SALIENCE = 1.2, 0.6
"""Salience of a decision, whose row is long because it says what was asked, chosen and left; and of an order."""
OUTCOME_GAIN = 1.05
"""Factor of the wording with the outcome."""
MAX_ALTERNATIVES = 4
"""Options of a decision: a longer list is work of which the person takes a piece, and the rest is not rejected."""
MAX_ORDER_WORDS = 4
"""Content words of an order for the next step; one that says more is a request of its own."""
_NEXT_STEP = compile_late(r"\bnext\b|\bif you\b", re.I)
"""An offer of what to do now, by its grammar: a condition that addresses the reader, or the adverb of the next step."""
_VALUE = compile_late(r"(?<![\w.:,])\d[\d.:,]*\d(?!\w)")
"""A number of two digits or more, or a time: one digit is mostly the label of an option."""


def find_chosen_options(
    exchange: Exchange, owner: str, history: ValueHistory, earlier_replies: Sequence[Entry] = ()
) -> Iterator[Candidate]:
    """Yield a decision for a short message that picks options of the agent's turn, with their words and those of the others.

    A menu with labels may stand some turns before (`earlier_replies`, the newest first): people ask something before they choose.
    Of an offer of the next step there is a request, and none when the message says more than which.
    """
    if pasted := list(_find_pasted_points(exchange, exchange.user, owner)):
        yield from pasted
        return
    reply = exchange.previous_reply
    if exchange.user is None or reply is None or not exchange.is_direct or not exchange.typed.strip():
        return
    menus = read_offers(reply.text)
    confirmation = exchange.agent_messages[0].text if exchange.agent_messages else ""
    if len(menus) > 1 and may_point(exchange.typed):
        choices = resolve_menus(exchange.typed, menus, confirmation)
        if len(choices) > 1 or any(place < len(menus) - 1 for place in choices):
            for place, choice in choices.items():
                yield from _make_rows(exchange, reply, menus[place], choice, owner, history, place)
            return
        if not choices and has_label(exchange.typed) and _are_alike(menus):
            both = " / ".join(shorten(menu.asked, ASKED_CHARS // len(menus)).rstrip(": ") for menu in menus)
            yield from _word_unsure(exchange, reply, both, owner)
            return
    resolved = next(_read_choices(exchange.typed, [reply, *earlier_replies]), None) if may_point(exchange.typed) else None
    if resolved is None and is_unsure(exchange.typed, menus[-1]):
        confirmed = find_confirmed(exchange.typed, menus[-1], confirmation)
        if confirmed is None:
            yield from _word_unsure(exchange, reply, menus[-1].asked, owner)
            return
        left = tuple(index for index in range(len(menus[-1].options)) if index != confirmed)
        resolved = reply, menus[-1], Choice((confirmed,), left)
    if resolved is not None:
        entry, offer, choice = resolved
        yield from _make_rows(exchange, entry, offer, choice, owner, history)


def _are_alike(menus: Sequence[Offer]) -> bool:
    """Whether each of several menus asks something, or their heads begin alike ("for the queue: …", "for the cache: …"): a list
    of what was found or done before a menu is none."""
    if len({menu.asked.lower().split()[0] for menu in menus}) == 1:
        return True
    are_named = [bool(MENU_WORDS & find_content_words(menu.asked.rstrip(":"))) for menu in menus]
    return all(menu.asked.endswith(QUESTION_MARKS) for menu in menus) or all(are_named)


def _word_unsure(exchange: Exchange, reply: Entry, asked: str, owner: str) -> Iterator[Candidate]:
    """Yield the row of an answer that surely chooses, and does not say what: question and answer, no option."""
    if exchange.user is None:
        return
    quote = shorten(join_lines(exchange.typed), MENU_QUOTE_CHARS).replace('"', "'")
    asked = shorten(asked, ITEM_ASKED_CHARS).rstrip(": ")
    text = shorten_row(f'{owner} decided: "{quote}"' + (f" (asked: {asked})" if asked else ""))
    if asked and not is_unfit(text) and not cue_phrases.INJECTION.search(text):
        group = f"{exchange.user.ordinal}:{exchange.typed[:GROUP_CHARS]}"
        yield Candidate(
            append_files(text, exchange.files[:8]), "decision", "high", (exchange.user.ordinal, reply.ordinal),
            exchange.files[:8], CHOICE_SALIENCE, RECORDED, group=group,
        )  # fmt: skip


def _make_rows(
    exchange: Exchange, entry: Entry, offer: Offer, choice: Choice, owner: str, history: ValueHistory, place: int = 0
) -> Iterator[Candidate]:
    """Yield the wordings of a choice, with and without how the agent took it up; `place` is that of its menu among several."""
    if exchange.user is None:
        return
    is_order = len(offer.options) > MAX_ALTERNATIVES or bool(_NEXT_STEP.search(offer.asked))
    if choice.is_exclusion:
        is_order = False  # what is left out of a list of work stays for a reason
    if is_order and (choice.is_named or len(find_content_words(exchange.typed)) > MAX_ORDER_WORDS):
        return
    text = _word_row(exchange, offer, choice, f"{owner} {'asked' if is_order else 'decided'}")
    if is_unfit(text) or cue_phrases.INJECTION.search(text):
        return
    files = exchange.files[:8]
    row = Candidate(
        append_files(text, files), "request" if is_order else "decision", "medium" if is_order else "high",
        (exchange.user.ordinal, entry.ordinal), files, ORDER_SALIENCE if is_order else CHOICE_SALIENCE, RECORDED,
        group=f"{exchange.user.ordinal}:{place or ''}{exchange.typed[:GROUP_CHARS]}",
    )  # fmt: skip
    yield row
    tail, source = _find_tail(exchange, text, history)
    if tail:
        full = append_files(f"{text} {tail}", files)
        yield replace(
            row, text=full, ordinals=(*row.ordinals, *source), salience=row.salience * OUTCOME_GAIN,
            tails=(Tail(f" {tail}", tuple(source)),),
        )  # fmt: skip


def find_edits(exchange: Exchange, owner: str) -> tuple[list[Candidate], Exchange]:
    """Return a decision for the lines that the owner changed in a block of the agent's and sent back, and one for those struck,
    and the exchange with what else the message says. Without such a block there is none, and the exchange is the same."""
    reply, user = exchange.previous_reply, exchange.user
    edit = find_edited_block(user.text, reply.text) if user is not None and reply is not None and exchange.is_direct else None
    if edit is None or user is None or reply is None:
        return [], exchange
    texts = list[tuple[str, FactKind]]()
    about = f" (about: {shorten(edit.heading, ASKED_CHARS)})" if edit.heading else ""
    if edit.changes:
        quote = shorten("; ".join(map(tell_change, edit.changes)), MENU_QUOTE_CHARS).replace('"', "'")
        texts.append((f'{owner} decided: "{quote}"{about}', "decision"))
    if edit.struck:
        struck = shorten("; ".join(map(tell_struck, edit.struck)), MENU_QUOTE_CHARS).replace('"', "'")
        texts.append((f'{owner} struck: "{struck}"{about}', "state_change"))
    rest = user.attribution.parts
    typed = [user.text[part.start : part.end].strip() for part in rest if part.speaker == "owner" and part.reason != EDITED]
    rows = [
        Candidate(
            shorten_row(text), kind, "high", (user.ordinal, reply.ordinal), exchange.files[:8], CHOICE_SALIENCE, RECORDED,
            group=f"{user.ordinal}:edit {kind}",
        )
        for text, kind in texts if not is_unfit(text) and not cue_phrases.INJECTION.search(text)
    ]  # fmt: skip
    return rows, change_exchange(exchange, typed="\n".join(typed), pasted="") if rows else exchange


MIN_VERDICTS = 2
"""One line with a label may be the beginning of anything."""


def find_item_answers(exchange: Exchange, owner: str, earlier_replies: Sequence[Entry] = ()) -> tuple[list[Candidate], Exchange]:
    """Return a decision for each answer of a message that goes through the agent's questions or the points of a pasted list, or
    quotes them, a request for one to a step of the agent's work, and the exchange with what else the message says.

    Without such answers there is none, and the exchange is the same.
    """
    reply, user = exchange.previous_reply, exchange.user
    verdicts, rest = _find_verdicts(exchange, owner)
    if verdicts:
        return verdicts, change_exchange(exchange, typed=rest)
    if user is None or reply is None or not exchange.is_direct:
        return [], exchange
    replies, typed = [reply, *earlier_replies], exchange.typed
    quoted = read_quoted_answers(user.text, typed, [entry.text for entry in replies]) if ">" in user.text else []
    answers = [(ItemAnswer(str(place), answer.asked, answer.answer, True), replies[answer.reply], "quotation")
               for place, answer in enumerate(quoted)]  # fmt: skip
    said = {line.strip() for answer in quoted for line in answer.lines}
    typed = "\n".join(line for line in typed.split("\n") if line.strip() not in said) if said else typed
    if read := read_itemised_answers(typed, reply.text):
        answers += [(answer, reply, "item") for answer in read.answers]
        typed = read.rest
    rows = [_word_answer(answer, (user.ordinal, entry.ordinal), owner, mark) for answer, entry, mark in answers]
    return [row for row in rows if row is not None], change_exchange(exchange, typed=typed) if answers else exchange


def _word_answer(answer: ItemAnswer, ordinals: tuple[int, int], owner: str, mark: str) -> Candidate | None:
    """Return the row of an answer to one question; None when it leaves the choice to the agent."""
    offer = read_offer(answer.asked)
    choice = resolve_answer(answer.answer, offer) or _resolve_end(answer.answer, offer)
    subject, colon, _ = answer.asked.partition(":")
    is_settled = choice is not None and bool(choice.picked)
    is_picked = is_settled and not (choice and choice.is_named)
    if offer.options and not is_settled and not answer.is_verdict and len(find_content_words(answer.answer)) < MIN_ANSWER_WORDS:
        return None  # "you choose": which one is not said
    asked = subject if is_picked and colon else answer.asked
    label = "rejected" if answer.is_refusal else "asked" if answer.is_question else "about"  # a note of what does not hold
    parts = [f"{label}: {shorten(asked, ITEM_ASKED_CHARS).rstrip(':, ')}"]
    if choice and is_picked:
        parts.append("chosen: " + "; ".join(shorten(offer.options[index].text, PICKED_CHARS) for index in choice.picked))
    quote, is_order = shorten(answer.answer, ITEM_CHARS).replace('"', "'"), not (answer.is_question or answer.is_verdict)
    text = shorten_row(f'{owner} {"asked" if is_order else "decided"}: "{quote}" ({"; ".join(parts)})')
    if is_unfit(text) or cue_phrases.INJECTION.search(text):
        return None
    return Candidate(
        text, "request" if is_order else "decision", "medium" if is_order else "high", ordinals, (),
        ORDER_SALIENCE if is_order else CHOICE_SALIENCE, RECORDED, group=f"{ordinals[0]}:{mark} {answer.label}",
    )  # fmt: skip


def _resolve_end(answer: str, offer: Offer) -> Choice | None:
    """Return what the last words of an answer point at, the reason before them: "it starts anew after joins, so the latter"."""
    words = answer.split()
    ends = (" ".join(words[-count:]) for count in range(min(len(words), POINTER_WORDS), 0, -1))
    choices = (resolve_answer(end, offer) for end in ends)
    return next((choice for choice in choices if choice and choice.picked and not choice.is_named), None)


def _find_pasted_points(exchange: Exchange, user: Entry | None, owner: str) -> Iterator[Candidate]:
    """Yield a decision for the points that the owner takes of what somebody else wrote in the message; the others are nothing."""
    if user is None or not exchange.pasted.strip() or not has_label(exchange.typed) or is_own_list(exchange.typed):
        return
    offer = read_offer(_drop_fences(exchange.pasted))
    read = ((line.strip(), resolve_answer(line, offer)) for line in reversed(exchange.typed.split("\n")))
    line, choice = next(((line, choice) for line, choice in read if choice and choice.is_by_label), ("", None))
    if choice is None or not choice.picked or not choice.left:
        return
    taken = [offer.options[index] for index in choice.picked]
    points = "; ".join(f"{option.label}: {shorten(option.text, PICKED_CHARS)}" for option in taken)
    quote = shorten(line, MENU_QUOTE_CHARS).replace('"', "'")
    text = f'{owner} decided: "{quote}" (of the pasted text takes point{"s" * (len(taken) > 1)} {points})'
    yield from _word_verdict(exchange, user, text, exchange.typed[:GROUP_CHARS])


def _drop_fences(pasted: str) -> str:
    return "\n".join(line for line in pasted.split("\n") if not line.lstrip().startswith(("```", "~~~")))


def _find_verdicts(exchange: Exchange, owner: str) -> tuple[list[Candidate], str]:
    """Return a decision for each point of a pasted list of which the owner's own list says something under the same label, and
    what else the message says; a point that asks is a question of the message.

    Whose labels count on from the first and stop before the last of the paste writes a list of their own.
    """
    user, typed = exchange.user, exchange.typed
    if user is None or not exchange.pasted.strip() or not has_label(typed):
        return [], typed
    points = read_points(_drop_fences(exchange.pasted))
    read = [(line, read_verdict(line)) for line in typed.split("\n")]
    said = [(line, verdict) for line, verdict in read if verdict and points.keys() >= set(verdict.labels)]
    labels = [label for _, verdict in said for label in verdict.labels]
    is_named = any(verdict.is_named for _, verdict in said)
    is_own = not is_named and len(labels) < len(points) and labels == list(points)[: len(labels)]
    if not MIN_VERDICTS <= len(labels) == len(set(labels)) or is_own:
        return [], typed
    rows: list[Candidate] = []
    verdict_lines = set[str]()
    for line, verdict in said:
        if verdict.words.endswith(QUESTION_MARKS):
            continue
        quote = shorten(verdict.words, MENU_QUOTE_CHARS).replace('"', "'")
        named = "; ".join(
            label if turns_down(quote) else f"{label}: {shorten(points[label], PICKED_CHARS // len(verdict.labels))}"
            for label in verdict.labels
        )
        mark = "point" if len(verdict.labels) == 1 else "points"
        text = f'{owner} decided: "{quote}" (of the pasted text, {mark} {named})'
        if row := list(_word_verdict(exchange, user, text, verdict.labels[0])):
            rows += row
            verdict_lines.add(line)
    return rows, "\n".join(line for line in typed.split("\n") if line not in verdict_lines)


def _word_verdict(exchange: Exchange, user: Entry, text: str, group: str) -> Iterator[Candidate]:
    text = shorten_row(text)
    if not is_unfit(text) and not cue_phrases.INJECTION.search(text):
        files = exchange.files[:8]
        text = append_files(text, files)
        yield Candidate(
            text, "decision", "high", (user.ordinal,), files, CHOICE_SALIENCE, RECORDED, group=f"{user.ordinal}:{group}"
        )


def _read_choices(typed: str, replies: Sequence[Entry]) -> Iterator[tuple[Entry, Offer, Choice]]:
    """Yield the choices that a message makes of the offers of the replies; of an earlier one only by its labels."""
    for index, reply in enumerate(replies):
        if index and not has_label(typed):
            return
        offer = read_offer(reply.text)
        choice = resolve_answer(typed, offer)
        if choice and (index == 0 or (offer.is_labelled and choice.is_by_label)):
            yield reply, offer, choice


def _word_row(exchange: Exchange, offer: Offer, choice: Choice, lead: str) -> str:
    """Return the message with what was asked, chosen and left, in the words of the offer."""
    quote = shorten(join_lines(exchange.typed), MENU_QUOTE_CHARS).replace('"', "'")
    asked = shorten(offer.asked, ASKED_CHARS).rstrip(": ")
    taken = [_cut_denied(offer.options[index].text, exchange.typed) for index in choice.picked]
    picked = shorten("; ".join(shorten(option, PICKED_CHARS) for option in taken), 2 * PICKED_CHARS)
    parts = [f"asked: {asked}"] if find_content_words(asked) - MENU_WORDS else []
    if not (choice.is_named and asked.endswith(QUESTION_MARKS)):  # then the message says it, and the question what else there was
        parts.append(f"chosen: {picked or 'none'}")
    names_all = not offer.is_labelled and all(option.text in asked for option in offer.options)
    if choice.left and not names_all:
        parts.append("not: " + "; ".join(shorten(offer.options[index].text, LEFT_CHARS) for index in choice.left[:MAX_LEFT]))
    return shorten_row(f'{lead}: "{quote}" ({"; ".join(parts)})')


def _cut_denied(option: str, typed: str) -> str:
    """Return an option without the clauses whose value the message denies ("not 03:40, make it 04:20")."""
    denied = {match[0] for match in _VALUE.finditer(typed) if DENYING.search(" ".join(typed[: match.start()].split()[-1:]))}
    kept = [clause for clause in option.split(", ") if denied.isdisjoint(_VALUE.findall(clause))]
    return ", ".join(kept) or option


def _find_tail(exchange: Exchange, text: str, history: ValueHistory) -> tuple[str, list[int]]:
    """Return how the agent took the choice up, else its outcome, with the entry; nothing when the row has no room."""
    room = min(CANDIDATE_CHARS - len(text) - 12, OUTCOME_CHARS)
    if room <= MIN_ROOM:
        return "", []
    reply, source = find_reply(exchange, text, history, room)
    if reply:
        return f"Reply: {reply}", source
    outcome, source = find_outcome(exchange, history, room)
    return (f"Outcome: {outcome}", source) if outcome else ("", [])
