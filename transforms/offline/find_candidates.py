"""Finds the candidates of a window: what its people, agents, tools and summaries say, before anything is selected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from transforms.attribution.typed_language import ENOUGH_OF_ONE_CONVERSATION, list_prose_words, measure_language
from transforms.classify.message_points import split_points
from transforms.conversation.entries import Entry
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.menus import Menus, cut_menu, find_menus
from transforms.language.assertion_patterns import FEELING
from transforms.language.clauses import parse_clause
from transforms.language.entities import count_specifics, find_double_quoted
from transforms.language.sentences import QUESTION_MARKS, find_content_words
from transforms.language.tokenizer import is_english
from transforms.offline.agent_facts import find_agent_facts
from transforms.offline.answer_facts import add_asked, find_answer_facts, find_offer_answers
from transforms.offline.candidates import Candidate, is_unfit
from transforms.offline.causes.settled_causes import find_settled_causes
from transforms.offline.choice_facts import find_chosen_options, find_edits, find_item_answers
from transforms.offline.summary_facts import find_summary_facts
from transforms.offline.user_facts import find_user_facts
from transforms.offline.work_facts import find_deleted_files, find_final_values, find_incident_facts, find_work_facts
from transforms.tables.enums import FactKind
from transforms.tables.tokens import count_tokens

JudgedSource = Literal["options", "words", "answers", "claims", "work", "incidents", "summaries"]
"""Where a candidate was sourced: the option that a person named, a person's words, an answer to a question tool, an agent's
claims, commits and changed values, errors and releases, a compaction's summary."""
CandidateSource = Literal[JudgedSource, "causes"]
"""These, and the cause that a search over several exchanges came to, which no reader of candidates has judged."""
SOURCES: tuple[JudgedSource, ...] = get_args(JudgedSource)
UNREAD_SALIENCE = 1.0
"""Least salience of a person's words in a language that no rule reads: that of a request."""
SMALLEST_SALIENCE = 0.01
GUESSED_VERBS = ("objected", "asked", "reported", "wants", "found", "set a rule", "set a convention", "decided")
"""How a person said something, as words of English tell it; behind a decision, what was proposed or asked may stand."""
NARRATED_VERBS = (*GUESSED_VERBS, "laid down")
"""The same in narratives, which have no place of an answer."""
BINDING_VERBS = ("objected", "wants", "decided", "laid down")
"""What a narrative says that a person did, and only facts can tell."""
FACT_VERBS = (*GUESSED_VERBS, "set a convention", "said")
SAME_WORDS_CHARS = 25
"""Characters with which two quotations of the same words begin; a narrative's and a fact's end differently."""
UNMARKED_WORDS, FEW_WORDS, SENTENCE_MARKS = 20, 60, ",;:.!?"
"""Words for each mark from which on a person marks no sentences, and those that tell it. Of sixteen people one dictates: 256 to
792 in her sessions, of the others at most 14."""
SMALL_TALK_CHARS = 4_000
"""Characters typed and answered up to which a talk is small."""
STATED_SALIENCE, STATED_WORDS = 0.5, 3
"""Least salience of what a person states in a small talk, and the content words of a statement without a name or a value."""


@dataclass(frozen=True, slots=True)
class SourcedCandidate:
    """A candidate with its source and its exchange; of a summary there is none."""

    candidate: Candidate
    source: CandidateSource
    exchange: Exchange | None = None


def find_candidates(exchanges: list[Exchange], owner: str, history: ValueHistory) -> list[SourcedCandidate]:
    """Return the candidates of the exchanges that are fit to be a fact, in order, however little salience they have."""
    final = find_final_values(exchanges)
    gone = find_deleted_files(exchanges)
    last_check = max(
        (exchange.index for exchange in exchanges if any(action.kind == "check" for action in exchange.actions)), default=-1
    )
    sourced: list[SourcedCandidate] = []
    said: list[Entry] = []
    for exchange in exchanges:
        earlier = _list_earlier_replies(exchanges, exchange)
        edits, rest = find_edits(exchange, owner)
        answers, spoken = find_item_answers(rest, owner, earlier)  # what else is said is a message of its own
        answers = [*edits, *answers]
        options = [*answers, *find_chosen_options(spoken, owner, history, earlier)]
        if len(options) == len(answers):
            options += find_offer_answers(spoken, owner, history, earlier)
        words = () if len(options) > len(answers) else find_user_facts(spoken, owner, history, said)
        by_source: list[tuple[CandidateSource, Iterable[Candidate]]] = [
            ("options", options),
            ("words", (add_asked(row, spoken, owner) for row in words)),
            ("answers", find_answer_facts(exchange, owner)),
            ("claims", find_agent_facts(exchange, history)),
            ("work", find_work_facts(exchange, final, gone)),
            ("incidents", find_incident_facts(exchange, is_last=exchange.index == last_check)),
        ]
        sourced += [SourcedCandidate(candidate, source, exchange) for source, items in by_source for candidate in items]
        said = [*reversed(exchange.agent_messages), *said[:MOST_SAID]]
    sourced += [SourcedCandidate(cause, "causes", exchange) for cause, exchange in find_settled_causes(exchanges, history)]
    menus = find_menus(exchanges)
    cut = [item if item.source in ("options", "causes") else _cut_menu(item, menus) for item in sourced]
    return [item for item in cut if item is not None and not is_unfit(item.candidate.text)]


