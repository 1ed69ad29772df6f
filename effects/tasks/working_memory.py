"""The working memory of a project: one page that changes only on purpose, by a person or by an agent that has read it.

No step renders it. An agent's change names the hash of the text that it replaces, so that nobody's words are overwritten unseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from effects.store.run import Counts, Run
from transforms.pages.page_names import name_project_pages
from transforms.tables.ids import hash_fields

CONTEXT_FOLDER = "context"
MAX_CHARS = 4000
"""Each session of the project pays for the page: a thousand tokens."""


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """The page as it is; `text_hash` is empty when there is none."""

    path: Path
    text: str
    text_hash: str
    changed_at: float


@dataclass(slots=True)
class ContextRequest:
    """A new text of the page; `base` is the hash of the text that it replaces. `refusal` says why it was not written."""

    project: str
    text: str
    base: str = ""
    refusal: str = ""


def read_working_memory(run: Run, project: str) -> WorkingMemory:
    """Return a project's page of working memory with its hash and its time of change; an empty one when there is no file."""
    [name] = name_project_pages([project]).values()
    path = run.settings.workspace / CONTEXT_FOLDER / f"{name}-{hash_fields(project, size=4)}.md"
    try:
        text, changed_at = path.read_bytes().decode("utf-8", "replace"), path.stat().st_mtime
    except FileNotFoundError:
        return WorkingMemory(path, "", "", 0)
    return WorkingMemory(path, text, hash_fields(text), changed_at)


def update_working_memory(run: Run, request: ContextRequest) -> Counts:
    """Replace the page, or say in `request.refusal` why not: it is too long, or it is not the page that was read."""
    from transforms.redaction.redact import redact  # the judge of secrets: a session's start reads this page and must be quick

    page = read_working_memory(run, request.project)
    text = redact(request.text.strip(), is_user=True) + "\n"
    if text == page.text:
        return {"changed": 0}
    if len(text) > MAX_CHARS:
        request.refusal = f"Working memory has at most {MAX_CHARS} characters, not {len(text)}: keep what every session needs"
    elif page.text.strip() and request.base != page.text_hash:
        request.refusal = (
            "Working memory is not what you have read: query `context`, keep what still holds, and send `base` with its hash"
        )
    if request.refusal:
        return {"changed": 0, "refused": 1}
    page.path.parent.mkdir(parents=True, exist_ok=True)
    with run.lake.commit() as change:
        change.write_page(page.path, text.encode())
    return {"changed": 1}
