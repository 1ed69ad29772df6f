"""Finds the owner's answers to question tools, each with its question.

A tool that asks takes its questions as arguments, alone or in a list, often with options, and returns the owner's choice as its
result. A tool that no client names so may return nothing but options: its other words are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from transforms.conversation.entries import (
    NOTE_DASH,
    Entry,
    ToolCall,
    is_asking_tool,
    is_declined,
    list_questions,
    read_label,
    read_quoted_answer,
    read_record,
    read_recorded_answers,
)
from transforms.distil.engine_result import Tail
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import READ_ONLY_COMMAND, Exchange
from transforms.exchanges.offers import find_open_offer, read_offer, shorten_offer
from transforms.exchanges.pointing import ASKING, DENYING
from transforms.language import cue_phrases
from transforms.language.dialogue_acts import is_question
from transforms.language.lexicon import ALTERNATING, parse_set
from transforms.language.sentences import QUESTION_MARKS, find_content_words, join_lines, shorten, split_sentences
from transforms.language.tokenizer import stem, write_numbers
from transforms.offline.candidates import CANDIDATE_CHARS, RECORDED, Candidate, append_files, is_unfit
from transforms.offline.replies.outcomes import find_explaining_reply, find_outcome
from transforms.patterns.late_pattern import compile_late
from transforms.tables.fact_notes import LEFT_MARK, list_numbers
from transforms.tables.json_object import JsonObject, list_strings

ANSWER_SALIENCE = 1.2
"""Salience of an answer: a question tool is asked when a decision is due."""
MAX_RESULT_CHARS = 600
"""Longest result that is taken for an answer as a whole."""
QUESTION_CHARS, ANSWER_CHARS, MEANING_CHARS, LEFT_CHARS = 200, 220, 180, 30
MAX_LEFT = 3
"""Options that were left and are named: a later statement about one of them speaks of this choice."""
_PICK = "\0"
"""Stands for an option in a result."""
_OPENERS = " \t\n\"'“”„«-*#[(0123456789.)"
"""What may stand between a heading and an option: marks of lists and quotation, and numbers."""
_CLAUSE_END = compile_late(r"\s*(?!…|\.\.)(?:[^\w\s'’?？]|$)")
"""Behind an option that an answer names and adds something to; a verb behind it may deny it, and who breaks off may choose
another one ("A… no, B")."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A question of the agent, the owner's answer, and the entries that hold them. `meaning` is the description of the picked
    option, empty where it has none or repeats it; `left` are the other options, none where the answer speaks of some without
    picking one."""

    question: str
    answer: str
    meaning: str
    left: tuple[str, ...]
    call_ordinal: int
    result_ordinal: int


def find_tool_answers(exchange: Exchange) -> Iterator[ToolAnswer]:
    """Yield the questions that the agent put through a tool, with the owner's answers; who cancels or leaves one open has not
    decided it."""
    asked = {call.call_id: (call, entry) for entry in exchange.replies for call in entry.tool_calls if list_questions(call)}
    for entry in exchange.replies:
        if entry.role == "toolResult" and not entry.is_error and entry.tool_call_id in asked and not is_declined(entry.text):
            call, asking = asked[entry.tool_call_id]
            questions, is_free = list_questions(call), is_asking_tool(call)
            recorded = read_recorded_answers(entry)
            for place, item in enumerate(questions):
                question, options = item["question"].strip(), _list_options(item)
                if recorded is None:
                    answer = _find_answer(entry, question, options, is_only=len(questions) == 1, is_free=is_free)
                else:
                    answer = read_record(recorded, item, place, list(options), is_only=len(questions) == 1)
                picked = _find_picked(answer, list(options))
                if answer and (is_free or (picked and not _take_labels(answer, list(options))[1])):
                    label = next((label for label in options if answer == label or answer.startswith(label + NOTE_DASH)), "")
                    meaning = join_lines(options.get(label, ""))
                    meaning = "" if meaning.casefold() == join_lines(answer).casefold() else meaning
                    has_picked = bool(picked) or not any(label.casefold() in answer.casefold() for label in options)
                    left = tuple(join_lines(label) for label in options if label not in picked) if has_picked else ()
                    yield ToolAnswer(join_lines(question), join_lines(answer), meaning, left, asking.ordinal, entry.ordinal)


def find_answer_facts(exchange: Exchange, owner: str) -> Iterator[Candidate]:
    """Yield one decision for each answer that the owner gave through a tool."""
    for tool_answer in find_tool_answers(exchange):
        answer = shorten(tool_answer.answer, ANSWER_CHARS).replace('"', "'")
        asked = shorten(tool_answer.question, QUESTION_CHARS)
        meaning = f"; meaning: {shorten(tool_answer.meaning, MEANING_CHARS)}" if tool_answer.meaning else ""
        left = (
            LEFT_MARK + "; ".join(shorten(label, LEFT_CHARS) for label in tool_answer.left[:MAX_LEFT]) if tool_answer.left else ""
        )
        rest = meaning if len(asked) + len(answer) + len(meaning) < 400 else ""
        text = f'{owner} decided: "{answer}" (asked: {asked}{left}{rest})'
        if not is_unfit(text) and not cue_phrases.INJECTION.search(text):
            ordinals = (tool_answer.result_ordinal, tool_answer.call_ordinal)
            yield Candidate(text, "decision", "high", ordinals, (), ANSWER_SALIENCE, 0.9, group=f"{ordinals[0]}:{answer[:24]}")


def find_offer_answers(
    exchange: Exchange, owner: str, history: ValueHistory, earlier_replies: Sequence[Entry] = ()
) -> Iterator[Candidate]:
    """Yield a decision for a short message that settles the agent's last offer: an assent in any words, which the agent's next
    work carries out, another value in its place, or a value or a bound that answers a question.

    Who assents gives no order of their own: what the agent does then is in the offer, and not in the message. Behind an aside
    ("why 40 s?") the offer may stand in an earlier reply.
    """
    reply, typed = exchange.previous_reply, exchange.typed.strip()
    if exchange.user is None or reply is None or not exchange.is_direct or exchange.pasted.strip() or not _may_settle(typed):
        return
    is_aside = exchange.previous_typed.rstrip().endswith(QUESTION_MARKS)
    replies = [reply, *earlier_replies[:1]] if is_aside and not find_open_offer(reply.text) else [reply]
    source, offered = next(((entry, offer) for entry in replies if (offer := find_open_offer(entry.text))), (reply, ""))
    if not offered:
        return
    is_changed = source is reply and not read_offer(reply.text).is_labelled and _changes_value(typed, offered)
    is_assent = _is_carried_out(exchange, typed, offered, is_aside=source is not reply)
    if not (is_changed or is_assent):
        return
    quote = shorten(join_lines(typed), ANSWER_CHARS).replace('"', "'")
    text = f'{owner} decided: "{quote}" (asked: {shorten_offer(offered)})'
    if is_unfit(text) or cue_phrases.INJECTION.search(text):
        return
    files = exchange.files[:8]
    row = Candidate(
        append_files(text, files), "decision", "high", (exchange.user.ordinal, source.ordinal), files,
        OFFER_SALIENCE, RECORDED, group=f"{exchange.user.ordinal}:{quote[:24]}",
    )  # fmt: skip
    yield row
    room = min(CANDIDATE_CHARS - len(text) - 12, TAIL_CHARS)
    tail, cited = find_outcome(exchange, history, room) if room > MIN_ROOM else ("", [])
    label = "Outcome" if tail else "Reply"
    if not tail and room > MIN_ROOM:
        tail, cited = find_explaining_reply(exchange, typed, history, room)
    if tail:
        full = append_files(f"{text} {label}: {tail}", files)
        yield replace(
            row, text=full, ordinals=(*row.ordinals, *cited), salience=OFFER_SALIENCE * OUTCOME_GAIN,
            tails=(Tail(f" {label}: {tail}", tuple(cited)),),
        )  # fmt: skip


OFFER_SALIENCE = 1.0
"""Salience of what settles an offer in the agent's words."""
MAX_SETTLING_WORDS, MAX_ASSENT_WORDS = 18, 3
"""Words of a message that may settle an offer, and content words of an assent."""
TAIL_CHARS, MIN_ROOM, OUTCOME_GAIN = 140, 40, 1.05
"""Characters of an outcome behind a changed value, those that it needs, and the factor of the wording with it."""
MIN_CONFIRMED_WORDS = 2
"""Words of an offer that the agent's reply says again when it has nothing to do for it."""


