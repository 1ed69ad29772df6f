"""Asking an engine about a window: one that answers in process, or models; an exception becomes the reason of a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from effects.engines.model_chain import Unanswered
from effects.engines.observer import Observer, Part, template_hash
from effects.store.run import Run
from effects.store.run_record import one_line
from transforms.conversation.entries import Entry
from transforms.distil.budget import budget_of, serialized_tokens
from transforms.distil.distilled import Distilled, Engine
from transforms.distil.grounding import failure_of
from transforms.windowing.segments import segment

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine made of a window: a result, or the reason why there is none, and what the rows are stamped with."""

    result: Distilled | None
    reason: str = ""
    engine: str = ""
    stamp: str = ""
    is_attempt: bool = True
    is_waiting: bool = False


Ask = Callable[[Row, list[Entry], list[str]], Answer]


def stamp_of(engine: Engine, run: Run) -> str:
    """What the rows are stamped with: for the offline engine its version and the budget, which decide what it keeps."""
    return f"{engine.template_hash}@{run.settings.distil.budget:g}" if engine.name == "offline" else engine.template_hash


def asking(engine: Engine, run: Run) -> Ask:
    """Asks an engine that answers in process."""
    stamp = stamp_of(engine, run)

    def ask(_row: Row, entries: list[Entry], told: list[str]) -> Answer:
        budget = budget_of(serialized_tokens(entries), run.settings.distil.budget)
        try:
            result = engine.distil(entries, segment(entries), told, budget)
        except Exception as error:  # noqa: BLE001  one window that breaks an engine must not stop the run; it is failed and visible
            return Answer(None, one_line(error)[:200], engine.name, stamp)
        reason = failure_of(result, entries)
        return Answer(None if reason else result, reason, engine.name, stamp)

    return ask


def observing(observer: Observer) -> Ask:
    """Asks the models of the settings; failures that are not the window's fault cost it no attempt."""

    def ask(row: Row, entries: list[Entry], told: list[str]) -> Answer:
        first = observer.chain.models[0]
        engine, stamp = f"{first.way}:{first.name}", template_hash(first.way)
        part = Part(entries, segment(entries), told, row["project"] or "", row["kind"], row["attempts"] or 0)
        try:
            given = observer.observe(part)
            return Answer(given.result, "", given.engine, given.stamp)
        except Unanswered as error:
            return Answer(None, str(error), engine, stamp, is_attempt=error.is_asked, is_waiting=error.is_waiting)
        except Exception as error:  # noqa: BLE001  as above
            return Answer(None, one_line(error)[:200], engine, stamp)

    return ask
