"""Cuts excerpts: the stretch of a text with most of the question's words, plain and on one line, each with its speaker.

`weights` are those of the question's words; words in `near` cover a part of them (`transforms/answers/near_words.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from transforms.answers.near_words import NO_NEAR_WORDS, NearWords, add_cover, cover_words
from transforms.conversation.shown_lines import split_shown_lines
from transforms.exchanges.denials import denies_anything
from transforms.language.assertions import weigh_rule
from transforms.language.clauses import parse_clause
from transforms.language.cue_phrases import FILLER
from transforms.language.sentences import join_sentences, split_sentences
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.closed_cut import MORE, cut_closed
from transforms.quoting.speaker_labels import AGENT_ROLE, OWNER_ROLE, SPEAKER_LABELS, SpokenText, label_stretch, split_spoken_text
from transforms.recall.types import Hit

FIRST_LINE_CHARS, LINE_CHARS = 400, 240
"""Characters of the first line of an answer and of the others. With shorter lines an answer of the same length has more of them,
and holds what it must less often."""
GAP_CHARS = 2
"""Most characters between two sentences of an excerpt."""
LEAST_STRETCH_CHARS = 40
"""Less room than this tells nothing of what another speaker wrote in the same turn, and a shorter stretch little."""
FRAGMENT_WORDS = 6
"""Most words of a sentence that answers by denying, "Not in the repository checkout.": what stands behind it means another thing
without it."""
_LEAD = compile_late(r"[^\W\d_][^:\"“.!?]{0,40}: [\"“]")
"""The words of ours before a quotation."""


def cut_excerpt(
    text: str,
    weights: Mapping[str, float],
    limit: int = LINE_CHARS,
    near: NearWords = NO_NEAR_WORDS,
    *,
    is_agents: bool = False,
) -> str:
    """Return the stretch of whole sentences or lines, at most `limit` characters, with most of the question's term weight, plain
    and on one line, and with its brackets and quotation marks closed."""
    whole, start, end = find_excerpt(text, weights, limit, near, is_agents=is_agents)
    return cut_closed(whole, limit, start, end)


def find_excerpt(
    text: str, weights: Mapping[str, float], limit: int, near: NearWords = NO_NEAR_WORDS, *, is_agents: bool = False
) -> tuple[str, int, int]:
    """Return a text plain and on one line, and where the stretch of `cut_excerpt` stands in it: all of it when it has room.

    Of stretches with the same weight a longer one goes before "Perfect!" and `User decided: "1.`. In an agent's text what follows
    the question's words answers them more often than what stands before (`_move_on`); a person says first what he wants.
    """
    sentences = split_shown_sentences(text)
    if len(whole := join_sentences(sentences)) <= limit:
        return whole, 0, len(whole)
    covers = [cover_words(sentence, weights, near) for sentence in sentences]
    if lead := _LEAD.match(sentences[0]):  # "User decided:" is in every decision, and a question asks what was decided
        covers[0] = cover_words(sentences[0][lead.end() :], weights, near)
    best_score, best = (-1.0, 0), (0, 1)
    for start in range(len(sentences)):
        end, size, covered = start + 1, len(sentences[start]), dict(covers[start])
        while end < len(sentences) and size + GAP_CHARS + len(sentences[end]) <= limit:
            size += GAP_CHARS + len(sentences[end])
            add_cover(covered, covers[end])
            end += 1
        score = round(sum(covered.values()), 9), min(size, LEAST_STRETCH_CHARS)
        if score > best_score:
            best_score, best = score, (start, end)
    best = _move_on(sentences, covers, best, limit) if is_agents else best
    best = _find_denial(sentences, best[0]), best[1]
    first, last = (join_sentences(sentences[:number]) for number in (best[0] + 1, best[1]))
    return whole, len(first) - len(sentences[best[0]]), len(last)


def _move_on(
    sentences: Sequence[str], covers: Sequence[Mapping[str, float]], stretch: tuple[int, int], limit: int
) -> tuple[int, int]:
    """Return a stretch without what stands before the question's words, but for one sentence, if what follows takes the room.

    A line that leads to the next one ("run this:") has the beginning of it: the answer stands there.
    """
    start, end = stretch
    if not any(covers[start:end]):
        return stretch
    while end < len(sentences) and start + 1 < end and not covers[start] and not covers[start + 1]:
        start += 1
        size = sum(len(sentence) + GAP_CHARS for sentence in sentences[start:end])
        while end < len(sentences) and size + len(sentences[end]) <= limit:
            size += len(sentences[end]) + GAP_CHARS
            end += 1
    leads = end < len(sentences) and sentences[end - 1].endswith(":")
    return start, end + leads


def lead_with_rule(whole: str, start: int, end: int) -> str:
    """Return a person's rule from the sentence that binds on, behind its lead, if a stretch of it has none: "nice, I like that."

    Empty where the stretch has one, or nothing behind it binds.
    """
    lead = _LEAD.match(whole)
    if lead is None or any(map(_binds, split_sentences(whole[max(start, lead.end()) : end]))):
        return ""
    said = split_sentences(whole[end:].partition('"')[0])
    place = next((number for number, sentence in enumerate(said) if _binds(sentence)), None)
    return "" if place is None else f"{lead[0]}{MORE} {whole[whole.index(said[place], end) :]}"


def _binds(sentence: str) -> bool:
    bare = FILLER.sub("", sentence).strip()
    return weigh_rule(parse_clause(bare, bare)) > 0


def _find_denial(sentences: Sequence[str], start: int) -> int:
    """Return the place of a fragment that denies what stands behind it, right before a stretch or the lines that lead to it; else
    the stretch's own."""
    place = start
    while place and sentences[place - 1].endswith(":"):
        place -= 1
    before = sentences[place - 1] if place else ""
    return place - 1 if 0 < len(before.split()) <= FRAGMENT_WORDS and denies_anything(before) else start


