"""What an agent did: tool calls and their results as edits, new files, commits, checks, moves and deletions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from transforms.conversation.entries import Entry, ToolCall
from transforms.language.entities import base_name

ActionKind = Literal["read", "create", "edit", "commit", "check", "move", "delete", "publish", "branch", "command"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing done. `detail` is the commit message, the command or the new place of a moved file."""

    kind: ActionKind
    ordinal: int
    result: int | None
    path: str = ""
    detail: str = ""
    is_ok: bool = True
    is_known: bool = True
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()
    error: str = ""
    held: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    """Names in the new text, and those only in the old."""


_DECLARED = re.compile(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:pub(?:\([a-z]+\))?\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function\*?|class|interface|type|enum|const|let|def|struct|trait|fn|func|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)",
    re.M,
)
_METHOD = re.compile(
    r"^[ \t]+(?:(?:private|public|protected|static|async|override|readonly)\s+)*(?:(get|set)\s+)?(?!if\b|for\b|while\b"
    r"|switch\b|catch\b"
    r"|function\b|return\b|constructor\b)([A-Za-z_$][\w$]*)(?:<[^>\n]*>)?\([^)\n]*\)\s*(?::\s*[^{;\n]+)?\{\s*$",
    re.M,
)
_IDENTIFIER = re.compile(r"(?<![\w$])(?:[A-Za-z$][\w$]*[a-z][A-Z][\w$]*|[a-z]\w*_\w+)(?![\w$])")
_TOP = re.compile(
    r"^(?:export\s+(?:default\s+)?)(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|const"
    r"|let)\s+([A-Za-z_$][\w$]*)"
    r"|^(?:pub\s+)?(?:async\s+)?(?:class|def|fn|func|struct|trait|enum)\s+([A-Za-z]\w*)",
    re.M,
)
_PAIR = re.compile(
    r"^\s*[\"']?([A-Za-z_$][\w.$-]*)[\"']?\s*[:=]\s*(\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'|#?[\w.+-]{1,40})\s*,?\s*$", re.M
)
_DATA_FILE = re.compile(r"\.(?:json|jsonc|ya?ml|toml|ini|env|cfg|conf|properties|css|scss)$", re.I)
_COMMIT = re.compile(r"\bgit\b[^&|;\n]*?\bcommit\b")
_MESSAGE = re.compile(r"""(?:^|\s)(?:-[a-z]*m|--message)[ =]?\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)')""", re.S)
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1", re.S)
_COMMITTED = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\]", re.M)
_CHECK = re.compile(
    r"\b(?:pytest|vitest|jest|mocha|tsc|tsgo|ruff|mypy|eslint|biome|(?:cargo|go|swift|dotnet|mix|gradle|mvn|make|just|tox"
    r"|nox) (?:test|check|build|lint|clippy)"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:-\w+ )?(?:test|check|build|lint|typecheck|type-check))\b"
)
_PUBLISH = re.compile(
    r"\b(?:npm|pnpm|yarn|cargo|twine|gem|poetry|uv)(?: run)? (?:publish|upload)\b|\bgit push\b|\bgit tag\b(?! -l)|\b(?:npm"
    r"|yarn|pnpm)(?: run)? version\b|\bgh release create\b"
)
_BRANCH = re.compile(r"\bgit (?:checkout -b|switch -c|branch)\s+([\w./-]+)")
_DELETE = re.compile(r"(?:^|&&|;|\n)\s*(?:sudo )?(?:git )?rm\s+((?:-\w+\s+)*)([^&|;\n]+)")
_MOVE = re.compile(r"(?:^|&&|;|\n)\s*(?:git )?mv\s+((?:-\w+\s+)*)([^&|;\n]+)")
_BAD_OUTPUT = re.compile(
    r"\b(?:error TS\d+|[1-9]\d* (?:failed|failing|errors?)|FAILED|FAIL|Traceback|npm ERR!|npm error|panicked|SyntaxError"
    r"|TypeError|error:|Error:|exited? (?:with )?code [1-9]|not found|No such file)\b"
)


def actions_of(entries: list[Entry]) -> list[Action]:
    """Every tool call of the entries with what it did, in order; results are looked up by call id."""
    results = {entry.tool_call_id: entry for entry in entries if entry.role == "toolResult" and entry.tool_call_id}
    return [
        action for entry in entries for call in entry.tool_calls for action in _actions(entry, call, results.get(call.call_id))
    ]


def _actions(entry: Entry, call: ToolCall, result: Entry | None) -> Iterator[Action]:
    is_ok = result is None or not result.is_error
    at = result.ordinal if result else None
    path = next((str(call.arguments[key]) for key in ("path", "file_path", "filePath", "file") if call.arguments.get(key)), "")
    name = call.name.lower()
    if path and (name in {"edit", "multiedit", "str_replace", "patch", "apply_patch"} or name.endswith("edit")):
        yield _edit(entry.ordinal, at, path, list(_replacements(call.arguments)), is_ok)
    elif path and (name in {"write", "create"} or name.endswith("write")):
        content = str(call.arguments.get("content") or "")
        yield Action(
            "create",
            entry.ordinal,
            at,
            path,
            is_ok=is_ok,
            is_known=result is not None,
            added=tuple(_top_names(content)),
            held=_named(content),
        )
    elif path and name in {"read", "view", "cat"}:
        yield Action("read", entry.ordinal, at, path, is_ok=is_ok)
    elif command := str(call.arguments.get("command") or call.arguments.get("cmd") or ""):
        yield from _commands(entry.ordinal, result, command, is_ok)


