"""Estimates whether memory can know an answer: looks for a question's presuppositions in memory itself, not in the ranking.

Ranking always returns hits, and its scores say little, because a question about something unknown uses the very words of the
conversation. Telling are a concept that nobody named, and a value of the expected type that stands nowhere near the subject. A
logistic regression weighs these features (`ANSWERABILITY_WEIGHTS`); `benchmarks/recall/refusals.py` fits and measures it. It
rarely doubts an event that never happened when its subject and its words are known ("why was it moved back?").
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from transforms.language.answer_types import NUMBER, PRICE, compile_quantity_patterns, find_measured, is_written_in
from transforms.language.lexicon import SHELL_NOUNS, VAGUE_WORDS
from transforms.language.sentences import SENTENCE_BREAK
from transforms.language.tokenizer import tokenize, tokenize_as_written, write_numbers
from transforms.patterns.late_pattern import compile_late
from transforms.recall.domain_terms import find_domain_terms, is_any_name_in
from transforms.recall.question import Question
from transforms.recall.question_language import (
    MISSED_SHARE,
    READ,
    SYNONYM_HEADS,
    SYNONYMS_OF,
    QuestionLanguage,
    Vocabulary,
    confirm_language,
    find_date_words,
    find_missed_words,
    find_question_language,
    find_unknown_nouns,
    is_part_said,
    join_quoted,
    list_forms,
    quote_words,
    split_compound,
    take_prefix,
)
from transforms.recall.question_type import VALUE, QuestionType, classify_question
from transforms.recall.rank import MEMORY, CorpusStatistics, RankedCandidate, find_neighbours
from transforms.recall.ranking_record import RankingRecord

EVIDENCE_HITS = 10
"""Hits whose texts are searched for a value of the expected type."""
MEAN_BEST_COSINE = 0.5
"""The mean best cosine of a question: stands in when there are no vectors."""
NEAR_COSINE = 0.4
"""Best cosine from which a question of other words may mean something in memory: "RDBMS" .53, words of nothing .15 to .33."""
NEAR_BEST_COVERAGE = 0.7
"""Share of the best coverage of the question's subject from which a hit is about the subject."""
ANSWERABILITY_WEIGHTS = {
    "bias": -0.13, "asks_for_value": 0.50, "unknown_identifier": 0.80, "unknown_name": 2.41, "unknown_domain_term": 3.23,
    "distant_domain_term": 1.00, "missing_value": 3.74, "distant_value": 3.01, "unknown_focus": 2.20,
    "unknown_modifier": 1.10, "unknown_share": 1.91, "best_cosine": -3.48,
}  # fmt: skip
"""Logit of each feature (L2 penalty of 0.1), fitted by `benchmarks/recall/refusals.py --fit`. An identifier or a term of a field
alone never refuses: in long chats that nobody fitted on they were mostly unknown to memory while the answer was there. What
only narrows the noun that is asked for ("which RTOS version") has half of that noun's weight, by hand."""
UNKNOWN_IDENTIFIER = "unknown_identifier"
SIGNS_OF_SUBJECT = ("unknown_name", "unknown_domain_term", "distant_domain_term", "missing_value", "distant_value")
"""Features by which memory lacks what a question is about: a name, a term of a field, or a value of the type asked for."""
SIGNS_OF_ABSENCE = (UNKNOWN_IDENTIFIER, *SIGNS_OF_SUBJECT)
"""Features on which a refusal may rest."""
UNKNOWN_HEAD = "unknown_focus"
"""The noun that is asked for: nobody ever said it. What narrows it, and any other word, may have another word in the evidence."""
SIGNS_IN_ANY_LANGUAGE = (UNKNOWN_IDENTIFIER, "unknown_name")
"""Those that make recall abstain in a language that the rules do not read, too."""
ABSTAIN_FROM, DOUBT_FROM = 0.65, 0.5
"""Probability of being unanswerable from which no answer is given, and from which one that is given is unsure."""
NOTHING_NEAR = 0.35
"""Best cosine below which words that memory lacks refuse a question by themselves; from .3 to .35 the measured sets give the same
figures."""
SMALL_MEMORY = 500
"""Documents below which words that memory lacks refuse nothing by themselves: it has seen too few of the owner's words yet. From
300 to 530 the measured sets give the same figures."""
LEAST_NEAR = 0.075
"""Share of a question's word from which a near word of the hits stands for it, a cosine of .45; from .42 to .45 the measured sets
give the same figures, but two questions."""
KEPT = (MEMORY, "observation")
"""Sources of single lines that were chosen to be kept."""
MEASURED, LACKING = "measured", ("nowhere", "distant")
"""Places of a price that may be told in another unit, and of a value that is not told."""
NEAREST_FIRST = ("adjacent", "near", MEASURED, *reversed(LACKING))  # all places

