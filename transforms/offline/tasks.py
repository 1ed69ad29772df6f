"""Describe tasks: the current or completed task of a window, and the next step of an agent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.exchanges import claims
from transforms.exchanges.choosing.answered_question import PRONOUNS
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases, entities
from transforms.language.assertion_patterns import OPEN_QUESTION
from transforms.language.assertions import is_open_question, names_work
from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.sentences import (
    CLAUSE_BREAK,
    QUESTION_MARKS,
    count_words,
    find_content_words,
    has_question_mark,
    join_lines,
    shorten,
    split_sentences,
    split_words,
)
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import find_telling_words
from transforms.offline.topics.ordered_task import describe_task
from transforms.offline.work_facts import find_failed_check, group_by_commit
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import WISH_KINDS
from transforms.tables.window_tables import LAST_COMPLETED, LAST_SAID

TASK_CHARS = 240
MIN_LAST_WORDS = 5
"""Words of a last message from which it says something."""
MIN_TELLING = 3
"""Content words from which a result says what was done."""
MIN_SHARED = 2
"""Content words in common from which a sentence speaks of what another text is about."""
MAX_HEAD_WORDS = 6
"""Words behind a cue of remaining work that still belong to its head."""
NEAR_EXCHANGES = 3
"""Exchanges before the last one that closing words, or an open question of the agent, may be about."""
MIN_ACT = 0.6
"""Probability from which closing words do something, by their most probable act; those of small talk have none such."""
_IDLE_ACTS = frozenset({"none", "approval"})
_CONDITIONAL = ("if", "ready")
"""First words of an offer for the case that somebody wants it, which waits for no answer: "If you want, I can also …"."""
_LET_KNOW = ["let", "me", "know", "if"]
_WHATEVER = frozenset({"anything"})
"""A question about whatever there may be names no work."""
_TASK_ACTS = ("request", "report", "correction", "decision", "preference", "question")
_ASSENT = compile_late(r"\b(?:noted|understood|got it|okay|fine|will do|thanks|you'?re welcome)\b", re.I)


def find_current_task(exchanges: list[Exchange]) -> str:
    """Return the last task as an imperative while it is open; else `Completed: …` where the work is known.

    Empty when nothing was asked for, the owner left something else open, the last message was answered and no work is known, or
    nothing is missing but the result of a commit.
    """
    if exchanges and _find_cut_commit(exchanges[-1]):
        return ""
    if not exchanges or _is_open(exchanges[-1]):
        return shorten(_find_last_task(exchanges), TASK_CHARS)
    done = "" if _find_left_open(exchanges) else _find_completed_work(exchanges)
    return shorten(f"Completed: {re.sub(r'^(?:completed|done): ', '', done, flags=re.I)}", TASK_CHARS) if done else ""


def suggest_response(exchanges: list[Exchange], owner: str, *, is_unread: bool = False) -> str:
    """Return the next step: unfinished work, an unanswered message, an open offer, remaining work, what the owner left open; else
    the owner's words behind the work, or the completed work. Empty when nothing of it is known.

    `is_unread`: whether the owner writes a language of which no rule tells thanks from a request; a question mark does.
    """
    if not exchanges:
        return ""
    last = exchanges[-1]
    if (step := _begin_unanswered(exchanges, owner, is_unread=is_unread)) is not None:
        return step
    if waiting := _describe_offer(exchanges):
        return waiting
    if cut := _find_cut_commit(last):
        return shorten(f'See whether the commit "{cut}" was made: no result of it is recorded.', TASK_CHARS)
    if failed := _find_failed_command(last):
        return shorten(f"`{failed}` failed last; look at its output before going on.", TASK_CHARS)
    if remaining := _find_remaining_work(exchanges):
        return shorten(f"Still to do: {remaining}", TASK_CHARS)
    if left := _find_left_open(exchanges):
        return shorten(f'Left open by {owner}: "{left}"', TASK_CHARS)
    words, state = _find_last_words(exchanges), _find_closing_state(exchanges)
    if words and not (is_unread and not _is_about_work(words, exchanges)):
        return _quote_last_words(exchanges, owner, words, state)
    if state:
        return shorten(f'{LAST_SAID}the agent: "{state}"', TASK_CHARS)
    done = _find_completed_work(exchanges)
    return shorten(f"{LAST_COMPLETED}{done}", TASK_CHARS) if done else ""


def _begin_unanswered(exchanges: list[Exchange], owner: str, *, is_unread: bool) -> str | None:
    """Return the step that a message without an answer asks for; empty for one in an unread language that asks nothing.

    None when the last message was answered, or is small talk, or its work was committed: what was done is told then."""
    last = exchanges[-1]
    if not last.user or last.final_reply is not None or not last.message.informative or _find_cut_commit(last):
        return None
    if task := _find_task(last):
        return shorten(f"Go on with: {task}" if last.actions else f"Begin with: {task}", TASK_CHARS)
    if is_unread and not _is_about_work(last.typed, exchanges):
        return ""
    is_plain = is_unread or all(sentence.act == "statement" for sentence in last.message.informative)
    if not is_plain or last.asks or has_question_mark(last.typed):
        return shorten(f'Answer {owner}: "{join_lines(last.typed)}"', TASK_CHARS)
    return None if _is_small_talk(exchanges) else _quote_last_words(exchanges, owner, join_lines(last.typed))


def _is_about_work(said: str, exchanges: list[Exchange]) -> bool:
    """Whether closing words ask, name something, say a lot, or a word of what was said before: thanks do not, in any language."""
    if has_question_mark(said) or entities.count_specifics(said) or len(find_telling_words(said)) >= MIN_LAST_WORDS:
        return True
    before = " ".join(part for exchange in exchanges[:-1] for part in (exchange.typed, *_list_reply_texts(exchange)))
    return bool(find_telling_words(said) & find_telling_words(before))


def _list_reply_texts(exchange: Exchange) -> list[str]:
    return [exchange.final_reply.text] if exchange.final_reply else []


def _find_last_words(exchanges: list[Exchange]) -> str:
    """Return what the owner stated of the work behind all of it: it may say what the work lacks.

    Empty for a question, for thanks, a goodbye, and for what is to hold from now on.
    """
    last = exchanges[-1]
    if last.actions or last.has_commands or last.asks or _is_small_talk(exchanges):
        return ""
    known = find_content_words(_join_before(exchanges))
    sentences = [sentence.text for sentence in last.message.informative if sentence.assertion not in WISH_KINDS]
    said = " ".join(text for text in sentences if last.is_unread or _is_on_work(text, known))
    return join_lines(said) if count_words(said) >= MIN_LAST_WORDS else ""


def _find_closing_state(exchanges: list[Exchange]) -> str:
    """Return what the agent says of the work in answer to closing words: where it stands, or what not to forget.

    Empty where it answers a question, or says the owner's words again."""
    last = exchanges[-1]
    if last.final_reply is None or last.actions or last.has_commands or last.asks or last.is_unread:
        return ""
    is_pushed = any(exchange.has_published for exchange in exchanges)
    said = [
        claims.make_declarative(text)
        for text in split_sentences(last.final_reply.text if is_pushed else claims.drop_pushes(last.final_reply.text))
        if not has_question_mark(text) and (entities.count_specifics(text) or _is_state(text))
    ]
    words, typed = find_content_words(" ".join(said)), find_content_words(last.typed)
    return join_lines(" ".join(said)) if len(words) - len(words & typed) >= max(MIN_SHARED, len(words) / 2) else ""


