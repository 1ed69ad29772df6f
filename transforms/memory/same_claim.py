"""Compares lines of MEMORY.md: whether they make the same claim in other words, and whether the newer retires the older.

Dedupe merges facts only when nothing is lost (`transforms.language.similarity`). Here a false match costs one proposal, while a
missed one costs the owner's patience, so shared words count for more. Numbers, paths, polarity and roles are guarded as there.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import lru_cache
from math import ceil, log2
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from transforms.language import similarity
from transforms.language.lexicon import OPPOSITES
from transforms.language.statement import Statement, parse_statement, select_content_words
from transforms.language.tokenizer import STOP_WORDS, tokenize, write_numbers
from transforms.memory.claim_clauses import find_asserted_clauses, find_carrying_clauses
from transforms.memory.supersession import find_retirement
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE, Bullet
from transforms.pages.page_names import ends_with_name
from transforms.patterns.late_pattern import compile_late
from transforms.tables.periods import find_local_day

if TYPE_CHECKING:
    from transforms.memory.eligibility import LineCandidate

CONTAINED_WEIGHT, JACCARD_WEIGHT = 0.6, 0.4
SAME_RESEMBLANCE = 0.66
"""Resemblance from which two lines make the same claim, unless a guard objects."""
MIN_SHARED_WORD_SHARE = 0.7
"""Share of the shorter line's words that two lines of this resemblance have in common at least: two lines of the same length that
share .72 of their words have .657, and a longer one lowers it."""
OF_MESSAGE, OF_SESSION = 0.5, 0.75
"""The same share of two lines of one wish, when a summary worded one or both: made of one message, or of one session."""
MOST_RARE_WORDS = 4
"""Rare words that two lines have in common before all their words are compared, of those with as many."""
_NO_NUMBER = ""
LineEdit = Literal["done", "reworded", "deleted"]
_LinesOfWords = dict[str, "array[int]"]
_Numbers = NDArray[np.unsignedinteger] | NDArray[np.signedinteger]

_COLOUR_OR_NUMBER = compile_late(r"#[0-9a-fA-F]{3,8}\b|\b\d+(?:[.:]\d+)*\b")
_PATH_OR_FILE = compile_late(r"[\w.@~-]*/[\w./@~-]+|\b[\w-]+\.(?:[a-z]{1,5})\b")
_SUBJECT_HEAD = compile_late(r"\*\*([^*]+)\*\* — ")
_PREFERS_TO = compile_late(r"(\bprefers? [\w./-]+(?: [\w./-]+)?) to ", re.I)
_KIND_OF_SECTION = {HARD_RULES: "rule", SYSTEM_ARCHITECTURE: "decision", PATTERNS: "convention"}
_FILLER_WORDS = STOP_WORDS | {
    "want", "prefer", "use", "like", "alway", "never", "must", "need", "keep", "only", "would", "rather", "should", "make",
    "sure", "over", "real", "instead", "ever", "any", "anyth", "pleas", "nobodi", "alwai",
}  # fmt: skip


def compute_resemblance(first: str, second: str) -> float:
    """Return 0 to 1: the share of content words in the smaller set (containment), tempered by the Jaccard index."""
    return _compare_words(list_compared_words(first), list_compared_words(second))


def is_same_claim(first: str, second: str) -> bool:
    """Whether two lines make the same claim: enough words in common, and no difference in numbers, paths, polarity or roles."""
    first_claim, second_claim = parse_line(first), parse_line(second)
    if similarity.is_restatement(first_claim, second_claim):
        return True
    return compute_resemblance(first, second) >= SAME_RESEMBLANCE and not (
        _is_conflict(list_numbers(first), list_numbers(second))
        or _is_conflict(_find_names(_PATH_OR_FILE, first), _find_names(_PATH_OR_FILE, second))
        or _is_opposite(first_claim, second_claim)
        or similarity.has_swapped_roles(first_claim, second_claim)
    )


@lru_cache(maxsize=16_384)
def parse_line(text: str) -> Statement:
    """Return a line as `is_same_claim` compares it."""
    return parse_statement(_strip_emphasis(text))


def list_numbers(text: str) -> frozenset[str]:
    """Return the numbers of a line: when two lines have some, those of one are among those of the other."""
    return _find_names(_COLOUR_OR_NUMBER, write_numbers(text))


def is_retired_by(line: str, section: str, newer: str, kind: str) -> bool:
    """Whether a newer claim of this kind takes the place of a line: the same subject with another value, or the reverse.

    A line in the owner's section counts as a preference, which only a person's words retire.
    """
    old_kind = _KIND_OF_SECTION.get(section, "decision" if section.startswith("Reflected") else "preference")
    old, new = (old_kind, find_carrying_clauses(_strip_emphasis(line))), (kind, find_asserted_clauses(_strip_emphasis(newer)))
    return bool(find_retirement(old, new, is_same_project=True))


def is_taken_back(line: str, newer: str) -> bool:
    """Whether a newer claim only denies a line, or lifts its ban, and puts nothing in its place."""
    old, new = find_carrying_clauses(_strip_emphasis(line)), find_asserted_clauses(_strip_emphasis(newer))
    named_values = {
        find_retirement(("decision", [older]), ("decision", [clause]), is_same_project=True) for older in old for clause in new
    }
    return named_values - {""} == {"reversal"}


def find_line_edit(old: str, section: str, new: str, bullets: Sequence[Bullet]) -> tuple[LineEdit, str]:
    """Return what the owner did with a line that was to be replaced by another text and is not among the page's bullets any more,
    and the line as it stands now.

    `done`: nothing is left to be changed, because the line has another value by now or the page says the new text.
    """
    if any(is_same_claim(bullet.text, new) for bullet in bullets):
        return "done", ""
    reworded = next((bullet.line for bullet in bullets if bullet.is_one_line and is_same_claim(bullet.text, old)), "")
    if reworded:
        return "reworded", reworded
    is_changed = any(is_retired_by(old, section, bullet.text, "correction") for bullet in bullets)
    return ("done" if is_changed else "deleted"), ""


@lru_cache(maxsize=16_384)
def list_compared_words(text: str) -> frozenset[str]:
    """Return the words of which two lines with the same claim share most."""
    return frozenset(tokenize(text.replace("**", ""))) - _FILLER_WORDS


def _compare_words(first: frozenset[str], second: frozenset[str]) -> float:
    if not first or not second:
        return 0.0
    shared = len(first & second)
    contained, jaccard = shared / min(len(first), len(second)), shared / (len(first) + len(second) - shared)
    return round(CONTAINED_WEIGHT * contained + JACCARD_WEIGHT * jaccard, 6)


def _find_names(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(name.casefold().rstrip("./") for name in pattern.findall(text))


def _is_conflict(names: frozenset[str], other_names: frozenset[str]) -> bool:
    return bool(names and other_names and not (names <= other_names or other_names <= names))


def _is_opposite(first: Statement, second: Statement) -> bool:
    """Whether a word is plainly affirmed in one text and denied in the other."""
    shared = first.words & second.words
    if any({first.signs[word], second.signs[word]} == {"+", "-"} for word in shared):
        return True
    only_first, only_second = first.stems - second.stems, second.stems - first.stems
    return any(frozenset((first_word, second_word)) in OPPOSITES for first_word in only_first for second_word in only_second)


def _strip_emphasis(text: str) -> str:
    """Return the text without the emphasis of `**Subject** — rest`; "prefers a to b" becomes "over"."""
    return _PREFERS_TO.sub(r"\1 over ", text.replace("** — ", ": ").replace("**", ""))


# ---- lines that may make the same claim, without comparing all


@dataclass(frozen=True, slots=True)
class _LineWords:
    """The words by which one of the tests compares a line, and the values or numbers that it wants to agree."""

    words: frozenset[str]
    groups: tuple[Hashable, ...]
    """Values or numbers: a line is found when it shares a word and one of these."""
    wanted: tuple[Hashable, ...]
    """The groups in which it looks for others."""
    min_shared: float

    def may_match(self, other: _LineWords) -> bool:
        """Whether the words of two lines leave the test to be made: of most lines that share a rare word they do not."""
        if self.min_shared == 1.0:
            return self.words <= other.words or other.words <= self.words
        return _compare_words(self.words, other.words) >= SAME_RESEMBLANCE


class ClaimIndex:
    """Positions of lines, found by the words and numbers that a line with the same claim has in common with them.

    `is_same_claim` stays the judge; the index leaves out only lines that it would refuse. Its first test wants the words of one
    line within those of the other and the same values; its second one wants most words of the shorter line, and no numbers of
    each side alone. So the longer line has some of the rarest words of the shorter one (`_pick_rarest`), and lines with numbers
    share one.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """`texts` are lines that will be added or looked for; how often their words occur only orders the work."""
        self._seen = Counter(word for text in texts for part in _list_line_words(text) for word in part.words)
        self._by_word: defaultdict[tuple[int, Hashable], _LinesOfWords] = defaultdict(dict)
        self._by_rare_word: defaultdict[tuple[int, Hashable], _LinesOfWords] = defaultdict(dict)
        self._positions: list[int] = []
        self._lines: list[tuple[_LineWords, ...]] = []
        self._shared = (array("B"), array("B"))

    def add(self, text: str, position: int) -> None:
        """Enter a claim under its words; `position` is returned by later searches."""
        parts, line = _list_line_words(text), len(self._lines)
        self._positions.append(position)
        self._lines.append(parts)
        for number, part in enumerate(parts):
            rarest, needed = self._pick_rarest(part)
            self._shared[number].append(needed)
            for group in part.groups:
                _enter_line(self._by_word[number, group], part.words, line)
                _enter_line(self._by_rare_word[number, group], rarest, line)
        for missing in self._shared[len(parts) :]:
            missing.append(1)

    def find(self, text: str) -> list[int]:
        """Return the positions of all lines that may make the same claim, in order."""
        if not self._lines:
            return []
        matching: set[int] = set()
        for number, part in enumerate(_list_line_words(text)):
            near = (line for line in self._find_near(number, part) if part.may_match(self._lines[line][number]))
            matching.update(self._positions[line] for line in near)
        return sorted(matching)

    def _find_near(self, number: int, part: _LineWords) -> set[int]:
        """Return the lines that share enough of the rarest words: of those of this line, or of their own."""
        rarest, shared = self._pick_rarest(part)
        longer, counts = self._count_lines(self._by_word, number, part.wanted, rarest)
        near = set(longer[counts >= shared].tolist())
        shorter, counts = self._count_lines(self._by_rare_word, number, part.wanted, part.words)
        return near.union(shorter[counts >= np.frombuffer(self._shared[number], np.uint8)[shorter]].tolist())

    @staticmethod
    def _count_lines(
        tables: Mapping[tuple[int, Hashable], _LinesOfWords], number: int, groups: Iterable[Hashable], words: Iterable[str]
    ) -> tuple[_Numbers, _Numbers]:
        """Return the lines that have some of these words in some of these groups, and how often."""
        wanted = [tables.get((number, group), {}) for group in groups]
        lines = [table[word] for word in words for table in wanted if word in table]
        joined = np.concatenate([np.frombuffer(line, np.uint32) for line in lines]) if lines else np.zeros(0, np.uint32)
        joined.sort()
        starts = np.flatnonzero(np.diff(joined, prepend=joined[:1] - 1))
        return joined[starts], np.diff(starts, append=len(joined))

    def _pick_rarest(self, part: _LineWords) -> tuple[list[str], int]:
        """Return the rarest words of a line, and how many of them a longer line with the same claim has at least.

        Of as many words as it may lack and one more the other has one; but in dense talk a hundred lines share one, and few four.
        """
        needed = max(1, ceil(part.min_shared * len(part.words) - 1e-9))
        shared = min(needed, MOST_RARE_WORDS)
        rarest = sorted(part.words, key=lambda word: (self._seen[word], word))[: len(part.words) - needed + shared]
        return rarest, shared


