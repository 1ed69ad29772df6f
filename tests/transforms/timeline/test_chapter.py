"""A chapter tells a week that ended, and the same rows tell it in the same bytes."""

from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path
from typing import cast

import polars as pl

from effects.pages.timeline_step import timeline
from effects.system.templates import render_template
from tests.effects.recall_world import AS_OF, filled
from transforms.tables.rows import DistillateRow
from transforms.tables.schema import DISTILLATES, OBSERVATIONS, SEGMENTS, build_frame
from transforms.timeline.chapter import build_chapters, name_week

GOLDEN = Path(__file__).parents[2] / "golden" / "timeline.md"


def test_weeks_have_the_names_of_iso() -> None:
    """A week of January may belong to the year before."""
    assert [name_week(date(2026, 5, 17)), name_week(date(2027, 1, 3)), name_week(date(2026, 1, 1))] == [
        "2026-W20", "2026-W53", "2026-W01",
    ]  # fmt: skip


def test_the_page_of_a_week(tmp_path: Path) -> None:
    """Narratives, decisions and commits of each project; `UPDATE_GOLDEN=1` writes the golden page again."""
    run = filled(tmp_path, is_indexed=False)
    commit = run.lake.read("observations").filter(pl.col("observation_id") == "o-ttl").drop("schema_version").with_columns(
        observation_id=pl.lit("o-commit"), kind=pl.lit("completion"), text=pl.lit('Committed "Cache sessions in Redis"')
    )  # fmt: skip
    with run.lake.writing("test"):
        day = commit["day"][0]
        with run.lake.commit() as change:
            change.replace("observations", pl.concat([run.lake.read("observations", [day]).drop("schema_version"), commit]), day)
        assert timeline(run)["written"] == 2  # the chapter and the index
        assert timeline(run)["written"] == 0
    page = (run.settings.workspace / "timeline" / "2026-W07.md").read_text(encoding="utf-8")
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_week_that_goes_on_has_no_chapter(tmp_path: Path) -> None:
    """It is told when it has ended."""
    run = filled(tmp_path, is_indexed=False)
    frames = {name: run.lake.read(name) for name in ("observations", "segments", "distillates")}
    weeks = [chapter.name for chapter in build_chapters(frames, AS_OF.date(), "Joel") if "W" in chapter.name]
    assert [chapter.name for chapter in build_chapters(frames, date(2026, 2, 15), "Joel") if "W" in chapter.name] == []
    assert weeks == ["2026-W07"]
    empty = {
        "observations": OBSERVATIONS.make_empty(),
        "segments": SEGMENTS.make_empty(),
        "distillates": DISTILLATES.make_empty(),
    }
    assert build_chapters(empty, AS_OF.date(), "Joel") == []


def test_a_week_names_pushed_commits_and_those_that_only_narratives_name(tmp_path: Path) -> None:
    """A pushed commit is one, too, and the budget of a window may leave no fact of a commit; none is named twice."""
    run = filled(tmp_path, is_indexed=False)
    frames = {name: run.lake.read(name) for name in ("observations", "segments", "distillates")}
    text = 'Committed and pushed "Cache sessions in Redis, not in memory" (4f1c2aa): edited cache.ts.'
    narrative = 'Joel asked to cache sessions. Committed "Cache sessions in Redis…"; "Drop the lookup" and 2 more.'
    is_one = pl.col("observation_id") == "o-ttl"
    frames["observations"] = frames["observations"].with_columns(
        kind=pl.when(is_one).then(pl.lit("completion")).otherwise("kind"),
        text=pl.when(is_one).then(pl.lit(text)).otherwise("text"),
    )
    frames["segments"] = frames["segments"].with_columns(narrative=pl.lit(narrative), ended_at=pl.lit(AS_OF))
    [chapter] = build_chapters(frames, AS_OF.date(), "Joel")
    assert [project.committed for project in chapter.projects if project.name == "shop"] == [
        ("Cache sessions in Redis, not in memory", "Drop the lookup")
    ]