def _is_state(text: str) -> bool:
    """Whether a sentence without names says how the work stands: "Everything is uncommitted in the working tree"."""
    return names_work(text) and not claims.is_talk(text) and len(find_content_words(text)) >= MIN_TELLING


def _is_on_work(text: str, known: frozenset[str]) -> bool:
    """Whether a sentence names something, speaks of software work, or has words of what was said before."""
    is_spelled = any(word.isalnum() and not (word.isalpha() or word.isdecimal()) for word in split_words(text))  # "nst0"
    is_named = is_spelled or entities.count_specifics(text)
    return bool(is_named) or names_work(text) or len(find_content_words(text) & known) >= MIN_SHARED


def _join_texts(exchanges: Sequence[Exchange]) -> str:
    return " ".join(
        part for exchange in exchanges for part in (exchange.typed, *(entry.text for entry in exchange.agent_messages))
    )


def _quote_last_words(exchanges: list[Exchange], owner: str, words: str, state: str = "") -> str:
    """Return the owner's closing words with the agent's answer to them, or the result behind which they were said."""
    if state:
        return shorten(f'{LAST_SAID}{owner}: "{words}" Reply: {state}', TASK_CHARS)
    done = _find_completed_work(exchanges)
    return shorten(f'{LAST_SAID}{owner}: "{words}"{f", after: {done}" if done else ""}', TASK_CHARS)


