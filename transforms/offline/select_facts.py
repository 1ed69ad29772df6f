"""Select candidates: the most valuable ones within the budget, each judged by its gain over those already selected.

Greedy concept coverage with costs (after Lin and Bilmes 2010; concepts weighted as in Gillick and Favre 2009). What is left of
the budget is filled with passages of the agent, judged by their form. Selected words that stand side by side in a message are
one row.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from transforms.classify.features import ITEM_MARK
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.menus import cut_menu, find_menus
from transforms.exchanges.passages import (
    PASSAGE_WEIGHTS,
    AgentPassage,
    PassageWeights,
    describe_passage,
    drop_announcements,
    find_passages,
    judge_passage,
)
from transforms.language import entities
from transforms.language.sentences import QUESTION_MARKS, find_content_words, join_sentences, split_words
from transforms.language.statement import find_content_words as find_subject_words
from transforms.offline.candidates import CANDIDATE_CHARS, LEAD_OF_KIND, SAID, Candidate, append_if_fits, is_unfit, shorten_row
from transforms.offline.salience_factors import SALIENCE_OF_KIND
from transforms.offline.user_facts import CONTINUING
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import SETTLING_KINDS, WISH_KINDS
from transforms.tables.tokens import count_tokens, is_unspaced
from transforms.words.word_classes import POINTERS

ROW_COST = 15
"""Tokens that a row costs its reader in addition to its text, so that many tiny rows are not bargain."""
COST_POWER = 0.6
"""Influence of length: 0 none, 1 salience per token. In between short rows win, but not by being empty."""
DURABLE_FLOOR, PASSING_FLOOR = 0.5, 0.15
"""Share of its salience that a durable and any other fact keeps when all of its words are covered."""
REPEATED_WORD = 0.5
"""Weight of a word, per selected row that has it."""
SAME_ADDITION = 0.8
"""A fuller wording adds nothing when another row has more than this share of its additional words."""
REPETITION_SHARE, REPETITION_WORDS = 0.85, 3
"""Share and number of words in common from which two rows may repeat each other."""
GAIN_TOLERANCE = 1e-12
"""Gains that differ by less are equal, so that the result does not depend on the machine."""
MIN_PASSAGE_WORTH = 0.4
"""Least probability of a passage that is kept."""
MAX_COVERED, MAX_SHARED = 0.8, 0.7
"""Largest shares of a passage's words that kept rows, and another passage, may have."""
PASSAGE_SALIENCE = 0.3
JOINED_CHARS = 250
"""Longest quotation of words that were selected apart and stand side by side."""
LEFT_OUT = "…"
"""Stands in a quotation for words between its pieces."""
PLAIN = frozenset({"status", "request"})
"""Kinds of words that claim nothing for good: beside what claims something they are remarks; two other kinds are two rows."""
ROW_FILES = 8
_FILES = compile_late(r" \[[^\[\]]*\]$")
"""The files that a row names at its end."""
_WORD = compile_late(r"\w(?:\S*\w)?")
DURABLE = SETTLING_KINDS - {"convention"} | {"root_cause"}


def select_candidates(candidates: list[Candidate], budget: int, narratives: list[str], earlier: list[str]) -> list[Candidate]:
    """Return the selected candidates in order. `narratives` already cover concepts; facts in `earlier` are not repeated."""
    if not candidates or budget <= 0:
        return []
    concepts = [find_content_words(candidate.text) for candidate in candidates]
    seen_in = Counter(word for words in concepts for word in words)
    weight = {word: math.log(1 + len(candidates) / count) for word, count in seen_in.items()}
    total = [math.fsum(weight[word] for word in words) or 1.0 for words in concepts]
    costs = [count_tokens(candidate.text) for candidate in candidates]
    covered: Counter[str] = Counter(word for text in [*narratives, *earlier] for word in find_content_words(text))
    covered_facts = [(find_content_words(text), _find_specifics_and_quotes(text)) for text in earlier]
    remaining, open_ = budget, set(range(len(candidates)))
    selected: list[int] = []
    gains = [math.inf] * len(candidates)  # as last computed: what is selected since then can only have lowered them
    while open_:
        best, best_gain = -1, 0.0
        for index in sorted(open_):
            if costs[index] > remaining or gains[index] <= best_gain + GAIN_TOLERANCE:
                continue
            gain = gains[index] = (
                _compute_gain(candidates[index], concepts[index], weight, total[index], covered)
                / (costs[index] + ROW_COST) ** COST_POWER
            )
            if gain > best_gain + GAIN_TOLERANCE:
                best, best_gain = index, gain
        if best < 0:
            break
        open_.discard(best)
        specifics = find_specifics(candidates[best].text)
        if any(_is_repetition(concepts[best], specifics, *other) for other in covered_facts):
            continue
        open_ -= {index for index in open_ if candidates[index].group and candidates[index].group == candidates[best].group}
        selected.append(best)
        covered_facts.append((concepts[best], _find_specifics_and_quotes(candidates[best].text)))
        remaining -= costs[best]
        covered.update(concepts[best])
    selected = _prefer_fuller_wording(candidates, concepts, costs, selected, remaining)
    return [candidates[index] for index in sorted(selected, key=lambda index: (candidates[index].topic_ordinal, index))]


