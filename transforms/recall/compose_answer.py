"""Turns ranked candidates into hits that cite their entries, and composes a short answer from excerpts of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from transforms.conversation.shown_lines import split_shown_lines
from transforms.language.sentences import join_sentences, split_sentences
from transforms.language.tokenizer import tokenize
from transforms.pages.page_names import shorten_project
from transforms.recall.answerability import EVIDENCE_HITS, Unanswerability
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_features import OWNER_ROLE
from transforms.recall.ranking_record import CITED_LINES, RankingRecord
from transforms.recall.types import Citation, Hit, fit_hits_to_budget
from transforms.tables.tokens import count_tokens

ANSWER_TOKENS = 240
"""Length of an answer when no budget is given: four or five facts."""
ANSWER_SHARE = 3
"""The answer takes at most the third part of a budget for answer and hits together."""
ANSWER_HITS = 5
FIRST_LINE_CHARS, LINE_CHARS = 300, 180
"""Characters of the first line of an answer and of the others."""
GAP_CHARS = 2
"""Most characters between two sentences of an excerpt."""
RESTATED_SHARE = 0.7
"""Share of a line's words from which it restates the lines before it: a fact, its turn and the narrative of both are one line."""

ABOUT = " (about: "
"""After this a fact repeats the words that it answers: they may be in the answer already while the reply is new."""

