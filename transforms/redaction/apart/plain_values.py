"""Finds passwords of letters alone: the value of a member, an assignment, an element or a flag that is named so.

A judge of values needs a digit, a mark or two cases; here the place tells, and the letters have to be no word, two words that no
source code joins, or words with hyphens or blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.account_pairs import may_be_password
from transforms.redaction.apart.plain_words import are_words, holds_name_part, is_joined
from transforms.redaction.apart.value_kinds import is_no_word
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import COPULA
from transforms.redaction.named_values import begins_word, is_in_blob, list_names
from transforms.redaction.numbers.access_codes import is_phrase
from transforms.redaction.value_forms import is_harmless

_REST = compile_late(r"[\w-]{0,40}")
_BLANK = r"[ \t]{0,20}"
_QUOTE = r"(?:\\{0,3}[\"'`“„«]|[*]{1,2})?"
_WORD = r"[A-Za-z]{3,24}\d{0,4}"
_WORDS = r"[A-Za-z]{3,24}(?:[-_ ][a-z]{3,24}){0,7}\d{0,4}"
_VALUE = rf"(?P<open>{_QUOTE})(?P<secret>{_WORDS})(?P<close>{_QUOTE.replace('“„«', '”“»')})(?![\w(\[.-])"
_JOINTS = tuple(
    compile_late(joint + _VALUE)
    for joint in (
        rf"{_QUOTE}\]?{_BLANK}(?P<joint>:=|=>|->|[:=])(?:{_BLANK}|\*\*\s|\s*\n\s*)",
        rf"\\{{0,3}}[\"'`]{_BLANK}(?P<joint>,){_BLANK}(?=\\{{0,3}}[\"'`])",
        r"(?P<joint>>)[ \t]*(?=[a-z-]+\d{0,4}[ \t]*</)",
        r"(?P<joint> ?<<<[ ]?)",
    )
)
"""What stands between a name and its value: a mark of an assignment or member, a comma between arguments, the end of a tag."""
_FLAG = compile_late(r"(?P<joint> )" + _VALUE)
_FLAG_START = compile_late(r"(?<!\S)--[\w-]*\Z")
_LABEL = compile_late(rf"[^\n:=.;!?\"'`]{{0,40}}(?P<joint>:)(?:[*]{{2}})?\s{{1,20}}{_VALUE}[ \t.]*(?=[\r\n]|\Z)")
_BELOW = compile_late(
    r"(?P<joint>[^\n:=.;!?\"'`]{0,40}(?::[*]{0,2}|\))[ \t\r]*\n\s*)[`]?(?P<secret>[^\s\"'`]{6,60})[`]?[ \t\r]*(?=\n|\Z)"
)
"""At the end of a label that begins with the name, and alone on a line below it, where digits may follow the letters."""
_VERB = rf"[^\n.;!?\"'`:=\d]{{0,32}}?{COPULA}\s{{1,2}}"
_SPOKEN = (
    compile_late(rf"(?P<joint>\s(?:{_VERB})?){_VALUE}"),
    compile_late(rf"(?P<joint>\s{_VERB}[^\W\d_]{{1,8}}\s)" + _VALUE.replace(_WORDS, _WORD)),
)
"""In a person's words: right behind the name, or behind a verb and at most one more word."""
_QUOTED = compile_late(
    rf"\s(?:(?=[^\W\d_]){COPULA}\s{{1,2}}(?:[*]{{2}})?|(?!\\?`))(?P<mark>\\?[\"'`]{{1,2}})"
    r"(?P<secret>(?=[^\s]*[A-Za-z0-9])[^\s\"'`<>(){}$%\\]{3,60})(?P<close>\\?[\"'`]{1,2})(?![\w-])"
)
"""Quoted right behind the name, as in SQL and in prose, or behind a verb: the quotes say that it is the value itself."""
_CODE_END = compile_late(r"\s*[),;]|[ \t]+(?:[-+*/&|<>=]|or\b|and\b|if\b|in\b)")
_LINE_END = compile_late(r"[ \t]*(?:\\[nrt]|\r|\n|\Z|[,;.!?]?\s*\Z|&|</)")
CLASSES = ("password", "secret")
LEAST_PLAIN, LEAST_TOKEN, LEAST_PHRASE, LEAST_DIGITS, FLAG_CHARS = 8, 12, 4, 2, 30
"""Letters of a password, and of a token, that are no word; words of a phrase; digits behind a word; characters of a flag."""
DIGITS = "0123456789"


