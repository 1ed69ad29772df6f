"""Reads an agent's actions from tool calls and their results: edits, new files, commits, checks, moves and deletions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal

from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.outside.command_parts import find_branch
from transforms.exchanges.outside.held_texts import split_held_texts
from transforms.language.entities import IDENTIFIER, take_base_name
from transforms.language.sentences import shorten
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

ActionKind = Literal["read", "create", "edit", "commit", "check", "move", "delete", "publish", "open", "command"]


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `detail` is the commit message, the command, the title of an opened request or the new path of a moved file;
    `branch` is the one that a commit was made on, where it is not the main one."""

    kind: ActionKind
    ordinal: int
    result: int | None
    path: str = ""
    detail: str = ""
    is_ok: bool = True
    is_known: bool = True
    added: tuple[str, ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()
    error: str = ""
    branch: str = ""
    written_names: frozenset[str] = frozenset()
    removed_names: frozenset[str] = frozenset()
    """Names in the new text, and names that are only in the old text."""


_TOP = compile_late(
    r"^(?:export\s+(?:default\s+)?)(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const"
    r"|let)\s+([A-Za-z_$][\w$]*)"
    r"|^(?:pub\s+)?(?:async\s+)?(?:class|def|fn|func|struct|trait|enum)\s+([A-Za-z]\w*)",
    re.M,
)
_PAIR = compile_late(
    r"^\s*[\"']?([A-Za-z_$][\w.$-]*)[\"']?\s*[:=]\s*(\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'|#?[\w.+-]{1,40})\s*,?\s*$", re.M
)
_DATA_FILE = compile_late(r"\.(?:json|jsonc|ya?ml|toml|ini|env|cfg|conf|properties|css|scss)$", re.I)
_GIT_COMMIT = compile_late(r"\bgit\b[^&|;\n]{0,200}?\bcommit\b")
_MESSAGE = compile_late(r"""(?:^|\s)(?:-[a-z]*m|--message)[ =]?\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)')""", re.S)
_PRINTED_COMMIT_HASH = compile_late(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\]", re.M)
_CHECK = compile_late(
    r"\b(?:pytest|vitest|jest|mocha|tsc|tsgo|ruff|mypy|eslint|biome|(?:cargo|go|swift|dotnet|mix|gradle|mvn|make|just|tox"
    r"|nox) (?:test|check|build|lint|clippy)(?:[-:][\w:.-]*\w)?"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:-\w+ )?(?:test|check|build|lint|typecheck|type-check)(?:[-:][\w:.-]*\w)?)\b"
)
_PUBLISH = compile_late(
    r"\b(?:npm|pnpm|yarn|cargo|twine|gem|poetry|uv)(?: run)? (?:publish|upload)\b|\bgit push\b|\bgit tag\b(?! -[ld])|\b(?:npm"
    r"|yarn|pnpm)(?: run)? version\b|\bgh release create\b"
)
_PULL_REQUEST = compile_late(
    r"\b(?:gh|glab) (?P<what>pr|mr|issue) create\b.*?(?:\s-t|\s--title)[ =]*(?P<quote>[\"'])(?P<title>.+?)(?P=quote)", re.S
)
_WEB_ADDRESS = compile_late(r"https?://[^\s\"'<>]+")
_DELETE = compile_late(r"(?:^|&&|;|\n)\s*(?:sudo )?(?:git )?rm\s+((?:-\w+\s+)*)([^&|;\n]+)")
_MOVE = compile_late(r"(?:^|&&|;|\n)\s*(?:git )?mv\s+((?:-\w+\s+)*)([^&|;\n]+)")
_BAD_OUTPUT = compile_late(
    r"\b(?:error TS\d+|[1-9]\d* (?:failed|failing|errors?)|FAILED|FAIL|Traceback|npm ERR!|npm error|panicked|SyntaxError"
    r"|TypeError|error:|Error:|exited? (?:with )?code [1-9]|not found|No such file)\b",
    by_words=True,
)
_EXIT_WORDS = frozenset({"command", "process", "exit", "exited", "failed", "with", "code", "status"})
"""Words of a client's line that says that a command failed, and not why: "Command exited with code 1"."""
_PUSH_LINES = ("error: failed to push", "! [rejected]", "! [remote rejected]", "pre-push")
_GIT_LINES = (
    "To ", "hint:", "error: failed to push", "create mode ", "delete mode ", "rename ", "Enumerating objects", "Counting objects",
    "Compressing objects", "Writing objects", "Delta compression", "Total ", "Everything up-to-date", "husky ",
)  # fmt: skip
"""What git prints about commits and pushes, refused or not."""
_NOTHING_LEFT = ("nothing to commit", "nothing added to commit", "no changes added to commit")
REASON_LINES, REASON_CHARS = 2, 150
"""Last lines of an output that give the reason of a failure where none of them names an error."""
_QUOTED = compile_late(r"""\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'""", re.S)
_HIDDEN_EXIT = compile_late(r"\||;|\n\s*\S|&\s*$")
"""What follows a command and replaces its exit code with another one's: a pipe, `|| true`, a next command, the background."""