_SPEAKER_LABELS = {
    "user": "User", "assistant": "Agent", "paste": "Pasted", "skill": "Skill", "command": "Command", "system": "System",
    "extension": "Extension", "parent_agent": "Parent agent",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of an answer: its budget in tokens and the zone of its days.

    `today` is set when the question asks when something happened: the first line then begins with the day and its age. With
    `is_past` the question asks how it was before: a replaced fact is no restatement, though its words stand beside what holds.
    `own` are the projects that the question is about, None for all: a citation names any other one.
    """

    budget: int
    zone: ZoneInfo
    today: date | None = None
    is_past: bool = False
    own: Collection[str] | None = None


def make_hits(
    rows: Sequence[RankingRecord], folded: Sequence[tuple[RankedCandidate, list[int]]], max_tokens: int | None
) -> list[Hit]:
    """Make hits of folded candidates; the duplicates folded under one add their citations. The rows have the reader's columns."""
    hits = [_make_hit(rows, candidate, duplicates) for candidate, duplicates in folded]
    return list(fit_hits_to_budget(hits, None if max_tokens is None else max_tokens - limit_answer_tokens(max_tokens)))


def describe_nearest_hit(hits: Sequence[Hit], weights: Mapping[str, float], zone: ZoneInfo) -> str:
    """Return an excerpt of the best hit that was said, with its citation, for a question without an answer."""
    nearest = min(hits, key=lambda hit: hit.is_action, default=None)
    return _add_citation(nearest, cut_excerpt(nearest.text, weights, FIRST_LINE_CHARS), zone) if nearest else ""


def describe_doubt(unanswerability: Unanswerability) -> str:
    """Return a sentence that says that an answer is only the nearest evidence, and why; empty when recall is sure."""
    if not unanswerability.is_unsure:
        return ""
    return f"Unsure: {unanswerability.reason}." if unanswerability.reason else "Unsure."


def limit_answer_tokens(max_tokens: int | None) -> int:
    """Return the tokens that an answer may take of a budget for answer and hits together."""
    return ANSWER_TOKENS if max_tokens is None else min(max_tokens // ANSWER_SHARE, ANSWER_TOKENS)


def cut_excerpt(text: str, weights: Mapping[str, float], limit: int = LINE_CHARS) -> str:
    """Return the stretch of whole sentences or lines, at most `limit` characters, with most of the question's term weight, plain
    and on one line."""
    sentences = _split_shown_sentences(text)
    if len(whole := join_sentences(sentences)) <= limit:
        return whole
    term_weights = [{word: weights[word] for word in tokenize(sentence) if word in weights} for sentence in sentences]
    best_weight, excerpt = -1.0, ""
    for start in range(len(sentences)):
        end, size, covered = start + 1, len(sentences[start]), dict(term_weights[start])
        while end < len(sentences) and size + GAP_CHARS + len(sentences[end]) <= limit:
            size += GAP_CHARS + len(sentences[end])
            covered |= term_weights[end]
            end += 1
        weight = sum(covered.values())
        if weight > best_weight + 1e-9:
            best_weight, excerpt = weight, join_sentences(sentences[start:end])
    return excerpt if len(excerpt) <= limit else excerpt[: limit - 1].rsplit(" ", 1)[0] + "…"


def compose_answer(hits: Sequence[Hit], weights: Mapping[str, float], form: AnswerForm) -> str:
    """Compose excerpts of the best hits, each with its citation: the first is the answer, the others add something new.

    What was said goes before what was run: a command names the subject and answers nothing.
    """
    lines: list[str] = []
    known: set[str] = set()
    for hit in sorted(hits[:EVIDENCE_HITS], key=lambda hit: hit.is_action):
        text = _cut_hit(hit, weights, LINE_CHARS if lines else FIRST_LINE_CHARS)
        terms = set(tokenize(text.split(ABOUT)[0]))
        is_former = form.is_past and hit.superseded_by is not None
        if lines and not is_former and len(terms & known) >= RESTATED_SHARE * len(terms):
            continue
        label = _label_speaker(hit, text)
        speaker = f"{label}: " if label else ""
        day = _format_day(hit, form.zone, form.today) if form.today is not None and not lines else ""
        line = day + speaker + _add_citation(hit, text, form.zone, form.own)
        if lines and count_tokens("\n".join([*lines, line])) > form.budget:
            continue
        lines.append(line)
        known |= terms
        if len(lines) == ANSWER_HITS:
            break
    return "\n".join(lines)


def _split_shown_sentences(text: str) -> list[str]:
    """Return the sentences of a text, plain; the day that ends a condensed line stays with its sentence."""
    sentences: list[str] = []
    for part in (part for line in split_shown_lines(text) for part in split_sentences(line)):
        is_day = part.startswith("(") and part.strip("()-").replace("-", "").isdigit()
        sentences[-1:] = [f"{sentences[-1]} {part}"] if is_day and sentences else [*sentences[-1:], part]
    return sentences


def _label_speaker(hit: Hit, excerpt: str) -> str:
    """Return who wrote an excerpt: words that a user only pasted are nobody's wish. Empty for a fact, which names the speaker."""
    label = _SPEAKER_LABELS.get(hit.speaker or "", "")
    if not hit.quoted or hit.speaker != OWNER_ROLE:
        return label
    ends = [0, *hit.quoted, len(hit.text)]
    own = (hit.text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))
    is_own = any(
        sentence.rstrip(":") in excerpt or excerpt in sentence for part in own for sentence in _split_shown_sentences(part)
    )
    return label if is_own else _SPEAKER_LABELS["paste"]


def _cut_hit(hit: Hit, weights: Mapping[str, float], limit: int) -> str:
    """Return the excerpt of a hit. A fact keeps its beginning, which names the speaker: its end may quote another remark."""
    excerpt = cut_excerpt(hit.text, weights, limit)
    text = join_sentences(_split_shown_sentences(hit.text))
    if hit.source != "observation" or text.startswith(excerpt.removesuffix("…")):
        return excerpt
    beginning = text[: limit // 2].rsplit(" ", 1)[0]
    return f"{beginning} … {cut_excerpt(hit.text, weights, limit - len(beginning) - 3)}"


def _format_day(hit: Hit, zone: ZoneInfo, today: date) -> str:
    if hit.said_at is None:
        return ""
    day = hit.said_at.astimezone(zone).date()
    age = (today - day).days
    return f"{day} ({'today' if not age else 'yesterday' if age == 1 else f'{age} days ago'}): " if age >= 0 else f"{day}: "


def _is_elsewhere(hit: Hit, own: Collection[str] | None) -> bool:
    """Whether a hit belongs to a project that the question is not about."""
    return own is not None and hit.project is not None and hit.project not in own


def _add_citation(hit: Hit, text: str, zone: ZoneInfo, own: Collection[str] | None = None) -> str:
    """Return the text with the hit's id, its local day, its project where that is another one, and its successor."""
    day = str(hit.said_at.astimezone(zone).date()) if hit.said_at else ""
    project = shorten_project(hit.project) if _is_elsewhere(hit, own) else ""
    successor = f", replaced by {hit.superseded_by}" if hit.superseded_by else ""
    return f"{text} [{', '.join(part for part in (hit.id, day, project) if part)}{successor}]"


def _make_hit(rows: Sequence[RankingRecord], candidate: RankedCandidate, duplicates: Sequence[int]) -> Hit:
    row = rows[candidate.index]
    return Hit(
        id=row["id"],
        source=row["source"],
        text=row["text"],
        kind=row["kind"],
        priority=row["priority"],
        project=row["project"],
        session_id=row["session_id"],
        entry_ids=tuple(row["entry_ids"] or ())[:CITED_LINES],
        lines=tuple(row["lines"] or ())[:CITED_LINES],
        said_at=row["said_at"],
        score=candidate.score,
        superseded_by=row["superseded_by"],
        also=_cite_other_sessions(row, [rows[index] for index in duplicates]),
        speaker=row["speaker"] if row["source"] == "turn" else None,
        quoted=tuple(row.get("quoted") or ()),
        is_action=row["source"] == "turn" and row["position"] is None,
    )


def _cite_other_sessions(row: RankingRecord, duplicates: Sequence[RankingRecord]) -> tuple[Citation, ...]:
    """Return the citations of other sessions: those of the row itself, and those of its duplicates."""
    session = row["session_id"]
    cited: dict[str, tuple[list[str], list[int]]] = {}
    for reference in row["also"] or ():
        other, _, entry = reference.partition(":")
        if other != session:
            cited.setdefault(other, ([], []))[0].append(entry)
    for duplicate in duplicates:
        if duplicate["session_id"] and duplicate["session_id"] != session:
            entries, lines = cited.setdefault(duplicate["session_id"], ([], []))
            entries.extend(entry for entry in duplicate["entry_ids"] or () if entry not in entries)
            lines.extend(line for line in duplicate["lines"] or () if line not in lines)
    return tuple(
        Citation(other, tuple(entries[:CITED_LINES]), tuple(lines[:CITED_LINES]))
        for other, (entries, lines) in sorted(cited.items())
    )
