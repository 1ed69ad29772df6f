"""Find lasting statements in summaries of compactions and branches, each with the turns that it summarises.

A summary is a model's testimony: its preferences and decisions are good sentences, its account of the work lags behind. A
statement is taken when turns of the conversation bear it out. It is as old as the first of those that say it, else as the
summary: a later statement wins. One of which the work of the session took a value out is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from transforms.changes.undone_values import find_undone_value, list_works
from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.language import cue_phrases, entities
from transforms.language.clauses import parse_clause
from transforms.language.markdown.blocks import Block, parse_blocks
from transforms.language.sentences import find_content_words, split_words
from transforms.language.tokenizer import find_telling_words, stem
from transforms.offline.candidates import Candidate, is_unfit, shorten_row
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import FactKind
from transforms.tables.tokens import count_tokens

SUMMARY_SALIENCE = 1.0
SUMMARISED = 0.5
"""Confidence in words of a model about others' words."""
MIN_LINE_WORDS = 3
"""Content words outside of code that a statement needs to stand alone."""
MIN_SHARED_WORDS = 2
"""Content words of a statement that its turns must know."""
MIN_SUPPORT = 0.4
"""Share of these words, weighted by rarity, that the best turn must have."""
MIN_AGREED_SUPPORT, MIN_AGREED_WORDS = 0.25, 3
"""The same for what a summary lists as a constraint or a preference: its words are those of no work, so fewer turns have them."""
MAX_TURNS = 3
MIN_OWNER_SUPPORT = 0.25
"""Least share for the turn of the owner that is cited, too: people write less than agents."""
MIN_SAID = 0.2
"""Share of a statement's words, weighted by rarity, that a passage of a turn has which says it."""
FEW_TURNS, RARE_SHARE = 3, 0.25
"""Turns, and share of them, up to which a word is rare in its session."""
SUMMARY_SHARE = 0.15
"""Share of a summary that a small budget of its window grows by."""
REPORT_WORDS = 6
"""First words among which the verb of a report stands."""
_RELATIVES = frozenset({"that", "which", "who", "what"})
_CHECK_BOX = compile_late(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[ xX]\].*$", re.M)
_KIND_BY_HEADING: tuple[tuple[re.Pattern[str], FactKind], ...] = (
    (compile_late(r"\b(?:constraint|preference)s?\b", re.I), "convention"),
    (compile_late(r"\bdecisions?\b", re.I), "decision"),
)
"""The sections of pi's summaries that last, by their headings; the others tell where the work stood."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """The turns that a summary stands for, with their words and the weight of each word."""

    entries: tuple[Entry, ...]
    words: tuple[frozenset[str], ...]
    weights: dict[str, float]
    telling: tuple[frozenset[str], ...]

    def compute_support(self, words: frozenset[str], turn: int) -> float:
        """Return the share of the words, by weight, that a turn has: the same for turns with the same of them."""
        shared = math.fsum(self.weights[word] for word in words & self.words[turn])  # exact, as a set has no order
        return shared / math.fsum(self.weights[word] for word in words)


def find_summary_facts(entries: Sequence[Entry], summarised: Sequence[Entry]) -> Iterator[Candidate]:
    """Yield the lasting statements of the summaries among `entries`; `summarised` are the entries of the session before these."""
    for summary in entries:
        if summary.entry_type in SUMMARY_TYPES and summary.text.strip():
            turns = _collect_turns([*summarised, *(entry for entry in entries if entry.ordinal < summary.ordinal)])
            works = list_works([*summarised, *entries])
            for statement, kind in _find_statements(summary.text):
                if not find_undone_value(statement, works):
                    yield from _make_candidates(statement, kind, summary, turns)


def compute_summary_budget(entries: Sequence[Entry]) -> int:
    """Return the tokens by which a small budget grows for the summaries: they stand for entries outside of the window."""
    return round(SUMMARY_SHARE * sum(count_tokens(entry.text) for entry in entries if entry.entry_type in SUMMARY_TYPES))


def _find_statements(summary: str) -> Iterator[tuple[str, FactKind]]:
    """Yield the statements of the lasting sections; items with a check box are work."""
    kind: FactKind | None = None
    for block in parse_blocks(_CHECK_BOX.sub("", summary)):
        if block.kind == "heading":
            kind = next((kind for heading, kind in _KIND_BY_HEADING if heading.search(block.text)), None)
        elif kind and _stands_alone(block) and not (kind == "convention" and _tells_past(block.text)):
            yield block.text, kind


def _tells_past(text: str) -> bool:
    """Whether a statement reports how something was: "The key was unavailable in the shell" is no convention, "never touch files
    that were not asked for" is one, and so is what was decided: "It was decided that …"."""
    words = split_words(text.casefold())[:REPORT_WORDS]
    verb = next((place for place, word in enumerate(words) if word in ("was", "were")), 0)
    is_stated = bool({"that", "to"}.intersection(words[verb:])) or ":" in text
    return verb > 0 and not is_stated and parse_clause(text, text).subject != "none" and _RELATIVES.isdisjoint(words[:verb])