def _cut_menu(item: SourcedCandidate, menus: Menus) -> SourcedCandidate | None:
    """Return a candidate without a menu that was chosen from; None when only its lead, or the owner's words, are left.

    Those words are a candidate of their own.
    """
    text = cut_menu(item.candidate.text, item.candidate.ordinals, menus)
    if text == item.candidate.text:
        return item
    is_left = item.source != "words" and len(find_content_words(text)) >= STATED_WORDS
    return replace(item, candidate=replace(item.candidate, text=text)) if is_left else None


MOST_SAID = 200
"""Messages of the agent before a message in which its quoted lines are looked for."""
EARLIER_REPLIES = 2
"""Turns before the last one in which a menu may stand."""


def _list_earlier_replies(exchanges: list[Exchange], exchange: Exchange) -> list[Entry]:
    """Return the agent's last words of the exchanges before the previous one, the newest first."""
    before = [earlier.previous_reply for earlier in exchanges if earlier.index < exchange.index]
    replies = [reply for reply in reversed(before) if reply is not None and reply is not exchange.previous_reply]
    return list({reply.ordinal: reply for reply in replies}.values())[:EARLIER_REPLIES]


def is_unread(exchanges: Iterable[Exchange], *, is_foreign: bool = False) -> bool:
    """Whether what a person types in a window is of a language that the word rules do not read.

    Few words tell no language: they are in that of all that the person types, if they are not English themselves. `is_foreign`:
    whether most of all that is not English.
    """
    typed = [exchange.typed for exchange in exchanges]
    language = measure_language(typed)
    if language.words >= ENOUGH_OF_ONE_CONVERSATION or not is_foreign:
        return language.is_unread
    return not is_english([word for text in typed for word in list_prose_words(text)])


def is_unmarked(exchanges: Iterable[Exchange]) -> bool:
    """Whether a person marks hardly a sentence, as who dictates: no mark tells where one matter ends and the next begins."""
    typed = [exchange.typed for exchange in exchanges]
    words = sum(len(text.split()) for text in typed)
    return words >= FEW_WORDS and words > UNMARKED_WORDS * sum(text.count(mark) for text in typed for mark in SENTENCE_MARKS)


def tell_plainly(text: str, owner: str, verbs: Sequence[str] = GUESSED_VERBS) -> str:
    """Return a text in which a person "said" what only English words could tell to be an objection, a rule or a request; a
    question mark tells a question in any language, and what was proposed or asked a decision."""

    def choose_verb(match: re.Match[str]) -> str:
        is_placed = match[1] == "decided" and text.startswith((" (asked: ", " (chosen: "), match.end())
        if match[2].rstrip().endswith(QUESTION_MARKS):  # with a statement behind its question it is more than that
            return f'{owner} asked: "{match[2]}"'
        return match[0] if is_placed else f'{owner} said: "{match[2]}"'

    return re.sub(rf'(?<!\w){re.escape(owner)} ({"|".join(verbs)}): "([^"]*)"', choose_verb, text)


def tell_as_facts(text: str, owner: str, facts: Iterable[str]) -> str:
    """Return a narrative in which a person does what the fact that quotes the same words says; without one they "said" them.

    A narrative's verb is that of one sentence by itself; a fact has seen what the words answer.
    """
    quoted = [match.groups() for fact in facts for match in re.finditer(_write_lead(owner, FACT_VERBS), fact)]

    def choose_verb(match: re.Match[str]) -> str:
        start = match[2][:SAME_WORDS_CHARS]
        verb = next((verb for verb, words in quoted if start in words), "said")
        return match[0] if verb == match[1] else f'{owner} {verb}: "{match[2]}'

    return re.sub(_write_lead(owner, BINDING_VERBS), choose_verb, text)


