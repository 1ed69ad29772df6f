"""Every command exists, with its options, that a hint, a message, a page, a prompt or a document recommends."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path

from effects.system.errors import UsageError
from recollect.cli import build_command_parser, parse_arguments
from recollect.command_list import COMMANDS
from tests.machine.parsed_modules import list_nodes

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("recollect", "flows", "effects", "transforms", "prompts", "extensions", "docs")
HISTORY = ROOT / "docs" / "decisions"
"""Says what was, not what is."""
PROSE = {"made"}
"""Words that follow the name at the start of a string that is a sentence."""

CODE = re.compile(r"```.*?\n(.*?)```|`([^`\n]+)`|^ {4,}(\S[^\n]*)$", re.DOTALL | re.MULTILINE)
"""Code in Markdown, docstrings, comments and templates: fenced, between backticks, or indented."""
COMMAND = re.compile(r"(?:^|[\s`(:\"'→$/])recollect ([a-z]+)([^`\n\"'#;]*)", re.MULTILINE)
HINT = re.compile(r"(?:^|[`(:→\"'] ?|\b(?:then|or|run|with) )recollect ([a-z]+)([^`\n;]*)", re.MULTILINE)
"""A command in a string of the program, where nothing marks it as code; in prose a verb follows the name."""
WHOLE = re.compile(
    r"(?:^|: |, or )(?:[A-Z_]+=\S+ )?recollect ([a-z]+(?:\"[^\"]*\"|'[^']*'|[^`\n;,()|<>\"'])*?)(?= or |[`\n;,()|<>]|$)"
)
"""A command that a string of the program gives as the next one to type: at its beginning, or after a colon."""
OPTION = re.compile(r"(?<!\S)\[?(--[a-z][a-z-]*|-[a-z])\b")


def texts() -> list[Path]:
    """Return the files in which a command may be recommended."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".j2", ".ts"}]
    return sorted(
        path for path in [*paths, *ROOT.glob("*.md")] if HISTORY not in path.parents and "node_modules" not in path.parts
    )


@cache
def mentions(path: Path) -> list[tuple[str, str]]:
    """Return each command that a file mentions, with the rest of its line."""
    return list(_find_mentions(path))


def _find_mentions(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    nodes = list_nodes(path) if path.suffix == ".py" else ()
    for code in CODE.findall(_without_code(text, nodes) if nodes else text):
        yield from COMMAND.findall("".join(code).replace("\\|", "|"))
    for constant in _strings(nodes):
        yield from HINT.findall(constant)


def _without_code(text: str, nodes: Sequence[ast.AST]) -> str:
    """Return comments and docstrings of a module, without indented lines of code."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]
    return "\n\n".join([*docstrings, *(comment.strip() for comment in re.findall(r"#(.*)$", text, re.MULTILINE))])


def _strings(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Return the strings of a module, with `…` for the values of an f-string."""
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def recommendations(path: Path) -> list[str]:
    """Return the command lines that a module gives as next ones; a value of an f-string that is a word is `1`."""
    return list(_find_recommendations(list_nodes(path)))


def _find_recommendations(nodes: Sequence[ast.AST]) -> Iterator[str]:
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for node in joined for part in ast.walk(node) if part is not node}
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) in inner or id(node) in prose:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            text = re.sub(r"(?<![^\s'\"])\0", "1", text).replace("\0", "(")  # elsewhere the command may end, or go on
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        yield from (match.strip() for match in WHOLE.findall(text) if not match.rstrip().endswith(("…", "--")))


@cache
def options_of(name: str, words: frozenset[str]) -> set[str]:
    """Return the options in the help of a command, and those of its actions among these words."""
    parser = build_command_parser(name)
    printed = StringIO(parser.format_help())
    printed.seek(0, 2)
    for word in words:
        with redirect_stdout(printed), suppress(SystemExit, UsageError):
            parser.parse_args([word, "--help"])
    pattern = re.compile(r"^  (?:-h, )?(--[a-z-]+|-[a-z])\b", re.MULTILINE)
    return set(pattern.findall(printed.getvalue()))


def find_fault(name: str, rest: str) -> str:
    """Return what a person who types a mentioned command would be told; empty for one that works."""
    if name in PROSE:
        return ""
    if name not in COMMANDS:
        return f"there is no command `{name}`"
    unknown = set(OPTION.findall(rest)) - options_of(name, frozenset(re.findall(r"[a-z]+", rest))) - {"--help"}
    return f"there is no option {unknown}" if unknown else ""


def find_complaint(line: str) -> str:
    """Return what the parser says of a command line, where something is missing or unknown; a placeholder may be no date."""
    arguments = shlex.split(line)
    if arguments[0] in PROSE:
        return ""
    try:
        with redirect_stdout(StringIO()), suppress(SystemExit):
            parse_arguments(arguments)
    except UsageError as error:
        return str(error) if re.search(r"is missing|unrecognized|there is no", str(error)) else ""
    return ""


def test_every_recommended_command_exists_with_its_options() -> None:
    """A person types what they read."""
    faults = {
        f"{path}: recollect {name}{rest}": fault
        for path in texts()
        for name, rest in mentions(path)
        if (fault := find_fault(name, rest))
    }
    assert faults == {}


def test_a_recommended_command_line_is_taken_by_the_parser_as_it_stands() -> None:
    """What is missing or unknown would be an error for whoever types the line."""
    modules = [path for path in texts() if path.suffix == ".py"]
    lines = {(path, line) for path in modules for line in recommendations(path)}
    assert {(path, line): complaint for path, line in lines if (complaint := find_complaint(line))} == {}


def test_a_fault_of_a_recommended_command_is_noticed() -> None:
    assert find_fault("nihgtly", "") == "there is no command `nihgtly`"
    assert find_fault("nightly", " --dircet") == "there is no option {'--dircet'}"
    assert "is missing" in find_complaint("fleet run")
    assert "there is no" in find_complaint("nihgtly") or "unrecognized" in find_complaint("nihgtly")
    assert find_complaint("fleet run FILE") == ""


def test_the_search_finds_the_recommended_command_lines() -> None:
    lines = {line for path in texts() if path.suffix == ".py" for line in recommendations(path)}
    assert len(lines) > 40
    assert {"backfill --all", "forget 1 --purge", "doctor", "review approve 1"} <= lines


def test_the_search_finds_the_recommended_commands() -> None:
    """The search finds commands in each kind of text; otherwise the test above would prove nothing."""
    names = {path.relative_to(ROOT).as_posix(): {name for name, _ in mentions(path)} for path in texts()}
    assert {"nightly", "rebuild"} <= names["effects/index/manifest.py"]
    assert "show" in names["prompts/pages/briefing.md.j2"]
    assert "ask" in names["docs/clients.md"]
    assert "approve" in {rest.split()[0] for _, rest in mentions(ROOT / "recollect" / "demo.py") if rest.split()}
    assert set(COMMANDS) <= names["docs/commands.md"]