def cut_spoken(hit: Hit, weights: Mapping[str, float], limit: int, near: NearWords = NO_NEAR_WORDS) -> str:
    """Return the excerpt of a turn behind the name of its speaker; of a turn that several wrote, each one's words with his name.

    Of such a turn the stretch with most of the question's words comes whole, the owner's before others', and what is left of the
    room goes to the next ones.
    """
    stretches = split_spoken_text(hit.text, hit.speaker, hit.quoted)
    if len(stretches) == 1:
        is_agents = stretches[0].label == SPEAKER_LABELS[AGENT_ROLE]
        return label_stretch(stretches[0].label, cut_excerpt(stretches[0].text, weights, limit, near, is_agents=is_agents))
    excerpts = [cut_excerpt(stretch.text, weights, limit, near) for stretch in stretches]
    covered = [fsum(cover_words(excerpt, weights, near).values()) for excerpt in excerpts]
    order = sorted(range(len(stretches)), key=lambda place: (-covered[place], not _is_owners(stretches[place]), place))
    room, shown = limit, dict[int, str]()
    is_whole = sum(len(label_stretch(*stretch)) + 1 for stretch in stretches) <= limit
    for place in order:
        tells = is_whole or not shown or covered[place] > 0 or _is_owners(stretches[place])
        if tells and room >= LEAST_STRETCH_CHARS and (excerpt := cut_excerpt(stretches[place].text, weights, room, near)):
            shown[place] = excerpt
            room -= len(stretches[place].label) + len(excerpt) + GAP_CHARS + 1
    return _join_stretches([SpokenText(stretches[place].label, shown[place]) for place in sorted(shown)])


def _join_stretches(stretches: Sequence[SpokenText]) -> str:
    """Return stretches behind their speakers' names; between two of one speaker something was left out."""
    text = ""
    for number, stretch in enumerate(stretches):
        is_same = number > 0 and stretch.label == stretches[number - 1].label
        text += f" {MORE} {stretch.text}" if is_same else f" {label_stretch(*stretch)}"
    return text.strip()


def _is_owners(stretch: SpokenText) -> bool:
    return stretch.label == SPEAKER_LABELS[OWNER_ROLE]


def split_shown_sentences(text: str) -> list[str]:
    """Return the sentences of a text, plain; the day that ends a condensed line stays with its sentence."""
    sentences: list[str] = []
    for part in (part for line in split_shown_lines(text) for part in split_sentences(line)):
        is_day = part.startswith("(") and part.strip("()-").replace("-", "").isdigit()
        sentences[-1:] = [f"{sentences[-1]} {part}"] if is_day and sentences else [*sentences[-1:], part]
    return sentences