_BOUNDING = parse_set(
    """
    not before after until till when once only from by in at because cause cos for every never later if unless without as make
    then
    """
)
_PARTICLES = frozenset({"ok", "okay", "no", "nah", "yes", "yeah", "well", "hm"})
"""A beginning that bounds, denies or explains what was asked, and names no subject."""


def add_asked(candidate: Candidate, exchange: Exchange, owner: str) -> Candidate:
    """Return a row of words that only bound what the agent asked last ("not before the season ends"), with the question."""
    reply, typed = exchange.previous_reply, exchange.typed.strip()
    lead, is_quoted, quote = candidate.text.partition(': "')
    if reply is None or not exchange.is_direct or not is_quoted or " (about: " in quote or not _is_fragment(typed):
        return candidate
    if len(typed.split(maxsplit=MAX_SETTLING_WORDS)) > MAX_SETTLING_WORDS:
        return candidate  # as `_may_settle`, without all words of a long message for each of its rows
    begins = quote.startswith(join_lines(typed).replace('"', "'")[:FRAGMENT_CHARS])
    if (
        not begins
        or not lead.startswith(owner)
        or not _may_settle(typed)
        or not reply.text.rstrip(" *_").endswith(QUESTION_MARKS)
    ):
        return candidate
    offered = find_open_offer(reply.text)
    said, mark, behind = quote.partition('"')
    text = f'{lead}: "{said}{mark} (asked: {shorten_offer(offered)}){behind}'
    if not offered or len(text) > CANDIDATE_CHARS + len(behind):
        return candidate
    return replace(candidate, text=text, ordinals=tuple(dict.fromkeys((*candidate.ordinals, reply.ordinal))))


