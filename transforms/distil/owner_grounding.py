"""Checks that what stands as the owner's wish is theirs: typed, chosen, agreed to, or run before their eyes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, takewhile

from transforms.conversation.entries import Entry
from transforms.conversation.origins import ASSENT_WORDS, rests_on_others
from transforms.distil.engine_result import Fact
from transforms.distil.window_evidence import WindowEvidence, pad_words
from transforms.exchanges.offers import read_offer
from transforms.exchanges.pointing import resolve_answer
from transforms.language import cue_phrases
from transforms.language.contradiction import is_contradiction
from transforms.language.sentences import find_content_words, is_unspaced, split_words
from transforms.language.tokenizer import are_in_other_languages, tokenize
from transforms.tables.fact_notes import cut_notes

TERSE_WORDS = 8
"""Words of a message up to which its short words count, too."""
MIN_OWN_WORDS, SAID_SHARE = 3, 0.5
"""Words, and share of its words, of a fact that the owner's message must hold to be cited for it."""
PRINTED_SHARE = 0.6
"""Share of a rule's words that a tool printed from which a paraphrase counts as read off a page, not said by the owner."""


def find_foreign_command(text: str, window: WindowEvidence) -> str:
    """Return the first command or address of a text that no person typed, no tool was called with, and the agent did not word
    itself; empty when there is none.

    A page or a README that an agent read may hold it, and a model may be told to ask for it. What the agent proposes is its
    own unless a tool printed it. A note about what was turned down orders nothing.
    """
    claim = cut_notes(text)
    spans = (span.strip("`").strip() for span in cue_phrases.CODE_SPAN.findall(claim))
    addresses = (word.strip("`'\"()<>.,;") for word in claim.split() if "://" in word)
    named = [*(span for span in spans if " " in span), *addresses]
    return next((name for name in named if not _is_known(name, window)), "")


def _is_known(name: str, window: WindowEvidence) -> bool:
    if " ".join(name.lower().split()) in window.asked_text:
        return True
    words = pad_words(name)
    return words in window.prose and words not in window.output


def is_typed_by_person(fact: Fact, cited: list[Entry], window: WindowEvidence) -> bool:
    """Whether a person typed some of it: a page that an agent read, or its own idea, is not the owner's rule.

    One shared word is none: "run the tests again" is cited for whatever a page says of tests. Of a message of few words
    short ones count, too ("other branch. dev."), when a tool did not print all that is shared. A paraphrase
    may share no word with the typed ones; it counts when nothing else is cited (a correction needs the agent's
    words too), and the words of the fact are not those of a tool's output. What was typed beside a paste counts for what is said
    there only when it has as many of the fact's words. What they wrote or picked when a tool asked counts as typed.
    """
    wanted = _list_stems(fact.text)
    is_typed = False
    for entry in cited:
        typed = window.find_owner_words(entry)
        typed_words = split_words(typed)
        replies = [other for other in cited if other.role == "assistant"]
        is_assent = bool(replies) and (0 < len(typed_words) <= ASSENT_WORDS or _picks_option(entry, replies, window))
        if (is_assent and not rests_on_others(fact.text, entry)) or len(wanted & _list_stems(typed)) >= min(2, len(wanted)):
            return True
        if rests_on_others(fact.text, entry):
            continue
        if _shares_few_words(fact.text, typed, window):
            return True
        if window.is_other_language and are_in_other_languages(typed_words, split_words(fact.text)):
            return True  # two languages share no words
        is_typed = is_typed or bool(typed_words)
    roles = {"user", "assistant"} if fact.kind == "correction" else {"user"}
    if not is_typed or any(entry.role not in roles for entry in cited):
        return False
    printed = window.output_stems & wanted
    return len(printed) < PRINTED_SHARE * max(len(wanted), 1)


def _picks_option(entry: Entry, replies: Sequence[Entry], window: WindowEvidence) -> bool:
    """Whether a message picks an option of the last offer before it ("2, and all of them only in CI") and so adopts its words.

    That reply must be cited: an earlier menu has a second option, too, and nobody picked it.
    """
    if not entry.owner_words:
        return False
    earlier = [other for other in window.entries if other.role == "assistant" and other.ordinal < entry.ordinal]
    offered = ((reply, offer) for reply in reversed(earlier) if (offer := read_offer(reply.text)).options)
    for reply, offer in offered:
        choice = resolve_answer(entry.owner_words, offer) if reply in replies else None
        return choice is not None and bool(choice.picked)
    return False


def _shares_few_words(text: str, typed: str, window: WindowEvidence) -> bool:
    """Whether a fact has half of the content words of a terse message, two at least, of which tools did not print all."""
    said = find_content_words(typed) if len(split_words(typed)) <= TERSE_WORDS else frozenset()
    shared = said & find_content_words(text)
    return len(shared) >= max(2, len(said) / 2) and not shared <= set(window.output.split())


def relink_to_owner(fact: Fact, window: WindowEvidence) -> Fact:
    """Return the fact with the owner's message that says it before its citations: a model may have cited a neighbour of it,
    or the agent's "understood" below it.

    Only the nearest message before and after each citation is looked at. It must have half of the fact's words and deny none, and
    only one may be so. What an agent proposed, a page says or the owner refused is no rule because the owner spoke of it next.
    """
    cited = window.find_entries(fact.ordinals)
    saying = [entry for entry in _find_nearest_typed(cited, window) if _says(fact.text, entry, cited, window)]
    if len(saying) != 1 or is_contradiction(fact.text, window.find_owner_words(saying[0])):
        return fact
    return fact.model_copy(update={"ordinals": (saying[0].ordinal, *fact.ordinals)})


def _says(text: str, entry: Entry, cited: Sequence[Entry], window: WindowEvidence) -> bool:
    """Whether the owner's words in an entry have half of a text's words, and more of them than anything that is cited, that they
    answer, or that answers them: there it may come from."""
    wanted = _cut_content_words(text)
    own = len(wanted & _cut_content_words(window.find_owner_words(entry)))
    if own < max(MIN_OWN_WORDS, SAID_SHARE * len(wanted)):
        return False
    before = [other for other in window.entries if other.ordinal < entry.ordinal]
    after = [other for other in window.entries if other.ordinal > entry.ordinal]
    others = (takewhile(lambda other: not window.find_owner_words(other), part) for part in (reversed(before), after))
    return all(own > len(wanted & _cut_content_words(other.text)) for other in (*cited, *chain(*others)))


def _find_nearest_typed(cited: Sequence[Entry], window: WindowEvidence) -> list[Entry]:
    """Return the entries with words of the owner that stand last before, and first after, each of these."""
    typed = [entry for entry in window.entries if window.find_owner_words(entry)]
    near: dict[int, Entry] = {}
    for entry in cited:
        before = [other for other in typed if other.ordinal < entry.ordinal][-1:]
        after = [other for other in typed if other.ordinal > entry.ordinal][:1]
        near |= {other.ordinal: other for other in (*before, *after)}
    return list(near.values())


def _cut_content_words(text: str) -> set[str]:
    """Return the first letters of the content words; numbers count whole."""
    return {word if word.isdigit() else word[:4] for word in find_content_words(text)}


def _list_stems(text: str) -> set[str]:
    """Return the first letters of the longer words, and characters without spaces in pairs."""
    pairs = set() if text.isascii() else {word for word in tokenize(text) if is_unspaced(word)}
    return {word[:4] for word in split_words(text) if len(word) > 3} | pairs
