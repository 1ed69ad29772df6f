"""Tells a question in a language that its rules do not read, which of its words name a thing, and which of them memory knows.

The rules of questions read English: question words, stop words, and capitals as names. In another language most words of a
question ("wie", "nochmal", "guardamos") are said otherwise in memory, or are capitals for another reason, and prove nothing. What
names a thing there is told by its writing: capitals where nouns have them, runs of kanji and katakana between hiragana, and
elsewhere longer words behind the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from unicodedata import bidirectional, category

from transforms.attribution.typed_language import list_prose_words, measure_language
from transforms.language.answer_types import MONTH_PATTERN
from transforms.language.lexicon import SYNONYMS
from transforms.language.sentences import count_unspaced_signs, is_unspaced, split_words
from transforms.language.tokenizer import (
    ENGLISH_SHARE,
    LEAST_STEM,
    LEAST_TELLING,
    MOST_ENDING,
    STOP_WORDS,
    is_other_language,
    stem,
    tokenize,
)
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.recall.question import split_scripts
from transforms.recall.question_type import QUESTION_WORD, STARTS_WITH_AUXILIARY
from transforms.recall.ranking_record import RankingRecord, is_summary

LEAST_OTHER_WORDS, MOST_OTHER_SHARE = 5, 0.1
"""Words from which a question may be clearly of another language, and share of stop words from which it is not."""
PLAIN_SHARE = 0.4
"""Share of stop words from which a question without a question word is English: "do" and "a" are words of Portuguese, too."""
NOUN_CAPITALS = 0.1
"""Share of capitals inside the sentences of a memory from which its language writes nouns so: German .23, Portuguese .04."""
LEAST_JUDGED_WORDS = 20
"""Words inside sentences from which capitals are counted."""
LEAST_NOUN_LETTERS = 5
"""Letters of a word that may name a thing where nothing in its writing tells: particles and articles are shorter."""
MARKS = "?!.,:;()\"'`"
"""Marks of ASCII around a word that do not belong to it."""
PREFIX_LENGTH, LONGEST_ENDING = 5, 2
"""Least letters of a word's prefix, and letters of an ending that it leaves out."""
MOST_JOINED = 3
"""Letters of an article and prepositions before a word of Arabic or Hebrew: وبال, ושה."""
_ARTICLES = ("\u0627\u0644", "\u05d4")
"""The articles of Arabic and of Hebrew."""
LEAST_PART_LETTERS, LEAST_COMPOUND_LETTERS, MOST_COMPOUND_LETTERS = 4, 9, 60
FIRST_OTHER, LATIN_EXTENDED = 0x370, range(0x1E00, 0x1F00)
"""The first letter behind those of Latin script, and the Latin letters that stand behind it."""
FIRST_KANA, LAST_KANA = "\u3040", "\u309f"
_DAY_AND_MONTH = compile_late(rf"\b(?:\d{{1,2}}(?: of)? (?:{MONTH_PATTERN}|may)|(?:{MONTH_PATTERN}|may) \d{{1,2}})\b", re.I)
_CONTENT_RUN = compile_late(
    r"(?!\u4f55)(?<!\u4f55)[\u3400-\u4dbf\u4e00-\u9fff\u3005]{2,}|[\u30a1-\u30fa\u30fc]{2,}|[A-Za-z0-9_][\w./:@#+-]*", re.A
)
"""Words of Japanese that name things: Chinese characters (but "what"), katakana or a word in Latin letters; hiragana inflect and
join."""
_LINKS = ("s", "n", "en", "es", "e")
"""Letters between the parts of a compound."""
LONGEST_SHOWN = 60
"""Letters of a word that a reason quotes: a pasted line without spaces is no word."""
WORDS_SHOWN = 3
"""Words of a question that a reason quotes."""


@dataclass(frozen=True, slots=True)
class QuestionLanguage:
    """The language of a question beside that of the memory that shall answer it.

    `is_read` says that both are English, or that nothing tells otherwise; `is_question_read` says it of the question alone.
    `is_shared` says that both are the same one or may be.
    `has_names` says that a capital marks a name in the question and that memory would write that name the same way, and
    `marks_nouns` that the writing of the question tells which of its words name a thing.
    """

    is_read: bool = True
    is_question_read: bool = True
    is_shared: bool = True
    has_names: bool = True
    marks_nouns: bool = False


RETELLING = ("segment", "distillate")
"""Sources that retell what was said: each of their words stands in a turn or a fact, too."""
MISSED_SHARE = 0.6
"""Share of what a question is about that was never said, from which its answer is unsure in a language that no rule reads."""