_DAY_OR_YEAR = compile_late(r"\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d(?:-\d\d){0,2}|\d")


@dataclass(frozen=True, slots=True)
class Unanswerability:
    """The probability that memory lacks the answer, its features, and what was missed, in the question's own words.

    `unknown_words` occur nowhere in memory: first those that an answer needs (names, identifiers, terms of a field, the noun
    asked for), `telling_words` of them. `distant_words` are terms that occur in memory and not near the hits. `missing_type` is
    the expected type of value that no hit, or no hit about the subject, contains; empty when there is one. `is_subject_missed`
    says, of a language that the rules do not read, that most of what the question is about was never said. `is_nothing_known`:
    memory has no word of the question, and nothing near it; `is_part_said`, of a script without spaces: memory has a part of it,
    and refuses nothing. `language` tells whether the rules read question and memory.
    """

    probability: float
    features: Mapping[str, float]
    unknown_words: tuple[str, ...]
    telling_words: int = 0
    distant_words: tuple[str, ...] = ()
    missing_type: str = ""
    is_small_memory: bool = False
    is_subject_missed: bool = False
    is_nothing_known: bool = False
    is_part_said: bool = False
    language: QuestionLanguage = READ
    is_otherwise_measured: bool = False  # an amount is told that may be the price

    @property
    def abstains(self) -> bool:
        """Whether no answer is given: the estimate is high enough and does not rest on mere words alone.

        The noun asked for is more than that where memory has seen enough of the owner's words, and any word is where nothing is
        near the question; in a language that the rules do not read, only a name or an identifier that memory lacks is.
        """
        if self.is_nothing_known or self.is_part_said:
            return self.is_nothing_known
        if not self.language.is_read:
            return self.probability >= ABSTAIN_FROM and self._has_sign(SIGNS_IN_ANY_LANGUAGE)
        is_word_enough = self._has_sign((UNKNOWN_HEAD,)) or self.features.get("best_cosine", 1.0) < NOTHING_NEAR
        is_proved = self._has_sign(SIGNS_OF_ABSENCE) or (is_word_enough and not self.is_small_memory)
        return self.probability >= ABSTAIN_FROM and is_proved

    @property
    def is_unsure(self) -> bool:
        """Whether an answer that is given is doubted: memory probably lacks a name, a term, a value or the noun asked for."""
        is_missed = not self.language.is_read and (self.telling_words > 0 or self.is_subject_missed)
        is_lacking = self.probability >= DOUBT_FROM and self._has_sign((*SIGNS_OF_ABSENCE, UNKNOWN_HEAD))
        return is_lacking or is_missed or self.is_otherwise_measured or not self.language.is_shared

    @property
    def lacks_subject(self) -> bool:
        """Whether what an unsure answer misses is a term, a name, a value or the noun asked for, and no odd word beside them."""
        return self.language.is_shared and self.is_unsure and self._has_sign((*SIGNS_OF_SUBJECT, UNKNOWN_HEAD))

    def _has_sign(self, signs: Collection[str]) -> bool:
        return any(self.features.get(name, 0.0) > 0 for name in signs)

    @property
    def reason(self) -> str:
        """What was missed, the most telling first, as the rest of a sentence; empty when nothing was."""
        form = "nothing was said of {}" if self.language.is_read else "these words were not found: {}"
        missed = form.format(join_quoted(self.unknown_words)) if self.unknown_words else ""
        if not self.language.is_shared:
            return f"question and memory are in different languages{missed and ', and '}{missed}"
        is_named = self._has_sign(SIGNS_IN_ANY_LANGUAGE)
        if self.telling_words and (is_named or not self.missing_type):
            return missed
        if self.missing_type:  # that nobody said "region" proves less than that no hit gives one
            return f"the evidence names no {self.missing_type} for it"
        if self.distant_words:
            return f"the evidence does not mention {join_quoted(self.distant_words)}"
        return missed


