"""Finds secrets by their surroundings (`context_rules`), each judged by the form of its value (`bare/password_forms`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.bare.password_forms import HEX_ID, cut_ending, is_code_like, is_mixed, is_random_part, is_strong
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.context_rules import (
    CODE_LIST_NAME,
    CODE_LIST_WORDS,
    CODE_LISTS,
    INLINE_CODE,
    LINKING_WORDS,
    MOST_BEFORE_BLANK,
    MOST_INLINE,
    PASSWORD_WORDS,
    PROSE_VALUE,
    SEED_PHRASE,
    SEED_PHRASE_WORDS,
    SHORT_WORDS,
    SURROUNDINGS,
    TOKEN_PLACE,
    TOKEN_WORDS,
    Surroundings,
)
from transforms.redaction.named_values import (
    COLOUR_END,
    TEST_RESULT,
    NamedValue,
    list_named_values,
    list_values_near,
)
from transforms.redaction.names.introductions import introduces
from transforms.redaction.value_forms import (
    is_harmless,
    is_random_key,
)
from transforms.redaction.value_judge import STRONG_MARKS, compute_surprise, exceeds_odds
from transforms.redaction.written.sign_in_calls import find_sign_in_arguments

SecretSpan = tuple[int, int, str]
"""Start and end of a secret in a text, and its family."""

PASSWORDS, TOKENS, LISTS, FIRST_SURROUNDINGS = 4, 8, 16, 32
STRUCTURES, BARE, PRINTED, RUNS, TRANSLATED = (FIRST_SURROUNDINGS << len(SURROUNDINGS) + bit for bit in range(5))
"""Bits of the searches, as the prefilter names them; each of SURROUNDINGS has its own, from FIRST_SURROUNDINGS on; PASSWORDS is
that of values near a name, STRUCTURES that of commands, tables, blocks and lists, BARE that of values without a name where a
person or an agent wrote, PRINTED that in outputs and files, the last two those of long random words and of names in other
languages in a person's words."""

LEAST_ODDS = 2.0
"""Log-odds from which a judged value is a secret."""
NEAR_CHARS = 60
"""Characters after a name in which its value stands, over line ends."""
PROSE_CHARS = 80
"""Characters of the same line in which a good password stands."""

LEAST_SURPRISE = 5.4
"""Bits by which the letters of a password without a name surprise; words joined by a mark have fewer."""
BARE_PASSWORD = compile_late(
    r"(?<![^\s\"'`“”„‘’<>,;()\[\]{}|:])(?=[^\s\"'`<>\\,;()\[\]{}|]{0,63}[!#$%&*?^~])(?=[^\s\"'`<>\\,;()\[\]{}|]{0,63}\d)"
    r"[^\s\"'`“”„‘’<>\\,;()\[\]{}|\x1b]{8,64}(?![^\s\"'`“”„‘’<>\\,;()\[\]{}|])"
)
"""A word with a digit and a mark: a person who types one means a password, or code that `is_code_like` and `_QUERY` know."""
_BARE_MARKS = frozenset("!#$%&*?^~")
_QUERY = compile_late(r"=|^\d+%|%[0-9A-Fa-f]{2}|&#|\d\*[A-Za-z]|\w\*\d|\?\.|:[~/][^\s:]*[$#%]$")
"""Parts of addresses and entities, products, optional members, the prompt of a shell."""

