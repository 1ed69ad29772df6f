"""What the owner answered to a tool that asked them: the words of the answer without those of the question.

Clients word the result of such a tool themselves and repeat the agent's question in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.conversation.entries import Entry, list_questions
from transforms.patterns.late_pattern import compile_late

_QUOTED_ANSWER = compile_late(r'\s*(?:=|:|→|->)?\s*"(?P<answer>[^"\n]+)"')


def read_quoted_answer(text: str, question: str) -> str:
    """Return the quoted answer behind a question in a result; empty when none stands there."""
    start = text.find(question)
    quoted = _QUOTED_ANSWER.match(text, start + len(question) + 1) if start >= 0 else None
    return quoted["answer"].strip() if quoted else ""


def find_answered_words(result: Entry, entries: Sequence[Entry]) -> str:
    """Return the owner's words in the result of a tool that asked; all but the questions where the client quotes no answer."""
    calls = (call for entry in entries for call in entry.tool_calls if call.call_id == result.tool_call_id)
    questions = [item["question"].strip() for call in calls for item in list_questions(call)]
    quoted = [answer for question in questions if (answer := read_quoted_answer(result.text, question))]
    if quoted:
        return "\n".join(quoted)
    rest = result.text
    for question in questions:
        rest = rest.replace(question, " ")
    return rest.strip() if questions else ""