def collect_lookup_terms(question: Question) -> tuple[set[str], set[str]]:
    """Return the words and prefixes whose occurrence in memory the estimate needs."""
    specifics = (word for specific in question.specifics for word in specific)
    asked = {*question.words, *specifics, *classify_question(question.text).names}
    own = {form for word in asked for form in list_forms(word)}
    synonyms = {synonym for word in own for synonym in SYNONYMS_OF.get(SYNONYM_HEADS.get(word, ""), ())}
    domain_terms = {part for names in find_domain_terms(question.text) for name in names for part in name}
    parts = {part for word in question.words for way in split_compound(word) for part in way}
    return own | synonyms | domain_terms | parts, {prefix for word in own if (prefix := take_prefix(word))}


def estimate_unanswerability(
    question: Question,
    rows: Sequence[RankingRecord],
    ranked: Sequence[RankedCandidate],
    corpus: CorpusStatistics,
    vocabulary: Vocabulary,
    best_cosine: float | None,
    near: Mapping[str, Mapping[str, float]] | None = None,
) -> Unanswerability:
    """Estimate whether memory does not know the answer; the rows ranked first must have their `text`.

    `near` are words of the hits that stand for words of the question (`transforms/answers/near_words.py`).
    """
    question_type = classify_question(question.text)
    evidence = ranked[:EVIDENCE_HITS]
    texts = [write_numbers(rows[candidate.index].get("text") or "") for candidate in evidence]
    is_said = partial(_is_said, vocabulary, texts)
    language = confirm_language(
        find_question_language(question.text, texts),
        question.text,
        corpus.compute_inverse_frequency,
        is_said,
    )
    subject = _find_subject(question, vocabulary)
    weights = {word: corpus.compute_inverse_frequency(word) for word in subject}
    contexts = _collect_contexts(rows, evidence)
    identifiers = [
        specific
        for specific in _find_identifiers(question)
        if not _is_identifier_known(specific, vocabulary) and not is_written_in(specific[-1], texts)
    ]
    unmet_quantities = [pattern for pattern in compile_quantity_patterns(question.text) if not any(map(pattern.search, texts))]
    names = [
        word
        for word in question_type.names
        if language.has_names and _is_name_unknown(word, vocabulary) and not is_written_in(word, texts)
    ]
    known_words = {word for word, count in vocabulary.frequency.items() if count}
    value_place = min(
        (_locate_value(question_type, rows, evidence, texts, contexts, weights, verb) for verb in question_type.needless_verbs),
        key=NEAREST_FIRST.index,
    )
    verb = question_type.verb if question_type.answer_type == PRICE and value_place not in LACKING else ()  # "cost" goes unsaid
    subject = [word for word in subject if word not in verb]
    domain_terms = [term for term in find_domain_terms(question.text) if not is_any_name_in(term, {*verb})]
    unknown_terms = [term for term in domain_terms if not is_any_name_in(term, known_words)]
    distant_terms = [
        term for term in domain_terms if term not in unknown_terms and not is_any_name_in(term, set().union(*contexts))
    ]
    unknown = [word for word in subject if not vocabulary.contains(word) and not is_written_in(word, texts)]
    if len(unknown) < len(subject):  # where memory has no word of the subject, the hits are about something else
        stood_for = {word for shares in (near or {}).values() for word, share in shares.items() if share >= LEAST_NEAR}
        stood_for -= {*names, *(word for specific in question.specifics for word in specific)}
        unknown = [word for word in unknown if word not in stood_for]
    if not language.is_question_read:
        nouns = find_unknown_nouns(question.text, language, is_said)
        unknown = [word for word in unknown if word in nouns]
    if value_place == "adjacent" and question_type.answer_type != NUMBER:
        unknown = [word for word in unknown if word not in question_type.focus]  # the value needs no name next to its subject
    head = question_type.focus[-1:]
    modifiers = {*question_type.focus[:-1]} if head and head[0] not in unknown else set()
    unknown_modifiers = modifiers & {*unknown, *names, *(specific[-1] for specific in identifiers)}
    needless = unknown_modifiers | ({*head} if value_place == "adjacent" else set())  # "10.0.4.40" is the IP
    names = [word for word in names if word not in needless]
    identifiers = [specific for specific in identifiers if specific[-1] not in needless]
    features = {
        "bias": 1.0,
        "asks_for_value": float(question_type.form == VALUE),
        "unknown_identifier": float(bool(identifiers or unmet_quantities)),
        "unknown_name": float(bool(names)),
        "unknown_domain_term": float(bool(unknown_terms)),
        "distant_domain_term": float(bool(distant_terms)),
        "missing_value": float(value_place == "nowhere"),
        "distant_value": float(value_place == "distant"),
        "unknown_focus": float(any(word in unknown for word in head)),
        "unknown_modifier": float(bool(unknown_modifiers)),
        "unknown_share": sum(weights[word] for word in unknown) / (sum(weights.values()) or 1.0),
        "best_cosine": MEAN_BEST_COSINE if best_cosine is None else best_cosine,
    }
    logit = sum(ANSWERABILITY_WEIGHTS[name] * value for name, value in features.items())
    telling = (
        {identifier[-1] for identifier in identifiers} | {*names, *unknown_modifiers} | ({*unknown} & {*question_type.focus})
    )
    telling |= {part for term in unknown_terms for name in term for part in name} & {*unknown}
    if language.marks_nouns:
        telling |= {*unknown}
    telling_words = quote_words(question.text, telling)
    unknown_words = dict.fromkeys((*telling_words, *quote_words(question.text, {*unknown})))
    missed_share = 0.0
    if not language.is_question_read and language.is_shared and not language.marks_nouns:
        missed_share, missed = find_missed_words(question.text, corpus.compute_inverse_frequency, is_said)
        if missed_share >= MISSED_SHARE:
            unknown_words |= dict.fromkeys(missed)
    distant_words = quote_words(question.text, {part for term in distant_terms for name in term for part in name})
    missing_type = (question_type.answer_type or "") if value_place in (*LACKING, MEASURED) else ""
    return Unanswerability(
        1 / (1 + math.exp(-logit)),
        features,
        tuple(unknown_words),
        len(telling_words),
        distant_words,
        missing_type,
        corpus.documents < SMALL_MEMORY,
        missed_share >= MISSED_SHARE,
        language.is_shared and _is_nothing_known(question, vocabulary, best_cosine, texts),
        is_part_said(question.text, vocabulary.contains_or_parts),
        language,
        value_place == MEASURED,
    )


