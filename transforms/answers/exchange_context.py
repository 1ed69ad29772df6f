"""What a hit answers and what answered it, because owners speak in answers ("the second, but not with the flag").

The fact then stands in the agent's question, menu or plan right before, or in its first sentence after. A short hit that was
said, and a fact of the offline engine, which quotes such a turn, come with the sentences of the turns before and after that have
most of the question's words; else with the last ones before and the first ones after. A fact in a model's words stands alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from transforms.answers.excerpts import cut_excerpt, split_shown_sentences
from transforms.exchanges.choosing.answered_question import PRONOUNS
from transforms.exchanges.denials import is_refuted, join_denied_words
from transforms.language import cue_phrases
from transforms.language.sentences import QUESTION_MARKS, join_sentences, split_words
from transforms.language.tokenizer import tokenize
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.closed_cut import FULL_SHARE, cut_closed
from transforms.quoting.speaker_labels import (
    AGENT_ROLE,
    OWNER_ROLE,
    SPEAKER_LABELS,
    label_spoken_text,
    label_stretch,
    list_foreign_spans,
    split_spoken_text,
)
from transforms.recall.ranking_features import find_turns_around
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import ContextLine, Hit

CONTEXT_CHARS = 220
"""Most characters of what stands before a hit, and of what stands after it."""
SHORT_CHARS = 300
"""A longer hit says itself what it is about."""
ANSWER_CHARS = 120
"""Room that is kept for the owner's answer to what an agent proposes beside a hit: without it the proposal seems to hold."""
LATER_TURNS = 3
"""Turns behind a guess about a cause in which it is refuted."""
LEAST_CONTEXT_CHARS = 40
"""Less room than this tells nothing."""
MOST_NOTING_WORDS = 2
"""Words of a reply that only takes note of what was said."""
_VALUE = compile_late(r"[\d`/_?:]|\w[A-Z]")
"""A number, a name in code, a path or a question."""
ContextRows = tuple[int | None, ...]
"""The candidates that were said right before and right after a hit, and the reply to the latter where that asks for one."""
FACT, TURN = "observation", "turn"
FOREIGN_ROLES = SPEAKER_LABELS.keys() - {OWNER_ROLE, AGENT_ROLE}
"""Speakers that are neither the owner nor the agent in the conversation."""


def find_context_rows(rows: Sequence[RankingRecord], hits: Sequence[int]) -> dict[int, ContextRows]:
    """Return, for each of these hits that has any, the candidates that were said right before and right after it, and the reply
    to what came after. An agent's turn that asks something has the owner's next words, however long it is.

    The hits have the reader's columns.
    """
    turns = find_spoken_turns(rows, [index for index in hits if len(rows[index].get("text") or "") <= SHORT_CHARS])
    proposals = {index: index for index in hits if index not in turns and _proposes(rows[index])}
    around = find_turns_around(rows, sorted({*turns.values(), *proposals.values()}))
    by_hit = {hit: tuple(_select(rows, place) for place in around[turn]) for hit, turn in turns.items()}
    by_hit |= {hit: (None, _select_owners(rows, around[turn][1])) for hit, turn in proposals.items()}
    later = {
        hit: places[1]
        for hit, places in by_hit.items()
        if turns.get(hit) == hit and places[1] is not None and (_proposes(rows[places[1]]) or _is_refined(rows, hit, places[1]))
    }
    behind = find_turns_around(rows, sorted({*later.values()}))
    by_hit |= {hit: (*by_hit[hit], reply) for hit, after in later.items() if (reply := _reply(rows, after, behind)) is not None}
    return {hit: places for hit, places in by_hit.items() if any(place is not None for place in places)}


def _is_refined(rows: Sequence[RankingRecord], hit: int, after: int) -> bool:
    """Whether the owner answers an agent's short turn: what he wants to know or changes there stands in the next reply."""
    return rows[hit]["speaker"] == AGENT_ROLE and rows[after]["speaker"] == OWNER_ROLE