def _write_lead(owner: str, verbs: Iterable[str]) -> str:
    return rf'(?<!\w){re.escape(owner)} ({"|".join(verbs)}): "([^"]*)'


def raise_words(sourced: list[SourcedCandidate], owner: str) -> tuple[list[SourcedCandidate], int]:
    """Return the candidates of a window whose language no rule reads, and the tokens of what the person says in it.

    All that the person says but questions weighs as much as a request: no rule can tell what of it matters, and that they said
    it is true whatever it means. It is told plainly.
    """
    said = [item.candidate for item in sourced if item.source == "words" and item.candidate.kind != "question"]
    least, room = dict[str, float](), dict[str, int]()
    for candidate in said:  # of one saying there are wordings with and without its outcome; one of them is selected
        least[candidate.group] = min(candidate.salience, least.get(candidate.group, candidate.salience))
        tokens = count_tokens(candidate.text)
        room[candidate.group] = min(tokens, room.get(candidate.group, tokens))
    raised = [
        replace(item, candidate=_raise(_tell_plainly(item.candidate, owner), least[item.candidate.group]))
        if item.source == "words" and item.candidate.kind != "question"
        else item
        for item in sourced
    ]
    return raised, sum(room.values())


def is_small_talk(exchanges: Sequence[Exchange]) -> bool:
    """Whether so little was said that all of it can be kept."""
    said = (len(exchange.typed) + sum(len(reply.text) for reply in exchange.agent_messages) for exchange in exchanges)
    return sum(said) <= SMALL_TALK_CHARS


def raise_statements(
    sourced: list[SourcedCandidate], *, in_lists: bool = False, is_all: bool = False
) -> tuple[list[SourcedCandidate], int]:
    """Return the candidates of a small talk, and the tokens of what the person states in it: every statement is worth a row.

    A remark that says something, a name, a value or some words of content, weighs as much as a fact of little worth. With
    `in_lists` so do only the points of lists, in any talk: who writes points says in each what is to be so. With `is_all` so do
    requests and what went wrong, too: in words without marks a wish for good and a request are one sentence.
    """
    passing: tuple[FactKind, ...] = ("question",) if in_lists or is_all else ("question", "request", "error")
    raised, room = list[SourcedCandidate](), dict[str, int]()
    listing = {typed for typed in {item.exchange.typed for item in sourced if item.exchange} if in_lists and split_points(typed)}
    for item in sourced:
        candidate = item.candidate
        if in_lists and not (item.exchange and item.exchange.typed in listing):
            raised.append(item)
            continue
        is_said = item.source in ("words", "options") and candidate.kind not in passing
        if is_said and item.exchange and not item.exchange.is_undone and _states(candidate):
            tokens = count_tokens(candidate.text)
            room[candidate.group] = max(tokens, room.get(candidate.group, tokens))
            candidate = replace(candidate, salience=max(candidate.salience, STATED_SALIENCE))
        raised.append(replace(item, candidate=candidate))
    return raised, sum(room.values())


def _states(candidate: Candidate) -> bool:
    """Whether a saying names something or has some words of content, and is no feeling or supposition."""
    quote = next(iter(find_double_quoted(candidate.text)), candidate.text)  # a bare "2" is too short to be a quotation
    has_content = count_specifics(quote) > 0 or len(find_content_words(quote)) >= STATED_WORDS
    return has_content and not (FEELING.search(quote) or parse_clause(quote, quote).is_hypothetical)


def _tell_plainly(candidate: Candidate, owner: str) -> Candidate:
    return replace(candidate, text=tell_plainly(candidate.text, owner))


def _raise(candidate: Candidate, least: float) -> Candidate:
    """Return a wording with the salience that its saying has when its `least` salient wording weighs as much as a request."""
    return replace(candidate, salience=candidate.salience * max(1.0, UNREAD_SALIENCE / max(least, SMALLEST_SALIENCE)))


def find_summary_candidates(entries: Sequence[Entry], summarised: Sequence[Entry]) -> Iterator[SourcedCandidate]:
    """Yield the lasting statements of summaries among `entries`; `summarised` are the session's entries before these."""
    for candidate in find_summary_facts(entries, summarised):
        yield SourcedCandidate(candidate, "summaries")
