"""Splits a command line into the commands that it joins, each with its words as the shell reads them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from itertools import dropwhile, pairwise

from transforms.exchanges.outside.held_texts import split_held_texts

_MARKS = frozenset("&|;\n()<>")
_WRAPPERS = frozenset({"sudo", "time", "nohup", "env", "command", "exec", "npx", "uvx", "bunx"})
"""Programs that run another one as it is."""
LEADING = ("if", "then", "do", "else", "elif", "while", "until", "!", "{")
"""Words of the shell before a command."""
_SHOWING = frozenset({"tail", "head", "grep", "egrep", "cat", "tee", "less"})
_RUNNING = (("uv", "run"), ("poetry", "run"), ("bundle", "exec"), ("mise", "exec"))
SHORT_HASH = 7
MOST_CHARS = 4_000
"""Characters of a command line that are read, without the texts that it holds."""


@dataclass(frozen=True, slots=True)
class CommandPart:
    """One command of a line: its words without wrappers and variables. `is_needed`: the line succeeded only if it did; `is_last`:
    no other command ran behind it but those that show its output; `is_fed`: it reads the output of the one before it. `typed` are
    the words as they were typed, wrappers and variables included."""

    words: tuple[str, ...]
    is_needed: bool
    is_last: bool
    is_fed: bool = False
    typed: tuple[str, ...] = ()

    @property
    def plain_words(self) -> tuple[str, ...]:
        """The words that are no options: the program, its subcommands, and what these are about."""
        return tuple(word for word in self.words if not word.startswith("-"))

    def take_option(self, *names: str) -> str:
        """Return the value of an option: `--title X`, `--title=X`, `-t X`; empty without it."""
        for word, value in zip(self.words, (*self.words[1:], ""), strict=True):
            name, joined, own = word.partition("=")
            if name in names:
                return own if joined else value
        return ""


def split_command_line(command: str) -> list[CommandPart]:
    """Return the commands of a line in order; those inside of a substitution, of another shell or of a host are none of them."""
    chains: list[list[str]] = [[]]
    joins: list[str] = []
    depth = 0
    for token in _list_tokens(_quote_plainly(split_held_texts(command)[0])[:MOST_CHARS]):
        if not (token and _MARKS.issuperset(token)):
            chains[-1].extend([] if depth else [token])
            continue
        is_opening = "(" in token and ((chains[-1][-1:] and chains[-1][-1].endswith("$")) or not {*"<>"}.isdisjoint(token))
        depth, marks = _leave_substitution(token, depth) if depth or is_opening else (0, token)
        if depth or not marks:
            continue
        if not {*"<>"}.isdisjoint(marks):
            chains[-1].append(marks)  # its file is a word of its own, which no rule takes for a subject
        else:
            joins.append(marks.strip("\n") or "\n")
            chains.append([])
    typed = [tuple(_drop_redirects(words)) for words in chains]
    parts = [(_strip_wrappers(list(words)), join, words) for words, join in zip(typed, [*joins, ""], strict=True)]
    parts = [part for part in parts if part[0]]
    return [
        CommandPart(
            words,
            is_needed=all(later in ("&&", "") for _, later, _ in parts[place:]),
            is_last=all(
                before == "|" and later[0].rpartition("/")[2] in _SHOWING
                for (_, before, _), (later, _, _) in pairwise(parts[place:])
            ),
            is_fed=place > 0 and parts[place - 1][1] in ("|", "|&"),
            typed=whole,
        )
        for place, (words, _, whole) in enumerate(parts)
    ]


def _leave_substitution(token: str, depth: int) -> tuple[int, str]:
    """Return how many brackets of a substitution are open behind some marks, and the marks behind its end."""
    for place, sign in enumerate(token, 1):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            return 0, token[place:]
    return depth, ""


MAIN_BRANCHES = frozenset({"main", "master"})


def find_branch(command: str, output: str) -> str:
    """Return the branch on which a command line commits: the one that git printed, or that the line changed to; empty for the
    main one."""
    heads = (line[1:].partition("]")[0].split() for line in output.splitlines() if line.startswith("["))
    printed = next((head[0] for head in heads if len(head) > 1 and is_hash(head[-1])), "")
    changed = [name for part in split_command_line(command) if (name := find_changed_branch(part))]
    branch = printed or next(reversed(changed), "")
    return "" if branch in MAIN_BRANCHES or branch == "detached" else branch


def is_hash(word: str) -> bool:
    """Return whether a word is a short or whole hash of a commit."""
    return len(word) >= SHORT_HASH and all(sign in "0123456789abcdef" for sign in word)


def find_changed_branch(part: CommandPart) -> str:
    """Return the branch that a command changes to; empty for any other command."""
    words = list_git_words(part)
    is_file = words[:1] == ("checkout",) and ("." in words[-1] or "--" in part.words)
    return words[1] if words[:1] in (("checkout",), ("switch",)) and len(words) > 1 and not is_file else ""


def list_git_words(part: CommandPart) -> tuple[str, ...]:
    """Return the words behind `git` that are no options, without the folder of `-C` and the setting of `-c`."""
    if part.words[:1] != ("git",):
        return ()
    words = list(part.words[1:])
    while words[:1] in (["-C"], ["-c"]):
        words = words[2:]
    return tuple(word for word in words if not word.startswith("-"))


def _quote_plainly(command: str) -> str:
    """Return a command line with `$'it\\'s'` as a quotation without signs that would end it."""
    first, *quoted = command.split("$'")
    pieces = [first]
    for text in quoted:
        end = next((place for place, sign in enumerate(text) if sign == "'" and text[place - 1 : place] != "\\"), len(text))
        pieces.append("'" + text[:end].replace("\\'", "’") + text[end:])
    return "".join(pieces)


def _list_tokens(command: str) -> list[str]:
    reader = shlex.shlex(command, posix=True, punctuation_chars="&|;\n()<>")
    reader.whitespace = " \t\r"
    reader.whitespace_split = True
    reader.commenters = ""
    tokens = list[str]()
    try:
        tokens.extend(reader)
    except ValueError:  # a quotation that never closes: what stands before it is read
        return tokens
    return tokens


def _drop_redirects(words: list[str]) -> list[str]:
    kept, is_target = list[str](), False
    for word in words:
        if word and _MARKS.issuperset(word):
            if kept and kept[-1].isdigit():
                kept.pop()  # the 2 of `2>&1`
            is_target = True
        elif is_target:
            is_target = False
        else:
            kept.append(word)
    return kept


def _strip_wrappers(words: list[str]) -> tuple[str, ...]:
    while words:
        rest = list(dropwhile(_is_assignment, words))
        if rest and rest[0] in LEADING:
            rest = rest[1:]
        elif rest and rest[0] in _WRAPPERS:
            rest = list(dropwhile(lambda word: word.startswith("-"), rest[1:]))
        elif tuple(rest[:2]) in _RUNNING:
            rest = list(dropwhile(lambda word: word.startswith("-"), rest[2:]))
        if rest == words:
            break
        words = rest
    return tuple(words)


def _is_assignment(word: str) -> bool:
    return word.partition("=")[0].isidentifier() and "=" in word
