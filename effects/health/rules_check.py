"""Whether windows were distilled by rules that do not know the owner's language, although a model distils now."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from effects.engines.registry import list_observer_models
from effects.health.check import Check
from effects.store.run import Run
from transforms.attribution.typed_language import TypedLanguage, describe_language
from transforms.tables.enums import OFFLINE


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
