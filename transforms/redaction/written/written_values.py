"""Finds the value of a secret's name where the syntax around it escapes, quotes or ends it otherwise than a word of text.

Other rules read a value up to the first mark or blank. Here it is read as its syntax writes it, and judged by what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_password
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import find_names
from transforms.redaction.names.assignments import classify_named_value
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.numbers.access_codes import is_small_word
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.value_judge import compute_surprise
from transforms.redaction.written.settings_lines import read_setting
from transforms.redaction.written.value_ends import WrittenValue, read_bare, read_escapes, read_quoted

LEAST_VALUE, LEAST_SECRET, LEAST_SPACED_KEY, LEAST_SURPRISE = 4, 8, 40, 8.0
"""Characters of a value, and of one whose name is not a password's."""
QUOTED, DIRECT, VERBATIM, PAIR, ARGUMENT = "quoted", "direct", "verbatim", "pair", "argument"
BARE, BLOCK, SETTING = "bare", "block", "setting"
_APART = (DIRECT, ARGUMENT, PAIR)
"""Forms of values: between marks, the same right behind an equals sign or a sign that other rules do not know, as the argument
behind a name between marks, in one argument with its name; to a blank, in indented lines, to the end of a line of settings."""
_NAME_REST = compile_late(r"[\w.]{0,40}")
MOST_BEFORE = 60
"""Characters of a name before the word for a secret in it."""
_QUOTE = r"(?:\\{0,15}[\"'`]|&(?:quot|apos|#0?3[49]|#x2[27]);|[«„“「『]|%[qQ][{(\[|!])"
_TYPE = r"\s{0,4}:\s{0,4}[&A-Za-z_][\w.&<>\[\]|? ]{0,40}(?==)|\s{1,4}[&*]?[A-Za-z]\w{2,12}\s{1,4}(?==)"
_CALL = r"[A-Za-z_][\w.]{0,40}\(\s{0,4}|[bfrBFRuN]{1,2}(?=[\"'])|[@$](?=[\"'])"
_SEPARATOR = compile_late(
    rf"{_QUOTE}?\]?\)?(?:{_TYPE})?"
    rf"(?:\s{{0,24}}(?P<sign>=>|:=|=(?!=)|[:：])[ \t]{{0,24}}(?:\n[ \t]{{1,24}}(?={_QUOTE}))?(?P<call>{_CALL})?"
    rf"|[ \t]{{1,24}}(?={_QUOTE})|(?<=[\"'])\s(?:value|Value)=(?=[\"'])"
    rf"|(?<=[\"'])(?P<pair>,[ \t]{{0,24}}|\)\.[A-Za-z]{{1,20}}\()(?=[\"']))"
)
"""What stands between the name and the value of an assignment, a member, a typed variable, an argument, an attribute; behind a
name between marks the next argument, or that of a call on what it names (`define('DB_PASSWORD', …)`, `get('#pw').fill(…)`)."""
_MAY_FOLLOW = compile_late(r"[\"'`\]):=>：\\&]|\s{1,24}[\"'`:=\\&«„“「『]")
_PAIR_OPEN, _PAIR_END = compile_late(r"[(,]\s{0,4}[\"'][#.\[]?\Z"), compile_late(r"[\"']\s{0,4}\)")
"""What stands before a pair of arguments, which are a call's last ones, and behind it."""
_FLAG_BLANK = compile_late(r"[ \t]+")
_ELEMENT = compile_late(r"(?:\s[^<>\n]{0,120})?>(?:<!\[CDATA\[)?(?P<value>[^<>\n]{4,400})(?:\]\]>)?</")
_BLOCK = compile_late(r"[\"']?:[ \t]*[|>][+-]?\d?[ \t]*\n(?P<indent>[ \t]+)(?P<value>\S[^\n]*(?:\n(?P=indent)\S[^\n]*){0,20})")
"""The value of an element, and a block of indented lines in YAML."""
_WORDS = compile_late(r"[^\s\"'`“”„‘’«»<>\\,;()\[\]{}|\x1b│]+")
"""What other rules read as one value."""
_PASSWORD = compile_late(r"(?=.*[^\W\d_])(?=.*[0-9!#$%&*?@^~+=])")
"""A letter, and a digit or a mark that no sentence has."""
_PHRASE_SIGN, _LETTERS = compile_late(r"[0-9!#$%&*@^~+=\"]"), compile_late(r"[^\W\d_]+")
LEAST_LITERAL, LEAST_WORDS, _NAME_ENDS = 6, 3, ("", "word", "wd", "phrase", "wort", "code")
_LITERAL, _VALUE_END = compile_late(r"[^\W_][\w.+-]*[^\W_]"), compile_late(r"[\s\"'`\\;&|<),]|\Z")
_SENTENCE_END = compile_late(r"[.!?:,…]\Z| [a-z]+'[a-z]+ ")
MOST_PHRASE, MOST_BLANKS = 8, 3
"""Words of a passphrase that is written as a value, and blanks of any other value."""
_JOINED_FIELDS = compile_late(r"[&;][\w .-]{1,30}=")
_STRONG_MARK = compile_late(r"[^\W_][!#$%&*?^~]+[^\W_]")
_INSERTED = compile_late(r"\$[({]|\{\{|#\{|<%|%\(|[\"'] [+.] \w|\w [+.] [\"']|^[\"'] ?[+.]|[+.] ?[\"']$|[\"'], ?[\"']")
"""Parts of a text that a program puts in, and of code around a text."""
_CODE = compile_late(r"[\w.][(\[]|=>|->|\s(?:if|or|and|else)\s|://")
"""Parts of code in a value without quotation marks."""
_CLAUSE = compile_late(r"(?i)\b(?:create|alter|grant|connect|set)\b[^;]{0,160}\bidentified by\Z")
"""The clause of SQL whose value is nothing but a password."""