def test_commits_stand_in_order_of_time_and_the_page_says_how_many_more_there_are_and_where(tmp_path: Path) -> None:
    """Twelve of twenty stood there as if they were all, those that narratives name behind the others."""
    run = filled(tmp_path, is_indexed=False)
    frames = {name: run.lake.read(name) for name in ("observations", "segments", "distillates")}
    one = frames["observations"].filter(pl.col("observation_id") == "o-ttl")
    rows = [
        one.with_columns(
            observation_id=pl.lit(f"o-{hour}"), kind=pl.lit("completion"), text=pl.lit(f'Committed "step {hour}"'),
            said_at=pl.lit(one["said_at"][0] + timedelta(minutes=hour)),
        )
        for hour in range(14)
    ]  # fmt: skip
    frames["observations"] = pl.concat(rows)
    began = one["said_at"][0] + timedelta(minutes=3)
    frames["segments"] = frames["segments"].with_columns(
        narrative=pl.lit('Committed "told between".'),
        ended_at=pl.lit(began + timedelta(seconds=1)),
        project=pl.lit(one["project"][0]),
    )
    [chapter] = build_chapters(frames, AS_OF.date(), "Joel")
    [project] = chapter.projects
    assert project.committed[:6] == ("step 0", "step 1", "step 2", "step 3", "told between", "step 4")
    assert project.more_committed == f"3 more, in the daily log of {one['day'][0]}"


def test_a_month_is_told_from_its_distillate_and_links_its_weeks() -> None:
    """Marks and dates of the condensed text become sections and sentences; a week belongs to the month of its Thursday."""
    text = (
        "The form refuses, but\n\n"
        '- 🔴 Rule: "never deploy after 18:00, whatever it is" (03-02)\n'
        '- 🟡 Asked: "add that dependency" Outcome: The linter reads the types of all modules now. (03-31)\n'
        "- ✅ Committed: store: move to postgres (03-05)"
    )
    month = {
        "distillate_id": "d-march", "tier": 3, "project": "/code/shop", "period_start": date(2026, 3, 1),
        "period_end": date(2026, 3, 31), "text": text, "child_ids": [], "entry_refs": [], "input_tokens": 90, "output_tokens": 80,
        "level": 0, "engine": "offline",
    }  # fmt: skip
    frames = {
        "observations": OBSERVATIONS.make_empty(), "segments": SEGMENTS.make_empty(),
        "distillates": build_frame(DISTILLATES, [cast(DistillateRow, month)]),
    }  # fmt: skip
    [chapter] = build_chapters(frames, date(2026, 6, 1), "Joel")
    [project] = chapter.projects
    assert (chapter.name, chapter.title, project.distillate_id) == ("2026-03", "March 2026", "d-march")
    [decided], [done] = project.content.decided, project.content.done
    assert decided.text == "On 2 March Joel set a rule: “never deploy after 18:00, whatever it is”."
    assert done.text == "On 31 March Joel asked: “add that dependency”. The linter reads the types of all modules now."
    page = render_template("pages/timeline.md.j2", chapter=chapter)
    assert not set("🔴🟡🟢✅") & set(page)


def test_a_week_tells_no_sentence_twice(tmp_path: Path) -> None:
    """What a paragraph says is left out of the story above it; what none says stands there."""
    run = filled(tmp_path, is_indexed=False)
    frames = {name: run.lake.read(name) for name in ("observations", "segments", "distillates")}
    outcome, other = "Sessions are kept in Redis for sixty seconds.", "The lookup of the old shop takes two seconds."
    is_one = pl.col("observation_id") == "o-ttl"
    text = f'User asked: "keep sessions elsewhere" Outcome: {outcome}'
    frames["observations"] = frames["observations"].filter(is_one).with_columns(
        kind=pl.lit("request"), text=pl.lit(text), superseded_by=pl.lit(None, pl.String)
    )  # fmt: skip
    frames["segments"] = frames["segments"].with_columns(narrative=pl.lit(f"{outcome} {other}"))
    [chapter] = build_chapters(frames, AS_OF.date(), "Joel")
    [project] = [project for project in chapter.projects if project.content.is_full]
    assert project.story == other
    assert project.content.done[0].text.endswith(outcome)
