"""Split text: blocks of Markdown into sentences, sentences into words."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from unicodedata import category, east_asian_width

from transforms.patterns.command_words import begins_with_command
from transforms.patterns.folding import keep_beyond_ascii
from transforms.patterns.late_pattern import compile_late
from transforms.words import sentence_marks
from transforms.words.function_words import FUNCTION_WORDS

_EMPHASIS = compile_late(r"(?<![\w*])\*{1,3}(?=\S)([^*\n]+?)(?<=\S)\*{1,3}(?![\w*])")
_MARKDOWN_LINK = compile_late(r"!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_SYMBOLS = compile_late(r"[\u2700-\u27bf\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]+\s*")
_ABBREVIATION = compile_late(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|mr|mrs|dr|st|fig)\.|\b[A-Z]\.)$", re.I)
_ABBREVIATION_CHARS = len("approx.")
"""Of the longest one: it is looked for at the end of a sentence only."""
_SENTENCE_END = compile_late(
    r"[.!?…؟۔।。！？；｡\n](?:(?<=[.!?…؟۔।])(?<!\s…)[\"')\]]*\s+|(?<=[。！？；｡])[\"')\]”’」』）】〉》]*\s*|(?<=\n)\n*)"
)
"""A mark, and what stands between it and the next sentence. It begins with a set of characters, which `re` skips quickly to.