SYNONYMS_OF: dict[str, list[str]] = {}
SYNONYM_HEADS = (
    SYNONYMS | dict.fromkeys(map(stem, ("color", "hue", "shade", "tint")), "color") | dict.fromkeys(("gray", "grey"), "gray")
)
for _word, _head in SYNONYM_HEADS.items():
    SYNONYMS_OF.setdefault(_head, []).append(_word)
READ = QuestionLanguage()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The whole memory's knowledge of a question's words: their document frequencies, and which prefixes occur."""

    frequency: Mapping[str, int]
    prefixes: frozenset[str] = frozenset()

    def contains(self, word: str) -> bool:
        """Whether the word, a synonym or another form of it occurs in memory."""
        synonyms = (word, *SYNONYMS_OF.get(SYNONYM_HEADS.get(word, ""), ()))
        return any(self.frequency.get(synonym) for synonym in synonyms) or take_prefix(word) in self.prefixes

    def contains_or_parts(self, word: str) -> bool:
        """Whether the word occurs in memory, with or without its article, or both parts of a compound ("Kundenimport") do."""
        if self.contains(word) or any(map(self.frequency.get, list_forms(word))):
            return True
        return any(self.frequency.get(first) and self.frequency.get(last) for first, last in split_compound(word))


def leave_out_unsaid(vocabulary: Vocabulary, rows: Sequence[RankingRecord]) -> Vocabulary:
    """Return the knowledge of a question's words without those that only summaries of compactions and echoes without an answer
    have, as far as the rows tell.

    Such a summary is an agent's, and may say what nobody did; an echo asks. What retells a talk tells the words of an echo, too.
    """
    has_echo = any(row.get("echo") == "open" for row in rows)
    is_unsaid = [is_summary(row) or row.get("echo") == "open" or (has_echo and row["source"] in RETELLING) for row in rows]
    unsaid = [{*row["terms"]} for row, is_gone in zip(rows, is_unsaid, strict=True) if is_gone]
    if not unsaid:
        return vocabulary
    words = set().union(*unsaid)
    unsaid_counts = {word: sum(word in terms for terms in unsaid) for word in vocabulary.frequency if word in words}
    gone = {word for word, count in unsaid_counts.items() if count >= vocabulary.frequency[word] > 0}
    if not gone:
        return vocabulary
    said = {term for row, is_gone in zip(rows, is_unsaid, strict=True) if not is_gone for term in row["terms"]}
    prefixes = {prefix for word in gone if (prefix := take_prefix(word)) and not any(term.startswith(prefix) for term in said)}
    return Vocabulary(dict(vocabulary.frequency) | dict.fromkeys(gone, 0), vocabulary.prefixes - prefixes)


def find_question_language(question: str, evidence: Sequence[str]) -> QuestionLanguage:
    """Return the language of a question beside that of the hits' texts."""
    words = split_words(question)
    share = sum(word in STOP_WORDS for word in words) / len(words) if words else 0.0
    is_asked = QUESTION_WORD.search(question) or STARTS_WITH_AUXILIARY.search(question)
    is_english = share >= (ENGLISH_SHARE if is_asked else PLAIN_SHARE)
    is_memory_other = is_unread(evidence)
    is_other = not is_english and (is_memory_other or _is_clearly_other(question, words, share))
    if not is_other and not is_memory_other:
        return READ
    if not is_other or not is_memory_other:  # names are written alike in two languages of one script
        has_names = is_english and not any(map(_has_other_script, evidence))
        return QuestionLanguage(is_read=False, is_question_read=is_english, is_shared=False, has_names=has_names)
    has_capitals = _measure_capitals(evidence) >= NOUN_CAPITALS
    marks_nouns = _is_japanese(question) or (has_capitals and bool(_find_capitals(question)))
    return QuestionLanguage(is_read=False, is_question_read=False, has_names=not has_capitals, marks_nouns=marks_nouns)


def confirm_language(
    language: QuestionLanguage, question: str, weigh: Callable[[str], float], is_known: Callable[[str], bool]
) -> QuestionLanguage:
    """Return the language, shared where memory has most of what the question is about in the question's own words.

    A memory may be of two languages, and a question of mere names and nouns has no stop words.
    """
    if language.is_shared:
        return language
    words = tokenize(question)
    known = [word for word in words if is_known(word)]
    if _has_no_spaces(question):
        is_missed = len(known) < (1 - MISSED_SHARE) * len(words)
    else:
        is_missed = find_missed_words(question, weigh, is_known)[0] >= MISSED_SHARE
    return language if is_missed or not known else replace(language, is_shared=True)


