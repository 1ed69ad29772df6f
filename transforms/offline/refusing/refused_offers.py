"""Finds the offers that a person turns down in a few words: what was refused, and what the agent says it then leaves or does.

"na, let's give it a try" beside "… Want me to make that adjustment now?" reads as an assent, so the row says that the offer is
rejected; of several questions, which such words answer none of, it names the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from transforms.distil.engine_result import Tail
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.offers import ADVICE, FENCE, read_offer, shorten_offer, split_alternatives
from transforms.language import cue_phrases
from transforms.language.markdown.blocks import parse_blocks
from transforms.language.sentences import (
    QUESTION_MARKS,
    ends_asking,
    find_content_words,
    join_lines,
    shorten,
    split_sentences,
    strip_markdown,
)
from transforms.offline.candidates import CANDIDATE_CHARS, RECORDED, Candidate, append_files, is_unfit, shorten_row

SALIENCE, OUTCOME_GAIN = 1.0, 1.05
MAX_WORDS, MAX_CONTENT_WORDS = 8, 3
"""Words and content words of a refusal; who says more says what they want instead, and their words stand for themselves."""
QUOTE_CHARS, GROUP_CHARS = 180, 24
LAST_SENTENCES = 3
ADVISED_SENTENCES = 16
"""Sentences before a question in which the advice stands that it asks about."""
OPENING_SENTENCES = 3
"""First sentences of the agent's answer in which it says what it then leaves or does."""
OUTCOME_CHARS = 160
_NO = frozenset({"no", "na", "nah", "nope", "nay"})
"""The particles of denial of English, with single letters."""
_WORK = frozenset({"edit", "create", "delete", "commit", "publish"})


def says_no(typed: str) -> bool:
    """Whether words begin with a particle of denial that is a clause of its own, however long it is drawn: "nahhh", "na, …"."""
    first, _, rest = typed.strip().partition(" ")
    word = first.rstrip(".,;:!–—-")
    return re.sub(r"(.)\1+", r"\1", word.lower()) in _NO and (word != first or not rest)


def find_refusals(exchange: Exchange, owner: str) -> Iterator[Candidate]:
    """Yield the wordings of a refusal, with and without what the agent then leaves or does; none where work follows, which shows
    that something else was meant, or where no offer of the agent's is open."""
    reply, typed = exchange.previous_reply, exchange.typed.strip()
    if exchange.user is None or reply is None or not exchange.is_direct or exchange.pasted.strip() or not _is_short(typed):
        return
    if exchange.files or any(action.kind in _WORK for action in exchange.actions) or not (offered := _find_refused(reply.text)):
        return
    quote = shorten(join_lines(typed), QUOTE_CHARS).replace('"', "'")
    text = shorten_row(f'{owner} decided: "{quote}" (rejected: {shorten_offer(offered)})')
    if is_unfit(text) or cue_phrases.INJECTION.search(text):
        return
    row = Candidate(
        text, "decision", "high", (exchange.user.ordinal, reply.ordinal), (), SALIENCE, RECORDED,
        group=f"{exchange.user.ordinal}:{quote[:GROUP_CHARS]}",
    )  # fmt: skip
    yield row
    taken = _find_outcome(exchange, reply.text)
    room = min(CANDIDATE_CHARS - len(text) - len(" Outcome: "), OUTCOME_CHARS)
    if taken and room > len(taken) // 2:
        tail = f" Outcome: {shorten(taken, room)}"
        cited = exchange.agent_messages[0].ordinal
        yield replace(
            row, text=append_files(text + tail, ()), ordinals=(*row.ordinals, cited), salience=SALIENCE * OUTCOME_GAIN,
            tails=(Tail(tail, (cited,)),),
        )  # fmt: skip


def _is_short(typed: str) -> bool:
    is_brief = 0 < len(typed.split()) <= MAX_WORDS and len(find_content_words(typed)) <= MAX_CONTENT_WORDS
    return is_brief and says_no(typed) and not ends_asking(typed)


def _find_refused(reply: str) -> str:
    """Return what a reply offers to do at its end, with the advice that it asks about; of several questions the first; empty
    where it offers nothing, or a choice, of which no "no" takes anything."""
    offer = read_offer(reply)
    prose = [join_lines(strip_markdown(sentence.strip())) for sentence in split_sentences(FENCE.sub("\n", reply))]
    prose = [sentence for sentence in prose if sentence]
    if offer.is_labelled:
        asks = sum(option.text.endswith(QUESTION_MARKS) for option in offer.options)
        return offer.options[0].text if 2 * asks > len(offer.options) else ""
    for place in range(len(prose) - 1, max(len(prose) - 1 - LAST_SENTENCES, -1), -1):
        is_offer = prose[place].endswith(QUESTION_MARKS) and cue_phrases.OFFER.match(prose[place])
        if is_offer and not split_alternatives(prose[place]):
            before = prose[max(place - ADVISED_SENTENCES, 0) : place]
            advised = next((sentence for sentence in reversed(before) if ADVICE.search(sentence)), "")
            return f"{advised} {prose[place]}".strip()
    return ""


def _find_outcome(exchange: Exchange, offered: str) -> str:
    """Return the first sentence of the agent's answer that takes up a word of what it had offered, and asks nothing."""
    if exchange.is_fallen or not exchange.agent_messages:
        return ""
    blocks = parse_blocks(exchange.agent_messages[0].text)
    first = blocks[0].text if blocks and blocks[0].kind == "paragraph" else ""
    about = find_content_words(offered)
    sentences = [sentence for sentence in split_sentences(first)[:OPENING_SENTENCES] if not ends_asking(sentence)]
    return next((sentence for sentence in sentences if find_content_words(sentence) & about), "")
