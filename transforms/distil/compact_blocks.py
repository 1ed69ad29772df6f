"""Shortens arguments and results of tools before a model reads them: four fifths of a transcript, and few of its facts.

An edit shows the lines that change; a file that was written or read shows its beginning; a command's output shows its beginning
and its end, which says how it went; lines that stood in an earlier block of the window are left out. Nothing that a person or the
agent said is touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from transforms.conversation.js_json import stringify_as_javascript
from transforms.tables.json_object import JsonObject

CONTENT_CHARS, COMMAND_CHARS, HALF_CHARS = 400, 900, 500
"""Longest content of a written file, command, and half of an edit."""
READING_TOOLS = frozenset({"read", "grep", "glob", "find", "ls", "webfetch", "fetch", "web_search", "websearch"})
READ_CHARS, OUTPUT_CHARS, ERROR_CHARS = 400, 900, 1_500
"""Longest result of a tool that looks something up, of another tool, and of one that failed."""
TAIL_SHARE = 0.6
"""Share of a shortened output that its end gets: a test run ends with its result."""
MIN_REPEATED_LINES = 3
"""Lines in a row that stood in an earlier block from which they are left out."""
MIN_LINE_CHARS = 12
"""A shorter line, such as a brace, is not a repetition by itself."""
_OLD_KEYS, _NEW_KEYS = ("oldText", "old_string", "old_str", "oldString"), ("newText", "new_string", "new_str", "newString")
_REPEATED = "[… {count} lines as before …]"


@dataclass(slots=True)
class SeenLines:
    """The lines of the blocks that were rendered before in this window."""

    lines: set[str] = field(default_factory=set)

    def drop_repeated(self, text: str) -> str:
        """Return a text without runs of lines that stood in an earlier block, and remember its lines."""
        kept_lines: list[str] = []
        run: list[str] = []
        for line in [*text.split("\n"), None]:
            if line is not None and line.strip() in self.lines:
                run.append(line)
                continue
            if sum(len(old.strip()) >= MIN_LINE_CHARS for old in run) >= MIN_REPEATED_LINES:
                kept_lines.append(_REPEATED.format(count=len(run)))
            else:
                kept_lines += run
            run = []
            if line is not None:
                kept_lines.append(line)
        self.lines |= {line.strip() for line in text.split("\n")}
        return "\n".join(kept_lines)


def compact_result(text: str, tool: str, seen: SeenLines, *, is_error: bool = False) -> str:
    """Return a tool's result without lines that stood in an earlier block, cut as far as the kind of tool allows."""
    limit = ERROR_CHARS if is_error else READ_CHARS if tool.lower() in READING_TOOLS else OUTPUT_CHARS
    return cut_middle(seen.drop_repeated(text), limit, TAIL_SHARE if limit != READ_CHARS else 0.25)


def compact_arguments(arguments: JsonObject, seen: SeenLines) -> JsonObject:
    """Return the arguments of a call: of an edit the lines that change, of a written file the beginning, of a command most."""
    compact: JsonObject = {}
    for name, value in _pair_halves(arguments).items():
        if isinstance(value, list):
            compact[name] = [compact_arguments(part, seen) if isinstance(part, dict) else part for part in value]
        elif not isinstance(value, str):
            compact[name] = value
        elif name in _OLD_KEYS or name in _NEW_KEYS:
            compact[name] = cut_middle(value, HALF_CHARS)
        elif name == "command":
            compact[name] = cut_middle(seen.drop_repeated(value), COMMAND_CHARS)
        else:
            limit = CONTENT_CHARS if value.count("\n") > MIN_REPEATED_LINES else COMMAND_CHARS
            compact[name] = cut_middle(seen.drop_repeated(value), limit, 0.25)
    return compact


def render_arguments(arguments: JsonObject) -> str:
    """Return arguments as pi writes them, but with line breaks instead of escapes: a third of the tokens of code."""
    return ", ".join(f"{name}={_render_value(value)}" for name, value in arguments.items())


def cut_middle(text: str, limit: int, tail_share: float = 0.4) -> str:
    """Return a text of at most about `limit` characters: its beginning, the number of characters left out, and its end."""
    if len(text) <= limit + 40:
        return text
    tail = int(limit * tail_share)
    return f"{text[: limit - tail]}\n[… {len(text) - limit} characters …]\n{text[-tail:] if tail else ''}"


def _pair_halves(arguments: JsonObject) -> JsonObject:
    """Return arguments in which the two halves of an edit show only the lines that the other half does not have."""
    old_key = next((key for key in _OLD_KEYS if isinstance(arguments.get(key), str)), "")
    new_key = next((key for key in _NEW_KEYS if isinstance(arguments.get(key), str)), "")
    if not old_key or not new_key:
        return arguments
    old, new = str(arguments[old_key]).split("\n"), str(arguments[new_key]).split("\n")
    return arguments | {old_key: _keep_changed(old, set(new)), new_key: _keep_changed(new, set(old))}


def _keep_changed(lines: list[str], others: set[str]) -> str:
    marked = "\n".join("…" if line in others else line for line in lines)
    return re.sub(r"…(?:\n…)+", "…", marked)


def _render_value(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return "[" + "; ".join(render_arguments(part) for part in value) + "]"
    return str(stringify_as_javascript(value))