def is_unread(texts: Sequence[str]) -> bool:
    """Whether texts are of another language: most of them by themselves, and all together, so that terse notes are not."""
    return measure_language(texts).is_unread and is_other_language([word for text in texts for word in list_prose_words(text)])


def split_question(question: str) -> list[str]:
    """Return the words of a question as it writes them; of Japanese those that name things, without spaces the parts of one
    script."""
    if _is_japanese(question):
        return _CONTENT_RUN.findall(question)
    return [piece for token in question.split() for piece in split_scripts(token)]


def find_unknown_nouns(question: str, language: QuestionLanguage, is_known: Callable[[str], bool]) -> list[str]:
    """Return the index words of those words that may name a thing in a question that the rules do not read, and are not known.

    A word of several index words (characters in pairs, "PDF-Export") is known when half of them are.
    """
    unknown: list[str] = []
    for token in _find_nouns(question, language):
        words = tokenize(token)
        missing = [word for word in words if not is_known(word)]
        if len(missing) > len(words) / 2 and not any(char.isdigit() for char in token):
            unknown += missing
    return list(dict.fromkeys(unknown))


def find_missed_words(question: str, weigh: Callable[[str], float], is_known: Callable[[str], bool]) -> tuple[float, list[str]]:
    """Return how much of what a question is about was never said, as a share, and these words as the question writes them.

    A word weighs as much as it is rare in memory, so that in any language the words of its grammar weigh little; one that is not
    known is the rarest. A word of several index words is known when half of them are. One that is not known and too short to
    name anything counts for nothing.
    """
    total, missed, words = 0.0, 0.0, list[str]()
    if _has_no_spaces(question) and not _is_japanese(question):
        return _find_missed_stretches(question, is_known)
    for token in _list_asked(question):
        parts = tokenize(token)
        weight = max(map(weigh, parts), default=0.0)
        is_missed = 2 * sum(not is_known(part) for part in parts) > len(parts) and not any(char.isdigit() for char in token)
        if is_missed and not _may_name(token):
            continue
        total += weight
        if is_missed:
            missed += weight
            words.append(token)
    return missed / total if total else 0.0, words


def is_part_said(question: str, is_known: Callable[[str], bool]) -> bool:
    """Whether half of the pairs of a stretch of a question without spaces were said: no rule tells its words from each other."""
    stretches = [tokenize(token) for token in split_question(question) if not token.isascii()] if _has_no_spaces(question) else []
    return any(pairs and 2 * sum(map(is_known, pairs)) >= len(pairs) for pairs in stretches)


def _has_no_spaces(question: str) -> bool:
    """Whether a question is in a script without spaces, however long the names in Latin letters are that are glued to it."""
    tokens = question.split()
    return is_unspaced(question) or (bool(tokens) and all(map(count_unspaced_signs, tokens)))


def _find_missed_stretches(question: str, is_known: Callable[[str], bool]) -> tuple[float, list[str]]:
    """Return the share of a question without spaces that lies in stretches of which no pair was said, and these.

    A name in Latin letters is said or not as a whole: its index words leave endings out.
    """
    total, words = 0, list[str]()
    for token in map(strip_marks, split_question(question)):
        total += len(token)
        if not count_unspaced_signs(token):
            parts = tokenize(token)
            is_missed = 2 * sum(map(is_known, parts)) < len(parts) and not any(char.isdigit() for char in token)
            words += [token] if is_missed else []
            continue
        covered, folded = set[int](), token.casefold()
        for pair in filter(is_known, dict.fromkeys(tokenize(token))):
            covered.update(place for at in find_places(folded, pair) for place in range(at, at + len(pair)))
        stretches = groupby(range(len(token)), covered.__contains__)
        words += [strip_marks("".join(token[place] for place in places)) for is_said, places in stretches if not is_said]
    missed = [word for word in words if len(word) > 1]
    return sum(map(len, missed)) / total if total else 0.0, missed


def _find_nouns(question: str, language: QuestionLanguage) -> list[str]:
    if _is_japanese(question):
        return split_question(question)
    if language.marks_nouns:
        return _find_capitals(question)
    nouns = ((token, LEAST_NOUN_LETTERS if _has_case(token) else LEAST_STEM) for token in _list_asked(question))
    return [token for token, least in nouns if len(token) >= least or is_unspaced(token)]


def _find_capitals(question: str) -> list[str]:
    """Return the words with a capital of those that `_list_asked` gives."""
    return [token for token in _list_asked(question) if token[0].isupper()]


def _list_asked(question: str) -> list[str]:
    """Return the words of a question behind the first, which asks; a single word, unless it is a sentence without spaces."""
    tokens = _split_tokens(question)
    return tokens[1:] or ([] if _has_no_spaces(question) else tokens)


