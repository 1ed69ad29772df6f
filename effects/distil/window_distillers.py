"""Two ways to distil a window: an engine in this process, or models. An exception becomes the reason of a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from effects.distil.stored_weights import load_turn_classifier, load_usefulness_trees
from effects.distil.typed_words import read_typed_language
from effects.engines.model_chain import PreparedCall, Unanswered, ask_or_explain
from effects.engines.observer import MAX_ATTEMPTS, Observer, ObserverInput, compute_observer_hash
from effects.judging.kind_models import load_kind_models
from effects.store.error_log import describe_error, log_traceback
from effects.store.run import Run
from transforms.conversation.entries import Entry
from transforms.distil.earlier_facts import EarlierFact
from transforms.distil.engine_result import DistilledWindow, Engine, find_output_failure
from transforms.distil.modes import MODES
from transforms.distil.result_rows import DueWindowRow
from transforms.distil.window_budget import compute_budget
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.find_mode import find_mode
from transforms.friction.cures import add_cures, find_cures, take_cures
from transforms.friction.ran_commands import add_ran_commands, find_ran_commands
from transforms.offline.engine import OfflineEngine
from transforms.tables.enums import OFFLINE, AgentMode
from transforms.tables.tokens import count_tokens
from transforms.windowing.segments import segment_entries


@dataclass(frozen=True, slots=True)
class WindowResult:
    """The result of an engine for a window, or the reason why there is none; `engine` and `template_hash` go into its rows.

    `given_up`: why no model gave the result of the offline engine.
    """

    distilled: DistilledWindow | None
    reason: str = ""
    engine: str = ""
    template_hash: str = ""
    is_attempt: bool = True
    is_waiting: bool = False
    mode: AgentMode = "default"
    given_up: str = ""


MAX_FAILURE_CHARS = 200
CURE_SHARE = 0.5
"""Share of the budget that commands which cured a failure may take from the other facts."""

DistilWindow = Callable[[DueWindowRow, list[Entry], list[EarlierFact], list[Entry]], WindowResult]
"""Distils a window: its row, its entries, the former facts of its session, and the entries that a summary in it sums up."""


def build_offline_engine(run: Run, *, is_foreign: bool = False) -> OfflineEngine:
    """Return the offline engine of a run, with the learned classifiers of turns and the learned judge of its rows.

    `is_foreign`: whether most of what the owner types is not English.
    """
    classifier, usefulness = load_turn_classifier(), load_usefulness_trees()
    kinds = load_kind_models()
    return OfflineEngine(zone=run.zone, classifier=classifier, usefulness=usefulness, is_foreign=is_foreign, kinds=kinds)


def compute_version_token(engine: Engine, run: Run) -> str:
    """Return the version of an engine's results: for the offline engine its own version and the budget."""
    mode = "" if run.settings.distil.mode == "auto" else f"+{run.settings.distil.mode}"
    return f"{engine.template_hash}@{run.settings.distil.budget:g}{mode}" if engine.name == OFFLINE else engine.template_hash


def choose_mode(entries: list[Entry], run: Run) -> AgentMode:
    """Return the mode of the settings, else the one that the actions in these entries show."""
    mode = run.settings.distil.mode
    return find_mode(split_exchanges(entries)) if mode == "auto" else mode


def _prepare_engine(engine: Engine, entries: list[Entry], run: Run) -> tuple[Engine, AgentMode]:
    """Return the engine for a window, and the mode of its work; the offline engine gets the exchanges that show it."""
    if not isinstance(engine, OfflineEngine):
        return engine, choose_mode(entries, run)
    exchanges = tuple(split_exchanges(entries, engine.classifier))
    mode = find_mode(exchanges) if run.settings.distil.mode == "auto" else run.settings.distil.mode
    return replace(engine, mode=mode, exchanges=exchanges), mode