def find_written_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield the values of secrets' names that are written with escapes, quotation marks or blanks, and their families."""
    lower = lower_keeping_length(text)
    for start, stop, name in find_names(text, lower):
        if span := _read_secret(text, start, stop, name):
            yield span


def holds_written_secret(text: str, position: int, name: tuple[int, str] | None) -> bool:
    """Whether the value of the name at `position` is a secret that its syntax tells; `name`: see `find_name_at`."""
    return name is not None and _read_secret(text, position, *name) is not None


def _read_secret(text: str, start: int, stop: int, name: str) -> SecretSpan | None:
    if name == "flag" or text.startswith("redacted:", start):
        return None
    end = _NAME_REST.match(text, stop).end()  # type: ignore[union-attr]  # it matches nothing, too
    begin = start
    while begin and start - begin < MOST_BEFORE and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    if not (_MAY_FOLLOW.match(text, end) or text.startswith("--", begin) or text[begin - 1 : begin] in ("", "\n")):
        return None
    if name == "weak" and stop == end and text[begin:end].lower().endswith("_pass"):  # `smtp_pass` is no verdict of a test
        name = "password"
    value, form = _read_value(text, begin, end)
    if value is None or len(value.plain) < LEAST_VALUE or "redacted:" in value.plain:
        return None
    if form == PAIR and not (_PAIR_OPEN.search(text, max(0, begin - 8), begin) and _PAIR_END.match(text, value.end)):
        return None
    is_identified = text[stop - 3 : stop].lower() == " by"
    is_clause = is_identified and _is_clause(text, start, stop, value)
    if (
        name in ("password", "secret")
        and text[stop:end].lower() in _NAME_ENDS
        and _is_literal(text, (begin, end), value, form, name)
    ):
        return value.start, value.end, name
    if form in (QUOTED, DIRECT, BARE) and not is_clause and _WORDS.fullmatch(text, value.start, value.end):
        return None  # other rules read it as well
    if form == BARE and _CODE.search(value.plain):
        return None
    word = text[begin:end].rstrip(".")
    if is_identified:  # what is identified by something outside of SQL is no secret
        family = "password" if is_clause and not _is_placeholder(value.plain, form) else None
    else:
        family = _classify(word, name, value.plain, form)
    return (value.start, value.end, family) if family else None


def _is_literal(text: str, place: tuple[int, int], value: WrittenValue, form: str, name: str) -> bool:
    """Whether what stands behind the name of a secret can be nothing but a value: that of a variable of the environment or a
    flag, the text of an element, a text of SQL, a phrase in a file of settings. Then words are a password, too."""
    begin, end = place
    if form == SETTING or value.plain != value.plain.strip() or _INSERTED.search(value.plain) or is_field_label(value.plain):
        return False
    word, between = text[begin:end], text[end : value.start]
    is_flag = text.startswith("--", begin)
    is_shell = between in ("=", '="', "='") and (word.isupper() or is_flag or form == DIRECT)
    is_sql = between == " '" and word == "PASSWORD"
    is_element = form == QUOTED and between.startswith(">") and text.startswith("</", value.end)
    if name == "secret" or (between == ' = "' and " " in value.plain):
        return between == ' = "' and _is_setting_phrase(text, begin, value)
    if not (is_shell or is_sql or is_element or (is_flag and between in (' "', " '"))):
        return False
    if is_flag and value.plain.isalpha() and value.plain.isupper():
        return False  # what stands for a value in a help
    if form == BARE and not (_LITERAL.fullmatch(value.plain) and _VALUE_END.match(text, value.end)):
        return False
    if form == BARE and classify_named_value(word, value.plain):
        return False  # other rules read it as well
    said = value.plain.lower().replace(" ", "-") if form != BARE else value.plain
    return len(value.plain) >= LEAST_LITERAL and not _SENTENCE_END.search(value.plain) and not is_harmless(said)