def _prefer_fuller_wording(
    candidates: list[Candidate], concepts: list[frozenset[str]], costs: list[int], selected: list[int], remaining: int
) -> list[int]:
    """Use remaining room for the fuller wording of selected rows, the worthiest first, unless another row adds the same."""
    chosen = set(selected)
    wordings: defaultdict[str, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if candidate.group:
            wordings[candidate.group].append(index)
    for index in sorted(selected, key=lambda index: (-candidates[index].salience, index)):
        same = wordings.get(candidates[index].group, ())
        best = max(same, key=lambda other: (candidates[other].salience, -other), default=index)
        more = concepts[best] - concepts[index]
        if best == index or any(len(more & concepts[other]) > SAME_ADDITION * len(more) for other in chosen - {index}):
            continue
        if candidates[best].salience > candidates[index].salience and costs[best] - costs[index] <= remaining:
            remaining -= costs[best] - costs[index]
            chosen = chosen - {index} | {best}
    return list(chosen)


def _compute_gain(
    candidate: Candidate, concepts: frozenset[str], weight: dict[str, float], total: float, covered: Counter[str]
) -> float:
    """Return salience × share of new concepts; durable facts keep most of their salience even when words repeat."""
    fresh = math.fsum(weight[word] * REPEATED_WORD ** covered[word] for word in concepts) / total
    floor = DURABLE_FLOOR if candidate.kind in DURABLE else PASSING_FLOOR
    return candidate.salience * (floor + (1 - floor) * fresh)


def find_specifics(text: str) -> frozenset[str]:
    """Return the specifics that distinguish facts: names, paths and values, lower case."""
    return frozenset(
        mark.lower() for mark in (*entities.find_names(text), *entities.find_paths(text), *entities.find_values(text))
    )


def _find_specifics_and_quotes(text: str) -> frozenset[str]:
    """Return the specifics and quotations of a row: `Committed "x"` and "Committed `x`" are one fact."""
    return find_specifics(text) | {quote.lower() for quote in entities.find_double_quoted(text)}


def _is_repetition(
    concepts: frozenset[str], specifics: frozenset[str], other_concepts: frozenset[str], other_specifics: frozenset[str]
) -> bool:
    """Whether two rows share nearly all words and no specific is new: another number or path is another fact."""
    shared = len(concepts & other_concepts)
    is_shared = shared >= REPETITION_WORDS and shared >= REPETITION_SHARE * min(len(concepts), len(other_concepts))
    return is_shared and specifics <= other_specifics


def fill_with_passages(
    exchanges: Sequence[Exchange],
    room: int,
    kept: Sequence[str],
    earlier: Sequence[str],
    weights: PassageWeights = PASSAGE_WEIGHTS,
) -> list[Candidate]:
    """Return the passages worth keeping that fit into `room` tokens beside the rows `kept`, in order.

    None says mostly what the rows, a fact in `earlier` or another passage says.
    """
    said = [find_content_words(text) for text in earlier]
    menus = find_menus(exchanges)
    kept_words = frozenset(word for text in kept for word in find_content_words(text))
    judged = []
    for index, passage in enumerate(find_passages(exchanges) if room > 0 else ()):
        features = describe_passage(passage.text, kept_words)
        worth = judge_passage(features, weights)
        if (
            worth >= MIN_PASSAGE_WORTH
            and features[-1] <= MAX_COVERED
            and drop_announcements(passage.text)
            and not (is_unfit(passage.text) or cut_menu(passage.text, [passage.entry.ordinal], menus) != passage.text)
        ):
            judged.append((-worth, index, passage))
    taken: list[tuple[int, AgentPassage]] = []
    for _, index, passage in sorted(judged, key=lambda item: item[:2]):
        cost, words = count_tokens(passage.text), find_content_words(passage.text)
        if cost <= room and all(len(words & other) <= MAX_SHARED * len(words) for other in said):
            taken.append((index, passage))
            said.append(words)
            room -= cost
    return [_make_candidate(passage) for _, passage in sorted(taken, key=lambda item: item[0])]


def _make_candidate(passage: AgentPassage) -> Candidate:
    asked = [passage.exchange.user.ordinal] if passage.exchange.user else []
    files = tuple(entities.find_file_names(passage.text)[:8])
    ordinal = passage.entry.ordinal
    text = shorten_row(drop_announcements(passage.text))
    return Candidate(text, "status", "medium", (ordinal, *asked), files, PASSAGE_SALIENCE, topic=ordinal)


class _Saying(NamedTuple):
    """A row that quotes a person: its place among the selected, and that of its words in what they typed."""

    number: int
    candidate: Candidate
    exchange: Exchange
    quote: str
    start: int
    end: int


def join_sayings(
    selected: Sequence[Candidate], spoken: Mapping[str, Exchange], owner: str, ends_soon: Callable[[str, Exchange], bool]
) -> list[Candidate]:
    """Return what was selected, in its order; words with nothing between them in a message are one row, as both were quoted.

    Rows are cut and weighed by themselves; of two decisions, or of words about one thing, the second mostly gives the reason, the
    number or the name of the first. Two wishes stay two rows, and so do a decision and a cause, a rule and a remark about
    something else, or what lasts and what says itself that it ends soon; a question stays one.

    Args:
        selected: rows that were selected, with their kinds.
        spoken: the exchange of each row that quotes its message, by the row's text.
        owner: the name with which such a row begins.
        ends_soon: whether words of an exchange say that they hold for some days only.
    """
    placed, sayings = list[tuple[int, Candidate]](), defaultdict[int, list[_Saying]](list)
    words = {exchange.index: _list_words(exchange.typed) for exchange in {item.index: item for item in spoken.values()}.values()}
    for number, candidate in enumerate(selected):
        exchange = spoken.get(candidate.text)
        saying = _find_saying(number, candidate, exchange, words[exchange.index], owner) if exchange else None
        if saying:
            sayings[saying.exchange.index].append(saying)
        else:
            placed.append((number, candidate))
    for rows in sayings.values():
        joined = list[_Saying]()
        for row in sorted(rows, key=lambda saying: (saying.start, saying.end)):
            are_alike = bool(joined) and ends_soon(joined[-1].quote, row.exchange) == ends_soon(row.quote, row.exchange)
            both = _join_two(joined[-1], row, owner) if are_alike else None
            joined[-1:] = [both] if both else [*joined[-1:], row]
        placed += [(row.number, row.candidate) for row in joined]
    return [candidate for _, candidate in sorted(placed, key=lambda row: row[0])]


def _find_saying(
    number: int, candidate: Candidate, exchange: Exchange, words: Sequence[tuple[str, int, int]], owner: str
) -> _Saying | None:
    """Return a row with the place of its words in the message that it cites; None for a question, where the row says something
    else beside its quotation, its tails and its files or begins with more than that they "said" it or what its kind says, and
    where its words stand nowhere or more than once."""
    lead, _, rest = candidate.text.partition(': "')
    quote, _, behind = rest.partition('"')
    for tail in candidate.tails:
        behind = behind.replace(tail.text, "", 1)
    leads = {SAID.format(owner), LEAD_OF_KIND.get(candidate.kind, SAID).format(owner)}
    is_cited = exchange.user is not None and exchange.user.ordinal in candidate.ordinals
    if candidate.kind == "question" or lead not in leads or not is_cited or _FILES.sub("", behind).strip():
        return None
    place = None if any(is_unspaced(sign) for sign in quote) else _find_place(quote, words)
    return _Saying(number, candidate, exchange, quote, *place) if place else None


def _list_words(text: str) -> list[tuple[str, int, int]]:
    """Return what stands between blanks in a text, in lower case and without the marks around it, with its place."""
    return [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]


def _find_place(quote: str, words: Sequence[tuple[str, int, int]]) -> tuple[int, int] | None:
    """Return where a quotation begins and ends: each piece of it between "…" stands once among the words, in this order."""
    plain, places = [word for word, _, _ in words], list[int]()
    for piece in quote.split(LEFT_OUT):
        said = [word for word, _, _ in _list_words(piece)]
        starts = [at for at, word in enumerate(plain) if said and word == said[0] and plain[at : at + len(said)] == said]
        if said and (len(starts) != 1 or (places and starts[0] <= places[-1])):
            return None
        places += [starts[0], starts[0] + len(said) - 1] if said else []
    return (words[places[0]][1], words[places[-1]][2]) if places else None


def _belongs_to(second: _Saying, first: _Saying) -> bool:
    """Whether later words go on with earlier ones: they share a word or a name, or stand in one paragraph and both claim
    something of one kind, or give a reason or point back. A remark beside a rule is mostly another matter ("my train leaves in
    ten minutes")."""
    kind, quote = second.candidate.kind, second.quote
    if find_subject_words(first.quote) & find_subject_words(quote):
        return True
    typed = first.exchange.typed
    is_item = bool(ITEM_MARK.match(quote) or ITEM_MARK.search(typed[first.end : second.end]))
    if is_item or typed.count("\n", first.end, second.start) > 1:
        return False
    # A pronoun among the first two words points at the sentence before ("under that …", "put it …").
    goes_on = bool(CONTINUING.match(quote)) or not POINTERS.isdisjoint(split_words(quote)[:2])
    return goes_on if kind in PLAIN else kind == first.candidate.kind


def _rank(row: Candidate) -> tuple[bool, bool, float]:
    """Return which of two rows gives both its kind: a decision does, before an order of the same priority."""
    return row.priority == "high", row.kind not in PLAIN, SALIENCE_OF_KIND[row.kind]


def _join_two(first: _Saying, second: _Saying, owner: str) -> _Saying | None:
    """Return two quotations as one; None where they are two matters, too long together, or parted by other words, by a question
    mark or by what somebody else wrote."""
    earlier, later, exchange = first.candidate, second.candidate, first.exchange
    kinds, leads = {earlier.kind, later.kind}, {row.text.partition(': "')[0] for row in (earlier, later)}
    is_lasting, between = not kinds.isdisjoint(WISH_KINDS), exchange.typed[first.end : second.start]
    are_two_matters = kinds <= WISH_KINDS if is_lasting else kinds.isdisjoint(PLAIN) and len(kinds) > 1
    if are_two_matters or (is_lasting and (not kinds.isdisjoint({"request"}) or len(leads) > 1)):
        return None
    is_whole = exchange.user is not None and exchange.typed[first.start : second.end] in exchange.user.text
    is_parted = second.start < first.end or any(sign.isalnum() or sign in QUESTION_MARKS for sign in between)
    both_have_tails = bool(earlier.tails and later.tails) and earlier.tails != later.tails
    if is_parted or not is_whole or both_have_tails or not _belongs_to(second, first):
        return None
    quote = join_sentences((first.quote, second.quote))
    stronger = max(earlier, later, key=lambda row: (*_rank(row), row is earlier))
    lead = leads.pop() if len(leads) == 1 else SAID.format(owner)  # a row claims no more than either did
    tails = earlier.tails or later.tails
    text = f'{lead}: "{quote}"' + "".join(tail.text for tail in tails)
    for files in dict.fromkeys(match[0] for row in (earlier, later) for match in [_FILES.search(row.text)] if match):
        text = append_if_fits(text, files)
    if len(quote) > JOINED_CHARS or len(text) > CANDIDATE_CHARS or is_unfit(text):
        return None
    candidate = replace(
        earlier,
        text=text,
        kind=stronger.kind,
        priority=stronger.priority,
        ordinals=tuple(dict.fromkeys((*earlier.ordinals, *later.ordinals))),
        files=tuple(dict.fromkeys((*earlier.files, *later.files)))[:ROW_FILES],
        line_numbers=tuple(dict.fromkeys((*earlier.line_numbers, *later.line_numbers))),
        tails=tails,
    )
    return _Saying(min(first.number, second.number), candidate, exchange, quote, first.start, second.end)
