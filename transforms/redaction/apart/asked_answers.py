"""Finds secrets that answer a request in the message before: "What is the password?" — "…"."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_key, is_no_word, is_password, is_scrambled
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.named_values import CERTAIN_CLASSES, find_names, is_git_hash, is_id
from transforms.redaction.names import translated_names
from transforms.redaction.numbers.access_codes import CODE_NOUN, is_phrase, is_small_word
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.value_judge import compute_surprise

REQUEST_CHARS, MOST_SENTENCES = 400, 2
"""Characters at the end of a message that are read, and sentences of it in which the name of a secret stands."""
MOST_ANSWER, MOST_WORDS, MOST_CODE_WORDS = 200, 14, 4
"""Characters and words of an answer that is hardly more than the value; words of one that is a code of digits."""
LEAST_PHRASE_WORDS = 3
"""Words of a passphrase that was asked for."""
MOST_NEAR_WORDS, LEAST_LETTERS = 4, 10
"""Words of an answer whose last one is the value, when nothing but the secret is asked for; letters of one that is a password."""
MOST_BELOW = 3
"""Lines below a word that answers."""
MOST_LEAD, MOST_POINTING = 4, 4
"""Words before the name in a question for nothing but the secret; words of a question without a name that points back to one."""
PASSWORD, CODE, KEY, DIRECT = "password", "code", "key", "direct"
"""Kinds of secrets, and a request for nothing but one: "What is the password?", not "Which of the files holds the password?"."""
LEAST_SURPRISE, LEAST_ALONE = 6.3, 5.5
"""Bits by which the letters of a value with a single digit surprise, and those of an answer of one word without any."""
_SENTENCE = compile_late(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_QUESTION_END = compile_late(r"[?？؟][\s\"'`*_»”)]*\Z")
_CODE_NAME = compile_late(
    r"(?i)(?<![a-z])(?:pin|otp|totp|2fa|mfa|puk|tan|(?:one[- ]time|verification|sms|access|door|backup|recovery|login|auth\w*)[- ]?codes?)(?![a-z])"
)
_CODE_BY = compile_late(r"(?i)(?<![^\W\d_])(?:sms|e-?mail|app|phone|handy|t[ée]l[ée]phone|tel[ée]fono|telefon\w*)(?![^\W\d_])")
_CODE_NOUN = compile_late(rf"(?i)(?<![^\W\d_]){CODE_NOUN}(?![^\W\d_])")
_PHRASE_NAME = compile_late(r"(?i)phrase|seed|mnemonic")
_WORD = compile_late(r"[^\s\"'`“”„‘’«»<>,;()\[\]{}|]{4,400}")
_LEADING, _TRAILING = compile_late(r"[:=>~*_]+"), compile_late(r"[.,:;)\]*_]+\Z|[.,:;!?)\]*_]*[.,:;)\]*_][!?]*\Z")
_DIGITS = compile_late(r"(?<![\w.,:/-])\d{4,10}(?![\w/:]|[.,-]\d)|(?<!\d)\d{3,4}[ -]\d{3,4}(?![\d])")
_NUMBER = compile_late(r"\d[\d -]*\d|\d")
_PHRASE = compile_late(r"[^\W\d_]{3,14}(?:[ -][^\W\d_]{3,14}){2,15}\.?\Z")
_TELLING = compile_late(r"\d|[a-z][A-Z]|[!#$%&*?^~@+=_]\w")
_NEXT_WORD = compile_late(r"\w{0,20}[\s\"'`*]{1,4}(?P<word>[^\W\d_]{4,}|(?i:id|ids|ttl)(?![^\W\d_]))")
_JOINED = compile_late(r"[^\W\d_]{3,14}(?:[-_.][^\W\d_]{2,14}){2,7}\Z")
_TAIL = compile_late(r"(?:[^\W\d_]{3,14}[ -]){3,15}[^\W\d_]{3,14}\.?\Z")
_QUOTED_END = compile_late(r"[`*\"'”»]")
_ACCOUNT_NAME = compile_late(r"log[io]n|cred")
"""Names of a whole account, whose second half is a password."""
_ENGLISH = ("password", "passwords", "token", "code", "codes")
"""Words of other languages that are English ones, too, in which what a secret is of stands before its name."""
_KINDS = {translated_names.PASSWORD: PASSWORD, translated_names.CODE: CODE}
_NAMED = compile_late(r"[A-Za-z]+\d\Z|v?\d+(?:[.,:-]|\Z)|[A-Z]{2,8}-?\d+\Z|[0-9a-f]{7,40}\Z")
"""A counted name, a number, a ticket, a commit."""
_FILE = compile_late(r"\.[a-z]{1,4}\Z")
_BRANCH = compile_late(r"[a-z]+(?:[-_][a-z0-9]+)+\Z")


class AskedBefore(NamedTuple):
    """What was said right before an answer: the words of the other speaker, or the command whose output it is."""

    text: str
    is_command: bool
    answers: frozenset[str]


def may_answer(text: str) -> bool:
    """Whether a text has the form of an answer that is a secret: short, with a telling word or no more than a few words."""
    stripped = cut_answer(text)
    if not 4 <= len(stripped) <= MOST_ANSWER or "\n" in stripped:
        return False
    return (
        _TELLING.search(stripped) is not None
        or len(stripped.split()) <= MOST_CODE_WORDS
        or _TAIL.search(stripped) is not None
        or _PHRASE.match(stripped) is not None
    )


def cut_answer(text: str) -> str:
    """Return what an answer of few lines begins with, when its first line is a single word; else all of it."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    return first.rstrip() if rest.count("\n") < MOST_BELOW and not any(map(str.isspace, first.rstrip())) else stripped


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


