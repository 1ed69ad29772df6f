"""Finds secrets that a person notes as a label and its value: words to the end of the line, or the line below the label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_key, is_password
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.context_rules import STATING_SIGN
from transforms.redaction.named_values import CERTAIN_CLASSES, find_names, is_id
from transforms.redaction.names import translated_names
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.written.written_values import may_be_phrase


class Line(NamedTuple):
    """A line with the name of a secret: where it begins, where the name ends, where the line ends."""

    start: int
    name_end: int
    end: int


MOST_LABEL, MOST_LEAD = 4, 9
"""Words of a label with its value on the same line, and of a line that introduces the one below with a colon."""
MOST_LINE = 300
"""Characters of a line before and behind a name."""
LEAST_PHRASE = 8
"""Characters of words that are a password."""
_REST = compile_late(r"\w{0,40}")
_WORD = compile_late(r"[^\s:=]+")
_SENTENCE = compile_late(r"[.!?;。！？](?:\s|\Z)|[,，、(]")
_VALUE = compile_late(r"[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:=：][ \t]*(?P<value>\S[^\n]*)")
_ASIDE = compile_late(r"[ \t]+(?:\([^()\n]*\)|//[^\n]*|#[ \t][^\n]*)[ \t]*\Z")
"""What a person adds behind a value."""
_NO_NOTE = compile_late(r"[\[\](){}<>\\`\"|]|\s=\s|^['$:]|[,;]\Z|://")
"""Parts of code, of which a note has none."""
_MIXED_WORD = compile_late(r"[^\W\d_]\d[^\W\d_]")
"""A digit inside of a word, as in no sentence."""
_COUNT = compile_late(r"(?<![^\s])\d+(?=[ ]\w)")
"""A number before a word, which it may count."""
_HEX_PART = compile_late(r"(?<![^\W_])[0-9a-f]{32}(?![^\W_])")
_HEX_KEY = compile_late(r"(?<![\w/:.@#-])[0-9a-f]{32}(?:[0-9a-f]{16}|[0-9a-f]{32})?(?![\w/.@-])")
"""Hexadecimal as long as a key is, and as no commit is."""
_OPEN_BETWEEN = compile_late(r"(?i)(?<![a-z])(?:hash|sha\d*|md5|digest|checksum|commit|fingerprint|id|cache|public)(?![a-z])")
_SENTENCE_END = compile_late(r"[.!?;](?:\s|\Z)")
MOST_FAR = 100
"""Characters between a name and such a key, with it."""
_STATED = compile_late(rf"(?i){STATING_SIGN}[ \t]{{1,3}}[\"`«„“]?(?P<value>[^\s\"`«»“”<>,;()\[\]{{}}|。，、]{{6,80}})")
"""What stands right behind a verb or a mark that says so."""
_TRAILING = compile_late(r"[.,:;!?'*_]+\Z")
_MARK_INSIDE = compile_late(r"[^\W\d_][+&#!$%*^~][^\W_]")
"""A mark between letters, as in no word; joints of names and what stands in addresses and files are none."""
_CODE = compile_late(r"://|&&|\$\{|=|^[&$%*#]|\w@\w|/.*/|%[sd]|\*\*")
_DIGIT = compile_late(r"\d")
LEAST_STATED = 6
_SIGN = compile_late(r"\d|[^\W_][+&#!$%*^~=@][^\W_]|[ :=][a-z]{4}(?: [a-z]{4}){3}")
"""One is in every text in which one of these stands."""
_BELOW = compile_late(
    r"[ \t]*(?P<colon>[:：]?)[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*[`\"']?(?P<value>[^\s\"'`<>]{6,400})[`\"']?[ \t\r]*(?:\n|\Z)"
)
_GROUPS = compile_late(r"[ \t:=]{1,4}(?P<value>[a-z]{4}(?: [a-z]{4}){3})(?![^\W_]| [a-z])")
_SPEAKABLE = compile_late(r"(?=[a-z]*[aeiouy])(?![a-z]*[^aeiouy]{3})[a-z]+\Z")


def find_label_lines(text: str, beginnings: Iterable[str] | None = None) -> Iterator[SecretSpan]:
    """Yield the secrets of a person's text that stand behind or below a line's label, and their families.

    `beginnings` are those of names in other languages that stand in the text, when they are known.
    """
    if _SIGN.search(text) is None:
        return
    lower = lower_keeping_length(text)
    for end, is_password_name in sorted(_list_name_ends(text, lower, beginnings)):
        start = text.rfind("\n", max(0, end - MOST_LINE), end) + 1
        line_end = text.find("\n", end, end + MOST_LINE)
        line = Line(start, end, line_end if line_end >= 0 else min(len(text), end + MOST_LINE))
        if end - start >= MOST_LINE or _SENTENCE.search(text, start, end):  # a label is short
            continue
        if is_password_name:
            yield from _find_words(text, line)
            yield from _find_stated(text, line)
        yield from _find_keys(text, line)
        yield from _find_below(text, line, is_password_name)


def _find_words(text: str, line: Line) -> Iterator[SecretSpan]:
    """Yield the words of a label that are a password, and the four groups of letters of one that a provider made."""
    if len(_WORD.findall(text, line.start, line.name_end)) <= MOST_LABEL and (
        match := _VALUE.match(text, line.name_end, line.end)
    ):
        if span := _read_phrase(text, match.start("value"), line.end):
            yield *span, "passphrase"
        return
    groups = _GROUPS.match(text, line.name_end, line.end)
    if groups and not all(map(_SPEAKABLE.match, groups["value"].split(" "))):
        yield *groups.span("value"), "password"


def _find_stated(text: str, line: Line) -> Iterator[SecretSpan]:
    """Yield the words right behind a verb or a mark that are a password for what stands inside of them."""
    for stated in _STATED.finditer(text, line.name_end, min(line.end, line.name_end + MOST_FAR)):
        start, stop = stated.span("value")
        stop = trailing.start() if (trailing := _TRAILING.search(text, start, stop)) else stop
        if not _SENTENCE_END.search(text, line.name_end, start) and _may_be_stated(text[start:stop]):
            yield start, stop, "password"


def _find_keys(text: str, line: Line) -> Iterator[SecretSpan]:
    """Yield hexadecimal behind a name in its sentence, which names neither a sum nor an id."""
    for key in _HEX_KEY.finditer(text, line.name_end, min(line.end, line.name_end + MOST_FAR)):
        if not (_OPEN_BETWEEN.search(text, line.start, key.start()) or _SENTENCE_END.search(text, line.name_end, key.start())):
            yield *key.span(), "token"


def _find_below(text: str, line: Line, is_password_name: bool) -> Iterator[SecretSpan]:
    """Yield the word that is the line below a label; a label that is no password's ends with a colon."""
    below = _BELOW.match(text, _skip_rest(text, line.name_end, line.end))
    if below is None:
        return
    words, has_colon = len(_WORD.findall(text, line.start, line.name_end)), below["colon"] != ""
    is_label = words <= MOST_LEAD if has_colon else is_password_name and words <= MOST_LABEL
    if is_label and _may_stand_below(below["value"], is_password_name, has_colon):
        yield *below.span("value"), "password" if is_password_name else "token"


