"""Whether what reads the owner's words knows their language: engine, model of the vectors, and the rules before a model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import orjson
import polars as pl

from effects.config.engine_chain import AUTO
from effects.embedding.embedder import BUNDLED, describe_model_command
from effects.embedding.multilingual_model import MULTILINGUAL_REQUIREMENT
from effects.engines.engine_finder import find_engines
from effects.engines.registry import list_observer_models
from effects.health.check import Check
from effects.judging.unread_clauses import describe_judged_language, is_foreign_language
from effects.store.run import Run
from transforms.attribution.typed_language import TypedLanguage, describe_language, describe_model_language
from transforms.pricing.engine_choice import advise_model
from transforms.tables.enums import OFFLINE


def check_language(run: Run, typed: TypedLanguage, period: timedelta) -> Iterator[Check]:
    """Yield a note for the offline engine, and one for the model of the vectors, where the owner types another language."""
    setting = run.settings.engine.observer.strip()
    is_foreign = is_foreign_language(typed)
    if (setting == OFFLINE or (setting == AUTO and _read_last_engine(run) == OFFLINE)) and (
        detail := describe_judged_language(typed)
    ):
        of_vectors = describe_model_language(typed, is_foreign=is_foreign) if run.settings.embedding.model == BUNDLED else ""
        also = f"; {of_vectors}" if of_vectors else ""
        yield Check("language", "note", f"{period.days} days up to your last session: {detail}{also}", advise_on_models(run))
        return
    if run.settings.embedding.model == BUNDLED and (detail := describe_model_language(typed, is_foreign=is_foreign)):
        yield Check("model language", "note", detail, "" if is_foreign else describe_model_command(MULTILINGUAL_REQUIREMENT))


def advise_on_models(run: Run) -> str:
    """Return the next command of an owner who needs a model: `recollect init`, or how to get one where this machine has none."""
    return advise_model(find_engines(run.settings.engine.base_url))


def _read_last_engine(run: Run) -> str:
    """Return the engine of the newest run that distilled; empty when none did."""
    runs = run.lake.read("runs").sort("started_at", "run_id", descending=True)
    engines = (orjson.loads(counts or "{}").get("distil", {}).get("engine") for counts in runs["counts"].to_list())
    return next(filter(None, engines), "")


def check_rules(run: Run, typed: TypedLanguage) -> Iterator[Check]:
    """Yield a note with the command that lets the model read those windows; nothing where the rules know the language."""
    if not describe_language(typed) or not list_observer_models(run):
        return
    is_by_rules = (pl.col("status") == "distilled") & (pl.col("engine") == OFFLINE)
    days = run.lake.scan("windows").filter(is_by_rules).select("day").collect()["day"].to_list()
    if not days:
        return
    windows = "1 window" if len(days) == 1 else f"{len(days)} windows"
    detail = (
        f"{windows} from before the model: rules read them, which do not know your language, and few of your rules came through"
    )
    yield Check("rules", "note", detail, f"recollect rebuild --redistil --since {min(days)!s} --dry-run (tells the cost)")