def _is_fragment(typed: str) -> bool:
    words = [word.lower().strip(",.;") for word in typed.split(maxsplit=2)[:2]]
    first = words[1:2] if not _PARTICLES.isdisjoint(words[:1]) else words[:1]
    return not _BOUNDING.isdisjoint(first)


FRAGMENT_CHARS = 24
"""Beginning of a message by which a row that quotes it is known."""


def _may_settle(typed: str) -> bool:
    """Whether a message is short, asks nothing and is one thought, in a line of its own."""
    asks = typed.endswith(QUESTION_MARKS) or bool(ASKING.match(typed)) or is_question(typed)
    return 0 < len(typed.split()) <= MAX_SETTLING_WORDS and not asks and "\n\n" not in typed


def _changes_value(typed: str, offered: str) -> bool:
    """Whether a message names another number than those of an offer, or one where the question names none ("How long?")."""
    said, own = _read_values(typed) - _read_values(offered), _read_values(offered)
    is_objection = bool(cue_phrases.PUSHBACK.search(typed, len(typed.split(maxsplit=1)[0]) + 1))
    first = typed.split(maxsplit=1)[0]
    is_refused = first.endswith((".", "!")) and bool(DENYING.fullmatch(first.rstrip(".!")))  # "no. it takes 40 ms": a reason
    is_remark = not _REMARKING.isdisjoint(typed.lower().split()[:-1])
    if not said or is_objection or is_refused or is_remark or len(find_content_words(typed)) > MAX_SETTLING_WORDS // 2:
        return False
    if own:
        return not set(map(_take_form, said)).isdisjoint(map(_take_form, own))
    return bool(ASKING.match(split_sentences(offered)[-1])) and any(len(value) > 1 for value in said)


_REMARKING = frozenset({"was", "were", "had", "too"})
"""A value that was, or is judged: "it was 45 before", "45 is too low"."""


def _take_form(value: str) -> str:
    return re.sub(r"\d+", "0", value)


def _is_carried_out(exchange: Exchange, typed: str, offered: str, *, is_aside: bool) -> bool:
    """Whether the agent then does what it offered and nothing that the message itself says."""
    words = find_content_words(cue_phrases.FILLER.sub("", typed))
    points = not _POINTING.isdisjoint(typed.lower().split()) or cue_phrases.AGREEMENT.match(typed)
    is_advice = not offered.endswith(QUESTION_MARKS)
    if exchange.message.act == "question" or (is_advice and not (points and len(words) <= 1)):
        return False  # advice is taken by who speaks of it
    if _read_values(typed) - _read_values(offered):
        return False  # a number of its own is no assent: another value, or a remark about one
    if len(words) > MAX_ASSENT_WORDS + is_aside or DENYING.search(typed) or cue_phrases.PUSHBACK.search(typed):
        return False
    wanted = _find_stems(offered) | _read_values(offered)
    own = {stem(word) for word in words} - wanted
    acts = [action for action in exchange.actions if action.is_ok]
    works = [call for call in exchange.tool_calls if not _is_momentary(call)]
    done = _find_stems(" ".join(list_strings([call.arguments for call in works]))[:MAX_DONE_CHARS])
    said = _find_stems(" ".join(entry.text for entry in exchange.agent_messages[:1])[:MAX_DONE_CHARS])
    if own & (done | said):
        return False
    is_momentary = bool(acts) and all(action.kind in _MOMENTARY for action in acts)
    if works and not is_momentary:
        return bool(wanted & (done | said))
    return not exchange.tool_calls and len(wanted & said) >= MIN_CONFIRMED_WORDS + 1 - is_aside