def _replacements(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    several = arguments.get("edits")
    for one in several if isinstance(several, list) else [arguments]:
        if isinstance(one, dict):
            old = one.get("oldText", one.get("old_string", one.get("old_str", "")))
            new = one.get("newText", one.get("new_string", one.get("new_str", "")))
            yield str(old or ""), str(new or "")


def _edit(ordinal: int, result: int | None, path: str, replacements: list[tuple[str, str]], is_ok: bool) -> Action:
    old_text = "\n".join(old for old, _ in replacements)
    new_text = "\n".join(new for _, new in replacements)
    old, new = _declared(old_text), _declared(new_text)
    return Action(
        "edit", ordinal, result, path, is_ok=is_ok, is_known=result is not None,
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        values=tuple(_changed_values(old_text, new_text)) if _DATA_FILE.search(path) else (),
        held=_named(new_text), lost=_named(old_text) - _named(new_text),
    )  # fmt: skip


def _named(code: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(code))


def _declared(code: str) -> list[str]:
    named = [
        match[1]
        for match in _DECLARED.finditer(code)
        if not match[0].lstrip().startswith(("const", "let")) or match[0][0] not in " \t"
    ]
    methods = [f"{match[2]}" if match[1] else f"{match[2]}()" for match in _METHOD.finditer(code)]
    return list(dict.fromkeys(named + methods))


def _top_names(code: str) -> list[str]:
    return list(dict.fromkeys(match[1] or match[2] for match in _TOP.finditer(code)))


def _changed_values(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    before, after = (dict(_PAIR.findall(text)) for text in (old, new))
    for key, value in after.items():
        if before.get(key) != value:
            yield key, before.get(key, "").strip("\"'"), value.strip("\"'")


def _commands(ordinal: int, result: Entry | None, command: str, is_ok: bool) -> Iterator[Action]:
    at = result.ordinal if result else None
    output = result.text if result else ""
    is_known = result is not None
    failed = is_known and (not is_ok or bool(_BAD_OUTPUT.search(output)))
    error = _error_of(output) if failed else ""
    if _COMMIT.search(command) and (message := commit_message(command)):
        made = _COMMITTED.search(output)
        is_made = is_ok and (made is not None or not failed)
        yield Action("commit", ordinal, at, made[1] if made else "", message, is_made, is_known, error="" if is_made else error)
    bare = _HEREDOC.sub("", command)
    yield from _file_commands(ordinal, at, bare, is_ok, is_known)
    if found := _BRANCH.search(bare):
        yield Action("branch", ordinal, at, found[1], bare, is_ok, is_known)
    if _PUBLISH.search(bare):
        for found in _PUBLISH.finditer(bare):
            yield Action("publish", ordinal, at, "", _command_text(bare, found), not failed, is_known, error=error)
    elif found := _CHECK.search(bare):
        yield Action("check", ordinal, at, "", found[0], not failed, is_known, error=error)


def _file_commands(ordinal: int, at: int | None, bare: str, is_ok: bool, is_known: bool) -> Iterator[Action]:
    for match in _MOVE.finditer(bare):
        *sources, target = match[2].split() or [""]
        if sources and "$" not in match[2]:
            yield Action("move", ordinal, at, " ".join(sources), target, is_ok, is_known)
    for match in _DELETE.finditer(bare):
        if "$" not in match[2] and "/tmp/" not in match[2]:
            paths = " ".join(part for part in match[2].split() if part[0] not in "-2>")
            yield Action("delete", ordinal, at, paths, "", is_ok, is_known)


def _command_text(bare: str, found: re.Match[str]) -> str:
    """The command from its match to the end of its own part of the line, at most 60 characters."""
    end = re.search(r"&&|[|;\n]|2>", bare[found.start() :])
    return bare[found.start() : found.start() + end.start() if end else None].strip()[:60]


def _error_of(output: str) -> str:
    """The first line of an output that names an error, from its name on, at most 150 characters."""
    line = next((line.strip() for line in output.splitlines() if _BAD_OUTPUT.search(line)), "")
    named = re.search(r"\b(?:\w*[Ee]rror|FAILED|FAIL|panicked)\b", line)
    line = line[named.start() :] if named else line
    return line if len(line) <= 150 else line[:149].rsplit(" ", 1)[0] + "…"


def commit_message(command: str) -> str:
    """First line of the message of a `git commit`, empty when it has none on the command line."""
    if heredoc := _HEREDOC.search(command):
        return heredoc[2].strip().split("\n", 1)[0].strip()
    found = _MESSAGE.search(command)
    text = (found["double"] or found["single"] or "") if found else ""
    return text.replace('\\"', '"').replace("\\`", "`").strip().split("\n", 1)[0].strip()


def touched(actions: list[Action]) -> list[str]:
    """Paths of created and edited files whose call did not fail, in order, once each."""
    return list(dict.fromkeys(action.path for action in actions if action.kind in ("create", "edit") and action.is_ok))


def named_files(found: list[str], limit: int = 3) -> str:
    """`a.ts, b.ts and 2 more`."""
    shown = list(dict.fromkeys(base_name(path) for path in found))
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


def root_of(actions: list[Action]) -> str:
    """The folder that all absolute paths of the actions lie in, empty when there is none."""
    absolute = [action.path.split("/")[:-1] for action in actions if action.path.startswith("/") and " " not in action.path]
    common: list[str] = []
    for parts in zip(*absolute, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return "/".join(common) if len(common) > 2 else ""