def _is_setting_phrase(text: str, begin: int, value: WrittenValue) -> bool:
    """Whether words between marks are a line of a file of settings, as they stand in TOML, and the only thing in it."""
    start, stop = text.rfind("\n", 0, begin) + 1, text.find("\n", value.end)
    rest = text[value.end + 1 : stop if stop >= 0 else len(text)]
    is_alone = not text[start:begin].strip() and not rest.strip()
    words = value.plain.split(" ")
    return (
        is_alone and LEAST_WORDS <= len(words) <= MOST_PHRASE and not _SENTENCE_END.search(value.plain) and "%" not in value.plain
    )


def _is_clause(text: str, start: int, stop: int, value: WrittenValue) -> bool:
    return text[value.start - 1] in "\"'" and _CLAUSE.search(text, max(0, start - 200), stop) is not None


def _read_value(text: str, begin: int, end: int) -> tuple[WrittenValue | None, str]:
    """Return the value behind a name, and the form in which it is written."""
    if text[begin - 1 : begin] == "<" and (element := _ELEMENT.match(text, end)):
        return WrittenValue(*element.span("value"), read_escapes(element["value"])), QUOTED
    if block := _BLOCK.match(text, end):
        return WrittenValue(*block.span("value"), re.sub(r"\s*\n\s*", "", block["value"])), BLOCK
    if setting := read_setting(text, begin, end):
        return setting, SETTING
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        blank = _FLAG_BLANK.match(text, end) if text.startswith("--", begin) else None
        return (read_bare(text, blank.end(), is_shell=True) if blank else None), BARE
    at = separator.end()
    is_direct = separator[0] == "="
    if is_direct and begin and text[begin - 1] in "\"'" and text[at : at + 1] not in ("", '"', "'"):
        argument = read_quoted(text, begin - 1)
        if argument and argument.end > at and " " in (plain := text[at : argument.end]) and not _JOINED_FIELDS.search(plain):
            return WrittenValue(at, argument.end, plain), ARGUMENT
    if begin and text[begin - 1] == text[at : at + 1] and text[at] not in separator[0]:
        return None, QUOTED  # it closes what the name stands in: `prompt('Password: ', '*')`
    if value := read_quoted(text, at):
        if separator["pair"]:
            return value, PAIR
        if separator["call"] == "@" or text[at] in "%「『":
            return value, VERBATIM
        return value, DIRECT if is_direct and text[begin - 1 : begin] not in ('"', "'") else QUOTED
    is_shell = separator[0] == "=" and (text.startswith("--", begin) or text[begin:end].isupper())
    return (read_bare(text, at, is_shell) if separator["sign"] and not separator["call"] else None), BARE


def _classify(word: str, name: str, plain: str, form: str) -> str | None:
    """Return the family of a value by its name and what it says; None when it may be words, code or a placeholder."""
    is_phrase = " " in plain and ('"' in plain or form in (BLOCK, *_APART)) and may_be_phrase(plain)
    if _is_placeholder(plain, form, is_phrase) or (" " in plain and form in (BLOCK, PAIR) and not (is_phrase or word.isupper())):
        return None
    is_setting = word.isupper() and not plain.isalpha()
    if form == PAIR and " " not in plain and not is_setting and (not is_password(plain) or is_public_name(plain)):
        return None
    has_marks = is_phrase or _PASSWORD.match(plain) is not None
    if name == "password" and (word.isupper() or has_marks or form == SETTING):
        return "password"
    if " " in plain:  # keys of random printed characters have blanks, too
        is_key = form in (QUOTED, PAIR, DIRECT) and len(plain) >= LEAST_SPACED_KEY
        return "secret" if is_key and compute_surprise(plain)[0] >= LEAST_SURPRISE else None
    if name == "secret" and has_marks and (word.isupper() or _STRONG_MARK.search(plain)) and len(plain) >= LEAST_SECRET:
        return "secret"
    return classify_named_value(word, plain)


def may_be_phrase(plain: str) -> bool:
    """Whether words are a passphrase and no message: with a digit or a mark, and neither a word that sentences are built with nor
    the name of a secret, of which messages about passwords speak."""
    words = plain.split(" ")
    if not 2 <= len(words) <= MOST_PHRASE or not _PHRASE_SIGN.search(plain):
        return False
    return not any(map(is_small_word, _LETTERS.findall(plain))) and not find_names(plain, lower_keeping_length(plain))


def _is_placeholder(plain: str, form: str, is_phrase: bool = False) -> bool:
    """Whether a value is put in later; one mark of a placeholder alone may begin a password, and what stands between marks and
    does not end with a bracket is no call."""
    opened = plain[1:] if plain[0] in "<{" and not plain.endswith((">", "}")) else plain
    if is_phrase and opened.count(" ") > MOST_BLANKS:
        opened = opened.replace(" ", "")
    elif form == QUOTED and "(" in opened and ")" in opened[:-1] and not opened.endswith((")", ";")):
        opened = opened.replace("(", "").replace(")", "")
    return is_harmless(opened) or is_field_label(plain) or _INSERTED.search(plain) is not None
