"""The two steps of the exchange with Todoist: decisions in before the review, proposals out after the pages.

Every decision becomes the same event as one from REVIEW.md. When Todoist cannot be reached the night goes on, the run says so,
and the next exchange reads everything since the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from effects.memory.proposal_store import (
    OWNER_ACTOR,
    ProposalStore,
    open_proposals,
    promote_approved,
    save_proposals,
    set_words,
)
from effects.memory.review_page import build_review_items
from effects.memory.review_step import take_page_words
from effects.store.run import Counts, Run
from effects.system.errors import RecollectError
from effects.todoist.account import SentTask, TodoistState, read_state, read_token, write_state
from transforms.pages.review_decisions import is_too_many
from transforms.pages.review_md import ReviewItem
from transforms.pages.todoist_tasks import find_proposal, format_description, format_title, may_be_edited, shows_evidence
from transforms.tables.ids import hash_fields, hash_text

if TYPE_CHECKING:
    from effects.todoist.client import TodoistClient, TodoistError, TodoistTask


@dataclass
class Inbox:
    """The tasks of waiting proposals as read back: texts, and ids of completed and deleted ones."""

    edited: dict[str, str] = field(default_factory=dict)
    approved: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def read_todoist(run: Run) -> Counts:
    """Carry out the owner's decisions on the tasks: completed accepts, deleted rejects, an edited title edits; return counts.

    Off without the setting, and then it opens no connection. Tasks that all vanish at once (a deleted project) reject nothing.
    """
    if not run.settings.todoist.enabled:
        return {}
    state, store = read_state(run), open_proposals(run)
    try:
        client = open_client(run)
        changes = client.read_changes(state.sync_token)
        label = run.settings.todoist.label
        tasks = _name_tasks(store, state, (*changes.tasks, *(client.list_tasks(label) if changes.is_full else ())))
        if changes.is_full:
            tasks |= _find_missing(client, state, tasks)
    except RecollectError as error:
        return {"failed": 1, "problems": [f"{error.message}; {error.hint}"]}
    inbox = _sort_tasks(store, state, tasks, run.settings.todoist.rejected_label)
    if is_too_many(len(inbox.rejected), len(state.tasks)):
        store.problems.append(
            f"Todoist: {len(inbox.rejected)} tasks are gone at once, more than half. Nothing was rejected; the proposals wait in "
            "REVIEW.md and get new tasks, and `recollect review reject ID` rejects them"
        )
        inbox.rejected = []
    promoted = _decide(store, inbox)
    save_proposals(store)
    gone = [key for key, task in tasks.items() if task is None or task.is_done or task.is_deleted]
    _keep_state(run, state, tasks, gone, changes.token)
    counts = {"edited": len(inbox.edited), "approved": len(inbox.approved), "promoted": promoted, "rejected": len(inbox.rejected)}
    return {**counts, "problems": store.problems}


def write_todoist(run: Run) -> Counts:
    """Bring the tasks in step with the proposals that wait: new ones added, changed ones changed, decided ones taken away.

    It does nothing when this run could not read Todoist: a task that the owner edited meanwhile would be overwritten.
    """
    if not run.settings.todoist.enabled:
        return {}
    state, store = read_state(run), open_proposals(run)
    if state.read_at != run.as_of:
        return {"waiting": len(store.list_pending())}
    counts = {"added": 0, "changed": 0, "closed": 0, "deleted": 0}
    problems: list[str] = []
    try:
        refusals = _bring_in_step(run, open_client(run), store, state, counts)
        problems.extend(f"{refusal.message}; {refusal.hint}" for refusal in refusals)
    except RecollectError as error:
        problems.append(f"{error.message}; {error.hint}")
    return {**counts, "failed": len(problems), "problems": [*dict.fromkeys(problems)]} if problems else {**counts}


def open_client(run: Run) -> TodoistClient:
    """Return a client of the owner's account; nothing is sent yet.

    Raises:
        ConfigError: when there is no usable token.
    """
    from effects.todoist.client import TodoistClient

    return TodoistClient(run.settings.todoist.base_url, read_token(run), run.settings.todoist.pause_s)


def _name_tasks(store: ProposalStore, state: TodoistState, tasks: Iterable[TodoistTask]) -> dict[str, TodoistTask | None]:
    """Return tasks by proposal: those that the state knows, and those that a lost state or another machine left behind.

    The last line of their description names it, for the owner may have taken our label off.
    """
    known = {sent.task_id: key for key, sent in state.tasks.items()}
    named: dict[str, TodoistTask | None] = {}
    left_behind: list[tuple[str, TodoistTask]] = []
    for task in tasks:
        if key := known.get(task.id):
            named[key] = task
        elif (key := find_proposal(task.description)) in store.rows and key not in state.tasks:
            left_behind.append((key, task))
    items = {item.proposal_id: item for item in build_review_items(store.run)} if left_behind else {}
    return named | {  # others who share a project, and other lakes of the owner, count their proposals alike
        key: task
        for key, task in left_behind
        if task.content in _list_titles(store, key) or (key in items and shows_evidence(task.description, items[key]))
    }


def _find_missing(
    client: TodoistClient, state: TodoistState, tasks: dict[str, TodoistTask | None]
) -> dict[str, TodoistTask | None]:
    """Return the present state of known tasks that are no longer open; None for deleted ones. One that Todoist does not show
    says nothing."""
    from effects.todoist.client import TaskRefusedError

    present: dict[str, TodoistTask | None] = {}
    for key, sent in state.tasks.items():
        with suppress(TaskRefusedError):
            if key not in tasks:
                present[key] = client.find_task(sent.task_id)
    return present


def _sort_tasks(store: ProposalStore, state: TodoistState, tasks: dict[str, TodoistTask | None], rejected_label: str) -> Inbox:
    inbox = Inbox()
    for key, row in store.list_pending().items():
        if key not in tasks:
            continue
        task = tasks[key]
        if task is None or task.is_deleted or rejected_label in task.labels:
            inbox.rejected.append(key)
            continue
        words = " ".join(task.content.split())
        if words and words != row["text"] and _is_edited(store, state, key, task.content):
            if may_be_edited(row["text"], row["op"]):
                inbox.edited[key] = words
            else:
                store.problems.append(f"Todoist: the title of {key} is not its whole line; edit the line in REVIEW.md")
                if row["op"] != "remove":
                    continue  # completed or not: the line that it has is not the one that the owner wants
        if task.is_done:
            inbox.approved.append(key)
    for key in store.list_expired():  # while Todoist could not be read
        task = tasks.get(key)
        if key in state.tasks and task and task.is_done and not task.is_deleted and rejected_label not in task.labels:
            inbox.approved.append(key)
    return inbox


def _is_edited(store: ProposalStore, state: TodoistState, key: str, title: str) -> bool:
    """Whether the owner changed a title: it is not what was sent.

    Where another machine sent it, or the state was lost, it is none of the words that the proposal ever had.
    """
    if key in state.tasks:
        return hash_text(title) != state.tasks[key].title_hash
    row = store.rows[key]
    return may_be_edited(row["text"], row["op"]) and title not in _list_titles(store, key)


def _list_titles(store: ProposalStore, key: str) -> set[str]:
    """Return the titles that the task of a proposal may have been sent with."""
    row = store.rows[key]
    former = store.past.filter((pl.col("proposal_id") == key) & pl.col("event").is_in(["proposed", "edited"]))["text"].to_list()
    return {format_title(text, row["op"], row["old_text"]) for text in (row["text"], *former)}


def _decide(store: ProposalStore, inbox: Inbox) -> int:
    on_page, unfit = take_page_words(store, inbox.approved)
    titles = {key: words for key, words in inbox.edited.items() if key not in on_page}
    unfit |= {key for key, words in titles.items() if not set_words(store, key, words)}
    for key in inbox.rejected:
        store.close(key, "rejected", "rejected", OWNER_ACTOR)
    return promote_approved(store, [key for key in inbox.approved if key not in unfit])


def _keep_state(run: Run, state: TodoistState, tasks: dict[str, TodoistTask | None], gone: list[str], token: str) -> None:
    for key, task in tasks.items():
        if task is not None and key not in gone:
            sent = state.tasks.get(key)
            state.tasks[key] = SentTask(task.id, hash_text(task.content), sent.sent_hash if sent else "")
    for key in gone:
        state.tasks.pop(key, None)
    state.sync_token = token
    state.read_at = run.as_of
    write_state(run, state)


def _bring_in_step(
    run: Run, client: TodoistClient, store: ProposalStore, state: TodoistState, counts: dict[str, int]
) -> Iterator[TodoistError]:
    """Send what every task needs, and yield the refusals of single ones: no task keeps the others from Todoist."""
    from effects.todoist.client import TaskRefusedError

    waiting = store.list_pending()
    steps = [partial(_take_away, run, client, store, state, key, counts) for key in sorted(state.tasks) if key not in waiting]
    steps += [partial(_bring_up_to_date, run, client, state, item, counts) for item in build_review_items(run)]
    for step in steps:
        try:
            step()
        except TaskRefusedError as refusal:
            yield refusal


def _take_away(
    run: Run, client: TodoistClient, store: ProposalStore, state: TodoistState, key: str, counts: dict[str, int]
) -> None:
    is_approved = key in store.rows and store.rows[key]["status"] == "approved"
    if is_approved:
        client.close_task(state.tasks[key].task_id)
    else:
        client.delete_task(state.tasks[key].task_id)
    counts["closed" if is_approved else "deleted"] += 1
    del state.tasks[key]
    write_state(run, state)


def _bring_up_to_date(run: Run, client: TodoistClient, state: TodoistState, item: ReviewItem, counts: dict[str, int]) -> None:
    """Add or change one task, and store at once that it was: a run that ends here sends nothing twice."""
    settings = run.settings.todoist
    title, description = format_title(item.text, item.op, item.old_text), format_description(item)
    fields = {"content": title, "description": description}
    sent_hash = hash_fields(title, description)
    sent = state.tasks.get(item.proposal_id)
    if sent and sent.sent_hash == sent_hash:
        return
    if sent:
        task = client.change_task(sent.task_id, fields)
        if task is None:
            return  # its owner deleted it since this run read: the next one hears that as a decision, so none takes its place
        counts["changed"] += 1
    else:
        place = {"project_id": settings.project} if settings.project else {}
        task = client.add_task({**fields, **place, "labels": [settings.label]}, f"{item.proposal_id} {sent_hash} {run.as_of}")
        counts["added"] += 1
    state.tasks[item.proposal_id] = SentTask(task.id, hash_text(task.content), sent_hash)
    write_state(run, state)
