"""Asking an engine about a window: one that answers in process, or models; an exception becomes the reason of a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from effects.engines.model_chain import NoAnswerError
from effects.engines.observer import Observer, ObserverInput, compute_observer_hash
from effects.store.run import Run
from effects.store.run_record import one_line
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow, Engine
from transforms.distil.output_checks import find_output_failure
from transforms.distil.window_budget import compute_budget, count_serialized_tokens
from transforms.windowing.segments import segment

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WindowResult:
    """What an engine made of a window: a result, or the reason why there is none, and what the rows are stamped with."""

    result: DistilledWindow | None
    reason: str = ""
    engine: str = ""
    stamp: str = ""
    is_attempt: bool = True
    is_waiting: bool = False


DistilWindow = Callable[[Row, list[Entry], list[str]], WindowResult]


def compute_version_token(engine: Engine, run: Run) -> str:
    """What the rows are stamped with: for the offline engine its version and the budget, which decide what it keeps."""
    return f"{engine.template_hash}@{run.settings.distil.budget:g}" if engine.name == "offline" else engine.template_hash


def make_engine_distiller(engine: Engine, run: Run) -> DistilWindow:
    """Asks an engine that answers in process."""
    stamp = compute_version_token(engine, run)

    def ask(_row: Row, entries: list[Entry], told: list[str]) -> WindowResult:
        budget = compute_budget(count_serialized_tokens(entries), run.settings.distil.budget)
        try:
            result = engine.distil(entries, segment(entries), told, budget)
        except Exception as error:  # noqa: BLE001  one window that breaks an engine must not stop the run; it is failed and visible
            return WindowResult(None, one_line(error)[:200], engine.name, stamp)
        reason = find_output_failure(result, entries)
        return WindowResult(None if reason else result, reason, engine.name, stamp)

    return ask


def make_model_distiller(observer: Observer) -> DistilWindow:
    """Asks the models of the settings; failures that are not the window's fault cost it no attempt."""

    def ask(row: Row, entries: list[Entry], told: list[str]) -> WindowResult:
        first = observer.chain.models[0]
        engine, stamp = f"{first.way}:{first.name}", compute_observer_hash(first.way)
        part = ObserverInput(entries, segment(entries), told, row["project"] or "", row["kind"], row["attempts"] or 0)
        try:
            given = observer.observe(part)
            return WindowResult(given.result, "", given.engine, given.stamp)
        except NoAnswerError as error:
            return WindowResult(None, str(error), engine, stamp, is_attempt=error.is_asked, is_waiting=error.is_waiting)
        except Exception as error:  # noqa: BLE001  as above
            return WindowResult(None, one_line(error)[:200], engine, stamp)

    return ask