_POINTING = frozenset({"that", "this", "it"})
MAX_DONE_CHARS = 4_000
_MOMENTARY = frozenset({"commit", "publish", "check"})
"""Acts that no decision stands behind: the work goes on."""


def _is_momentary(call: ToolCall) -> bool:
    command = str(call.arguments.get("command") or call.arguments.get("cmd") or "")
    return bool(READ_ONLY_COMMAND.match(command)) if command else call.name in ("read", "ls", "find", "grep")


def _find_stems(text: str) -> frozenset[str]:
    """Return the stems of content words and the numbers of a text, those inside of names and commands too."""
    plain = " ".join(re.findall(r"[^\W_]{2,}", text.lower()))
    return frozenset(map(stem, find_content_words(plain))) | {word for word in plain.split() if word.isdigit()}


def _read_values(text: str) -> frozenset[str]:
    """Return the numbers of a text, those in words too."""
    return frozenset(list_numbers(write_numbers(text)))


def _list_options(question: JsonObject) -> dict[str, str]:
    """Return the options of a question: label → description, empty where there is none."""
    options = question.get("options")
    labels = [(read_label(option), option) for option in (options if isinstance(options, list) else [])]
    described = ((label, option.get("description") if isinstance(option, dict) else None) for label, option in labels if label)
    return {label: description.strip() if isinstance(description, str) else "" for label, description in described}


def _find_picked(answer: str, options: list[str]) -> list[str]:
    """Return the options that an answer names, alone, in a row, or at its beginning: "Away from zero. 2 digits"."""
    taken, rest = _take_labels(answer, options)
    word, _, behind = answer[len(taken[0]) :].lstrip(" ,").partition(" ") if taken else ("", "", "")
    if word.lower() in ALTERNATING and behind.lstrip().casefold().startswith(tuple(map(str.casefold, options))):
        return []  # "Alpha or Beta, you choose"
    return taken if not rest else taken[:1]


def _take_labels(answer: str, options: list[str]) -> tuple[list[str], str]:
    """Return the options with which an answer begins, one behind the other, and what stands behind them; the longest label that
    fits is meant ("Beta", "Beta, large")."""
    taken, rest = list[str](), answer
    while rest:
        begun = [
            label for label in options
            if label not in taken and rest.casefold().startswith(label.casefold()) and _ends(rest, label, options)
        ]  # fmt: skip
        if not begun:
            break
        taken.append(max(begun, key=len))
        rest = _drop_join(rest[len(taken[-1]) :], options)
    return taken, rest.strip()


def _ends(rest: str, label: str, options: Sequence[str]) -> bool:
    """Whether a label ends where a clause does, or before a short word with another label behind it ("Beta and Gamma")."""
    return bool(_CLAUSE_END.match(rest, len(label))) or _drop_join(rest[len(label) :], options) != rest[len(label) :].lstrip()


def _drop_join(rest: str, options: Sequence[str]) -> str:
    """Return what stands behind a picked option without the mark or the short word that joins the next one."""
    rest = rest.lstrip().lstrip(",;&+/|").lstrip()
    word, _, behind = rest.partition(" ")
    is_join = len(word) <= JOIN_CHARS and behind.lstrip().casefold().startswith(tuple(map(str.casefold, options)))
    return behind.lstrip() if is_join else rest


JOIN_CHARS = 3
"""Letters of a word between two options that were picked."""


def _find_answer(result: Entry, question: str, options: Mapping[str, str], *, is_only: bool, is_free: bool) -> str:
    """Return the answer to `question` in a result; empty when the result does not give it. `is_free`: it is a
    person's words."""
    text = result.text
    if quoted := read_quoted_answer(text, question):
        return quoted
    if f'"{question}"=' in text:
        return ""  # the client's form of an answer, and nothing in it
    rest = text.replace(question, " ").strip()
    chosen = [label for label in options if label in rest]
    if chosen and not ((is_free or len(chosen) > 1) and _says_more(rest, chosen, options)):
        return "; ".join(chosen) if is_only else ""
    return rest if is_only and 0 < len(rest) <= MAX_RESULT_CHARS else ""


def _says_more(result: str, chosen: list[str], options: Mapping[str, str]) -> bool:
    """Whether a result has the person's own words around the options that it names: "A. No B in winter", "A… no, B".

    A tool may word a heading that ends with a colon, and repeat what an option means.
    """
    for label in sorted(chosen, key=len, reverse=True):
        result = result.replace(options[label], "") if options[label] else result
        result = result.replace(label, _PICK)
    before, *between = result.split(_PICK)
    own = between if before.rstrip(_OPENERS).endswith(":") else [before, *between]
    return any(character.isalpha() for part in own for character in part)