_PASSWORD_START = compile_late(rf"{'|'.join(PASSWORD_WORDS)}|(?:pw|mdp)(?![a-z0-9+/])")
_RECORD_ID = compile_late(r"[dmostw]-[0-9a-f]{8}(?:[0-9a-f]{8})?$")
"""An id that recollect made; pages write one behind every fact, also behind a fact about passwords."""
_PASS_VERDICT = compile_late(r"(?i)(?<!<)pass(?:e[ds]|ing)?(?![A-Za-z=_])(?!\W{0,2}[:=>][\s\"']{0,3}[a-z0-9])")
"""A test that passes, not the word for a password."""
_REST_OF_WORD, _REST_OF_NAME = compile_late(r"\w*"), compile_late(r"[\w-]*")
_PLACES = ("file", "path")
"""Ends of the name of a place where a secret lies."""
_LONG_FLAG = compile_late(r"\s--[a-z][\w-]*(?:=|\s+)[\"']?$")
_ARGUMENT = compile_late(
    r"[\s,]{0,40}(?:[\w.]{1,30}\s?=\s?)?(?:\\{0,3}[\"'`](?P<value>[^\"'\\\n]{0,200})\\{0,3}[\"'`]|[\w.$]{1,60})(?=\s{0,20}[,)])"
)
_ARGUMENT_OF_OTHER = compile_late(r"[\w.@-]+/[\w./@-]*\Z|\w+[~^]\d*\Z|[a-z][a-z0-9]*(?:-[a-z0-9]+)+\Z")
"""A path, a commit or the name of a package behind a short flag: `mkdir -p build/Release2`, `git log -p HEAD~2`."""


def find_context_secrets(text: str, bits: int = -1) -> Iterator[SecretSpan]:
    """Yield the secrets of a text that its surroundings tell; they may overlap."""
    if bits & PASSWORDS:
        lower = lower_keeping_length(text)
        yield from _find_judged(text, lower)
        yield from _find_passwords(text, lower)
    if bits & TOKENS:
        yield from _find_tokens(text)
    if bits & LISTS:
        yield from _find_lists(text)
    for number, surroundings in enumerate(SURROUNDINGS):
        if bits & FIRST_SURROUNDINGS << number:
            for match in find_surroundings(surroundings, text):
                if "secret" not in match.re.groupindex:
                    yield from ((*span, surroundings.family) for span in find_sign_in_arguments(text, match.end()))
                for start, end in _list_spans(surroundings, match):
                    value = text[start:end]
                    if surroundings.is_certain or ((is_mixed(value) or HEX_ID.match(value)) and not is_code_like(value)):
                        yield start, end, surroundings.family


def _list_spans(surroundings: Surroundings, match: re.Match[str]) -> list[tuple[int, int]]:
    """Return where the values of a match are that may be secrets."""
    if "secret" in match.re.groupindex:
        return [match.span("secret")]
    return [] if surroundings.is_certain else _list_quoted(match.string, match.end())


def find_surroundings(surroundings: Surroundings, text: str) -> Iterator[re.Match[str]]:
    """Yield what the pattern of the surroundings finds in a text; near its blanks only, where it names them."""
    if surroundings.beginnings:
        yield from _match_at_words(surroundings.pattern, surroundings.beginnings, text, lower_keeping_length(text))
        return
    if surroundings.blank is None:
        yield from surroundings.pattern.finditer(text)
        return
    done = 0
    for place in surroundings.blank.finditer(text) if "@" in text else ():
        blanks = place.start()
        while blanks > done and text[blanks - 1] in " \t":
            blanks -= 1
        for start in range(max(done, blanks - MOST_BEFORE_BLANK), blanks):
            if match := surroundings.pattern.match(text, start):
                yield match
                done = match.end()
                break


def find_bare_passwords(text: str) -> Iterator[SecretSpan]:
    """Yield values that look like passwords, without a word for one near them; only for the words of a person."""
    for match in BARE_PASSWORD.finditer(text):
        value = cut_ending(match[0])
        if (
            not is_code_like(value)
            and not _QUERY.search(value)
            and any(char in _BARE_MARKS for char in value[1:-1])
            and not is_public_name(value)
            and is_strong(value)
            and compute_surprise(value)[0] >= LEAST_SURPRISE
        ):
            yield match.start(), match.start() + len(value), "password"


def holds_near_secret(text: str, lower: str, position: int, name: tuple[int, str] | None) -> bool:
    """Whether the search PASSWORDS finds a secret near the name at `position`; `lower` and `name`: see `find_name_at`."""
    if name and any(is_near_secret(text, near) for near in list_values_near(text, position, *name)):
        return True
    word = _PASSWORD_START.match(lower, position)
    return word is not None and next(_find_password(text, position, word[0]), None) is not None


def lower_keeping_length(text: str) -> str:
    """Return the text in lower case, every character at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char.lower() if char.isascii() else char for char in text)  # "İ" becomes two characters: offsets would shift


def _find_judged(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the values near the name of a secret that the learned judge takes for one."""
    for near in list_named_values(text, lower):
        if is_near_secret(text, near):
            yield near.start, near.end, "password" if near.name == "password" else "secret"


