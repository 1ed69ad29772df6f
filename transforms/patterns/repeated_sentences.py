"""Find sentences that a fact of the same page says word by word, without a lexicon: a page has all languages.

A fact says a sentence whose words stand in it in the same order, from the beginning of a sentence to the end of a clause: "The
port is not 8080" does not say "The port is 8080", nor does "The port is 8080 no longer".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from transforms.patterns.late_pattern import compile_late

_WORD = compile_late(r"\w+")
_BEGINS = compile_late(r"[.!?…;]\S*\s|[。！？；]|:\s*[\"“„«「『]|[\"”»」』]:")
_ENDS = compile_late(r"[.!?…,;:)\]—–\"”»]\S*\s|\s[(\[—–]|[。！？；：，、」』]")
"""Between two words: what begins a sentence or a quotation, and what ends a clause. A mark inside of a number does neither."""
_SENTENCE_END = compile_late(r"(?<=[.!?…])[\"”»)]*\s+|(?<=[。！？])[」』]*\s*")
_QUOTE_MARK = compile_late(r"[\"“„”«»「」『』]")
_PAIRS = {"“": 1, "„": 1, "«": 1, "「": 1, "『": 1, "”": -1, "»": -1, "」": -1, "』": -1}
_FOLDERS = compile_late(r"(?<![\w.~/-])/?(?:[\w.~-]+/)+(?=[\w-]+\.\w)")
"""Folders before the name of a file, which an account leaves out."""
_ASKED_TO = compile_late(r"^\w+(?: \w+)? asked to (?=\w)")
_SAID = compile_late(r"^[^\"“:\n]{1,40}: [\"“](?P<words>.+)[\"”]\W*$")
"""What begins an account of somebody's words: a fact has them behind another beginning, and says whose they are."""
_BEHIND_QUOTE = compile_late(r"[\"”»)]\s")
_LABELS = (" Outcome: ", " Reply: ")
KEY_WORDS = 8
"""First words by which the sentences of facts are looked up."""


@dataclass(frozen=True, slots=True)
class FactWords:
    """The words of a fact, and the places before which a sentence begins and a clause is over."""

    time: str
    words: tuple[str, ...]
    begins: tuple[int, ...]
    ends: frozenset[int]


Places = Mapping[tuple[str, ...], list[tuple[FactWords, int]]]
"""Where a sentence begins with some words, at most KEY_WORDS of them."""


def index_facts(facts: Iterable[tuple[str, str]]) -> Places:
    """Return where sentences begin in facts, of their times and texts, with the folders of files and without."""
    places: dict[tuple[str, ...], list[tuple[FactWords, int]]] = {}
    for time, text in facts:
        head, outcome, _ = split_outcome(text)
        for spelled in dict.fromkeys([text, outcome, _FOLDERS.sub("", head), _FOLDERS.sub("", outcome)]):
            fact = _read_words(time, spelled)
            for start in fact.begins:
                for length in range(1, min(KEY_WORDS, len(fact.words) - start) + 1):
                    places.setdefault(fact.words[start : start + length], []).append((fact, start))
    return places


def find_saying(text: str, places: Places, title: str = "") -> str | None:
    """Return the time of a fact that says the last sentence of a text, when facts say each; None when one is said by none.

    What was asked for may be said by the title, too."""
    time = None
    for sentence in split_outside_quotes(text):
        words = list_words(_SAID.sub(r"\g<words>", _ASKED_TO.sub("", sentence.strip())))
        is_cut = sentence.rstrip('"” \n.').endswith("…")
        saying = (fact for fact, start in places.get(words[:KEY_WORDS], ()) if _holds(fact, start, words, is_cut=is_cut))
        fact = next(saying, None) if words else None
        if fact is None and not (words and words == list_words(title) and _ASKED_TO.match(sentence)):
            return None
        time = fact.time if fact else ""
    return time


def drop_sayings(text: str, places: Places, title: str = "") -> str:
    """Return a text without the sentences that facts say; one without such a sentence stays letter by letter."""
    kept = [sentence for sentence in split_outside_quotes(text) if find_saying(sentence, places, title) is None]
    return text if len("".join(kept)) == len(text) else "".join(kept).strip()


def split_outcome(fact: str) -> tuple[str, str, str]:
    """Return a fact up to its outcome, its outcome, and the files behind it; all of it and twice nothing when it has none.

    What stands within a quotation is a person's, whatever it is called."""
    label = max(_LABELS, key=fact.rfind)
    head, between, outcome = fact.rpartition(label)
    if not between or _is_quoting(head):
        return fact, "", ""
    words, bracket, files = outcome.rpartition(" [")
    is_listed = bool(words) and files.find("]") == len(files) - 1
    return (head, words, bracket + files) if is_listed else (head, outcome, "")


def split_outside_quotes(text: str) -> Iterator[str]:
    """Yield the sentences of a text with the blanks behind them; a quotation is not divided."""
    start, depth, is_open, read = 0, 0, False, 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        for mark in _QUOTE_MARK.findall(text, read, end):
            is_open = is_open != (mark == '"')
            depth += _PAIRS.get(mark, 0)
        read = end
        if end > start and (end == len(text) or not (is_open or depth > 0)):
            yield text[start:end]
            start = end


def _is_quoting(text: str) -> bool:
    return text.count('"') % 2 == 1 or sum(_PAIRS.get(mark, 0) for mark in _QUOTE_MARK.findall(text)) > 0


def _holds(fact: FactWords, start: int, words: tuple[str, ...], *, is_cut: bool) -> bool:
    end = start + len(words)
    return fact.words[start:end] == words and (is_cut or end in fact.ends)


def _read_words(time: str, text: str) -> FactWords:
    lowered = text.casefold()
    matches = list(_WORD.finditer(lowered))
    gaps = [lowered[before.end() : behind.start()] for before, behind in pairwise(matches)]
    labels = [":" in gap and _BEHIND_QUOTE.search(before) is not None for before, gap in pairwise(["", *gaps])]
    begins = (0, *(place for place, gap in enumerate(gaps, 1) if labels[place - 1] or _BEGINS.search(gap)))
    ends = frozenset([len(matches), *(place for place, gap in enumerate(gaps, 1) if _ENDS.search(gap))])
    return FactWords(time, tuple(match.group() for match in matches), begins, ends)


def list_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters."""
    return tuple(_WORD.findall(text.casefold()))