def find_actions(entries: list[Entry]) -> list[Action]:
    """Return the actions of every tool call, in order; results are looked up by call id."""
    results = {entry.tool_call_id: entry for entry in entries if entry.role == "toolResult" and entry.tool_call_id}
    return [
        action for entry in entries for call in entry.tool_calls for action in _parse_call(entry, call, results.get(call.call_id))
    ]


def _parse_call(entry: Entry, call: ToolCall, result: Entry | None) -> Iterator[Action]:
    is_ok = result is None or not result.is_error
    result_ordinal = result.ordinal if result else None
    path = next((str(call.arguments[key]) for key in ("path", "file_path", "filePath", "file") if call.arguments.get(key)), "")
    name = call.name.lower()
    if path and (name in {"edit", "multiedit", "str_replace", "patch", "apply_patch"} or name.endswith("edit")):
        yield _describe_edit(entry.ordinal, result_ordinal, path, list(_find_replacements(call.arguments)), is_ok)
    elif path and (name in {"write", "create"} or name.endswith("write")):
        content = str(call.arguments.get("content") or "")
        yield Action(
            "create",
            entry.ordinal,
            result_ordinal,
            path,
            is_ok=is_ok,
            is_known=result is not None,
            added=tuple(_find_top_level_names(content)),
            written_names=_find_identifiers(content),
        )
    elif path and name in {"read", "view", "cat"}:
        yield Action("read", entry.ordinal, result_ordinal, path, is_ok=is_ok)
    elif command := str(call.arguments.get("command") or call.arguments.get("cmd") or ""):
        yield from _parse_command(entry.ordinal, result, command, is_ok)


def _find_replacements(arguments: JsonObject) -> Iterator[tuple[str, str]]:
    edits = arguments.get("edits")
    for replacement in edits if isinstance(edits, list) else [arguments]:
        if isinstance(replacement, dict):
            old = replacement.get("oldText", replacement.get("old_string", replacement.get("old_str", "")))
            new = replacement.get("newText", replacement.get("new_string", replacement.get("new_str", "")))
            yield str(old or ""), str(new or "")


def _describe_edit(ordinal: int, result: int | None, path: str, replacements: list[tuple[str, str]], is_ok: bool) -> Action:
    old_text = "\n".join(old for old, _ in replacements)
    new_text = "\n".join(new for _, new in replacements)
    written = _find_identifiers(new_text)
    return Action(
        "edit", ordinal, result, path, is_ok=is_ok, is_known=result is not None,
        values=tuple(_find_changed_values(old_text, new_text)) if _DATA_FILE.search(path) else (),
        written_names=written, removed_names=_find_identifiers(old_text) - written,
    )  # fmt: skip


def _find_identifiers(code: str) -> frozenset[str]:
    return frozenset(IDENTIFIER.findall(code))


def _find_top_level_names(code: str) -> list[str]:
    return list(dict.fromkeys(match[1] or match[2] for match in _TOP.finditer(code)))