def _reply(rows: Sequence[RankingRecord], after: int, behind: Mapping[int, tuple[int | None, int | None]]) -> int | None:
    """Return what the other one of owner and agent said next."""
    place, other = behind[after][1], OWNER_ROLE if rows[after]["speaker"] == AGENT_ROLE else AGENT_ROLE
    return place if place is not None and rows[place]["speaker"] == other else None


def _proposes(row: RankingRecord) -> bool:
    """Whether a turn is an agent's that asks something: what it proposes holds only as the owner answers it."""
    return row["position"] is not None and row["speaker"] == AGENT_ROLE and bool(row["question_share"])


def _select_owners(rows: Sequence[RankingRecord], place: int | None) -> int | None:
    return place if place is not None and rows[place]["speaker"] == OWNER_ROLE else None


def find_guesses(rows: Sequence[RankingRecord], places: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return, for each of these candidates in which the agent shortly states a cause, the candidates that were said next.

    The candidates have the reader's columns.
    """
    reached = {place: place for place in places if _states_cause(rows[place])}
    later: dict[int, tuple[int, ...]] = dict.fromkeys(reached, ())
    for _ in range(LATER_TURNS if reached else 0):
        around = find_turns_around(rows, sorted(set(reached.values())))
        reached = {place: behind for place, turn in reached.items() if (behind := around[turn][1]) is not None}
        later |= {place: (*later[place], behind) for place, behind in reached.items()}
    return later


def mark_refuted(rows: Sequence[RankingRecord], guesses: Mapping[int, Sequence[int]]) -> set[int]:
    """Mark the guesses that the turns behind them deny ("it was not the modem"), and return their places."""
    refuted = set[int]()
    for place, later in guesses.items():
        said = [rows[turn].get("text") or "" for turn in later if rows[turn]["speaker"] not in FOREIGN_ROLES]
        if is_refuted(rows[place].get("text") or "", join_denied_words(said)):
            rows[place]["is_refuted"] = True
            refuted.add(place)
    return refuted


def _states_cause(row: RankingRecord) -> bool:
    text = row.get("text") or ""
    is_short = len(text) <= SHORT_CHARS and row["position"] is not None and row["speaker"] == AGENT_ROLE
    return is_short and bool(cue_phrases.EXPLICIT_CAUSE.search(text))


def find_spoken_turns(rows: Sequence[RankingRecord], hits: Sequence[int]) -> dict[int, int]:
    """Return the spoken turn of each hit: itself, or of a quoting fact the turn that it quotes, if that is a candidate."""
    turns = {index: index for index in hits if rows[index]["position"] is not None}
    facts = [index for index in hits if rows[index]["source"] == FACT and rows[index]["cites"] is None]
    if not facts:
        return turns
    spoken = {row["id"]: index for index, row in reversed(list(enumerate(rows))) if row["position"] is not None}
    for index in facts:
        cited = [f"{rows[index]['session_id']}:{entry}" for entry in rows[index].get("entry_ids") or ()]
        known = [spoken[turn] for turn in cited if turn in spoken]
        owners = [turn for turn in known if rows[turn]["speaker"] == OWNER_ROLE]
        turns |= dict.fromkeys([index], (owners or known)[0]) if known else {}
    return turns


def _select(rows: Sequence[RankingRecord], place: int | None) -> int | None:
    """Return the place of a row that the owner or the agent said: pasted words neither ask nor answer."""
    return None if place is None or rows[place]["speaker"] in FOREIGN_ROLES else place


def make_context(
    rows: Sequence[RankingRecord], places: ContextRows, weights: Mapping[str, float], hit_text: str = ""
) -> tuple[ContextLine, ...]:
    """Return the lines around a hit with this text, from what `find_context_rows` has; these rows have the reader's columns."""
    lines: list[ContextLine] = []
    for step, place in enumerate(places):
        is_before, row = not step, rows[place] if place is not None else None
        if row is None or has_foreign_words(row):
            continue
        is_agents = row["speaker"] == AGENT_ROLE
        text = select_context(row.get("text") or "", weights, is_before, is_agents=is_agents)
        if not text:
            continue
        if is_agents and _says_nothing(text, hit_text):
            continue
        if is_before and is_agents and _is_of_other_work(row.get("text") or "", hit_text, weights):
            continue
        entry, number = (row.get("entry_ids") or [""])[0], next(iter(row.get("lines") or ()), None)
        lines.append(ContextLine(row["speaker"], text, entry, number, is_before))
    return tuple(lines)


def has_foreign_words(row: RankingRecord) -> bool:
    """Whether others wrote any of a turn, as its text is told."""
    return bool(list_foreign_spans(row.get("text") or "", row.get("quoted") or ()))


def _says_nothing(reply: str, hit_text: str) -> bool:
    """Whether a turn of the agent only takes note ("Done."): one or two words without a value, beside a hit that asks nothing."""
    is_short = len(split_words(reply)) <= MOST_NOTING_WORDS and reply.isascii() and not _VALUE.search(reply)
    return is_short and not hit_text.rstrip().endswith(QUESTION_MARKS)


def _is_of_other_work(before: str, hit_text: str, weights: Mapping[str, float]) -> bool:
    """Whether the words before a hit tell nothing about the question: the hit has words of the question, asks nothing and points
    at nothing ("it"), they have none and ask nothing, so what follows them begins something new."""
    is_bound = hit_text.rstrip().endswith(QUESTION_MARKS) or not PRONOUNS.isdisjoint(split_words(hit_text))
    if is_bound or not any(word in weights for word in tokenize(hit_text)):
        return False
    return not any(mark in before for mark in QUESTION_MARKS) and not any(word in weights for word in tokenize(before))


def select_context(
    text: str, weights: Mapping[str, float], is_before: bool, limit: int = CONTEXT_CHARS, *, is_agents: bool = False
) -> str:
    """Return the sentences of a neighbour, at most `limit` characters, that belong to the hit: those with the question's words,
    else the last ones of what stands before it, and the first ones of what stands after it."""
    excerpt = cut_excerpt(text, weights, limit, is_agents=is_agents)
    if not is_before or any(word in weights for word in tokenize(excerpt)):
        return excerpt
    last: list[str] = []
    for sentence in reversed(split_shown_sentences(text)):
        if last and len(join_sentences([sentence, *last])) > limit:
            break
        last.insert(0, sentence)
    return cut_excerpt(join_sentences(last), weights, limit)


def add_context(hit: Hit, said: str, limit: int) -> tuple[str, tuple[ContextLine, ...]]:
    """Return what a hit says with its context, each turn with its speaker, within `limit` characters, and the lines with room.

    A turn stands between what was said before and after it; a fact goes before both, because it names its speaker.
    """
    room, shown, beside = limit - len(said), list[ContextLine](), len(list_beside(hit.context))
    answers = [line for line in hit.context[beside:] if line.speaker == OWNER_ROLE]
    kept = sum(min(len(_place(hit, line)) + 1 + LEAST_CONTEXT_CHARS, ANSWER_CHARS) for line in answers)
    room -= kept
    for number, line in enumerate(hit.context):
        room += kept if number == beside else 0
        name = len(_place(hit, replace(line, text=""))) + 1
        share = room // max(beside - number, 1) - name
        left = room - name - sum(len(_place(hit, other)) + 1 for other in hit.context[number + 1 : beside])
        share = left if len(line.text) <= left else share  # what a short neighbour leaves, if a line then stands whole
        text = cut_excerpt(line.text, {}, share) if share >= LEAST_CONTEXT_CHARS else ""
        if text and not (line.speaker == AGENT_ROLE and _says_nothing(text, hit.text)):
            shown.append(replace(line, text=text))
            room -= len(_place(hit, shown[-1])) + 1
    before = [_place(hit, line) for line in shown if line.is_before]
    after = [_place(hit, line) for line in shown if not line.is_before]
    return " ".join([said, *before, *after] if hit.source == FACT else [*before, said, *after]), tuple(shown)


def list_beside(context: Sequence[ContextLine]) -> list[ContextLine]:
    """Return the lines of a context without the reply to what was said after: that moves no hit; an agent's has the room left."""
    after = next((number for number, line in enumerate(context) if not line.is_before), len(context))
    return list(context[: after + 1])


def _place(hit: Hit, line: ContextLine) -> str:
    """Return a line of the context as it stands beside its hit."""
    return f"({describe_context(line)})" if hit.source == FACT else _label(line)


def describe_context(line: ContextLine) -> str:
    """Return a line of the context behind its place: `before: Agent: Which period should they show?`."""
    return f"{'before' if line.is_before else 'after'}: {_label(line)}"


def _label(line: ContextLine) -> str:
    return label_stretch(SPEAKER_LABELS.get(line.speaker or "", ""), line.text)


def join_exchange(hit: Hit, limit: int | None = None) -> str:
    """Return the text of a hit with its speakers and its context on one line, cut to `limit` characters: its own words first."""
    return join_context(hit, limit)[0]


def join_context(hit: Hit, limit: int | None = None) -> tuple[str, tuple[ContextLine, ...]]:
    """Return the text of `join_exchange`, and the lines of the context that stand in it."""
    text = " ".join(label_spoken_text(hit.text, hit.speaker, hit.quoted).split())
    if limit is not None and len(text) > limit:
        return _cut_stretches(hit, limit), ()
    return add_context(hit, text, len(text) + 3 * CONTEXT_CHARS if limit is None else limit) if hit.context else (text, ())


def _cut_stretches(hit: Hit, limit: int) -> str:
    """Return the beginning of a turn with its speakers; the last name has words behind it."""
    text = ""
    for label, stretch in split_spoken_text(hit.text, hit.speaker, hit.quoted):
        labelled = label_stretch(label, " ".join(stretch.split()))
        if text and limit - len(text) < LEAST_CONTEXT_CHARS:
            break
        text = f"{text} {cut_closed(labelled, limit - len(text) - 1)}" if text else cut_closed(labelled, limit, least=FULL_SHARE)
    return text


def list_exchanges(hits: Iterable[Hit], limit: int, most: int) -> list[tuple[Hit, str]]:
    """Return the first `most` hits with their texts of `join_exchange`, each exchange once.

    A turn that stands whole beside an earlier hit has no line of its own, and beside a later hit it does not stand again.
    """
    shown: set[tuple[str | None, str]] = set()
    listed: list[tuple[Hit, str]] = []
    for hit in hits:
        if len(listed) == most:
            break
        if hit.source == TURN and not shown.isdisjoint(name_entries(hit)):
            continue
        text, context = join_context(leave_out_shown(hit, shown), limit)
        shown |= name_entries(hit) | name_shown(hit, context)
        listed.append((hit, text))
    return listed


def name_entries(hit: Hit) -> set[tuple[str | None, str]]:
    """Return the entries of a hit that is a turn; none of what only quotes turns."""
    return {(hit.session_id, entry) for entry in hit.entry_ids} if hit.source == TURN else set()


def name_shown(hit: Hit, context: Iterable[ContextLine]) -> set[tuple[str | None, str]]:
    """Return the entries of the lines of a hit's context that stand whole beside it."""
    return {(hit.session_id, line.entry_id) for line in context if line in hit.context}


def leave_out_shown(hit: Hit, shown: Collection[tuple[str | None, str]]) -> Hit:
    """Return a hit without the lines of its context that stand elsewhere in the answer already."""
    return replace(hit, context=tuple(line for line in hit.context if (hit.session_id, line.entry_id) not in shown))
