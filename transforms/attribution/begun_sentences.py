"""Gives the owner the words behind a colon that go on with the sentence before it: "we change the decision: A replaces B".

The judge of paragraphs sees such words alone, where a decision in full sentences looks like a review. On one line they are the
owner's when "I" or "we" begin the sentence, and nothing besides their register speaks for another author. In a message of one
line a label does, too ("better. nit: `null` is fine here, keep it"). Points below a line that are written as carelessly as it is
are the owner's as well. Else the judge's word stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.attribution.given_blocks import is_formal, is_informal_list, names_author
from transforms.classify.paragraphs import Paragraph
from transforms.conversation.pasted_lines import is_prose
from transforms.language import cue_phrases
from transforms.language.clauses import parse_clause
from transforms.language.dialogue_acts import is_question, is_request
from transforms.language.sentences import split_sentences, split_words
from transforms.language.speech.spelling import restore_spelling

_POINTING = frozenset({"this", "these", "following", "here", "below"})
MOST_LABEL_WORDS = 8
_OPENING_MARKS = "\"'“„‘«`「『<>[{(*#|-+•"


def own_begun_sentences(text: str, judged: Sequence[tuple[Paragraph, bool]]) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; one that goes on with a typed sentence on its line is typed."""
    owned = list(judged)
    for number in range(1, len(owned)):
        (head, is_begun), (core, is_typed) = owned[number - 1], owned[number]
        is_followed = number + 1 < len(owned) and not owned[number + 1][1]  # then the line is the heading of a paste
        if is_begun and not is_typed and not is_followed:
            begun, words = text[head.start : head.end], text[core.start : core.end].strip()
            is_own = _goes_on(begun, words) or _lists(begun, words) or ("\n" not in text.strip() and _follows_label(begun, words))
            owned[number] = (core, is_own)
    return owned


def _goes_on(head: str, core: str) -> bool:
    """Whether words behind a colon are on its line, in prose, and nothing besides their register speaks for another author."""
    is_line = "\n" not in head and "\n" not in core and head.rstrip().endswith(":")
    is_marked = head.lstrip()[:1] in _OPENING_MARKS or core[:1] in _OPENING_MARKS or head.count('"') % 2
    is_other_style = head.lstrip()[:1].islower() and is_formal(core)
    return is_line and is_prose(core) and not (is_marked or is_other_style) and _is_own_sentence(head)


def _follows_label(head: str, core: str) -> bool:
    """Whether a few words without subject or verb introduce prose that is not quoted: "Exception to rule 2: until Friday …"."""
    sentence = split_sentences(head)[-1]
    words = split_words(sentence)
    is_code = core[:1] == "`" and "`" in core[1:].rstrip(".`")
    is_quoted = (core[:1] in _OPENING_MARKS and not is_code) or bool(head.count('"') % 2)
    if is_quoted or not head.rstrip().endswith(":") or not 0 < len(words) <= MOST_LABEL_WORDS or words[-1].lower() in _POINTING:
        return False
    clause = parse_clause(sentence, sentence)
    is_label = clause.subject == "none" and not (clause.is_reported or is_request(sentence) or is_question(sentence))
    return is_label and is_prose(core) and not names_author(sentence)


def _lists(head: str, core: str) -> bool:
    """Whether small-lettered points stand right below a small-lettered line that ends with a colon and names no author."""
    is_head = head.lstrip()[:1].islower() and head.endswith(":\n") and not names_author(head)
    return is_head and is_informal_list(core)


def _is_own_sentence(head: str) -> bool:
    """Whether "I" or "we" are the subject of the last sentence before a colon, and it neither names nor shows another's words."""
    sentence = restore_spelling(split_sentences(head)[-1])
    bare = cue_phrases.FILLER.sub("", sentence).strip()
    is_shown = is_request(bare) or is_question(sentence) or not _POINTING.isdisjoint(split_words(bare))
    return parse_clause(bare, bare).subject in ("i", "we") and not (is_shown or names_author(sentence))
