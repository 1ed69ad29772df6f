"""Renders hits as lines of text for a model within a token budget: a compact list first, full texts on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from zoneinfo import ZoneInfo

from transforms.answers.exchange_context import describe_context, list_exchanges
from transforms.language.sentences import split_words
from transforms.pages.page_names import label_projects
from transforms.quoting.closed_cut import cut_as_line, cut_closed
from transforms.quoting.speaker_labels import SUMMARY_ROLE, label_spoken_text
from transforms.recall.types import Answer, Hit, format_timestamp
from transforms.tables.enums import STANDING_KINDS
from transforms.tables.fact_notes import name_origin
from transforms.tables.ids import shorten_id
from transforms.tables.tokens import count_tokens

HIT_LINE_CHARS = 160
"""Characters of a hit in the list: 40 tokens with its id, so that ten fit in 600."""
LINES_ANSWER_SHARE = 3
"""The answer takes at most the third part of the budget."""

ABOVE = "(quoted above)"
"""Stands in the list for words of a hit that the evidence has already."""

OMITTED = "more do not fit max_tokens: raise it or narrow the search."
SHOW = "memory_show ID has the whole of one, with the original words."


def render_answer(
    answer: Answer,
    zone: ZoneInfo,
    max_tokens: int,
    is_detailed: bool = False,
    *,
    line_chars: int = HIT_LINE_CHARS,
    next_command: str = SHOW,
) -> str:
    """Return an answer as text within `max_tokens`: the answer, a line per hit, and the next command.

    Only a model's words are called an answer: excerpts are evidence, and a reader judges whether they answer the question.
    With `is_detailed` each hit has its full text and its citation; otherwise its first words, as many as `line_chars` allows,
    unless the evidence above quotes them.
    `next_command` tells how the whole of a hit is read.
    """
    head = [_format_headline(answer, max_tokens // LINES_ANSWER_SHARE)]
    quoted = "" if answer.answer is None else _join_words(head[0])
    fresh = f"; memory as of {format_timestamp(answer.fresh_as_of)}" if answer.fresh_as_of else ""
    texts = [(hit, "") for hit in answer.hits] if is_detailed else list_exchanges(answer.listed, line_chars, len(answer.hits))
    head.append(f"{len(texts)} hits ({answer.mode}{fresh}): id | date | kind | project | text" if texts else "No hits.")
    if answer.note:
        head.append(f"Note: {answer.note}")
    remaining_tokens = max_tokens - count_tokens("\n".join([*head, f"{len(texts)} {OMITTED} {next_command}"]))
    lines: list[str] = []
    names = name_projects(hit for hit, _ in texts)
    for hit, text in texts:
        line = format_hit_line(hit, zone, names[hit.project], ABOVE if _is_quoted(text, quoted) else text)
        line = "\n".join([line, *_list_details(hit)]) if is_detailed else line
        if count_tokens(line) + 1 > remaining_tokens:
            break
        lines.append(line)
        remaining_tokens -= count_tokens(line) + 1
    omitted = len(texts) - len(lines)
    foot = f"{omitted} {OMITTED} {next_command}" if omitted else next_command
    return "\n".join([*head, *lines, *([foot] if answer.hits else [])])


def format_hit_line(hit: Hit, zone: ZoneInfo, project: str, text: str = "") -> str:
    """Return a hit as one line: short id, day, kind, its successor, the name of its project, and the text if there is any."""
    return " | ".join([*_list_labels(hit, zone, project), *([text] if text else [])])


def _is_quoted(text: str, quoted: str) -> bool:
    """Whether the evidence has the words of a line one after the other, but for the last one, which may be cut."""
    words = _join_words(text)
    return bool(words.strip()) and (words if not text.endswith("…") else words.rstrip().rpartition(" ")[0] + " ") in quoted


def _join_words(text: str) -> str:
    return f" {' '.join(split_words(text))} "


def find_local_day(hit: Hit, zone: ZoneInfo) -> date | None:
    """Return the day of a hit in the owner's zone."""
    return hit.said_at.astimezone(zone).date() if hit.said_at else None


def name_projects(hits: Iterable[Hit]) -> dict[str | None, str]:
    """Return the names of the projects of an answer's hits: the last part of the path, more of it where two share that; without a
    project empty."""
    names: dict[str | None, str] = {None: ""}
    return names | label_projects({hit.project for hit in hits if hit.project is not None})


def shorten_cited_ids(text: str, hits: Iterable[Hit]) -> str:
    """Return an answer with short ids in its citations; `recollect show` and every tool take them."""
    ids = {name for hit in hits for name in (hit.id, hit.superseded_by, *(line.entry_id for line in hit.context)) if name}
    for name in sorted(ids, key=lambda name: (-len(name), name)):
        text = text.replace(name, shorten_id(name))
    return text


def name_kind(hit: Hit) -> str:
    """Return the kind of a fact, or the source of another hit; a summary of a compaction is an agent's.

    What nobody approved is no rule in another project: it was said there. A fact that the owner did not state names who did.
    """
    is_foreign = hit.elsewhere and hit.kind in STANDING_KINDS and hit.source == "observation"
    kind = "said" if is_foreign else hit.kind or hit.source
    return "agent's summary" if hit.speaker == SUMMARY_ROLE else f"{kind} {name_origin(hit.origin)}".rstrip()


def _format_headline(answer: Answer, max_tokens: int) -> str:
    if answer.answer is not None:
        label = f"{answer.doubt} The nearest evidence:" if answer.doubt else "Answer:" if answer.engine else "Evidence:"
        return f"{label} {_fit_lines(shorten_cited_ids(answer.answer, answer.hits), max_tokens * 4 - len(label))}"
    if answer.nearest:
        return f"{answer.abstention} Nearest: {cut_as_line(answer.nearest, HIT_LINE_CHARS)}"
    return answer.abstention


def _fit_lines(text: str, chars: int) -> str:
    """Return the first lines of an answer that have room together; of a first line without room its beginning."""
    lines = text.splitlines()
    while len(lines) > 1 and len("\n".join(lines)) > chars:
        lines.pop()
    return cut_closed("\n".join(lines), chars)


def _list_labels(hit: Hit, zone: ZoneInfo, project: str) -> list[str]:
    kind = name_kind(hit)
    if hit.superseded_by:
        kind += f", superseded by {shorten_id(hit.superseded_by)}"
    elif hit.until is not None:
        kind += f", until {hit.until.astimezone(zone).date()}"
    else:
        kind += "".join(f", {mark}" for mark in (hit.changed, hit.waits) if mark)
    return [shorten_id(hit.id), str(find_local_day(hit, zone) or "undated"), kind, project or "everywhere"]


def _list_details(hit: Hit) -> Iterator[str]:
    yield from (f"  {line}" for line in label_spoken_text(hit.text, hit.speaker, hit.quoted).splitlines())
    yield from (f"  {describe_context(line)}" for line in hit.context)
    if hit.session_id:
        also = f" and {len(hit.also)} other sessions" if hit.also else ""
        yield f"  said in {shorten_id(hit.session_id)}, lines {', '.join(map(str, hit.lines)) or '?'}{also}"