def _enter_line(lines: _LinesOfWords, words: Iterable[str], line: int) -> None:
    for word in words:
        if word not in lines:
            lines[word] = array("I")
        lines[word].append(line)


@lru_cache(maxsize=256)
def _list_line_words(text: str) -> tuple[_LineWords, ...]:
    statement = parse_line(text)
    values = frozenset(value for value, _ in statement.numbers)
    words = select_content_words(statement) or frozenset({" ".join(statement.sequence)})
    restated = _LineWords(words, (("values", values),), (("values", values),), 1.0)
    named = tuple(("number", number) for number in sorted(list_numbers(text)))
    compared = list_compared_words(text)
    if not compared:
        return (restated,)
    groups = (*(named or (("number", _NO_NUMBER),)), ("all", _NO_NUMBER))
    wanted = (*named, ("number", _NO_NUMBER)) if named else (("all", _NO_NUMBER),)
    return restated, _LineWords(compared, groups, wanted, MIN_SHARED_WORD_SHARE)


# ---- candidates that make the same claim


def merge_same_claims(pool: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Merge candidates with the same claim: best wording, all evidence, and a higher salience for every further session.

    A summary says in its own words what the owner said, maybe in several of its sections: see `_repeats_claim`.
    """
    groups: list[list[LineCandidate]] = []
    summarised: list[list[LineCandidate]] = []
    index = ClaimIndex(candidate.text for candidate in pool)
    for candidate in sorted(
        pool, key=lambda candidate: (-candidate.salience, -candidate.said_at.timestamp(), candidate.evidence, candidate.text)
    ):
        near = (groups[position] for position in index.find(candidate.text))
        group = next((group for group in near if is_same_claim(group[0].text, candidate.text)), None)
        if group is None:
            others = groups if candidate.message else summarised
            group = next((group for group in others if _repeats_claim(group[0], candidate)), None)
        if group is None:
            index.add(candidate.text, len(groups))
            groups.append([candidate])
            summarised += [groups[-1]] if candidate.message else []
        else:
            group.append(candidate)
    return [_merge_group(group) for group in groups]


def _repeats_claim(first: LineCandidate, second: LineCandidate) -> bool:
    """Whether a summary made two lines of one message of the owner, or one of what the owner's line of its session says.

    They then share most of the shorter one's words; half of them where one is the owner's and the other rests on it.
    """
    is_told_again = not (first.message and second.message) and not {*first.evidence}.isdisjoint(second.evidence)
    is_one_message = first.message == second.message or is_told_again
    if not (first.message or second.message) or not (is_one_message or first.sessions & second.sessions):
        return False
    words, others = list_compared_words(first.text), list_compared_words(second.text)
    needed = OF_MESSAGE if is_one_message else OF_SESSION
    return bool(words and others) and len(words & others) >= needed * min(len(words), len(others))


def _merge_group(group: list[LineCandidate]) -> LineCandidate:
    best = group[0]
    evidence = tuple(dict.fromkeys(key for candidate in group for key in candidate.evidence))
    sessions = frozenset().union(*(candidate.sessions for candidate in group))
    return replace(
        best,
        evidence=evidence,
        sessions=sessions,
        said_at=max(candidate.said_at for candidate in group),
        projects=frozenset().union(*(candidate.projects for candidate in group)),
        is_everywhere=any(candidate.is_everywhere for candidate in group),
        takes=tuple(dict.fromkeys(key for candidate in group for key in candidate.takes)),
        salience=round(best.salience + log2(len(sessions)) if sessions else best.salience, 6),
    )


def cut_head(text: str, candidate: LineCandidate) -> str:
    """Return a line without the head of one of the candidate's projects: the end of its path."""
    head = _SUBJECT_HEAD.match(text)
    is_own = head is not None and any(ends_with_name(project, head[1]) for project in candidate.projects)
    return text[head.end() :] if head is not None and is_own else text


def may_be_outdated(bullet: Bullet, candidate: LineCandidate, zone: tzinfo) -> bool:
    """Whether a line is none of another project, and not newer than the candidate."""
    if not bullet.is_one_line or (bullet.dated and bullet.dated > find_local_day(candidate.said_at, zone)):
        return False
    head = _SUBJECT_HEAD.match(bullet.text)
    is_foreign = head is not None and cut_head(bullet.text, candidate) == bullet.text  # of another project or subject
    return not (is_foreign and head and head[1].casefold() not in candidate.text.casefold())


def is_outdated_by(bullet: Bullet, candidate: LineCandidate, zone: tzinfo) -> bool:
    """Whether the candidate says something else about the same subject, and the bullet is not newer."""
    return may_be_outdated(bullet, candidate, zone) and is_retired_by(
        cut_head(bullet.text, candidate), bullet.section, candidate.text, candidate.kind
    )
