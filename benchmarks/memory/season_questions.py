"""Asks memory at the end of a season about the facts that hold then: right in the first three hits, or stale in the first line.

A file `<questions>/<voice>.json` (id of the fact, question) has questions in the person's words. Without one they are mechanical:
the words that the lines of all states of a fact share, without those that recognise a state.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.memory.season_life import Life
from benchmarks.memory.season_voice import ALL, SeasonFact, mentions
from benchmarks.recall.bm25 import BM25
from effects.recall.ask import Recall, ask, open_recall
from effects.store.run import Run
from transforms.answers.exchange_context import join_exchange
from transforms.recall.types import Filters

FIRST = 3
"""Hits that count, as many as a reader looks at."""


def score_questions(life: Life, run: Run, day: int, questions: dict[str, str]) -> dict[str, float]:
    """Return shares of the questions about facts that hold, of recall and (`typed_…`) of BM25 over every typed line.

    A question is right when one of the first three hits, with what stands beside it, states the fact as it is, and the first line
    does not state it as it was.
    """
    holding = [fact for fact in life.voice.facts if life.voice.find_state(fact, day, life.days)]
    recall, typed = open_recall(run), BM25(life.typed)
    names = ("asked", "right_in_three", "stale_first", "unanswered", "typed_right_in_three", "typed_stale_first")
    counts = dict.fromkeys(names, 0)
    for fact in holding:
        question = questions.get(fact["id"]) or word_question(fact)
        texts, first = _ask(recall, fact, question)
        of_typed = [life.typed[number] for number in typed.rank(question)[:FIRST]]
        counts["asked"] += 1
        counts["unanswered"] += not first
        for prefix, lines, line in (("", texts, first), ("typed_", of_typed, "".join(of_typed[:1]))):
            is_stale = life.states_past(fact, line, day)
            counts[f"{prefix}stale_first"] += is_stale
            counts[f"{prefix}right_in_three"] += not is_stale and _is_among(life, fact, lines, day)
    return {key: value if key == "asked" else round(value / max(len(holding), 1), 3) for key, value in counts.items()}


def read_questions(folder: Path | None, voice: str) -> dict[str, str]:
    """Return the questions of a voice by fact, none when the folder has no file of it."""
    path = folder / f"{voice}.json" if folder else None
    return json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}


def word_question(fact: SeasonFact) -> str:
    """Return the words that the lines of all states share, without those that recognise a state."""
    states = fact["states"]
    shared = set.intersection(*(set(re.findall(r"\w+", state["line"].lower())) for state in states))
    own = [state["keys"] if len(states) > 1 else state["keys"][:1] for state in states]
    words = [word for word in re.findall(r"\w+", states[0]["line"]) if word.lower() in shared]
    return " ".join(word for word in words if not any(mentions(word, [group]) for keys in own for group in keys)) + "?"


def _ask(recall: Recall, fact: SeasonFact, question: str) -> tuple[list[str], str]:
    """Return the first hits with their context and the first line of the answer, or an empty line."""
    answer = ask(recall, question, Filters(project="all" if fact["project"] == ALL else fact["project"]))
    lines = [line for line in (answer.answer or "").splitlines() if line.strip()]
    return [join_exchange(hit) for hit in answer.hits[:FIRST]], lines[0] if lines else ""


def _is_among(life: Life, fact: SeasonFact, lines: list[str], day: int) -> bool:
    state = life.voice.find_state(fact, day, life.days)
    return state is not None and any(mentions(line, state["keys"]) for line in lines)