def _find_changed_values(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    before, after = (dict(_PAIR.findall(text)) for text in (old, new))
    for key, value in after.items():
        if before.get(key) != value:
            yield key, before.get(key, "").strip("\"'"), value.strip("\"'")


def _parse_command(ordinal: int, result: Entry | None, command: str, is_ok: bool) -> Iterator[Action]:
    result_ordinal = result.ordinal if result else None
    output = result.text if result else ""
    is_known = result is not None
    bare, _ = split_held_texts(command)
    is_stopped = False
    if (commit := _GIT_COMMIT.search(bare)) and (message := parse_commit_message(command)):
        failed = has_failed(output, is_ok, bare[commit.end() :])
        commit_line = _PRINTED_COMMIT_HASH.search(output)
        is_empty = any(line.startswith(_NOTHING_LEFT) for line in _list_lines(output))
        is_done = commit_line is not None or not (failed or is_empty)
        is_made = is_known and (is_done or _has_reached_push(bare[commit.end() :], output))
        is_stopped = is_known and not is_made
        yield Action(
            "commit",
            ordinal,
            result_ordinal,
            commit_line[1] if commit_line else "",
            message,
            is_made,
            is_known,
            error="" if is_made else find_error(output),
            branch=find_branch(command, output),
        )
    yield from _parse_file_commands(ordinal, result_ordinal, bare, is_ok, is_known)
    if (opened := _PULL_REQUEST.search(command)) and (addresses := _WEB_ADDRESS.findall(output)):
        name = "issue" if opened["what"] == "issue" else "pull request"
        yield Action("open", ordinal, result_ordinal, addresses[-1], f'{name} "{opened["title"]}"', is_ok, is_known)
    kind: ActionKind = "publish" if _PUBLISH.search(bare) else "check"
    for match in _PUBLISH.finditer(bare) if kind == "publish" else islice(_CHECK.finditer(bare), 1):
        if is_stopped and re.search(r"\bcommit\b[^;|]*&&[^;|]*$", bare[: match.start()]):
            continue  # what stands behind a commit that was not made did not run
        failed = has_failed(output, is_ok, bare[match.end() :])
        error = find_error(output, is_refused=kind == "publish" and not is_ok)
        detail = _cut_command(bare, match) if kind == "publish" else match[0]
        yield Action(kind, ordinal, result_ordinal, "", detail, not failed, is_known, error=error if failed else "")


def has_failed(output: str, is_ok: bool, rest: str) -> bool:
    """Return whether a command failed: by its exit code, and by its output only if the rest of the line hides that code."""
    return not is_ok or (bool(_HIDDEN_EXIT.search(_QUOTED.sub("", rest))) and bool(_BAD_OUTPUT.search(output)))


def moves_files(command: str) -> bool:
    """Return whether a command line moves or deletes files."""
    return bool(_MOVE.search(command) or _DELETE.search(command))


def _parse_file_commands(ordinal: int, result_ordinal: int | None, bare: str, is_ok: bool, is_known: bool) -> Iterator[Action]:
    for match in _MOVE.finditer(bare):
        *sources, target = match[2].split() or [""]
        if sources and "$" not in match[2]:
            yield Action("move", ordinal, result_ordinal, " ".join(sources), target, is_ok, is_known)
    for match in _DELETE.finditer(bare):
        if "$" not in match[2] and "/tmp/" not in match[2]:
            paths = " ".join(part for part in match[2].split() if part[0] not in "-2>")
            yield Action("delete", ordinal, result_ordinal, paths, "", is_ok, is_known)


def _cut_command(bare: str, match: re.Match[str]) -> str:
    """Return the command from its match to the end of its part of the line, at most 60 characters."""
    end = re.search(r"&&|[|;\n]|2>", bare[match.start() :])
    return bare[match.start() : match.start() + end.start() if end else None].strip()[:60]


def _has_reached_push(rest: str, output: str) -> bool:
    """Whether a push behind a commit ran: its output stands there, and `&&` runs it only after the commit was made."""
    push = rest.find("git push")
    return push >= 0 and "&&" in rest[:push] and any(line.startswith(_PUSH_LINES) for line in _list_lines(output))


def _list_lines(output: str) -> list[str]:
    """Return the lines of an output that say something, without what a server's name for itself puts before them."""
    lines = (" ".join(line.split()).removeprefix("remote: ") for line in output.splitlines())
    return [line for line in lines if line]


def _tells_exit_alone(line: str) -> bool:
    *words, last = re.split(r"\W+", line.lower().strip(" .:"))
    return last.isdigit() and bool(words) and _EXIT_WORDS.issuperset(words)


def find_error(output: str, *, is_refused: bool = False) -> str:
    """Return the first line of an output that names an error, from the name on, at most 150 characters; without one the last
    lines of a command that failed, as a hook prints them: of one that `is_refused`, or whose output says that it failed. That
    there was nothing to commit is no error.
    """
    lines = _list_lines(output)
    if any(line.startswith(_NOTHING_LEFT) for line in lines):
        return ""
    is_refused = is_refused or any(_tells_exit_alone(line) or line.startswith(_PUSH_LINES) for line in lines)
    telling = [
        line
        for line in lines
        if not _tells_exit_alone(line) and not line.startswith(_GIT_LINES) and not _PRINTED_COMMIT_HASH.match(line)
    ]
    telling = [line for line in telling if not re.match(r"\d+ files? changed", line)]
    line = next((line for line in telling if _BAD_OUTPUT.search(line)), "")
    if not line and is_refused:
        return shorten("; ".join(line.rstrip(".") for line in telling[-REASON_LINES:]), REASON_CHARS)
    named = re.search(r"\b(?:\w*[Ee]rror|FAILED|FAIL|panicked)\b", line)
    line = line[named.start() :] if named else line
    return line if len(line) <= 150 else line[:149].rsplit(" ", 1)[0] + "…"


def parse_commit_message(command: str) -> str:
    """Return the first line of the message of a `git commit`, empty when the command line holds none: of a text between `<<EOF`
    and `EOF` only where the commit itself reads it."""
    bare, held = split_held_texts(command)
    if (commit := _GIT_COMMIT.search(bare)) is None:
        return ""
    message = _MESSAGE.search(bare, commit.end())
    behind = next((text for text in held if text.place >= commit.end()), None)
    if behind is not None and (message is None or message.end() > behind.place):
        before = _QUOTED.sub("", bare[commit.end() : behind.place])
        if {*"&|;\n"}.isdisjoint(before):
            return _take_first_line(behind.text)
    if message is None and (path := _find_message_file(bare[commit.end() :])):
        ended = f"{bare}\n"
        lines = ((text.text, bare.rfind("\n", 0, text.place) + 1, ended.index("\n", text.place)) for text in held)
        return _take_first_line(next((text for text, start, end in lines if bare.find(path, start, end) >= 0), ""))
    text = (message["double"] or message["single"] or "") if message else ""
    return _take_first_line(text.replace('\\"', '"').replace("\\`", "`"))


def _find_message_file(options: str) -> str:
    """Return the path that a commit reads its message from; empty without one, and for its input."""
    words = options.replace("--file=", "--file ").split()
    path = next((path for word, path in pairwise(words) if word in ("-F", "--file")), "")
    return path.strip("\"'").removeprefix("-")


def _take_first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0].strip()


_CLIENT_NOTES = ("plans", "projects", "todos")
"""Folders in which Claude Code keeps its own plans and notes: named by the client, and no part of the work."""


def find_touched_paths(actions: list[Action]) -> list[str]:
    """Return the paths of files created or edited by calls that did not fail, in order, once each, without a client's notes."""
    changes = (action.path for action in actions if action.kind in ("create", "edit") and action.is_ok)
    return list(dict.fromkeys(path for path in changes if not _is_client_note(path)))


def _is_client_note(path: str) -> bool:
    """Whether a file lies in one of the client's own folders, in a home and not in a repository."""
    parts = ("", "", *path.replace("\\", "/").split("/"))
    return any(
        parts[place] == ".claude"
        and parts[place + 1] in _CLIENT_NOTES
        and (parts[place - 1] == "~" or parts[place - 2] in ("home", "Users") or parts[place - 2 : place] == ("", "root"))
        for place in range(2, len(parts) - 2)
    )


def format_file_names(paths: list[str], limit: int = 3) -> str:
    """Return `a.ts, b.ts and 2 more`."""
    shown = list(dict.fromkeys(take_base_name(path) for path in paths))
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")
