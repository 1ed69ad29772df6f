"""The pipelines of what a person or an agent says at once: decisions, lines to remember, tasks, working memory.

They stand apart from those of nights, and each imports its own steps: somebody waits for these, and the steps of a night take
half a second to import.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flows.pipeline import Pipeline

if TYPE_CHECKING:
    from effects.store.run_record import Step
    from effects.tasks.task_step import TaskRequest
    from effects.tasks.working_memory import ContextRequest
    from transforms.tables.enums import Actor


def review_pipeline(*decisions: Step, is_confirmed: bool = False, is_exchanged: bool = False) -> Pipeline:
    """Return the pipeline that applies `decisions`, reads REVIEW.md back and renders it; an approved line is found at once.

    Decisions from the command line count first, and nothing expires here. `is_confirmed` allows that REVIEW.md rejects more than
    half of its proposals at once; `is_exchanged` reads and writes Todoist, too, if it is turned on.
    """
    from effects.index.index_step import index
    from effects.memory.review_step import review
    from effects.pages.render_step import render
    from effects.todoist.exchange import read_todoist, write_todoist

    steps: tuple[Step, ...] = (*decisions, partial(review, is_confirmed=is_confirmed), render)
    steps = (read_todoist, *steps, write_todoist) if is_exchanged else steps
    return Pipeline("review", (*steps, index))


def remember_pipeline(text: str, section: str | None, is_immediate: bool, actor: Actor, project: str | None = None) -> Pipeline:
    """Return the pipeline that saves a line on purpose; an immediate line is found by the next question."""
    from effects.memory.remember import remember
    from effects.memory.review_step import review
    from effects.pages.render_step import render

    save = partial(remember, text=text, section=section, is_immediate=is_immediate, actor=actor, project=project)
    steps: tuple[Step, ...] = (save, review, render)
    if is_immediate:
        from effects.index.index_step import index

        steps = (*steps, index)
    return Pipeline("remember", steps, {"now": is_immediate})


def context_pipeline(request: ContextRequest) -> Pipeline:
    """Return the pipeline that writes the working memory of a project."""
    from effects.tasks.working_memory import update_working_memory

    return Pipeline("context", (partial(update_working_memory, request=request),), {})


def tasks_pipeline(request: TaskRequest, *, is_shown: bool = False) -> Pipeline:
    """Return the pipeline that changes a task. What is closed must be `is_shown`: no page offers it any more, and the next
    question finds its outcome."""
    from effects.tasks.task_step import change_tasks

    step = partial(change_tasks, request=request)
    if not is_shown:
        return Pipeline("tasks", (step,), {})
    from effects.index.index_step import index
    from effects.pages.render_step import render

    return Pipeline("tasks", (step, render, index), {})