def _may_name(token: str) -> bool:
    """Whether a word is long enough to name something: particles are short, an abbreviation in capitals is none."""
    least = LEAST_TELLING if _has_case(token) and not token.isupper() else LEAST_STEM
    return len(token) >= least or is_unspaced(token)


def _has_case(token: str) -> bool:
    """Whether a word is of an alphabet with capitals; other scripts write fewer vowels, or one sign for a syllable."""
    return token.lower() != token.upper()


def _split_tokens(text: str) -> list[str]:
    return [token for part in text.split() if (token := strip_marks(part))]


def strip_marks(word: str) -> str:
    """Return a word without the marks around it, of any script."""
    start, end = 0, len(word)
    while start < end and _is_mark(word[start]):
        start += 1
    while start < end and _is_mark(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_mark(char: str) -> bool:
    return char in MARKS or (not char.isascii() and category(char)[0] == "P")


def take_prefix(word: str) -> str:
    """Return the prefix that other forms of the word share; empty for short words and identifiers.

    Outside of ASCII the tokenizer cuts no ending, so that shorter words have a prefix, too.
    """
    if not word.isalpha():
        return ""
    if word.isascii():
        return word[: max(PREFIX_LENGTH, len(word) - LONGEST_ENDING)] if len(word) > PREFIX_LENGTH else ""
    return word[: max(LEAST_STEM, len(word) - MOST_ENDING)] if len(word) > LEAST_STEM else ""


def list_forms(word: str) -> list[str]:
    """Return a word, and the words that it may be without what its script joins to the front of it, or with the article.

    Arabic and Hebrew write articles and short prepositions in one with the next word.
    """
    if bidirectional(word[:1] or " ") not in ("R", "AL"):
        return [word]
    bare = [word[start:] for start in range(1, 1 + min(MOST_JOINED, len(word) - LEAST_STEM))]
    return [word, *bare, *(article + word for article in _ARTICLES)]


def split_compound(word: str) -> list[tuple[str, str]]:
    """Return the ways to read a long word as two parts, as index words; empty for a short one or other characters."""
    if not LEAST_COMPOUND_LETTERS <= len(word) <= MOST_COMPOUND_LETTERS or not word.isalpha() or not word.isascii():
        return []
    ways = []
    for place in range(LEAST_PART_LETTERS, len(word) - LEAST_PART_LETTERS + 1):
        first, last = word[:place], word[place:]
        bare = {first, *(first.removesuffix(link) for link in _LINKS if len(first) - len(link) >= LEAST_PART_LETTERS)}
        ways += [(stem(part), stem(last)) for part in sorted(bare)]
    return list(dict.fromkeys(ways))


def _is_clearly_other(question: str, words: Sequence[str], share: float) -> bool:
    return _has_other_script(question) or (len(words) >= LEAST_OTHER_WORDS and share < MOST_OTHER_SHARE)


def _is_japanese(text: str) -> bool:
    return any(FIRST_KANA <= char <= LAST_KANA for char in text)


def _has_other_script(text: str) -> bool:
    """Whether a text has letters of a script that is not Latin; signs and pictures are no letters."""
    letters = (char for char in text if ord(char) >= FIRST_OTHER and char.isalpha())
    return any(ord(char) not in LATIN_EXTENDED for char in letters)


def find_date_words(text: str) -> set[str]:
    """Return the stems of the days with their months that a text names in figures and English words."""
    return {word for phrase in _DAY_AND_MONTH.findall(text) for word in tokenize(phrase)}


def join_quoted(words: Sequence[str]) -> str:
    """Return the first words that a reason names, in quotes, long ones cut."""
    return ", ".join(f"“{word[:LONGEST_SHOWN]}{'…' * (len(word) > LONGEST_SHOWN)}”" for word in words[:WORDS_SHOWN])


def quote_words(text: str, unknown: set[str]) -> tuple[str, ...]:
    """Return the words of a question, as it writes them, that have these index words."""
    tokens = map(strip_marks, split_question(text))
    return tuple(dict.fromkeys(token for token in tokens if unknown & set(tokenize(token))))


def _measure_capitals(texts: Sequence[str]) -> float:
    """Return the share of capitals among the words inside sentences; 0 of few words."""
    words = [
        word
        for text in texts
        for before, word in pairwise(text.split())
        if before.rstrip(",;").isalpha() and before[-2:].islower() and len(word) > 1 and word[:2].isalpha()
    ]
    capitals = sum(word[0].isupper() and word[1].islower() for word in words)
    return capitals / len(words) if len(words) >= LEAST_JUDGED_WORDS else 0.0
