"""Finds secrets that a command of the same text asked for: a line below a prompt that is one word, such as a key or a passphrase."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.named_values import is_id
from transforms.redaction.value_forms import is_harmless

_PROMPT = compile_late(
    r"(?m)^(?:[\w@.:~/\-\[\]() ]{0,60}[$#>%] ?|PS [^\n>]{0,60}> ?|[A-Z]:\\[^\n>]{0,60}> ?)(?P<command>[^\n]{4,300})\n"
)
_VERB = r"(?:show|read|get|cat|reveal|decrypt|find|look-?up|print|printenv|output|echo|head|tail|export|view|retrieve|dump|unwrap|-[rw]|-g|-d|gen\w*|create|new|rotate|issue|mint)"
_OBJECT = r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|psk|secrets?|(?:auth|access|api|bearer|session)?[-_]?tokens?(?!iz)|credentials?|creds?|keys?|seed|pin|otp|master)"
_ASKING = compile_late(
    rf"(?i)(?<![\w-]){_VERB}\b[^\n|]{{0,160}}?(?<![a-z]){_OBJECT}(?![a-z])|(?<![a-z]){_OBJECT}(?![a-z])[^\n|]{{0,80}}?[ :]{_VERB}(?![\w-])"
    r"|(?<![\w.-])(?:pwgen|apg|mkpasswd|diceware|xkcdpass|makepasswd|openssl rand|gpg --gen-random)\b|/dev/u?random\b|/run/secrets/"
)
"""A verb of reading or generating and the name of a secret, or a generator of them."""
_OPEN = compile_late(
    r"(?i)pub(?:lic)?\b|\.pub\b|[ _-]id\b|\b(?:list|ls|wc|grep -c|count|sha\d*sum|md5sum|length|fingerprint|keys?canner?|names?|version|status|type)\b|primary|foreign|cache|-lf?\b|rev-parse"
)
"""Words of a command that asks for something open about a secret."""
_ANSWER = compile_late(r"[ \t]*(?P<secret>[^\s]{8,400}|[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11})[ \t\r]*(?:\n|\Z)")
_END = compile_late(
    r"\s*\Z|[A-Za-z][\w -]{0,30}: \S|[ \t]*\n|[\w@.:~/\-\[\]() ]{0,60}[$#>%](?:\s|\Z)|PS [^\n>]{0,60}>|[A-Z]:\\[^\n>]{0,60}>"
)
"""The end of what was asked for: that of the text, an empty line, a line with a label, or the next prompt."""
_PLAIN = compile_late(r"[A-Za-z]+[.!:]?\Z|[\d.,:+-]+\Z|[\w./~-]*/[\w./-]*\Z|[\w-]+\.\w{1,5}\Z|v?\d+(?:\.\d+)+\S*\Z|[{}\[\]<(#=-]")
MOST_ANSWERS = 4


def find_command_answers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the words begin and end that a command asked for as secrets, and their family."""
    if "\n" not in text:
        return
    for prompt in _PROMPT.finditer(text):
        command = prompt["command"]
        if not asks_for_secret(command):
            continue
        position = prompt.end()
        answers: list[tuple[int, int]] = []
        while len(answers) <= MOST_ANSWERS and (answer := _ANSWER.match(text, position)):
            answers.append(answer.span("secret"))
            position = answer.end()
        if _END.match(text, position) and len(answers) <= MOST_ANSWERS:
            for start, end in answers:
                if _may_be_answer(text[start:end]):
                    yield start, end, "secret"


def asks_for_secret(command: str) -> bool:
    """Whether a command reads or generates a secret."""
    return _ASKING.search(command) is not None and _OPEN.search(command) is None


def _may_be_answer(word: str) -> bool:
    """Whether a line may be what was asked for, and is no word, number, file or message."""
    return not _PLAIN.match(word) and not is_harmless(word) and not is_id(word) and "redacted:" not in word