def is_near_secret(text: str, near: NamedValue) -> bool:
    """Whether a value near a name is a secret: for the learned judge, and not a form or a place that it does not know."""
    if not exceeds_odds(text, near, LEAST_ODDS):
        return False
    value = text[near.start : near.end]
    if _RECORD_ID.match(value) or is_harmless(value) or _is_index(text, near.start):
        return False
    between = text[near.name_end : near.start]
    if near.name == "flag":
        return not (_ARGUMENT_OF_OTHER.match(value) or any(map(str.isalnum, between)))
    return not is_public_name(value) or introduces(between, near.name)


def _is_index(text: str, start: int) -> bool:
    """Whether a value is an index of the name before it: of a case of a test, such as `test_password[chromium-3]`."""
    return text[start - 1 : start] == "[" and (text[start - 2 : start - 1].isalnum() or text[start - 2 : start - 1] == "_")


def _list_quoted(text: str, start: int) -> list[tuple[int, int]]:
    """Return the quoted arguments of a call from `start` on; the first of several is a name or an address."""
    spans = []
    position = start
    while (match := _ARGUMENT.match(text, position, start + 400)) is not None:
        if match["value"] is not None:
            spans.append(match.span("value"))
        position = match.end()
    return spans


def _find_passwords(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield values that look like passwords after a word for one: in the next cell, line or member, or later in the sentence."""
    starts = {
        position + len(word): word
        for word in PASSWORD_WORDS
        for position in find_places(lower, word)
        if _begins_word(text, position) and not text.endswith("[redacted:", 0, position)
    }
    if "pw" in lower or "mdp" in lower:
        starts |= {match.end(): match[0] for match in SHORT_WORDS.finditer(text)}
    for start in sorted(starts):
        yield from _find_password(text, start, starts[start])


def _find_password(text: str, start: int, word: str) -> Iterator[SecretSpan]:
    """Yield values that look like passwords behind the word for one that begins at `start`."""
    end = _skip_word(text, start)
    is_verdict = word == "pass" and _PASS_VERDICT.match(text, max(0, start - 4), end + 6) is not None
    if (is_verdict and text[start - 4 : start].isupper()) or text.endswith(TEST_RESULT, 0, max(0, start - len(word))):
        return
    if not is_verdict and end - start > 8:
        yield from _find_in_name(text, start, end)
    line_end = text.find("\n", start)
    in_line = start + PROSE_CHARS if line_end < 0 else min(line_end, start + PROSE_CHARS)
    for match in PROSE_VALUE.finditer(text, end, start + PROSE_CHARS + 120):
        position = match.start()
        if position > in_line and (is_verdict or not _is_near(text, start, end, position)):
            break
        value = cut_ending(match[0])
        if not is_mixed(value) or is_code_like(value) or _is_index(text, position):
            continue
        if is_public_name(value) and not introduces(text[end:position], "password"):
            continue
        is_near = _is_near(text, start, end, position)
        if "=" in value and not is_near:
            continue
        if _names_place(text, start, end) and _LONG_FLAG.search(text, end, position):
            continue
        is_good = is_strong(value) and (not is_verdict or (is_near and any(char in STRONG_MARKS for char in value)))
        if is_good or (is_near and not is_verdict):
            yield position, position + len(value), "password"
            break


def _names_place(text: str, start: int, end: int) -> bool:
    """Whether the word for a password, from `start` to `end`, is part of a path, or of the name of a place where one lies."""
    rest = _REST_OF_NAME.match(text, end, end + NEAR_CHARS)
    before = text[max(0, start - NEAR_CHARS) : start].split()[-1:] if not text[start - 1 : start].isspace() else []
    return text[start : rest.end() if rest else end].lower().endswith(_PLACES) or "/" in "".join(before)


def _is_near(text: str, start: int, end: int, position: int) -> bool:
    """Return whether a value at `position` stands near the name from `start` to `end`, with quiet words between them only."""
    return position - start <= NEAR_CHARS and not any(map(str.isalnum, LINKING_WORDS.sub(" ", text[end:position])))


def _begins_word(text: str, position: int) -> bool:
    """Return whether a word begins at `position`, in `dbPassword` and `db_password`, too, and not inside of random letters."""
    if (
        position == 0
        or not text[position - 1].isalnum()
        or not text[position].isascii()
        or COLOUR_END.search(text, max(0, position - 12), position)
    ):
        return True
    if text[position - 1].isdigit() or text[position - 2 : position - 1].isdigit():
        return False
    return text[position].isupper() and text[position - 1].islower() and text[position + 1 : position + 4].islower()


def _find_in_name(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """Yield random parts behind the word inside of one name: `password_shop_…` as a file is called."""
    for part in re.finditer(r"[A-Za-z0-9]{8,}", text[start:end]):
        if is_random_part(part[0]) and any(map(str.isdigit, part[0])):
            yield start + part.start(), start + part.end(), "password"


def _find_tokens(text: str) -> Iterator[SecretSpan]:
    """Yield long random values right behind the word for a key or token, or at the end of a sentence about an API key."""
    lower, done = lower_keeping_length(text), 0
    starts = set(find_places(lower, *TOKEN_WORDS))  # faster than searching with the pattern
    for position in sorted(starts):
        place = TOKEN_PLACE.match(text, position) if position >= done else None
        if place is None:
            continue
        done = place.end()
        start = max(place.end() - 80, place.start())
        begin = text.rfind(" ", start, place.end())
        begin = max(begin, *(text.rfind(mark, start, place.end()) for mark in "\"'`(>=:[\n\t,")) + 1
        match = PROSE_VALUE.match(text, begin)
        if match is None or match.end() < place.end():
            continue
        value = cut_ending(match[0])
        if not is_code_like(value) and _is_key(value, has_name=bool(re.search(r"[:=>]|is", text[start:begin]))):
            yield begin, begin + len(value), "token"


def _is_key(value: str, has_name: bool) -> bool:
    if HEX_ID.match(value):
        return has_name and len(value) >= 32
    body = value.rsplit("_", 1)[-1]
    return len(value) >= 20 and (is_random_key(value) or (len(body) >= 32 and is_random_key(body)))


def _skip_word(text: str, position: int) -> int:
    """Return where the word at `position` ends: `pass` begins `passwords`, `Passworter`, `pass_hash`."""
    return _REST_OF_WORD.match(text, position, position + NEAR_CHARS).end()  # type: ignore[union-attr]  # it matches nothing, too


def _find_lists(text: str) -> Iterator[SecretSpan]:
    lower = lower_keeping_length(text)
    for match in _match_at_words(CODE_LISTS, CODE_LIST_WORDS, text, lower):
        for code in re.finditer(r"[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){0,3}", match["list"]):
            if any(map(str.isdigit, code[0])):
                yield match.start("list") + code.start(), match.start("list") + code.end(), "recovery-code"
    for name in _match_at_words(CODE_LIST_NAME, CODE_LIST_WORDS, text, lower):
        line_end = text.find("\n", name.end())
        last = min(name.end() + MOST_INLINE, len(text) if line_end < 0 else line_end)
        yield from (
            (*code.span(), "recovery-code") for code in INLINE_CODE.finditer(text, name.end(), last) if _is_group(code[0])
        )
    for match in _match_at_words(SEED_PHRASE, SEED_PHRASE_WORDS, text, lower):
        yield *match.span("secret"), "seed-phrase"


def _is_group(code: str) -> bool:
    """Whether groups are those of a code: one mixes letters and digits, or all are digits; `node-2024` is a name."""
    parts = code.split("-")
    return all(map(str.isdigit, parts)) or any(not part.isalpha() and not part.isdigit() for part in parts)


def _match_at_words(pattern: re.Pattern[str], words: tuple[str, ...], text: str, lower: str) -> Iterator[re.Match[str]]:
    """Yield what `finditer` does, for a pattern that begins with one of the words: to look for words is faster."""
    done = 0
    for position in sorted(set(find_places(lower, *words))):
        match = pattern.match(text, position) if position >= done else None
        if match:
            yield match
            done = match.end()
