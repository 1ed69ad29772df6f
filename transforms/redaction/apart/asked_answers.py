"""Finds secrets that answer a request in the message before: "What is the password?" — "…"."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_key, is_no_word, is_password
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.named_values import CERTAIN_CLASSES, find_names, is_git_hash, is_id
from transforms.redaction.names import translated_names
from transforms.redaction.numbers.access_codes import is_phrase, is_small_word
from transforms.redaction.value_judge import compute_surprise

REQUEST_CHARS, MOST_SENTENCES = 400, 2
"""Characters at the end of a message that are read, and sentences of it in which the name of a secret stands."""
MOST_ANSWER, MOST_WORDS, MOST_CODE_WORDS = 200, 14, 4
"""Characters and words of an answer that is hardly more than the value; words of one that is a code of digits."""
LEAST_PHRASE_WORDS = 3
"""Words of a passphrase that was asked for."""
PASSWORD, CODE, KEY = "password", "code", "key"
LEAST_SURPRISE, LEAST_ALONE = 6.3, 5.5
"""Bits by which the letters of a value with a single digit surprise, and those of an answer of one word without any."""
_SENTENCE = compile_late(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_CODE_NAME = compile_late(
    r"(?i)(?<![a-z])(?:pin|otp|totp|2fa|mfa|puk|tan|(?:one[- ]time|verification|sms|access|door|backup|recovery|login|auth\w*)[- ]?codes?)(?![a-z])"
)
_PHRASE_NAME = compile_late(r"(?i)phrase|seed|mnemonic")
_WORD = compile_late(r"[^\s\"'`“”„‘’«»<>,;()\[\]{}|]{4,400}")
_LEADING, _TRAILING = compile_late(r"[:=>~*_]+"), compile_late(r"[.,:;)\]*_]+\Z|[.,:;!?)\]*_]*[.,:;)\]*_][!?]*\Z")
_DIGITS = compile_late(r"(?<![\w.,:/-])\d{4,10}(?![\w/:]|[.,-]\d)|(?<!\d)\d{3,4}[ -]\d{3,4}(?![\d])")
_PHRASE = compile_late(r"[^\W\d_]{3,14}(?:[ -][^\W\d_]{3,14}){2,15}\.?\Z")
_TELLING = compile_late(r"\d|[a-z][A-Z]|[!#$%&*?^~@+=_]\w")
_NEXT_WORD = compile_late(r"\w{0,20}[\s\"'`*]{1,4}(?P<word>[^\W\d_]{4,})")
_ACCOUNT_NAME = compile_late(r"log[io]n|cred")
"""Names of a whole account, whose second half is a password."""
_KINDS = {translated_names.PASSWORD: PASSWORD, translated_names.CODE: CODE}
_NAMED = compile_late(r"[A-Za-z]+\d\Z|v?\d+(?:[.,:-]|\Z)|[A-Z]{2,8}-?\d+\Z|[0-9a-f]{7,40}\Z")
"""A counted name, a number, a ticket, a commit."""
_BRANCH = compile_late(r"[a-z]+(?:[-_][a-z0-9]+)+\Z")


class AskedBefore(NamedTuple):
    """What was said right before an answer: the words of the other speaker, or the command whose output it is."""

    text: str
    is_command: bool
    answers: frozenset[str]


def may_answer(text: str) -> bool:
    """Whether a text has the form of an answer that is a secret: short, with a telling word or no more than a few words."""
    stripped = text.strip()
    if not 4 <= len(stripped) <= MOST_ANSWER or "\n" in stripped:
        return False
    return (
        _TELLING.search(stripped) is not None or len(stripped.split()) <= MOST_CODE_WORDS or _PHRASE.match(stripped) is not None
    )


def may_ask(message: str) -> bool:
    """Whether the end of a message speaks of a secret."""
    return bool(read_request(message))


def find_answers(answer: str, request: AskedBefore, is_user: bool) -> Iterator[SecretSpan]:
    """Yield the secrets that an answer consists of, because of what was said before it."""
    if not request.is_command:
        yield from find_asked_answers(answer, request.text, is_user)
    elif "\n" not in request.text:
        prompt = f"$ {request.text}\n"
        for start, end, family in find_command_answers(prompt + answer):
            if start >= len(prompt):
                yield start - len(prompt), end - len(prompt), family


def read_request(message: str) -> frozenset[str]:
    """Return the kinds of secrets that the end of a message speaks of: an answer of a word or two may be one of them."""
    end = message.rstrip()[-REQUEST_CHARS:]
    sentences = [match[0].strip() for match in _SENTENCE.finditer(end) if any(map(str.isalnum, match[0]))][-MOST_SENTENCES:]
    text = "\n".join(sentences)
    lower = lower_keeping_length(text)
    named = [(stop, "password" if _ACCOUNT_NAME.match(lower, start) else name) for start, stop, name in find_names(text, lower)]
    names = [(stop, PASSWORD if name == "password" else KEY) for stop, name in named if name in CERTAIN_CLASSES]
    names += [(stop, _KINDS.get(kind, KEY)) for stop, kind in translated_names.find_names(lower, True)]
    kinds = {kind for stop, kind in names if not _is_of_other(text, stop)}
    if _CODE_NAME.search(text):
        kinds.add(CODE)
    if _PHRASE_NAME.search(text):
        kinds.add(PASSWORD)
    return frozenset(kinds)


def _is_of_other(text: str, stop: int) -> bool:
    """Whether a noun follows the name that ends at `stop`: a password check is no password."""
    following = _NEXT_WORD.match(text, stop)
    return following is not None and not is_small_word(following["word"])


def find_asked_answers(answer: str, request: str, is_user: bool) -> Iterator[SecretSpan]:
    """Yield the values in a short answer that the message before it asks for; what the request says itself is none.

    A value that reads as a public name, such as a word with a number, counts in a person's answer only.
    """
    stripped = answer.strip()
    if not 4 <= len(stripped) <= MOST_ANSWER or "\n" in stripped or "[redacted:" in stripped:
        return
    words = len(stripped.split())
    kinds = read_request(request) if words <= MOST_WORDS else frozenset()
    if not kinds:
        return
    phrase = _PHRASE.match(stripped)
    if phrase and PASSWORD in kinds and _PHRASE_NAME.search(request) and is_phrase(stripped, LEAST_PHRASE_WORDS):
        start = answer.index(stripped)
        yield start, start + len(stripped), "passphrase"
        return
    for start, end, family in _find_words(answer, request, kinds, words == 1):
        if is_user or not is_public_name(answer[start:end]):
            yield start, end, family
    if kinds & {CODE, PASSWORD} and words <= MOST_CODE_WORDS:
        yield from ((*match.span(), "pin") for match in _DIGITS.finditer(answer) if match[0] not in request)


def _find_words(answer: str, request: str, kinds: frozenset[str], is_alone: bool) -> Iterator[SecretSpan]:
    for match in _WORD.finditer(answer):
        start, end = match.span()
        if lead := _LEADING.match(answer, start, end):
            start = lead.end()
        if not is_alone and (trailing := _TRAILING.search(answer, start, end)):
            end = trailing.start()
        value = answer[start:end]
        if value in request or is_id(value) or is_git_hash(answer, start, end):
            continue
        if kinds & {PASSWORD, CODE} and _is_password(value, is_alone):
            yield start, end, "password"
        elif KEY in kinds and is_key(value):
            yield start, end, "token"


def _is_password(value: str, is_alone: bool) -> bool:
    """Whether a word of an answer may be the password: with digits among its letters, in no word's letters, or in both cases."""
    if is_no_word(value) or (is_alone and value.isalpha() and value.isascii() and compute_surprise(value)[0] >= LEAST_ALONE):
        return True
    if not is_password(value) or _NAMED.match(value) or (_BRANCH.match(value) and not is_alone):
        return False
    if sum(map(str.isdigit, value)) > 1 or value not in (value.lower(), value.upper()) or not value.isalnum():
        return True
    return compute_surprise(value)[0] >= LEAST_SURPRISE
