"""Write the title and narrative of a topic: a few words, and one to three sentences on request, work and outcome."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from transforms.exchanges import claims
from transforms.exchanges.actions import find_touched_paths, format_file_names
from transforms.exchanges.current_values import ValueHistory, find_assignments
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases, entities
from transforms.language.clauses import parse_clause
from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.sentences import (
    OTHER_FULL_STOPS,
    find_content_words,
    join_lines,
    shorten,
    split_sentences,
)
from transforms.language.tokenizer import find_telling_words
from transforms.offline.replies.outcomes import find_outcome, says_little
from transforms.offline.salience_factors import NARRATIVE
from transforms.offline.topics.form import DANGLING_END, TITLE_CLAUSE_WORDS, format_title, shorten_paths
from transforms.offline.topics.ordered_task import describe_task, find_imperative
from transforms.offline.work_facts import find_failed_check, group_by_commit
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.whole_words import drop_fillers, find_news, names_speakers
from transforms.tables.window_tables import WORK_ON
from transforms.words.word_classes import ARTICLES, DEMONSTRATIVES, OBJECTS, POSSESSIVES, QUANTIFIERS

_PRONOUN = compile_late(r"\b(?:it|that|this|these|those|them|they)\b", re.I)
_READING_VERB = compile_late(r"(?:read|look|check|see|continue|wait|go on|open|say|write some|think)\b", re.I)
_DETERMINERS = ARTICLES | DEMONSTRATIVES | POSSESSIVES | OBJECTS | QUANTIFIERS
_JOINING = _DETERMINERS | {"with", "without", "to", "of", "for", "from", "in", "into", "on", "at", "by", "and", "or"}
"""Articles and pronouns, and also prepositions and conjunctions: the word behind one is no verb."""
_ACT_WEIGHT: dict[str, float] = {
    "rule": 0.7, "decision": 0.6, "preference": 0.6, "request": 0.6, "correction": 0.5, "report": 0.5,
    "question": 0.35, "statement": 0.3, "agreement": 0.05, "chatter": 0.0,
}  # fmt: skip


ROOMY_CHARS = 150
"""With less room the title stands for the request and the narrative holds the outcome alone."""
CLEAR_TOPIC_WEIGHT = 0.6
"""A sentence with less weight is a worse title than a commit message."""
HEADLINE_CHARS = 80
DEICTIC_CHARS = 40
"""A task that says "it" or "that" within so many characters is not a title."""
MIN_REFUSING = 0.5
"""Learned share of a correction from which a message refuses what was done; below it, it only answers."""
REQUEST_CHARS, OUTCOME_CHARS, REFUSAL_CHARS, COMMIT_CHARS = 170, 170, 80, 70
"""Longest quotations in a narrative."""
NARRATIVE_COMMITS = 2
MIN_PART_CHARS = 40
"""A sentence is cut to the remaining room only if so much of it is left."""
FIRST_EXCHANGES = 5
"""Exchanges of a topic in which its leading sentence may stand."""
SHORT_SENTENCE_CHARS = 8
QUOTE_MARGIN = 12
"""Characters around a quotation that is the whole narrative."""
SCORE_TOLERANCE = 1e-9
"""Scores that differ by less are equal, so that the result does not depend on the machine."""
LONG_OUTCOME_CHARS = 60
"""An outcome of this length describes the topic without a quotation of the person."""


def write_title(exchanges: list[Exchange]) -> str:
    """Return a title of one clause that fits into a line: a clear task as an imperative, else a commit's subject, an assertion,
    the files worked on, or the question. A person's remark is not a title.
    """
    sentence = _choose_leading_sentence(exchanges)
    task = describe_task(sentence) if sentence and not sentence.is_question else ""
    if sentence and task and _weigh_sentence(sentence) >= CLEAR_TOPIC_WEIGHT and not _PRONOUN.search(task[:DEICTIC_CHARS]):
        return format_title(task.removeprefix("Find out why: "))
    commits = [commit.detail for exchange in exchanges for _, commit in group_by_commit(exchange)]
    if commits:
        return format_title(commits[0])
    result = _write_result_title(exchanges)
    if result and sentence and sentence.assertion == "problem":
        return result
    if sentence and sentence.assertion in (
        "rule",
        "preference",
        "convention",
        "decision",
        "state_change",
        "correction",
        "problem",
    ):
        return format_title(sentence.text)
    if files := list(dict.fromkeys(path for exchange in exchanges for path in exchange.files)):
        return result or f"{WORK_ON}{format_file_names(files, 2)}"
    if sentence and (task or sentence.is_question):
        return format_title(task or sentence.text)
    for exchange in exchanges:
        text = claims.choose_headline(exchange.final_reply.text if exchange.final_reply else "", HEADLINE_CHARS)
        title = format_title(text) if text and not exchange.is_refuted(text) else ""
        if title and not (sentence and says_little(title)):
            return title
    if sentence:
        return format_title(sentence.text)
    return _describe_unspoken_work(exchanges, 2)[0].removesuffix(".") or "Conversation"


def _write_result_title(exchanges: Sequence[Exchange]) -> str:
    """Return what the last change of files came to, as the agent said it, where that is one whole clause that names something;
    else empty. A value may change again."""
    last = next((exchange for exchange in reversed(exchanges) if exchange.files), None)
    if last is None or last.final_reply is None or last.is_rejected or last.is_undone or last.is_doubted:
        return ""
    first = next(iter(split_sentences(claims.choose_headline(last.final_reply.text, HEADLINE_CHARS))), "")
    title = format_title(first) if first else ""
    is_result = not (claims.is_talk(first) or cue_phrases.HEDGE.search(first) or find_assignments(first))
    is_cut = title.endswith("…") or DANGLING_END.sub("", title) != title
    is_whole = not is_cut and len(find_content_words(title)) >= TITLE_CLAUSE_WORDS
    is_named = bool(entities.count_specifics(title)) and not last.is_refuted(first)
    return title if is_result and is_whole and is_named else ""


def write_narrative(exchanges: list[Exchange], owner: str, history: ValueHistory, limit: int) -> tuple[str, tuple[int, ...]]:
    """Return a narrative of at most `limit` characters, and the ordinals of its sources."""
    ordinals: list[int] = []
    parts: list[str] = []
    outcome, outcome_ordinals = _describe_outcome(exchanges, history)
    if sentence := _choose_leading_sentence(exchanges):
        is_titled = find_content_words(write_title(exchanges)) <= find_content_words(sentence.text)
        is_quote = (
            not find_imperative(join_lines(sentence.text))
            and sentence.assertion is None
            and sum(map(len, outcome)) > LONG_OUTCOME_CHARS
        )
        is_worded = (limit > ROOMY_CHARS or not is_titled) and not is_quote
        parts += [describe_request(sentence, owner, _find_news(exchanges, sentence))] if is_worded else []
        ordinals += [exchange.user.ordinal for exchange in exchanges if exchange.user and sentence in exchange.message.sentences][
            :1
        ]
    parts += outcome
    refusals = [later for exchange, later in itertools.pairwise(exchanges) if exchange.is_rejected and later.user]
    if refusals and refusals[0].user and sentence not in refusals[0].message.sentences:
        words = shorten(join_lines(refusals[0].typed).replace('"', "'"), REFUSAL_CHARS)
        verb = "refused" if not refusals[0].acts or refusals[0].acts.get("correction", 0.0) >= MIN_REFUSING else "answered"
        parts.append(f'{owner} {verb} the first result ("{words}").')
        ordinals.append(refusals[0].user.ordinal)
    ordinals += outcome_ordinals
    text = ""
    for part in parts:
        room = limit - len(text) - 1
        if room < min(MIN_PART_CHARS, len(part)):
            break
        text = f"{text} {_close_quotes(shorten(part, room))}".strip()
    if not text and sentence:
        text = shorten(describe_request(sentence, owner), limit)
    if not text:
        text, extra = _describe_work(exchanges, limit)
        ordinals += extra
    return text, tuple(dict.fromkeys(ordinals)) or exchanges[0].ordinals[:1]


def _close_quotes(text: str) -> str:
    """Return the text with quotation marks and brackets closed that a cut left open."""
    text += '"' if text.count('"') % 2 else ""
    return text + (")" if text.count("(") > text.count(")") else "")


def _find_news(exchanges: Sequence[Exchange], sentence: ClassifiedSentence) -> str:
    """Return the short sentence right before one that tells something ("tent ordered!"), empty where there is none."""
    messages = (exchange.message for exchange in exchanges if not exchange.is_unread)
    return next((find_news(message, [sentence])[0] for message in messages if sentence in message.sentences), "")


def describe_request(sentence: ClassifiedSentence, owner: str, news: str = "") -> str:
    """Return `User asked to port a.ts …` for an imperative, else the quotation, in which every path stays as it was written.

    `news` is the short sentence before it, which tells something. Who speaks of "I" is quoted.
    A verb may be a noun ("port 4040 clashes with …"): what may have a subject is quoted.
    """
    words = join_lines(f"{news} {sentence.text}")
    bare = find_imperative(shorten(shorten_paths(words), REQUEST_CHARS).rstrip(".!"))
    is_order = bool(bare) and not _may_have_subject(bare)
    if is_order and not names_speakers(bare) and (len(find_content_words(bare)) > 2 or entities.count_specifics(bare)):
        return f"{owner} asked to {cue_phrases.EXPLETIVE.sub('', bare[:1].lower() + bare[1:])}."
    verb = (
        "asked"
        if sentence.is_question or sentence.act == "request"
        else {
            "correction": "objected",
            "report": "reported",
            "decision": "decided",
            "rule": "laid down",
            "preference": "wants",
        }.get(sentence.act, "asked" if is_order else "said")
    )
    text = shorten(words, REQUEST_CHARS).rstrip(".!")
    return f'{owner} {verb}: "{drop_fillers(text).replace(chr(34), chr(39)) or text}".'


def _may_have_subject(text: str) -> bool:
    """Whether the first words of a text may be its subject, in its first clause: no noun has an article or pronoun behind it."""
    words = re.split(r"[,;:] ", text, maxsplit=1)[0].split()
    if len(words) > 1 and words[1].lower() in _DETERMINERS:
        return False
    plain = " ".join(
        word
        for before, word in itertools.pairwise(["", *words])
        if before.lower() not in _JOINING and not {".", "/", "'"} & set(word[1:-1])
    )
    return parse_clause(plain, plain).subject != "none"


def _choose_leading_sentence(exchanges: list[Exchange]) -> ClassifiedSentence | None:
    """Return the sentence a topic is about: an early one that asks or decides, and whose words recur."""
    best, best_score = None, 0.0
    seen_from: list[frozenset[str]] = [frozenset()]  # the words from each exchange on, the last one first
    for later in reversed(exchanges):
        reply = find_content_words(later.final_reply.text) if later.final_reply else frozenset()
        seen_from.append(seen_from[-1] | find_content_words(later.typed) | reply)
    for position, exchange in enumerate(exchanges[:FIRST_EXCHANGES]):
        seen = seen_from[len(exchanges) - position]
        for sentence in exchange.message.informative:
            score = (
                _weigh_sentence(sentence)
                - NARRATIVE.per_exchange * min(position, NARRATIVE.max_exchanges)
                + NARRATIVE.per_recurring_word
                * min(len([word for word in find_content_words(sentence.text) if word in seen]), NARRATIVE.max_recurring_words)
            )
            score *= NARRATIVE.undone if exchange.is_undone else 1.0
            if score > best_score + SCORE_TOLERANCE:
                best, best_score = sentence, score
    return best


def _weigh_sentence(sentence: ClassifiedSentence) -> float:
    """Return how well a sentence names the subject of a topic."""
    if len(sentence.text) <= SHORT_SENTENCE_CHARS or (
        sentence.is_question and cue_phrases.STATUS_CHECK.match(cue_phrases.FILLER.sub("", sentence.text))
    ):
        return NARRATIVE.empty
    if not sentence.text.isascii() and not find_telling_words(sentence.text):
        return NARRATIVE.empty
    reads = NARRATIVE.reading if _READING_VERB.match(find_imperative(sentence.text)) else 0.0
    return (
        _ACT_WEIGHT[sentence.act]
        + NARRATIVE.per_specific * min(entities.count_specifics(sentence.text), NARRATIVE.max_specifics)
        + NARRATIVE.per_word * min(len(find_content_words(sentence.text)), NARRATIVE.max_words)
        - reads
    )


def _describe_outcome(exchanges: list[Exchange], history: ValueHistory) -> tuple[list[str], list[int]]:
    """Return sentences and sources: the last result that was not rejected; then commits or files; then the last failure."""
    parts: list[str] = []
    ordinals: list[int] = []
    for exchange in sorted(exchanges, key=lambda exchange: (not exchange.files, -exchange.index)):  # changes before words
        text, cited = find_outcome(exchange, history, OUTCOME_CHARS, asks=exchange.message.act == "question")
        if text and not (find_assignments(text) and exchange.files):  # a value may change again: it is a row of its own
            parts.append(text if text.endswith((".", "…", "!", *OTHER_FULL_STOPS)) else f"{text}.")
            ordinals += cited
            break
    actions = [action for exchange in exchanges for action in exchange.actions]
    text_so_far = " ".join(parts)
    commits = [commit for exchange in exchanges for _, commit in group_by_commit(exchange) if commit.detail not in text_so_far]
    if commits:
        shown = "; ".join(f'"{shorten(commit.detail, COMMIT_CHARS)}"' for commit in commits[:NARRATIVE_COMMITS])
        more = f" and {len(commits) - NARRATIVE_COMMITS} more" if len(commits) > NARRATIVE_COMMITS else ""
        parts.append(f"Committed {shown}{more}.")
        ordinals += [commit.ordinal for commit in commits[:NARRATIVE_COMMITS]]
    elif files := find_touched_paths(actions):
        parts.append(f"Changed {format_file_names(files)}.")
        ordinals += [action.ordinal for action in actions if action.path in files and action.kind in ("create", "edit")][:2]
    if problem := find_failed_check(exchanges, ("check", "publish")):
        parts.append(f"The last `{problem.detail}` failed.")
        ordinals.append(problem.ordinal)
    return parts, ordinals


def _describe_work(exchanges: list[Exchange], limit: int) -> tuple[str, list[int]]:
    for exchange in exchanges:
        for entry in exchange.agent_messages:
            text = claims.choose_headline(entry.text, limit)
            if text and not exchange.is_refuted(text):
                return text, [entry.ordinal]
        if exchange.user and exchange.typed.strip():
            quotation = shorten(join_lines(exchange.typed), limit - QUOTE_MARGIN)
            return f'Said: "{quotation}".', [exchange.user.ordinal]
    text, ordinals = _describe_unspoken_work(exchanges, 3)
    if not text and (said := [entry for exchange in exchanges for entry in exchange.agent_messages]):
        return shorten(f'The agent said: "{join_lines(said[-1].text)}', limit - 2).replace(chr(10), " ") + '".', [
            said[-1].ordinal
        ]
    return (text, ordinals) if text else ("Nothing was said or done beyond settings.", [])


def _describe_unspoken_work(exchanges: list[Exchange], limit: int) -> tuple[str, list[int]]:
    """Return `Read a.go, b.go and 6 more.` or the last command, of work that no word accompanies; empty without work."""
    actions = [action for exchange in exchanges for action in exchange.actions]
    if reads := [action for action in actions if action.kind == "read" and action.path]:
        return f"Read {format_file_names([action.path for action in reads], limit)}.", [action.ordinal for action in reads[:2]]
    if runs := [action for action in actions if action.detail]:
        detail, is_cut_commit = shorten(runs[-1].detail, COMMIT_CHARS), runs[-1].kind == "commit" and not runs[-1].is_known
        return f'Set out to commit "{detail}".' if is_cut_commit else f"Ran `{detail}`.", [runs[-1].ordinal]
    return "", []