def find_plain_values(text: str, is_user: bool) -> Iterator[SecretSpan]:
    """Yield where passwords of letters alone begin and end, and their family."""
    for start, stop, name in list_names(text, lower_keeping_length(text)):
        yield from find_plain_at(text, start, stop, name, is_user)


def find_plain_at(text: str, start: int, stop: int, name: str, is_user: bool) -> Iterator[SecretSpan]:
    """Yield the value of letters of the name of class `name` from `start` to `stop`, when it is a password."""
    if name not in CLASSES or not begins_word(text, start) or is_in_blob(text, start, stop):
        return
    end = _REST.match(text, stop).end()  # type: ignore[union-attr]  # it matches nothing, too
    below = _BELOW.match(text, end) if name == "password" else None
    if below and (may_be_password(below["secret"]) or is_plain(below["secret"])):
        yield *below.span("secret"), "password"
        return
    quoted = _QUOTED.match(text, end) if name == "password" else None
    is_whole = start == 0 or text[start - 1].isspace()
    if quoted and is_whole and quoted["mark"] == quoted["close"] and is_given(quoted["secret"]):
        yield *quoted.span("secret"), "password"
        return
    for match in _match_value(text, start, end, is_user):
        if span := _tell_value(match, name == "password", is_user):
            yield span
            return


def _match_value(text: str, start: int, end: int, is_user: bool) -> Iterator[re.Match[str]]:
    """Yield the matches of the places behind a name with a value of letters, the surest first."""
    for joint in (*_JOINTS, _LABEL):
        if match := joint.match(text, end):
            yield match
            return
    if _FLAG_START.search(text, max(0, start - FLAG_CHARS), start):
        if match := _FLAG.match(text, end):
            yield match
    elif is_user:
        yield from filter(None, (spoken.match(text, end) for spoken in _SPOKEN))


def _tell_value(match: re.Match[str], is_password: bool, is_user: bool) -> SecretSpan | None:
    """Return the value of a match when its letters are no word of a text or of source code."""
    (start, end), text, value = match.span("secret"), match.string, match["secret"]
    is_quoted = bool(match["open"]) and bool(match["close"])
    is_closed = is_quoted or _LINE_END.match(text, match.end()) is not None
    words = value.split(" ")
    if is_harmless(value):
        return None
    if len(words) >= LEAST_PHRASE and is_closed and is_password and is_phrase(value) and are_words(value, LEAST_PHRASE):
        return start, end, "passphrase"
    if len(words) > 1:
        value, end, is_closed = words[0], start + len(words[0]), False
    if not is_quoted and _CODE_END.match(text, end):
        return None
    if is_no_word(value) and value.islower() and len(value) >= (LEAST_PLAIN if is_password else LEAST_TOKEN):
        return start, end, "password" if is_password else "secret"
    is_spoken = is_user and match["joint"][:1].isspace()
    if is_password and (is_closed or is_spoken) and (is_quoted or "_" not in value) and is_plain(value):
        return start, end, "password"
    return None


def is_given(value: str) -> bool:
    """Whether a quoted value is no placeholder and no name of a variable or a field."""
    return not is_harmless(value) and not value.isupper() and not holds_name_part(value)


def is_plain(value: str) -> bool:
    """Whether a value is joined words, or words with hyphens, with a number behind them or not; or a word with a number."""
    letters = value.rstrip(DIGITS)
    return is_joined(letters) or are_words(letters) or (len(value) - len(letters) >= LEAST_DIGITS and may_be_password(value))