def _is_small_talk(exchanges: list[Exchange]) -> bool:
    """Whether closing words behind a result do nothing and speak of nothing before them: a goodbye, a joke. Only a classifier
    tells, and it takes many plain statements for nothing, too."""
    last = exchanges[-1]
    act, probability = max(last.acts.items(), key=lambda item: item[1], default=("", 1.0))
    if act not in _IDLE_ACTS and probability >= MIN_ACT:
        return False
    return not find_content_words(last.typed) & find_content_words(_join_before(exchanges)) and bool(
        _find_completed_work(exchanges)
    )


def _join_before(exchanges: list[Exchange]) -> str:
    return _join_texts(exchanges[-1 - NEAR_EXCHANGES : -1])


def _describe_offer(exchanges: list[Exchange]) -> str:
    """Return the open question of the agent; one that names nothing ("Next step?") with the result behind which it was asked,
    and none without a result. Empty when nothing is asked."""
    last = exchanges[-1]
    closing = last.final_reply.text if last.final_reply else ""
    if not (offers := _find_offers(closing)):
        return ""
    offer = join_lines(offers[-1])
    waiting = f'Waiting for an answer to: "{offer}"'
    around = " ".join([closing.replace(offers[-1], " "), last.typed, _join_before(exchanges)])
    if entities.count_specifics(offer) or find_telling_words(offer) & find_telling_words(around):
        return shorten(waiting, TASK_CHARS)
    done = _find_completed_work(exchanges)
    return shorten(f"{waiting}, after: {done}", TASK_CHARS) if done else ""


def _find_last_task(exchanges: list[Exchange]) -> str:
    """Return the task of the last message that has one; none before work that was done, behind which the owner spoke of something
    else. Words alone ("I start with it.", "OK.") end no task.
    """
    is_new = exchanges[-1].final_reply is None and bool(exchanges[-1].message.informative) if exchanges else False
    for exchange in reversed(exchanges):
        if is_new and exchange is not exchanges[-1] and _is_done(exchange):
            return ""
        if task := _find_task(exchange):
            return task
    return ""


def _is_done(exchange: Exchange) -> bool:
    """Whether an exchange ends with the result of work and leaves nothing open; what denies something may be no result."""
    signs = parse_statement(_find_completed_work([exchange])).signs
    return bool(signs) and "-" not in signs.values() and not _is_open(exchange)


def _find_task(exchange: Exchange) -> str:
    """Return the first task of a message; a bare "commit" or "go on" is none."""
    tasks = (
        describe_task(sentence)
        for sentence in exchange.message.informative
        if sentence.act in _TASK_ACTS and _weigh_sentence(sentence) > 1
    )
    return next((task for task in tasks if task), "")


def _weigh_sentence(sentence: ClassifiedSentence) -> int:
    return len(find_content_words(sentence.text)) + 2 * entities.count_specifics(sentence.text)


def _is_open(last: Exchange) -> bool:
    reply = last.final_reply
    return reply is None or bool(_find_offers(reply.text) or _find_failed_command(last) or _find_cut_commit(last))


def _find_offers(closing: str) -> list[str]:
    """Return what the end of a message asks its reader; no courtesy ("Anything else?", "If you want, I can help you with …")."""
    return [sentence for sentence in split_sentences(closing)[-4:] if _asks_for_answer(sentence)]


def _asks_for_answer(sentence: str) -> bool:
    words = split_words(sentence.casefold())
    is_question = sentence.endswith(QUESTION_MARKS)
    is_conditional = (words[:1] and words[0] in _CONDITIONAL) or words[: len(_LET_KNOW)] == _LET_KNOW
    is_offer = bool(cue_phrases.OFFER.match(sentence)) and not is_conditional
    return (is_question or is_offer) and _WHATEVER.isdisjoint(words)


def _find_failed_command(last: Exchange) -> str:
    failed = find_failed_check([last], ("check", "publish", "commit"))
    return failed.detail if failed else ""


def _find_cut_commit(last: Exchange) -> str:
    """Return the commit with which the session ended before its result."""
    commits = [action for action in last.actions if action.kind == "commit"]
    return commits[-1].detail if commits and not commits[-1].is_known else ""