def _list_name_ends(text: str, lower: str, beginnings: Iterable[str] | None) -> set[tuple[int, bool]]:
    """Return where the words end that name secrets, and whether it is a password."""
    ends = {(_end_word(text, stop), name == "password") for _, stop, name in find_names(text, lower) if name in CERTAIN_CLASSES}
    for stop, kind in translated_names.find_names(lower, True, beginnings):
        ends.add((_end_word(text, stop), kind == translated_names.PASSWORD))
    return ends


def _end_word(text: str, stop: int) -> int:
    return _REST.match(text, stop).end()  # type: ignore[union-attr]  # it matches nothing, too


def _skip_rest(text: str, end: int, line_end: int) -> int:
    """Return where a line ends without its colon, when it has no sentence behind the name: "the token of the shop:"."""
    rest = text[end:line_end].rstrip()
    return end + len(rest) - 1 if rest.endswith((":", "：")) and not _SENTENCE.search(rest) else end


def _read_phrase(text: str, start: int, line_end: int) -> tuple[int, int] | None:
    """Return where the words of a label begin and end, when they are a password and no remark."""
    value = text[start:line_end].rstrip()
    if aside := _ASIDE.search(value):
        value = value[: aside.start()]
    if " " not in value or len(value) < LEAST_PHRASE or "redacted:" in value or _NO_NOTE.search(value):
        return None
    is_mixed = _MIXED_WORD.search(value) is not None and value.count(" ") <= MOST_LABEL
    is_phrase = _COUNT.search(value) is None and may_be_phrase(value)
    return (start, start + len(value)) if is_mixed or is_phrase else None


def _may_be_stated(value: str) -> bool:
    """Whether a word behind a verb is a password for a mark or a digit inside, which other rules read as the end of a word."""
    if len(value) < LEAST_STATED or is_harmless(value) or is_id(value) or "redacted:" in value or _CODE.search(value):
        return False
    if _MARK_INSIDE.search(value):
        return True
    return (_MIXED_WORD.search(value) is not None and not value.isascii()) or ("'" in value and _DIGIT.search(value) is not None)


def _may_stand_below(value: str, is_password_name: bool, has_colon: bool) -> bool:
    if is_harmless(value) or "redacted:" in value or is_id(value):
        return False
    if is_key(value) or (has_colon and _HEX_PART.search(value)):
        return True
    return is_password_name and is_password(value) and (has_colon or not is_public_name(value))