"…" between spaces stands for words that are left out ("SELECT … FOR UPDATE") and ends nothing.
"""
_WORD_SIGNS = str.maketrans("", "", "'’-")
"""Signs inside of a word: don't, re-run."""
_WIDE_BRACKETS = dict(zip("「『（【〈《", "」』）】〉》", strict=True))
"""Brackets of scripts without spaces: several sentences between two of them are one quotation."""
SENTENCE_BREAK = compile_late(r"(?<=[.!?])\s+|\n+")
"""The end of a sentence in stored text, which is plain and short: a mark and white space, or a line break."""
CLAUSE_BREAK = compile_late(r"(?<=[.!?])\s+|\s*;\s+|\n+")
"""The same, and semicolons."""
PROSE_BREAK = compile_late(r"(?:(?<=[.!?…])(?<!\s…)|(?<=[.!?…][\"”’')`]))\s+(?=[A-ZÀ-Þ`\"“(\d])|(?<=[。！？])(?=[^\s」』）】])")
"""The end of a sentence in prose: only before a beginning like that of a sentence, so that abbreviations are not cut."""
QUESTION_MARKS = sentence_marks.QUESTION_MARKS
OTHER_FULL_STOPS = ("。", "！", "？", "．", "｡", "؟", "۔", "।", "։", "።")
"""Marks of other scripts that end a sentence: no full stop stands behind them."""
CHARS_PER_WORD = 2
"""Characters of a script without spaces, each of which is a word to `split_words`, that say as much as a word."""
KNOWN_CHARS = 600
"""Longest text whose words are kept in mind: a sentence of a window is compared many times."""
LONG_CHARS, LONG_TEXTS = 4_000, 16
"""Characters from which a text is a long message or a list, and how many of these are kept in mind, cut into sentences and as
words: each of its thousands of lines is compared with all of it."""
_SENTENCE_WORD = compile_late(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_WORD_CHARACTERS = (
    bytes(ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "'" else ord(" ") for code in range(128)) * 2
)
"""Lower case, and blanks for the ASCII characters that stand in no word: several times as fast as looking for the words."""
COMBINING_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u109f\u1780-\u17d3"
UNSPACED_SIGNS = r"\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff"
OTHER_SCRIPT = compile_late(rf"[^\W\x00-\x7f]|[{COMBINING_MARKS}{UNSPACED_SIGNS}]")
"""A letter beyond ASCII, a combining mark, or a sign of a script without spaces. Most texts beyond ASCII have none of them, but
dashes, ticks and drawn lines: then their words are those of ASCII (`has_other_script`)."""
_JOINER = "\u200d"
_CJK_RANGES = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_CJK = compile_late(f"[{_CJK_RANGES}]")
_CJK_RUN = compile_late(f"([{_CJK_RANGES}]+)")
"""Characters of a script without spaces, each of which is a word; words of other scripts stand between them ("pnpm\u3092")."""


def strip_markdown(text: str) -> str:
    """Return one line without emphasis, link targets, Markdown quote marks and decorative symbols."""
    bare = text.strip().removeprefix(">")
    # Most lines have none of these signs, and asking for a sign is cheaper than looking for its form.
    bare = bare if bare.isascii() else _SYMBOLS.sub("", bare)
    bare = _MARKDOWN_LINK.sub(r"\1", bare) if "](" in bare else bare
    return join_lines(_EMPHASIS.sub(r"\1", bare) if "*" in bare else bare)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. Line breaks end one, abbreviations do not; code spans and 「quotations」 are never cut."""
    return _split_once(text) if len(text) <= LONG_CHARS else list(_split_long(text))


@lru_cache(maxsize=LONG_TEXTS)
def _split_long(text: str) -> tuple[str, ...]:
    return tuple(_split_once(text))


def _split_once(text: str) -> list[str]:
    parts: list[list[str]] = []
    end, is_in_code = "", False
    for part in _split_at_ends(text):
        if parts and (is_in_code or _ends_in_abbreviation(end)):
            parts[-1].append(part)
            end, is_in_code = f"{end} {part}"[-2 * _ABBREVIATION_CHARS :], is_in_code != part.count("`") % 2
        else:
            parts.append([part])
            end, is_in_code = part, bool(part.count("`") % 2)
    return [" ".join(pieces) for pieces in parts]


def _ends_in_abbreviation(sentence: str) -> bool:
    return sentence.endswith(".") and _ABBREVIATION.search(sentence, max(len(sentence) - _ABBREVIATION_CHARS, 0)) is not None


def _split_at_ends(text: str) -> Iterator[str]:
    start = 0
    quotations = deque(_find_quotations(text))
    for end in _SENTENCE_END.finditer(text):
        while quotations and quotations[0][1] < end.end():
            quotations.popleft()
        if quotations and quotations[0][0] < end.end():
            continue
        piece = text[start : end.end()].strip()
        if piece:
            yield piece
        start = end.end()
    if last := text[start:].strip():
        yield last


def _find_quotations(text: str) -> list[tuple[int, int]]:
    """Return the places of the outermost brackets of scripts without spaces; one that nobody closed opens nothing."""
    places: list[tuple[int, int]] = []
    unclosed = set[str]()
    has_brackets = not text.isascii() and any(bracket in text for bracket in _WIDE_BRACKETS)
    for position, char in enumerate(text if has_brackets else ""):
        if char in _WIDE_BRACKETS and char not in unclosed and not (places and position < places[-1][1]):
            closing = text.find(_WIDE_BRACKETS[char], position)
            places += [(position, closing)] if closing > 0 else []
            unclosed |= set() if closing > 0 else {char}
    return places


def join_sentences(parts: Iterable[str]) -> str:
    """Return sentences in one line with nothing between them but a space, or nothing after a wide mark as 。has it.

    Only a line that ends without any mark is parted by a semicolon: there the line break was the mark.
    """
    pieces, end = list[str](), ""
    for part in parts:
        gap = _choose_gap(end) if end else ""
        pieces += [gap, part]
        end = part if part.rstrip(_CLOSING) else end + gap + part
    return "".join(pieces)


_CLOSING = "\"')]}”’»」』）】〉》"


def _choose_gap(text: str) -> str:
    bare = text.rstrip(_CLOSING) or text
    is_ended = bare[-1] in ".!?:;," or (not bare[-1].isascii() and category(bare[-1]) == "Po")
    return "; " if not is_ended else "" if east_asian_width(text[-1]) in "WFH" else " "


def join_lines(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """Return the text within `limit` characters: cut after a late sentence or clause, else at a word.

    A word that alone fills half of the room is cut, unless it is a path or an address: a part of one names something else.
    """
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 1)]
    for mark in (". ", "; ", ", ") if head.isascii() else (". ", "。", "; ", ", ", "、"):
        cut = head.rfind(mark)
        if cut >= limit * 0.6:
            return head[:cut].rstrip(" ,;:(") + ("" if mark == ". " else "。" if mark == "。" else "…")
    if is_unspaced(head):
        return cut_at_word(text, len(head)) + "…"
    end = head.rfind(" ")
    is_path = "/" in head[end + 1 :] and end >= limit // 4
    return drop_half_character(head[: end if is_path else max(end, limit // 2)], text).rstrip(" ,;:(") + "…"


def cut_at_word(text: str, limit: int) -> str:
    """Return the first `limit` characters of a text up to its last word; of a script without spaces up to the last character."""
    head = text[:limit]
    if is_unspaced(head) and head.rfind(" ") < limit / 2:
        return drop_half_character(head, text)
    return head.rsplit(" ", 1)[0]


def drop_half_character(head: str, text: str) -> str:
    """Return the beginning of a text without a character at its end whose accent, joiner or colour the cut left out."""
    while head and len(head) < len(text) and (_continues(text[len(head)]) or head[-1] == _JOINER):
        head = head[:-1]
    return head


def _continues(char: str) -> bool:
    """Whether a sign belongs to the character before it: an accent, a variation, a joiner or the colour of a picture."""
    return not char.isascii() and (char == _JOINER or category(char) in ("Mn", "Me", "Mc", "Sk"))


def capitalise(text: str) -> str:
    """Return a text that begins with a capital letter, unless it begins with a name (`maxAttempts`, pricing.md) or a command."""
    first = text.split(maxsplit=1)[:1]
    word = first[0].rstrip(",;:.!?") if first else ""
    is_plain = word.islower() and word.translate(_WORD_SIGNS).isalpha() and not begins_with_command(text)
    return text[:1].upper() + text[1:] if is_plain else text


def split_words(text: str) -> list[str]:
    """Return the lower-case words; each character of a script without spaces is one word."""
    words: list[str]
    if not text.isascii() and "’" not in text and not has_other_script(text):
        text = text.encode("ascii", "replace").decode("ascii")  # drawn lines, ticks and dashes stand in no word
    if text.isascii():
        plain = text.encode("ascii").translate(_WORD_CHARACTERS).decode("ascii")
        return _split_at_apostrophes(plain) if "'" in plain else plain.split()
    if not _CJK.search(keep_beyond_ascii(text)):
        return _lower_words(_SENTENCE_WORD.findall(text))
    words = []
    for place, part in enumerate(_CJK_RUN.split(text)):
        if place % 2:
            words += part if part.isalnum() else filter(str.isalnum, part)
        elif part.isascii():
            words += split_words(part) if part and part != " " else ()
        else:
            words += _lower_words(_SENTENCE_WORD.findall(part))
    return words


def _lower_words(words: list[str]) -> list[str]:
    return "\n".join(words).lower().split("\n") if words else []


def _split_at_apostrophes(plain: str) -> list[str]:
    """Return the words of lower-case letters, digits and blanks: an apostrophe between two letters belongs to their word."""
    inner = f" {plain} ".replace("''", "  ").replace(" '", "  ").replace("' ", "  ")  # what is left stands between two letters
    words = inner.split()
    if all(" " in between for between in inner.split("'")[1:-1]):
        return words
    return [part for word in words for part in (_SENTENCE_WORD.findall(word) if "'" in word else (word,))]


def has_other_script(text: str) -> bool:
    """Whether a text has letters that ASCII lacks, or signs of a script without spaces."""
    return not text.isascii() and OTHER_SCRIPT.search(keep_beyond_ascii(text)) is not None


def has_other_alphabet(text: str) -> bool:
    """Whether a text has letters that are not Latin ones."""
    return any(char.isalpha() and not (char <= "\u024f" or "\u1e00" <= char <= "\u1eff") for char in keep_beyond_ascii(text))


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question mark of any script; other marks may stand behind it."""
    return text.rstrip(" .!…)'\"").endswith(QUESTION_MARKS)


def has_question_mark(text: str) -> bool:
    """Whether a text has a question mark of any script."""
    return "?" in text or (not text.isascii() and any(mark in text for mark in QUESTION_MARKS))


def has_digit(text: str) -> bool:
    """Whether a text has a digit of any script."""
    return any(map(str.isdigit, text))


def count_words(text: str) -> int:
    """Return the number of words between spaces; of a script without spaces two characters say as much as one."""
    return -(-len(split_words(text)) // CHARS_PER_WORD) if is_unspaced(text) else len(text.split())


_STOP = FUNCTION_WORDS | frozenset(
    re.findall(
        r"\S+",
        """
    after again agent all asked because before don't gets i'm i've it's let's like make more most need now ok once out over own
    please said same such that's through under until use used user using want we've while yes
    """,
    )
)
"""Contractions are whole words here, and what any request or report says ("want", "need", "use", "asked") has no content."""


def find_content_words(text: str) -> frozenset[str]:
    """Return the words without function words; identifiers also count by their parts."""
    if len(text) <= KNOWN_CHARS:
        return _find_known_words(text)
    return _find_content_words(text) if len(text) <= LONG_CHARS else _find_long_words(text)


@lru_cache(maxsize=LONG_TEXTS)
def _find_long_words(text: str) -> frozenset[str]:
    return _find_content_words(text)


@lru_cache(maxsize=8192)
def _find_known_words(text: str) -> frozenset[str]:
    return _find_content_words(text)


def _find_content_words(text: str) -> frozenset[str]:
    words = {*split_words(split_names(text))} - _STOP
    return frozenset(word for word in words if len(word) > 1 or (not word.isascii() and _CJK.match(word)))


def is_unspaced(text: str) -> bool:
    """Whether most of a text is in a script without spaces (Chinese, Japanese, Korean)."""
    return not text.isascii() and count_unspaced_signs(text) > 0.3 * len(re.sub(r"`[^`]*`|\s", "", text))


def count_unspaced_signs(text: str) -> int:
    """Return how many characters of a text are of a script without spaces."""
    return 0 if text.isascii() else len(_CJK.findall(text))


def split_names(text: str) -> str:
    """Return the text with camelCase names separated into words."""
    return re.sub(r"[A-Z](?<=[a-z0-9].)", r" \g<0>", text)  # it begins with a set of characters, which `re` skips quickly to


def split_prose(text: str) -> list[str]:
    """Return the sentences of prose; quotations and brackets are not cut open."""
    parts: list[str] = []
    for part in PROSE_BREAK.split(text):
        if parts and (parts[-1].count('"') % 2 or parts[-1].count("(") > parts[-1].count(")")):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]