def _stands_alone(block: Block) -> bool:
    if block.text.startswith("<") and block.text.endswith(">"):
        return False  # markup of the client behind the last section: lists of files
    return not block.text.endswith(":") and len(find_content_words(cue_phrases.CODE_SPAN.sub("", block.text))) >= MIN_LINE_WORDS


def _collect_turns(entries: Sequence[Entry]) -> _Turns:
    spoken = tuple(entry for entry in entries if entry.role in ("user", "assistant") and entry.text.strip())
    words = tuple(find_content_words(entry.text) for entry in spoken)
    counts = Counter(word for turn_words in words for word in turn_words)
    weights = {word: math.log(1 + len(spoken) / (1 + count)) for word, count in counts.items()}
    return _Turns(spoken, words, weights, tuple(map(_find_words, [entry.text for entry in spoken], words)))


class _SayingTurns:
    """Tells which turns say a statement of a summary, so that it may cite them and be as old as they are.

    A long turn has most words of any statement somewhere. Here words count that stand side by side, also those that no turn has;
    some of them are rare in the session, and one stands outside of code: "`<type>: <요약>`" is no word about a summary.
    """

    def __init__(self, statement: str, turns: _Turns) -> None:
        self._turns = turns
        self._words = _find_words(statement)
        self._said = _find_words(cue_phrases.CODE_SPAN.sub(" ", statement))
        size = len(turns.entries)
        counts = {word: sum(word in said for said in turns.telling) for word in self._words}
        self._weights = {word: math.log(1 + size / (1 + count)) for word, count in counts.items()}
        rare = frozenset(word for word, count in counts.items() if count <= max(FEW_TURNS, size * RARE_SHARE))
        self._rare = rare if len(rare) >= MIN_SHARED_WORDS else self._words

    def has(self, turn: int) -> bool:
        """Whether a passage of a turn says the statement."""
        if len(self._rare & self._turns.telling[turn]) < MIN_SHARED_WORDS:
            return False
        least = MIN_SAID * math.fsum(self._weights.values())
        for passage in _list_passages(self._turns.entries[turn].text):
            shared = self._words & passage
            is_said = len(shared & self._rare) >= MIN_SHARED_WORDS and not shared.isdisjoint(self._said)
            if is_said and math.fsum(self._weights[word] for word in shared) >= least:
                return True
        return False


def _has_number(statement: str) -> bool:
    return any(map(str.isdecimal, cue_phrases.CODE_SPAN.sub(" ", statement)))


def _find_words(text: str, content: frozenset[str] | None = None) -> frozenset[str]:
    """Return the stems of content words; of a script without spaces pairs of signs, as one alone stands in any text."""
    plain = frozenset(stem(word) for word in (content or find_content_words(text)) if word.isascii())
    return plain if text.isascii() else plain | {word for word in find_telling_words(text) if not word.isascii()}


@lru_cache(maxsize=1024)
def _list_passages(text: str) -> tuple[frozenset[str], ...]:
    """Return the words of each two neighbouring blocks of a turn: a lead and its item, or a sentence and what goes on with it."""
    words = [_find_words(block.text) for block in parse_blocks(text)]
    return tuple(first | second for first, second in zip_longest(words, words[1:], fillvalue=frozenset[str]()))


def _make_candidates(statement: str, kind: FactKind, summary: Entry, turns: _Turns) -> Iterator[Candidate]:
    words = find_content_words(statement) & turns.weights.keys()  # a summary may be in another language than its turns
    if len(words) < MIN_SHARED_WORDS:
        return
    support = sorted(((turns.compute_support(words, turn), -turn) for turn in range(len(turns.entries))), reverse=True)
    is_agreed = kind == "convention" and len(words) >= MIN_AGREED_WORDS
    least = MIN_AGREED_SUPPORT if is_agreed else MIN_SUPPORT
    if not support or support[0][0] < least or is_unfit(statement):
        return
    bearing = [-turn for share, turn in support if share >= least]
    owners = [-turn for share, turn in support if share >= MIN_OWNER_SUPPORT and turns.entries[-turn].is_typed]
    saying = _SayingTurns(statement, turns)
    borne, asked = (list(filter(saying.has, places)) for places in (bearing, owners))
    if not (borne or asked) and _has_number(statement):
        borne, asked = bearing, owners  # whether its numbers stand there shows whether they still hold
    borne, asked = borne[:MAX_TURNS], asked[:1]
    cited = dict.fromkeys(turns.entries[turn].ordinal for turn in [*asked, *sorted(borne)])
    yield Candidate(
        shorten_row(statement), kind, "medium", (*cited, summary.ordinal), tuple(entities.find_file_names(statement)[:8]),
        SUMMARY_SALIENCE, SUMMARISED, topic=summary.ordinal,
    )  # fmt: skip
