"""An entry for windows, segments and engines: a row of the `entries` table with its tool calls parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import polars as pl

from transforms.conversation.shared_form import read_shared_form
from transforms.conversation.speakers import Attribution, SpokenPart, attribute_entry, extract_words_of, read_part_rows
from transforms.patterns.endless_runs import blank_endless_runs
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.line_ends import even_line_ends
from transforms.tables.enums import EntryFlag, Speaker
from transforms.tables.json_object import JsonObject, parse_raw_json


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of an assistant message, arguments redacted."""

    call_id: str
    name: str
    arguments: JsonObject
    continues: bool = False
    """Whether it is a further part of the call before it, with the same result: a patch of several files is one call."""


@dataclass(frozen=True)
class Entry:
    """One entry of one session; `ordinal` is its key, ids repeat in damaged files."""

    session_id: str
    ordinal: int
    entry_id: str
    parent_id: str | None
    line_no: int
    entry_type: str
    role: str | None
    turn_kind: str | None
    text: str
    tool_name: str | None
    tool_call_id: str | None
    is_error: bool
    stop_reason: str | None
    token_count: int
    said_at: datetime
    on_active_branch: bool
    flags: tuple[EntryFlag, ...]
    raw_json: str
    speaker: Speaker | None = None
    speaker_reason: str | None = None
    speaker_parts: tuple[SpokenPart, ...] = ()

    @cached_property
    def attribution(self) -> Attribution:
        """The author of the entry; judged by format alone where an older version wrote the lake."""
        if self.speaker is None:
            return attribute_entry(self.entry_type, self.role, self.text)
        return Attribution(self.speaker, self.speaker_reason or "", self.speaker_parts)

    @cached_property
    def owner_words(self) -> str:
        """The words that the owner typed; only they can be preferences, rules, decisions or corrections."""
        return self.find_words_of("owner")

    @cached_property
    def stretches(self) -> tuple[SpokenPart, ...]:
        """The parts of an entry that its owner and somebody else share; none when one of them wrote all of it."""
        speakers = {part.speaker for part in self.attribution.parts}
        return self.attribution.parts if "owner" in speakers and len(speakers) > 1 else ()

    @cached_property
    def foreign_words(self) -> str:
        """The words of others beside the owner's: a mail, a log; empty without any, and for quotations of the agent."""
        others = (part for part in self.stretches if part.speaker not in ("owner", "agent"))
        return "\n".join(self.text[part.start : part.end].strip() for part in others)

    @property
    def is_client_text(self) -> bool:
        """Whether the client or memory wrote a user entry, so that nobody said it and nobody answers it."""
        speaker, reason, _ = self.attribution
        return self.role == "user" and (speaker == "system" or reason == "format:memory")

    def find_words_of(self, speaker: Speaker) -> str:
        """Return the words of one speaker; empty without any."""
        return _TRAILING_BLANKS.sub("\n", extract_words_of(speaker, self.text, self.attribution))

    @cached_property
    def raw(self) -> JsonObject:
        """The entry in pi's shape, also of other agents (redacted)."""
        return read_shared_form(parse_raw_json(self.raw_json), self.entry_type, self.role)

    @cached_property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Tool calls of an assistant message, in order; empty for everything else."""
        if self.role != "assistant":
            return ()
        content = (self.raw.get("message") or {}).get("content")
        parts = content if isinstance(content, list) else []
        return tuple(
            ToolCall(str(part.get("id") or ""), str(part.get("name") or ""), arguments, part.get("continues") is True)
            for part in parts
            if isinstance(part, dict)
            and part.get("type") == "toolCall"
            and isinstance(arguments := part.get("arguments") or {}, dict)
        )

    @property
    def is_typed(self) -> bool:
        """Whether the owner typed any of the entry."""
        return bool(self.owner_words)


_TRAILING_BLANKS = compile_late(r"(?<![ \t])[ \t]++\n")
SUMMARY_TYPES = ("compaction", "branch_summary")
"""Types of the entries in which a model sums up the conversation before them."""


_QUOTED_ANSWER = compile_late(r'\s*(?:=|:|→|->)?\s*"(?P<answer>[^"\n]+)"')
MOST_NOTE_CHARS = 160
"""Characters of a client's note in place of an answer."""
_DECLINED = compile_late(
    r"\s*[\[(]?(?:(?:the\s+)?user\s+(?:did\s+not|didn['’]t|has\s+not|hasn['’]t)\b.*$|(?:the\s+)?user\b(?![^\n]*[=:]\s*[^\s.,;])|(?:(?:the\s+|your\s+)?(?:question|request|prompt|dialog|form|selection|input"
    r"|\w+_\w+)\w*\s+(?:was\s+|were\s+|is\s+|has\s+been\s+)?)?(?:cancell?ed|declined|dismissed|rejected|aborted|skipped|timed\s+out"
    r"|no\s+(?:answer|response|selection|input))\b\W*(?:(?:by|from|before|without)\b[^,;\n]*)?$)",
    re.I,
)
"""What clients print when nobody answered: a sentence about their user, or that the question was dropped. The owner does not
call themselves "the user"; a result in which something stands behind a colon holds words."""
_ASKING_TOOLS = frozenset({"askuserquestion", "requestuserinput", "askuser", "askusertool", "userinput"})
"""Tools by which clients and their extensions ask the owner, without marks: Claude Code's, Codex's and those of pi."""


