"""Finds the owner's answers to question tools, each with its question.

A tool that asks takes its questions as arguments, alone or in a list,
often with options, and returns the owner's choice as its result. The tool's name says nothing reliable; its arguments do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases
from transforms.language.sentences import join_lines, shorten
from transforms.offline.candidates import Candidate, is_unfit
from transforms.patterns.late_pattern import compile_late

ANSWER_SALIENCE = 1.2
"""Salience of an answer: a question tool is asked when a decision is due."""
MAX_RESULT_CHARS = 600
"""Longest result that is taken for an answer as a whole."""
QUESTION_CHARS, ANSWER_CHARS, MEANING_CHARS = 200, 220, 180
_QUOTED_ANSWER = compile_late(r'\s*(?:=|:|→|->)?\s*"(?P<answer>[^"\n]+)"')


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A question of the agent, the owner's answer, and the entries that hold them. `meaning` is the description of the picked
    option; empty where it has none."""

    question: str
    answer: str
    meaning: str
    call_ordinal: int
    result_ordinal: int


def find_tool_answers(exchange: Exchange) -> Iterator[ToolAnswer]:
    """Yield the questions that the agent put through a tool, with the owner's answers."""
    asked = {
        call.call_id: (call, entry) for entry in exchange.replies for call in entry.tool_calls if list(_find_questions(call))
    }
    for entry in exchange.replies:
        if entry.role == "toolResult" and not entry.is_error and entry.tool_call_id in asked:
            call, asking = asked[entry.tool_call_id]
            questions = list(_find_questions(call))
            for question, options in questions:
                if answer := _find_answer(entry, question, list(options), is_only=len(questions) == 1):
                    meaning = join_lines(options.get(answer, ""))
                    yield ToolAnswer(join_lines(question), join_lines(answer), meaning, asking.ordinal, entry.ordinal)


def find_answer_facts(exchange: Exchange, owner: str) -> Iterator[Candidate]:
    """Yield one decision for each answer that the owner gave through a tool."""
    for tool_answer in find_tool_answers(exchange):
        answer = shorten(tool_answer.answer, ANSWER_CHARS).replace('"', "'")
        asked = shorten(tool_answer.question, QUESTION_CHARS)
        meaning = f"; meaning: {shorten(tool_answer.meaning, MEANING_CHARS)}" if tool_answer.meaning else ""
        text = f'{owner} decided: "{answer}" (asked: {asked}{meaning if len(asked) + len(answer) + len(meaning) < 400 else ""})'
        if not is_unfit(text) and not cue_phrases.INJECTION.search(text):
            ordinals = (tool_answer.result_ordinal, tool_answer.call_ordinal)
            yield Candidate(text, "decision", "high", ordinals, (), ANSWER_SALIENCE, 0.9, group=f"{ordinals[0]}:{answer[:24]}")


def _find_questions(call: ToolCall) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the questions in a call's arguments with their options: label → description, empty where there is none."""
    listed = call.arguments.get("questions")
    for item in [call.arguments, *(listed if isinstance(listed, list) else [])]:
        if isinstance(item, dict) and isinstance(question := item.get("question"), str) and question.strip():
            options = item.get("options")
            read = map(_read_option, options if isinstance(options, list) else [])
            yield question.strip(), {label: description for label, description in read if label}


def _read_option(option: Any) -> tuple[str, str]:
    """Return the label and the description of an option."""
    description: Any = None
    if isinstance(option, dict):
        description = option.get("description")
        option = option.get("label") or option.get("value") or option.get("title")
    label = option.strip() if isinstance(option, str) else ""
    return label, description.strip() if isinstance(description, str) else ""


def _find_answer(result: Entry, question: str, options: list[str], *, is_only: bool) -> str:
    """Return the answer to `question` in a result; empty when the result does not give it."""
    text = result.text
    start = text.find(question)
    if start >= 0 and (quoted := _QUOTED_ANSWER.match(text, start + len(question) + 1)):
        return quoted["answer"].strip()
    rest = text.replace(question, " ")
    chosen = [label for label in options if label in rest]
    if chosen:
        return "; ".join(chosen) if is_only else ""
    return rest.strip() if is_only and 0 < len(rest.strip()) <= MAX_RESULT_CHARS else ""
