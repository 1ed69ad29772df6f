"""Observations that may take the place of a line of MEMORY.md whose evidence they replaced, worded as a line; what ends a
choice, and what may stand beside a line."""

from __future__ import annotations

from collections.abc import Collection

from transforms.language.dialogue_acts import is_request
from transforms.language.sentences import find_content_words, split_words
from transforms.language.statement import split_claim
from transforms.memory.claim_clauses import TENTATIVE
from transforms.memory.eligibility import LineCandidate, may_speak, score_observation
from transforms.memory.lasting.durable_line import is_durable
from transforms.memory.normalise_claim import is_standalone
from transforms.memory.passing_line import STANDING
from transforms.memory.said_for_good import choose_section
from transforms.patterns.stops import drop_end_stops
from transforms.tables.fact_notes import LEFT_MARK, cut_notes, read_told_choice
from transforms.tables.rows import ObservationRow

MIN_OPTION_WORDS = 2
"""Content words of an option, of its own, by which later words take it up."""
MIN_LINE_WORDS = 3
"""Content words of a saying that may be a line without what it answers."""


def is_successor(row: ObservationRow) -> bool:
    """Whether an observation may take the place of a line: it holds, and it may speak for the owner."""
    is_current = row["verdict"] == "allow" and row["superseded_by"] is None and row["said_at"] is not None
    return is_current and may_speak(row)


def word_successor(row: ObservationRow) -> str:
    """Return the text of an observation as a line: without the rejected choice, which may be the line that goes, and of what a
    person said only the words when they stand alone."""
    parts = split_claim(row["text"])
    tells_itself = not parts.rest or len(find_content_words(parts.claim)) >= MIN_LINE_WORDS
    if parts.is_quote and is_standalone(parts.claim) and tells_itself:
        return drop_end_stops(parts.claim)
    return drop_end_stops(cut_notes(drop_end_stops(" ".join(row["text"].split()))))


def build_successor(row: ObservationRow, owner_section: str, reflected: str) -> LineCandidate:
    """Return the candidate; alone it is no line, because nobody found it worth one."""
    text = word_successor(row)
    return LineCandidate(
        text=text,
        section=choose_section(row["kind"], row["category"], text, owner_section, reflected),
        kind=row["kind"],
        salience=score_observation(row),
        evidence=(row["observation_id"],),
        sessions=frozenset({row["session_id"]}),
        said_at=row["said_at"],
        projects=frozenset({row["project"]} if row["project"] else ()),
        is_change=True,
    )


def has_left_options(text: str) -> bool:
    """Whether a text is a choice that names options which were left."""
    return LEFT_MARK in text or read_told_choice(text) is not None


def takes_other_option(text: str, newer: Collection[frozenset[str]]) -> bool:
    """Whether the owner says later of the matter of a choice what they had left of its options: it then holds no more.

    `newer` are the content words of what they say.
    """
    choosing, _, behind = text.partition(LEFT_MARK)
    choice = read_told_choice(text)
    left = list(choice.left) if choice else behind.partition("; meaning: ")[0].rstrip(")").split("; ")
    taken = find_content_words(choosing)
    asked = find_content_words(choice.asked if choice else choosing.partition(" (asked: ")[2])
    for option in left:
        own = find_content_words(option.rpartition(" ")[0] if option.endswith("…") else option) - taken
        if len(own) >= MIN_OPTION_WORDS and any(own <= words and len(asked & words) >= MIN_OPTION_WORDS for words in newer):
            return True
    return False


def may_stand_beside(sentence: str) -> bool:
    """Whether a sentence beside a line of the owner may stand in MEMORY.md with it: no order or state of the moment, no maybe.

    An order among its clauses is one of the moment ("version 0.4.0, tag, commit"), unless it begins as a rule does.
    """
    clauses = [part.strip() for clause in sentence.split(", ") for part in clause.split(" and ")]
    has_order = any(is_request(clause) and STANDING.isdisjoint(split_words(clause.casefold())[:1]) for clause in clauses)
    is_over_soon = has_order or TENTATIVE.search(sentence)
    return not is_over_soon and is_durable(sentence, "convention", is_quote=True, is_lasting=True)