def list_questions(call: ToolCall) -> list[JsonObject]:
    """Return the questions that a tool call puts to the owner, as its arguments hold them; empty for every other call.

    A question alone is no sign: tools that search ask their server one. Either the client names the tool so, or it is a menu,
    whose options the agent wrote. The tools of MCP servers ask nobody, whatever their names and forms are.
    """
    if call.name.lower().startswith("mcp"):
        return []
    listed = call.arguments.get("questions")
    asked = [
        item
        for item in (call.arguments, *(listed if isinstance(listed, list) else []))
        if isinstance(item, dict) and isinstance(question := item.get("question"), str) and question.strip()
    ]
    return asked if is_asking_tool(call) else [item for item in asked if list_labels(item)]


def is_asking_tool(call: ToolCall) -> bool:
    """Whether the tool of a call is one by which clients ask the owner: its result is the owner's, whatever it says."""
    return "".join(filter(str.isalpha, call.name.lower())) in _ASKING_TOOLS


def list_labels(question: JsonObject) -> list[str]:
    """Return the labels of a question's options, in order; empty without a menu."""
    options = question.get("options")
    labels = map(read_label, options if isinstance(options, list) else [])
    return [label for label in labels if label]


def read_label(option: Any) -> str:
    """Return the label of an option; empty without one."""
    if isinstance(option, dict):
        option = option.get("label") or option.get("value") or option.get("title")
    return option.strip() if isinstance(option, str) else ""


def holds_answer(call: ToolCall, result: str) -> bool:
    """Whether the result of a call is what the owner answered: a tool of another name must return options of its menu."""
    questions = list_questions(call)
    if not questions or is_declined(result):
        return False
    return is_asking_tool(call) or any(label in result for item in questions for label in list_labels(item))


def is_declined(result: str) -> bool:
    """Whether a result is the client's note that the owner answered nothing: it speaks of its user, or of the question."""
    return len(result) <= MOST_NOTE_CHARS and bool(_DECLINED.match(result))


def read_recorded_answers(result: Entry) -> Any:
    """Return the answers as the client recorded them beside the text of a result: a list, or an object by ids or questions; an
    empty list when the owner cancelled, and None where the client recorded none."""
    message = result.raw.get("message")
    details = message.get("details") if isinstance(message, dict) else None
    if not isinstance(details, dict):
        return None
    is_cancelled = any(details.get(name) is True for name in ("cancelled", "canceled", "declined", "dismissed"))
    return [] if is_cancelled else details.get("answers")


def read_quoted_answer(text: str, question: str) -> str:
    """Return the quoted answer behind a question in a result; empty when none stands there."""
    start = text.find(question)
    quoted = _QUOTED_ANSWER.match(text, start + len(question) + 1) if start >= 0 else None
    return quoted["answer"].strip() if quoted else ""