def make_engine_distiller(engine: Engine, run: Run) -> DistilWindow:
    """Return a function that distils with an engine in this process."""
    version_token = compute_version_token(engine, run)

    def distil_window(
        _window: DueWindowRow, entries: list[Entry], earlier: list[EarlierFact], summarised: list[Entry]
    ) -> WindowResult:
        """Distil a window with the offline engine, with the budget and the mode that its entries call for."""
        prepared, mode = _prepare_engine(engine, entries, run)
        # Only an owner who named a mode wants less: found by itself, it would cost facts that are important.
        share = run.settings.distil.budget * (1.0 if run.settings.distil.mode == "auto" else MODES[mode].share)
        budget, passage_tokens = compute_budget(entries, share)
        if isinstance(prepared, OfflineEngine):
            prepared = replace(prepared, passage_tokens=passage_tokens)
        cures = take_cures(find_cures(entries), round(CURE_SHARE * budget))
        budget -= sum(count_tokens(cure.text) for cure in cures)
        try:
            distilled = prepared.distil(entries, segment_entries(entries), [fact.text for fact in earlier], budget, summarised)
            commands = find_ran_commands(entries)
        except Exception as error:  # noqa: BLE001  a window that breaks an engine must not stop the run; it is `failed`
            log_traceback(run.settings.lake, error)
            return WindowResult(None, describe_error(error)[:MAX_FAILURE_CHARS], engine.name, version_token)
        reason = find_output_failure(distilled, entries)
        result = None if reason else add_ran_commands(add_cures(distilled, cures), commands)
        return WindowResult(result, reason, engine.name, version_token, mode=mode)

    return distil_window


def make_model_distiller(observer: Observer, run: Run) -> DistilWindow:
    """Return a function that asks the models of the settings; a failure that is not the window's fault is not an attempt."""

    @cache
    def build_offline() -> DistilWindow:
        """Return the offline engine, which most nights need not."""
        return make_engine_distiller(build_offline_engine(run, is_foreign=read_typed_language(run).is_other), run)

    def distil_window(
        window: DueWindowRow, entries: list[Entry], earlier: list[EarlierFact], summarised: list[Entry]
    ) -> WindowResult:
        """Ask the model chain about a window; without an answer, return the reason and whether the window waits. The offline
        engine distils what no model read in all its attempts: a refused or odd window has its owner's rules, too."""
        if is_given_up(window):
            return replace(build_offline()(window, entries, earlier, summarised), given_up=window["reason"] or "no model read it")
        first_model = observer.chain.models[0]
        engine, version_token = f"{first_model.backend}:{first_model.name}", compute_observer_hash(first_model.backend)
        mode = choose_mode(entries, run)

        def ask() -> WindowResult:
            """Return the checked answer of a model, with the cures that its entries show."""
            answer = observer.observe(_build_input(window, entries, earlier, mode))
            result = add_ran_commands(add_cures(answer.result, find_cures(entries)), find_ran_commands(entries))
            return WindowResult(result, "", answer.engine, answer.template_hash, mode=mode)

        result = ask_or_explain(run.settings.lake, ask)
        if isinstance(result, Unanswered):
            if result.is_asked and (window["attempts"] or 0) + 1 == MAX_ATTEMPTS:
                return replace(build_offline()(window, entries, earlier, summarised), given_up=result.reason)
            return WindowResult(None, result.reason, engine, version_token, result.is_asked, result.is_waiting)
        return result

    return distil_window


def is_given_up(window: DueWindowRow) -> bool:
    """Whether models failed at a window in all its attempts, and the offline engine has not tried: earlier versions left it."""
    return window["status"] == "failed" and window["attempts"] == MAX_ATTEMPTS and window["engine"] != OFFLINE


def make_collector(observer: Observer, run: Run, prepared: list[PreparedCall]) -> DistilWindow:
    """Return a function that notes the request about a window in `prepared` and sends nothing."""

    def collect_request(
        window: DueWindowRow, entries: list[Entry], earlier: list[EarlierFact], _summarised: list[Entry]
    ) -> WindowResult:
        """Prepare the request of a window for a batch instead of sending it; the window waits."""
        if not is_given_up(window):
            prepared.append(observer.prepare(_build_input(window, entries, earlier, choose_mode(entries, run))))
        return WindowResult(None, "it is in a batch", is_waiting=True)

    return collect_request


def _build_input(window: DueWindowRow, entries: list[Entry], earlier: list[EarlierFact], mode: AgentMode) -> ObserverInput:
    topics, project = segment_entries(entries), window["project"] or ""
    return ObserverInput(entries, topics, earlier, project, window["kind"], window["attempts"] or 0, mode)