def _is_said(vocabulary: Vocabulary, texts: Sequence[str], word: str) -> bool:
    """Whether memory has a word or its parts, or the hits write it in another form."""
    return vocabulary.contains_or_parts(word) or is_written_in(word, texts)


def _is_nothing_known(question: Question, vocabulary: Vocabulary, best_cosine: float | None, texts: Sequence[str]) -> bool:
    """Whether memory has no word of a question that has some, in any form, and nothing that is near it."""
    if not question.words or (best_cosine is not None and best_cosine >= NEAR_COSINE):
        return False
    return not any(_is_said(vocabulary, texts, word) for word in question.words)


def _find_subject(question: Question, vocabulary: Vocabulary) -> list[str]:
    """Return the words of a question whose absence is telling: no generic words, dates in digits or unknown shell nouns."""
    ignored = {*VAGUE_WORDS, *map(write_numbers, VAGUE_WORDS)} | find_date_words(question.text)
    ignored |= {word for word in tokenize_as_written(question.text) if len(word) == 1 or _DAY_OR_YEAR.fullmatch(word)}
    return [word for word in question.words if word not in ignored and (word not in SHELL_NOUNS or vocabulary.contains(word))]


def _find_identifiers(question: Question) -> list[tuple[str, ...]]:
    """Return the specifics of a question that are not dates."""
    dates = find_date_words(question.text)
    return [specific for specific in question.specifics if not _DAY_OR_YEAR.fullmatch(specific[-1]) and specific[-1] not in dates]