def find_answered_words(result: Entry, entries: Sequence[Entry]) -> str:
    """Return the owner's words in the result of a tool that asked; all but the questions where the client quotes no answer."""
    if is_declined(result.text):
        return ""
    calls = (call for entry in entries for call in entry.tool_calls if call.call_id == result.tool_call_id)
    questions = [item["question"].strip() for call in calls for item in list_questions(call)]
    quoted = [answer for question in questions if (answer := read_quoted_answer(result.text, question))]
    if quoted:
        return "\n".join(quoted)
    rest = result.text
    for question in questions:
        rest = rest.replace(question, " ")
    return rest.strip() if questions else ""


NOTE_DASH = " — "
"""Between an option that was picked and what the owner typed beside it: the mark parts the two for the check of quotations, as
other words of the client stand between them in its text."""
_NOTE = "user_note:"
"""The client's mark of what the owner typed beside the options."""
_VALUES = ("answers", "answer", "selected", "label", "labels", "value", "values")
"""Fields of a recorded answer that hold it, and those of what was typed beside it."""
_NOTES = ("notes", "note", "comment")


def read_record(recorded: Any, question: JsonObject, place: int, options: Sequence[str], *, is_only: bool) -> str:
    """Return the answer that the client recorded for a question, the owner's note behind it; empty when it has none.

    Records are found by the question's id or words, else by place where there is one for each question.
    """
    keys = [key for name in ("id", "question", "header") if isinstance(key := question.get(name), str) and key.strip()]
    record: Any = None
    if isinstance(recorded, dict):
        record = next((recorded[key] for key in keys if key in recorded), None)
        record = next(iter(recorded.values())) if record is None and is_only and len(recorded) == 1 else record
    elif isinstance(recorded, list):
        items = [item for item in recorded if isinstance(item, dict)]
        named = [
            item
            for item in items
            if item.get("questionIndex") == place or any(item.get(name) in keys for name in ("id", "question"))
        ]
        record = named[0] if named else recorded[0] if is_only and len(recorded) == 1 else None
    parts = [part.strip() for part in _list_values(record) if part.strip()]
    notes = [part.removeprefix(_NOTE).strip() for part in parts if part.startswith(_NOTE)]
    notes += [note for name in _NOTES if isinstance(record, dict) and isinstance(note := record.get(name), str) and note.strip()]
    chosen = [part for part in parts if not part.startswith(_NOTE)]
    if notes:  # "None of the above" is the client's, what is typed beside it the answer
        chosen = [part for part in chosen if part in options]
    return NOTE_DASH.join(filter(None, ("; ".join(chosen), " ".join(notes))))


def _list_values(record: Any) -> list[str]:
    """Return the texts that a recorded answer holds."""
    if isinstance(record, str):
        return [record]
    if isinstance(record, list):
        return [text for item in record for text in _list_values(item)]
    if isinstance(record, dict):
        return next((values for name in _VALUES if (values := _list_values(record.get(name)))), [])
    return []


ENTRY_COLUMNS_READ = tuple(Entry.__dataclass_fields__)


def _read_text(role: str | None, text: str) -> str:
    """Return the text of an entry for readers of words. What tools print keeps its line ends: a bar of progress has many."""
    return blank_endless_runs(even_line_ends(text) if role in ("user", "assistant") else text)


def build_entries(frame: pl.DataFrame) -> list[Entry]:
    """Return the rows of an `entries` frame as objects, in (session_id, ordinal) order."""
    rows = frame.sort("session_id", "ordinal").select(ENTRY_COLUMNS_READ).iter_rows(named=True)
    return [
        Entry(
            **row
            | {
                "text": _read_text(row["role"], row["text"] or ""),
                "raw_json": row["raw_json"] or "",
                "is_error": bool(row["is_error"]),
                "token_count": row["token_count"] or 0,
                "flags": tuple(row["flags"] or ()),
                "speaker_parts": read_part_rows(row["speaker_parts"]),
            }
        )
        for row in rows
    ]