def _find_remaining_work(exchanges: list[Exchange]) -> str:
    """Return the remaining work that the agent named in one of its last three results: what it lists first, then what it says."""
    for exchange in reversed(exchanges[-3:]):
        said = claims.split_claims(exchange.final_reply.text if exchange.final_reply else "")
        if listed := [text for claim in said if (text := claims.find_open_list(claim.text))]:
            return "; ".join([*(text.rstrip(".") for text in listed[:-1]), listed[-1]])
        for claim in said:
            if match := cue_phrases.UNFINISHED_CUE.search(claim.text):
                bare = _cut_cue(claim.text, match.end()) if match.start() == 0 else claim.text
                is_named = bool(find_content_words(bare) or entities.count_specifics(bare))  # "… not done yet" names no work
                if is_named and PRONOUNS.isdisjoint(split_words(bare.casefold())[:1]):  # "Not deployed, it is the weekend"
                    return bare
    return ""


def _cut_cue(text: str, end: int) -> str:
    """Return what stands behind a cue of remaining work, and behind the head that it begins ("Left for next week: …")."""
    rest = text[end:]
    head, colon, behind = rest.partition(": ")
    is_head = bool(colon) and rest[:1] == " " and len(head.split()) <= MAX_HEAD_WORDS
    return behind if is_head else rest.lstrip(" :,-–—")


def _find_left_open(exchanges: list[Exchange]) -> str:
    """Return the last sentence of the owner that leaves open something of the work, unless it was spoken of again: whether that
    closed it, no rule tells. What is open is named where it is said to be so: "I don't know which is worse" names nothing."""
    for place, exchange in reversed(list(enumerate(exchanges))):
        for sentence in exchange.message.informative:
            if sentence.assertion == "open_question":
                words = find_content_words(sentence.text)
                others = find_content_words(_join_texts([*exchanges[:place], *exchanges[place + 1 :]]))
                open_parts = [part for part in CLAUSE_BREAK.split(sentence.text) if is_open_question(part)] or [sentence.text]
                is_named = any(_names_open_thing(part, others) for part in open_parts)
                is_over = any(_takes_up(words, later) for later in exchanges[place + 1 :])
                return join_lines(sentence.text) if is_named and not is_over else ""
    return ""


def _names_open_thing(part: str, others: frozenset[str]) -> bool:
    """Whether words that leave something open say what: before their cue, in several words, or in one that was said elsewhere."""
    before = part[: cue.start()] if (cue := OPEN_QUESTION.search(part)) else ""
    if len(find_content_words(part)) >= MIN_TELLING or find_content_words(before) or entities.count_specifics(part):
        return True
    return bool(find_content_words(OPEN_QUESTION.sub(" ", part)) & others)


def _takes_up(words: frozenset[str], later: Exchange) -> bool:
    """Whether a message speaks of what these words left open."""
    shared = len(words & find_content_words(later.typed))
    return shared >= min(MIN_SHARED, len(words))


def _find_completed_work(exchanges: list[Exchange]) -> str:
    """Return the outcome of the last exchange with work; words of assent alone are none. A result that names nothing but commits
    gets the subject of the last one."""
    for place, exchange in reversed(list(enumerate(exchanges))):
        headline = claims.choose_headline(exchange.final_reply.text, 160) if exchange.final_reply else ""
        is_work = bool(exchange.actions or exchange.has_commands)
        is_result = (
            is_work
            and not exchange.is_rejected
            and bool(headline)
            and not claims.is_talk(headline)
            and not cue_phrases.HEDGE.search(headline)
        )
        bare = _drop_goodbye(headline, exchanges[:place]) if is_result and not exchange.is_unread else headline
        commits = [commit.detail for _, commit in group_by_commit(exchange)]
        is_telling = len(find_content_words(_ASSENT.sub("", headline))) >= MIN_TELLING
        is_short = len(find_content_words(bare)) < MIN_TELLING
        if is_result and (is_telling or entities.count_specifics(headline)):
            return bare if not (is_short and commits) else f'{bare.rstrip(".")}: "{commits[-1]}"'
        if commits:
            return f'committed "{commits[-1]}"'
    return ""


def _drop_goodbye(headline: str, before: Sequence[Exchange]) -> str:
    """Return a result without short sentences behind it that speak of nothing before: "Good evening, Harriet."."""
    first, *behind = split_sentences(headline)
    known = find_content_words(_join_texts(before)) if behind else frozenset()
    kept = [text for text in behind if count_words(text) > MIN_LAST_WORDS or _is_on_work(text, known)]
    return " ".join([first, *kept])
