"""Asks a model how new facts relate to earlier ones: many pairs in one cheap request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import NamedTuple

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask
from effects.system.templates import render_template
from transforms.distil.row_grounding import escape_row
from transforms.language.sentences import shorten
from transforms.pages.page_names import shorten_project
from transforms.pairing.candidates import CandidatePair, PairRow
from transforms.pairing.relations import (
    RelationAnswer,
    mark_pairs,
    match_kept,
    match_relations,
    number_lines,
    parse_relation_lines,
)
from transforms.tables.enums import Relation

RELATION_TEMPLATES = ("llm/relations.md.j2", "llm/pairs.md.j2", "llm/reask.md.j2")
PAIR_ROW_CHARS = 600
"""Longest row of a request where it is shown whole: what goes on to hold of a replaced fact can stand at its end."""
AGAIN_CHARS = 110
"""Characters of a row that is shown whole elsewhere in the request: a fact begins with its assertion."""
JudgedRelations = dict[tuple[str, str], Relation]
"""(id of the older fact, id of the newer one) → their relation."""


class JudgedPairs(NamedTuple):
    """The relations of pairs, and of some replaced facts where the words begin and end that go on to hold."""

    relations: JudgedRelations
    kept: dict[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PairJudge:
    """A chain of models that is asked about pairs."""

    chain: Chain
    owner: str
    zone: tzinfo

    def judge(self, groups: Sequence[Sequence[CandidatePair]], attempt: int = 0) -> ModelAnswer[JudgedPairs]:
        """Return the relation of every pair; each group holds the pairs of one new fact. A request with another number of the
        attempt is another one.

        Raises:
            NoAnswerError: when no model gave a usable answer.
        """

        def read(form: str, answer: str) -> JudgedPairs:
            """Return the relation of each pair by their ids; pairs that the answer leaves out are unrelated."""
            parse: Callable[[str], RelationAnswer] = parse_relation_lines if form == "xml" else RelationAnswer.model_validate_json
            parsed = parse(answer)
            return JudgedPairs(match_relations(parsed, groups), match_kept(parsed, groups))

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: the groups of numbered pairs."""
            return render_pairs(groups, self.owner, self.zone, form)

        return self.chain.ask(ModelTask(RELATION_TEMPLATES, RelationAnswer, render, read, attempt=attempt))


def render_pairs(groups: Sequence[Sequence[CandidatePair]], owner: str, zone: tzinfo, form: str) -> tuple[str, str]:
    """Return the system and the user prompt that show each new fact with its earlier ones below it.

    Lines of MEMORY.md stand once before all facts, and below a fact by their marks. A fact is whole where it is the new one, else
    where it comes first; elsewhere its beginning stands, and where it is whole.
    """
    lines = number_lines(groups)
    whole = {group[0].newer.id: str(number) for number, group in enumerate(groups, 1)}
    shown = []
    for number, group in enumerate(groups, 1):
        marked = mark_pairs(group, groups)
        earlier = []
        for mark, pair in marked:
            if pair.older.id not in lines:
                place = whole.setdefault(pair.older.id, f"{number}{mark}")
                earlier.append((mark, _format_row(pair.older, pair.newer, zone, "" if place == f"{number}{mark}" else place)))
        near = [mark for mark, pair in marked if pair.older.id in lines]
        newer = group[0].newer
        shown.append((shorten_project(newer.project), _format_row(newer, newer, zone), earlier, near))
    texts = [(mark, _shorten_row(row.text, PAIR_ROW_CHARS)) for mark, row in lines.values()]
    prompt = render_template("llm/pairs.md.j2", groups=shown, lines=texts)
    return render_template("llm/relations.md.j2", owner=owner, format=form), prompt


def _format_row(row: PairRow, newer: PairRow, zone: tzinfo, place: str = "") -> str:
    """Return a row as a request shows it; `place` is where it stands whole, if elsewhere: day and kind stand there, too."""
    project = f"{shorten_project(row.project)}: " if row.project != newer.project else ""
    text = _shorten_row(row.text, AGAIN_CHARS if place else PAIR_ROW_CHARS)
    if place and text.endswith("…"):
        return f"{project}{text} (whole: {place})"
    return f"{row.said_at.astimezone(zone):%Y-%m-%d} [{row.kind}] {project}{text}"


def _shorten_row(text: str, most: int) -> str:
    """Return a text as a row shows it; whatever is left out of it, a whole sentence too, leaves "…"."""
    whole = escape_row(text)
    shown = shorten(whole, most)
    return shown if shown == whole or shown.endswith("…") else f"{shown} …"
