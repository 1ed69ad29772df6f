"""Code references in a line of memory: paths, commands, flags, symbols and commits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.patterns.command_words import RUNNERS
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import ReferenceKind

MIN_SYMBOL_CHARS = 4

_CODE_SPAN = compile_late(r"`([^`\n]+)`")
_URL = compile_late(r"\w+://\S+")
_PATH_REFERENCE = compile_late(r"(?<![\w./@:-])(?:\./)?[\w.@-]+(?:/[\w.@-]+)+/?|(?<![\w./@:-])[\w-]+\.(?!\d)[a-z]{1,5}(?![\w/])")
_KNOWN_ENDING = compile_late(
    r"\.(?:py|ts|tsx|js|jsx|mjs|rs|go|rb|java|kt|c|h|cpp|cs|php|sh|sql|md|toml|yaml|yml|json|lock|css|html|vue|svelte|ex|tf|proto)$"
)
_RUNNER_COMMAND = compile_late(rf"\b({'|'.join(RUNNERS)}) ([a-z][\w:.-]*\w|[a-z])")
_OPTION = compile_late(r"(?<![\w-])--[a-z][\w-]+")
_COMMIT_HASH = compile_late(r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
_SYMBOL = compile_late(r"[A-Za-z_]\w*(?:[.:-]+\w+)*(?:\(\))?")


@dataclass(frozen=True, slots=True, order=True)
class CodeReference:
    """Something that a repository has or had. The name of a command is its runner and its target."""

    kind: ReferenceKind
    name: str


def list_code_references(line: str) -> list[CodeReference]:
    """Return the references in a line, each once, in a fixed order. A word in prose is not a symbol; only code is."""
    text = _URL.sub(" ", line)
    references: set[CodeReference] = set()
    for match in _PATH_REFERENCE.finditer(text):
        name = match[0].removeprefix("./").rstrip("./")
        if "/" in name or _KNOWN_ENDING.search(name):
            references.add(CodeReference("path", name))
    references |= {CodeReference("command", f"{match[1]} {match[2]}") for match in _RUNNER_COMMAND.finditer(text)}
    references |= {CodeReference("flag", match[0]) for match in _OPTION.finditer(text)}
    references |= {CodeReference("commit", match[0]) for match in _COMMIT_HASH.finditer(text)}
    taken = {reference.name for reference in references}
    for code in _CODE_SPAN.findall(text):
        name = code.strip().removesuffix("()")
        if _SYMBOL.fullmatch(name) and len(name) >= MIN_SYMBOL_CHARS and name not in taken and not _COMMIT_HASH.fullmatch(name):
            references.add(CodeReference("symbol", name))
    return sorted(references)


def replace_name(line: str, old: str, new: str) -> str:
    """Return the line with a name replaced wherever it stands as a whole."""
    return re.sub(rf"(?<![\w./-]){re.escape(old)}(?![\w-]|/\w|\.\w)", new.replace("\\", r"\\"), line)
