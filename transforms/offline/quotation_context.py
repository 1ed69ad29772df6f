"""Finds what a quotation is about: the offer, the proposal or the request before it, where its words need one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from transforms.exchanges import claims
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import read_offer
from transforms.exchanges.pointing import CLAUSE_END, DENYING
from transforms.exchanges.replaced_values import states_exchange
from transforms.language import cue_phrases, entities
from transforms.language.assertion_rules import AssertionKind
from transforms.language.clauses import parse_clause, points_away
from transforms.language.dialogue_acts import Act, ClassifiedSentence
from transforms.language.sentences import (
    QUESTION_MARKS,
    ends_asking,
    find_content_words,
    is_unspaced,
    join_lines,
    shorten,
    split_sentences,
    split_words,
)
from transforms.offline.replies.outcomes import DEICTIC_PHRASE, PLAIN_WORDS, count_content_words
from transforms.quoting.whole_words import drop_fillers, is_bare_value, shares_measure
from transforms.tables.enums import SETTLING_KINDS, WISH_KINDS

MAX_NUMBER_WORDS, MOST_REFERENTS = 6, 200
"""Words of an answer up to which a number at its end may be that of an option; sentences of a reply that it may be about."""
_VERDICT_ENDS = tuple(".,:;!")
"""Marks behind the word that opens an answer."""
POINTING_CHARS = 40
"""Beginning of words in which a pronoun points at what they answer."""
QUOTE_CHARS = 380
RULE_WORDS = 4
"""Content words of a rule that is a row of its own; fewer ("Tom's rule, not ours") say something about the one beside it."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words of a person that make one row, with their act and assertion; `is_last` marks the last row of a message.

    `whole` is the message around them where it is short: for a rule, the sentence beside it may say whose it is, or deny it.
    `is_first` marks the first row of a message, or of a part of one. `shown` is how the row quotes them; judges read `quote`.
    """

    quote: str
    act: Act
    is_last: bool
    assertion: AssertionKind | None = None
    is_guess: bool = False
    whole: str = ""
    is_first: bool = False
    shown: str = ""


def find_context(exchange: Exchange, quotation: Quotation, history: ValueHistory) -> tuple[str, list[int]]:
    """Return the reference of words that need one: the offer or proposal they answer, else the previous request. A rejected
    claim of success is not repeated: the request that it failed says more and is true."""
    size = count_content_words(quotation.quote)
    is_short = size < 6 and not (quotation.act == "decision" and entities.count_specifics(quotation.quote) > 1)
    answers = quotation.act in ("correction", "decision", "agreement")
    if exchange.quoted_source and (is_short or quotation.is_first or _is_deictic(quotation)):
        words = shorten(exchange.quoted, 120).replace('"', "'") if _leans_on_quoted(quotation, is_short=is_short) else ""
        return (f'"{words}"', [exchange.quoted_source.ordinal]) if words else ("", [])
    is_bare = is_bare_value(quotation.quote)
    is_ordered = quotation.act == "request" and not DEICTIC_PHRASE.search(quotation.quote)
    if not is_bare and (_stands_alone(quotation) or is_ordered):
        return "", []
    if quotation.act == "decision" and not cue_phrases.AGREEMENT.match(quotation.quote) and size >= 5:
        answers = False
    if quotation.act == "correction" and size >= 8 and exchange.final_reply and not exchange.is_rejected:
        return "", []  # the outcome names the subject
    if exchange.pasted.strip() and (is_short or _is_deictic(quotation)):
        return f'the pasted "{shorten(join_lines(exchange.pasted), 120)}"'.replace('""', '"'), []
    if (
        quotation.act in ("request", "preference")
        and exchange.files
        and exchange.previous_reply
        and not (is_bare or _is_proposal(exchange.previous_reply.text))
    ):
        return "", []  # the changed files name the subject
    if (
        quotation.act == "correction"
        and exchange.previous_reply
        and DEICTIC_PHRASE.search(quotation.quote[:40])
        and _is_proposal(exchange.previous_reply.text)
    ):
        is_short = True
    if exchange.previous_reply is None or not (
        is_short or (answers and not entities.count_specifics(quotation.quote)) or _is_deictic(quotation)
    ):
        return "", []
    reply = exchange.previous_reply.text
    wants_offer = bool(cue_phrases.AGREEMENT.match(quotation.quote))
    if exchange.is_direct and not exchange.disputes and (wants_offer or quotation.act != "correction" or _is_proposal(reply)):
        limit = 150 if is_short else 100
        wants_offer = wants_offer or (answers and _answers_last_question(quotation.quote, reply))
        referent = find_referent(reply, quotation.quote, wants_offer=wants_offer, limit=limit)
        is_wrong = not shares_measure(quotation.quote, referent) if is_bare else history.is_stale(referent, exchange.index - 1)
        if referent and not is_wrong and not cue_phrases.INJECTION.search(referent):
            return f'"{referent}"', [exchange.previous_reply.ordinal]
        return "", []
    done = f"{' '.join(exchange.files)} {reply[:400]}"  # of a message right behind another one it tells what that one was about
    about = quotation.quote if exchange.is_direct else f"{quotation.quote} {done}"
    earlier = find_earlier_words(about, split_sentences(exchange.previous_typed))
    request = shorten(drop_fillers(join_lines(earlier)).replace('"', "'"), 130)
    return (f'the earlier "{request}"', [exchange.previous_reply.ordinal]) if request else ("", [])


def turns_down(quote: str) -> bool:
    """Whether words turn down what they answer, and say enough without it."""
    return _denies(quote) and count_content_words(quote) >= PLAIN_WORDS


def _denies(quote: str) -> bool:
    return bool(cue_phrases.PUSHBACK.match(quote) or DENYING.search(" ".join(split_sentences(quote)[:2])))


def _leans_on_quoted(quotation: Quotation, *, is_short: bool) -> bool:
    """Whether words are understood only with those quoted above them: they are short, point at these or agree with them.

    What somebody turns down is not repeated, and short words behind a verdict that no rule reads ("nack, …") may turn it down.
    """
    quote = quotation.quote
    if quotation.act == "correction" or _denies(quote):
        return False
    if quotation.is_first and cue_phrases.AGREEMENT.match(quote):
        return True
    if quote.split(" ", 1)[0].endswith(_VERDICT_ENDS):  # "ack, that's the cause"
        return quotation.is_first and any(map(DEICTIC_PHRASE.match, CLAUSE_END.split(quote[:POINTING_CHARS])[1:]))
    return is_short or _is_deictic(quotation) or bool(quotation.is_first and DEICTIC_PHRASE.search(quote[:POINTING_CHARS]))


def find_earlier_words(about: str, earlier: Sequence[str]) -> str:
    """Return the earlier sentence of the person that shares most words with `about`; where none shares any, their last
    question, which they may answer themselves ("no. leave it"); else nothing: what the words are about is not known."""
    shared = [len(find_content_words(about) & find_content_words(sentence)) for sentence in earlier]
    last_question = next((sentence for sentence in reversed(earlier) if ends_asking(sentence)), "")
    return earlier[shared.index(max(shared))] if any(shared) else last_question


def _answers_last_question(quote: str, reply: str) -> bool:
    """Whether an answer is one to what the reply asks last: no statement of the reply is told by its words, in any language.

    In a script without spaces endings are shared by all sentences: there the question at the end of the reply tells.
    """
    if is_unspaced(quote) and reply.rstrip().endswith(QUESTION_MARKS):
        return True
    return find_content_words(quote).isdisjoint(find_content_words(_join_claims(reply)))


def _stands_alone(quotation: Quotation) -> bool:
    """Whether an assertion names its own subject."""
    if quotation.assertion not in SETTLING_KINDS or len(find_content_words(quotation.quote)) < 3:
        return False
    return not DEICTIC_PHRASE.search(quotation.quote[:60]) or (
        quotation.assertion != "correction" and entities.count_specifics(quotation.quote) > 0
    )


def _is_deictic(quotation: Quotation) -> bool:
    is_settled = quotation.act == "decision" and entities.count_specifics(quotation.quote) > 0
    return not is_settled and bool(DEICTIC_PHRASE.search(quotation.quote)) and len(split_words(quotation.quote)) < 12


@lru_cache(maxsize=64)
def _is_proposal(reply: str) -> bool:
    return bool(cue_phrases.PROPOSAL.search(reply)) or any(map(_offers, split_sentences(reply)[-3:]))


def _offers(sentence: str) -> bool:
    return bool(cue_phrases.OFFER.match(sentence)) or sentence.endswith(QUESTION_MARKS)


def find_referent(reply: str, quote: str, *, wants_offer: bool, limit: int) -> str:
    """Return the sentence of a reply that an answer is about: the option whose number it has, the offer when agreed to, else the
    one with most shared words. Of a reply with more than `MOST_REFERENTS` sentences only the last ones are compared."""
    if option := _find_numbered_option(reply, quote):
        return shorten(option, limit).replace('"', "'")
    said, claimed = (split_sentences(text)[-MOST_REFERENTS:] for text in (reply, _join_claims(reply)))
    pool = [claims.make_declarative(sentence) for sentence in claimed if len(sentence) > 8]
    offers = [sentence for sentence in said if len(sentence) > 8 and _offers(sentence)]
    if wants_offer and offers:
        statements = [sentence for sentence in pool if not _offers(sentence)]
        lead = f"{shorten(statements[-1].rstrip(':'), limit)} — " if statements else ""
        return f"{lead}{shorten(join_lines(offers[-1]), limit)}".replace('"', "'")
    quote_words = find_content_words(quote)
    usable = [sentence for sentence in pool if not claims.is_talk(sentence)]
    if not usable:
        return ""
    best = max(
        range(len(usable)),
        key=lambda index: (
            len(quote_words & find_content_words(usable[index])),
            entities.count_specifics(usable[index]) > 0,
            -index,
        ),
    )
    return shorten(usable[best], limit).replace('"', "'").rstrip(":")


def _find_numbered_option(reply: str, quote: str) -> str:
    """Return the option whose number stands at the end of a clause of a short answer, in any language ("la 2, bien sûr")."""
    tokens = quote.split()
    if len(tokens) > MAX_NUMBER_WORDS:
        return ""
    ends = [token for place, token in enumerate(tokens) if place == len(tokens) - 1 or not token[-1].isalnum()]
    numbers = {token.strip("#().,;:!") for token in ends} & {str(number) for number in range(1, 10)}
    options = read_offer(reply).options if numbers else ()
    picked = [option.text for option in options if option.label in numbers]
    return picked[0] if len(picked) == 1 else ""


@lru_cache(maxsize=64)
def _join_claims(reply: str) -> str:
    return "\n".join(claim.text for claim in claims.split_claims(reply)) or reply[:600]


def quote_whole(exchange: Exchange, groups: Sequence[Sequence[ClassifiedSentence]]) -> str:
    """Return all that a short message says when a sentence beside its rule points at it, and may say whose it is or deny it.

    Empty for a long message, and for one with several rules, which are rows of their own.
    """
    ordering = [
        group
        for group in groups
        if any(sentence.assertion in WISH_KINDS for sentence in group)
        and len(find_content_words(" ".join(sentence.text for sentence in group))) >= RULE_WORDS
    ]
    rules = {sentence.text for group in ordering for sentence in group if sentence.assertion in WISH_KINDS}
    beside = [sentence for sentence in split_sentences(exchange.typed) if sentence not in rules]
    is_pointed_at = any(sentence.endswith(QUESTION_MARKS) or points_away(sentence) for sentence in beside)
    whole = join_lines(exchange.typed).replace('"', "'")
    return whole if is_pointed_at and len(ordering) <= 1 and len(whole) <= QUOTE_CHARS else ""


_STATING_ACTS = frozenset({"statement", "decision", "rule", "preference"})


def states_change(exchange: Exchange, quotation: Quotation) -> bool:
    """Whether a saying states a former value and the present one: that settles something, also where no word of deciding stands.

    Not what a thing does instead of another, which reports a fault, and not what is asked or supposed.
    """
    if quotation.act not in _STATING_ACTS or ends_asking(quotation.quote) or not states_exchange(quotation.quote):
        return False
    clause = parse_clause(quotation.quote, quotation.quote)
    return not (clause.is_behaviour or clause.is_hypothetical or exchange.is_rejected)
