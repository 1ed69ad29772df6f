"""Finds the owner's answers to question tools, each with its question.

A tool that asks takes its questions as arguments, alone or in a list, often with options, and returns the owner's choice as its
result. A tool that no client names so may return nothing but options: its other words are its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from transforms.conversation.entries import Entry, is_asking_tool, list_questions, read_label, read_quoted_answer
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases
from transforms.language.sentences import join_lines, shorten
from transforms.offline.candidates import Candidate, is_unfit
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

ANSWER_SALIENCE = 1.2
"""Salience of an answer: a question tool is asked when a decision is due."""
MAX_RESULT_CHARS = 600
"""Longest result that is taken for an answer as a whole."""
QUESTION_CHARS, ANSWER_CHARS, MEANING_CHARS, LEFT_CHARS = 200, 220, 180, 30
MAX_LEFT = 3
"""Options that were left and are named: a later statement about one of them speaks of this choice."""
LEFT_MARK = "; not: "
_PICK = "\0"
"""Stands for an option in a result."""
_OPENERS = " \t\n\"'“”„«-*#[(0123456789.)"
"""What may stand between a heading and an option: marks of lists and quotation, and numbers."""
_CLAUSE_END = compile_late(r"\s*(?:[^\w\s'’]|$)")
"""Behind an option that an answer names and adds something to; a verb behind it may deny it."""


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
    """Yield the questions that the agent put through a tool, with the owner's answers."""
    asked = {call.call_id: (call, entry) for entry in exchange.replies for call in entry.tool_calls if list_questions(call)}
    for entry in exchange.replies:
        if entry.role == "toolResult" and not entry.is_error and entry.tool_call_id in asked:
            call, asking = asked[entry.tool_call_id]
            questions, is_free = list_questions(call), is_asking_tool(call)
            for item in questions:
                question, options = item["question"].strip(), _list_options(item)
                answer = _find_answer(entry, question, options, is_only=len(questions) == 1, is_free=is_free)
                if answer and (is_free or set(answer.split("; ")) <= set("; ".join(options).split("; "))):
                    picked = _find_picked(answer, list(options))
                    meaning = join_lines(options.get(answer, ""))
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


def _list_options(question: JsonObject) -> dict[str, str]:
    """Return the options of a question: label → description, empty where there is none."""
    options = question.get("options")
    labels = [(read_label(option), option) for option in (options if isinstance(options, list) else [])]
    described = ((label, option.get("description") if isinstance(option, dict) else None) for label, option in labels if label)
    return {label: description.strip() if isinstance(description, str) else "" for label, description in described}


def _find_picked(answer: str, options: list[str]) -> list[str]:
    """Return the options that an answer names, alone, joined, or at its beginning: "Away from zero. 2 digits"."""
    picked = [label for label in options if label in (answer, *answer.split("; "))]
    begun = [
        label for label in options
        if answer.casefold().startswith(label.casefold()) and _CLAUSE_END.match(answer, len(label))
    ]  # fmt: skip
    return picked or sorted(begun, key=len)[-1:]


def _find_answer(result: Entry, question: str, options: Mapping[str, str], *, is_only: bool, is_free: bool) -> str:
    """Return the answer to `question` in a result; empty when the result does not give it. `is_free`: it is a
    person's words."""
    text = result.text
    if quoted := read_quoted_answer(text, question):
        return quoted
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