def _is_name_unknown(word: str, vocabulary: Vocabulary) -> bool:
    return not _DAY_OR_YEAR.fullmatch(word) and word not in VAGUE_WORDS and not vocabulary.contains(word)


def _is_identifier_known(specific: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Whether an identifier, version or file occurs as it is written; of a path its parts are enough."""
    if vocabulary.frequency.get(specific[-1]):
        return True
    if any("/" in word for word in specific) and all(map(vocabulary.contains, specific[:-1])):
        return True
    return any(vocabulary.frequency.get(word) for word in specific if "." in word or "_" in word)


def _collect_contexts(rows: Sequence[RankingRecord], evidence: Sequence[RankedCandidate]) -> list[set[str]]:
    """Return, for each candidate, its index words and those of its neighbours."""
    neighbours = find_neighbours(rows, [candidate.index for candidate in evidence])
    return [
        {
            term
            for index in (candidate.index, *(other for other, _ in neighbours[candidate.index]))
            for term in rows[index]["terms"]
        }
        for candidate in evidence
    ]


def _locate_value(
    question_type: QuestionType,
    rows: Sequence[RankingRecord],
    evidence: Sequence[RankedCandidate],
    texts: Sequence[str],
    contexts: Sequence[set[str]],
    weights: Mapping[str, float],
    verb: Collection[str],
) -> str:
    """Return where the hits contain a value of the expected type.

    `nowhere`; `distant` from the subject; MEASURED, an amount; `near` it; or `adjacent`, in a sentence with most of it, or all.
    A `verb` of the question is no part of the subject.
    """
    pattern = question_type.answer_pattern
    if pattern is None:
        return "near"
    places = [rows[candidate.index] for candidate in evidence]
    kept = zip(places, texts, strict=True)
    if _is_said_whole((text for row, text in kept if row["source"] in KEPT and row.get("kind") != "question"), weights):
        return "adjacent"
    projects = ((row.get("project") or "") for row in places if row["source"] != MEMORY or row.get("is_elsewhere"))
    project_words = {word for project in projects for word in tokenize(project.rpartition("/")[2])}
    is_price = question_type.answer_type == PRICE
    ignored = {*question_type.focus, *project_words, *verb}
    subject = {word: weight for word, weight in weights.items() if word not in ignored}
    subject = subject or {word: weights[word] for word in question_type.focus[:-1] if word in weights}
    coverage = [_sum_weights(subject, context) for context in contexts]
    best_coverage, has_value, value_coverage, sentence_coverage = max(coverage, default=0.0), False, 0.0, 0.0
    for text, covered in zip(texts, coverage, strict=True):
        sentences = [part for part in SENTENCE_BREAK.split(text) if part.strip()]
        for number in [number for number, sentence in enumerate(sentences) if pattern.search(sentence)]:
            has_value, value_coverage = True, max(value_coverage, covered)
            around = tokenize(" ".join(sentences[max(number - 1, 0) : number + 2]))
            sentence_coverage = max(sentence_coverage, _sum_weights(subject, around))
    if has_value and best_coverage and sentence_coverage >= sum(subject.values()) / 2:
        return "adjacent"
    is_near = value_coverage >= NEAR_BEST_COVERAGE * best_coverage and sentence_coverage
    if has_value and (question_type.is_count or not best_coverage or is_near):
        return "near"
    thing = {word: weight for word, weight in subject.items() if word not in question_type.verb}
    measured = map(tokenize, find_measured(texts) if is_price and thing else ())
    if any(_sum_weights(thing, words) >= sum(thing.values()) / 2 for words in measured):
        return MEASURED
    return "distant" if has_value else "nowhere"


def _is_said_whole(texts: Iterable[str], subject: Collection[str]) -> bool:
    """Whether a sentence has all that a question is about and another word: a name that no pattern knows ("is called quartz")."""
    said = (sentence for text in texts for sentence in SENTENCE_BREAK.split(text) if not sentence.rstrip().endswith("?"))
    return len(subject) > 1 and any({*tokenize(sentence)} > {*subject} for sentence in said)


def _sum_weights(weights: Mapping[str, float], terms: Iterable[str]) -> float:
    return math.fsum(weights.get(term, 0.0) for term in set(terms))  # exact, as a set has no order