@lru_cache(maxsize=1024)
def read_request(message: str) -> frozenset[str]:
    """Return the kinds of secrets that the end of a message speaks of, and DIRECT when it asks for nothing else.

    The form tells, in any language: a question asks for nothing else when the name stands among its first words, a statement
    always. A longer question without a name, behind a sentence with one, asks for something else.
    """
    end = message.rstrip()[-REQUEST_CHARS:]
    sentences = [match[0].strip() for match in _SENTENCE.finditer(end) if any(map(str.isalnum, match[0]))][-MOST_SENTENCES:]
    kinds, is_direct = set[str](), False
    for sentence in reversed(sentences):
        is_question = _QUESTION_END.search(sentence) is not None
        for start, kind in _find_kinds(sentence):
            kinds.add(kind)
            is_direct = is_direct or not is_question or len(sentence[:start].split()) <= MOST_LEAD
        if not kinds and is_question and len(sentence.split()) > MOST_POINTING:
            break
    return frozenset({*kinds, DIRECT} if is_direct else kinds)


def _find_kinds(sentence: str) -> Iterator[tuple[int, str]]:
    """Yield where the names of secrets in a sentence begin, and their kinds."""
    lower = lower_keeping_length(sentence)
    for start, stop, name in find_names(sentence, lower):
        kind = "password" if _ACCOUNT_NAME.match(lower, start) else name
        if kind in CERTAIN_CLASSES and not _is_of_other(sentence, stop):
            yield start, PASSWORD if kind == "password" else KEY
    for stop, translated in translated_names.find_names(lower, True):
        if not (lower.endswith(_ENGLISH, 0, stop) and _is_of_other(sentence, stop)):  # in others the owner stands behind
            yield max(0, stop - 1), _KINDS.get(translated, KEY)
    code = _CODE_NAME.search(sentence) or (_CODE_BY.search(sentence) and _CODE_NOUN.search(sentence))
    if code:
        yield code.start(), CODE
    if phrase := _PHRASE_NAME.search(sentence):
        yield phrase.start(), PASSWORD


def _is_of_other(text: str, stop: int) -> bool:
    """Whether a noun follows the name that ends at `stop`: a password check is no password."""
    following = _NEXT_WORD.match(text, stop)
    return following is not None and not is_small_word(following["word"])


def find_asked_answers(answer: str, request: str, is_user: bool) -> Iterator[SecretSpan]:
    """Yield the values in a short answer that the message before it asks for; what the request says itself is none.

    A value that reads as a public name, such as a word with a number, counts in a person's answer only.
    """
    stripped = cut_answer(answer)
    if not 4 <= len(stripped) <= MOST_ANSWER or "\n" in stripped or "[redacted:" in stripped:
        return
    if len(stripped) < len(answer.strip()):
        if not is_user:
            return
        answer = answer[: answer.index(stripped) + len(stripped)]
    words = len(stripped.split())
    kinds = read_request(request) if words <= MOST_WORDS else frozenset()
    if not kinds:
        return
    if PASSWORD in kinds and _PHRASE_NAME.search(request) and (phrase := _find_phrase(stripped, DIRECT in kinds)):
        start = answer.index(phrase)
        yield start, start + len(phrase), "passphrase"
        return
    for start, end, family in _find_words(answer, request, kinds, words):
        is_quoted = DIRECT in kinds and _QUOTED_END.match(answer, end) is not None
        if is_user or is_quoted or is_scrambled(answer[start:end]) or not is_public_name(answer[start:end]):
            yield start, end, family
    if kinds & {CODE, PASSWORD}:
        codes = [match for match in _DIGITS.finditer(answer) if match[0] not in request]
        is_only = is_user and {CODE, DIRECT} <= kinds and len(codes) == 1 and len(_NUMBER.findall(answer)) == 1
        yield from ((*match.span(), "pin") for match in codes if words <= MOST_CODE_WORDS or is_only)


def _find_phrase(answer: str, is_direct: bool) -> str | None:
    """Return the words of an answer that are a passphrase: all of them, or the last ones."""
    if _PHRASE.match(answer) and is_phrase(answer, LEAST_PHRASE_WORDS):
        return answer
    tail = _TAIL.search(answer) if is_direct else None
    while tail and not is_phrase(tail[0]):
        tail = _TAIL.search(answer, tail.start() + 1)
    return tail[0] if tail else None


def _find_words(answer: str, request: str, kinds: frozenset[str], words: int) -> Iterator[SecretSpan]:
    is_alone = words == 1
    for match in _WORD.finditer(answer):
        start, end = match.span()
        if lead := _LEADING.match(answer, start, end):
            start = lead.end()
        if not is_alone and (trailing := _TRAILING.search(answer, start, end)):
            end = trailing.start()
        value = answer[start:end]
        if value in request or is_id(value) or is_git_hash(answer, start, end):
            continue
        is_edge = not any(map(str.isalnum, answer[end:])) or not any(map(str.isalnum, answer[:start]))
        is_last = is_alone or (DIRECT in kinds and words <= MOST_NEAR_WORDS and is_edge)
        is_word = {PASSWORD, DIRECT} <= kinds and is_last and len(value) >= LEAST_LETTERS
        is_word = is_word and (_JOINED.match(value) is not None or (words <= 2 and value.isalpha() and value.islower()))
        if (is_word and not is_harmless(value) and not _FILE.search(value)) or (
            kinds & {PASSWORD, CODE} and _is_password(value, is_last)
        ):
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
