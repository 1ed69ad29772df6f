"""Tells what is open in the projects of a question that asks for it: the next step that the last session of each left.

A next step is no document that a search could find, and the words of such a question ("what is left to do") stand anywhere.
"""

from __future__ import annotations

from collections.abc import Collection

from effects.recall.recall_state import Recall
from transforms.pages.page_names import shorten_project
from transforms.recall.question import Question
from transforms.recall.question_type import asks_for_open_work
from transforms.tables.window_tables import NOTHING_TO_DO

MOST_PROJECTS = 3
"""Projects of a question beyond which no single next step is meant."""


def describe_open_work(recall: Recall, question: Question, own: Collection[str] | None) -> str:
    """Return a note with the next step of each project that the question names, or is asked in; empty for other questions.

    As on a briefing, a last session that left nothing to do has none, and a task that was closed since ends it.
    """
    projects = question.projects or tuple(own or ())
    if not 0 < len(projects) <= MOST_PROJECTS or not asks_for_open_work(question.text):
        return ""
    import polars as pl  # few questions ask so, and importing it takes a third of a cold question's time

    from effects.store.forgotten import read_remembered
    from effects.tasks.task_step import read_tasks
    from transforms.memory.line_evidence import is_closed_work

    sessions = read_remembered(recall.run.lake, "sessions").filter(
        pl.col("project").is_in(projects) & pl.col("is_subagent").not_().fill_null(value=True)
    )
    windows = read_remembered(recall.run.lake, "windows").filter(pl.col("status") == "distilled")
    last = (
        windows.join(sessions.select("session_id", "project"), on="session_id")
        .sort("ended_at", "window_id")
        .group_by("project", maintain_order=True)
        .last()
    )
    steps = {row["project"]: (row["suggested_response"] or "", row["ended_at"]) for row in last.iter_rows(named=True)}
    open_steps = {project: text for project, (text, _) in steps.items() if text and not text.startswith(NOTHING_TO_DO)}
    if open_steps:
        tasks = read_tasks(recall.run).values()
        for project, text in [*open_steps.items()]:
            closed = {task["title"]: task["closed_at"] for task in tasks if task["project"] == project and task["closed_at"]}
            if is_closed_work(text, steps[project][1], closed):
                del open_steps[project]
    return "; ".join(
        f"to continue in {shorten_project(project)}: {open_steps[project]}" for project in projects if project in open_steps
    )
