"""MEMORY.md on disk: read byte for byte, written atomically, links and mode kept; the former version is `.MEMORY.md.bak`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from effects.store.redo_log import build_page_error
from effects.store.run import Run
from effects.system.disk_errors import advise_on_disk
from effects.system.errors import PageError
from effects.system.files import encode_page, read_page, remove_leftovers, replace_file
from effects.system.templates import render_template
from transforms.pages.memory_md import list_sections, name_owner_section, parse_memory


def locate_memory(run: Run) -> Path:
    """Return the path of MEMORY.md."""
    return run.settings.workspace / "MEMORY.md"


def read_memory(run: Run) -> str:
    """Return the text of MEMORY.md, empty when there is none. Bytes that are not UTF-8 become surrogates.

    Raises:
        PageError: when it cannot be read.
    """
    path = locate_memory(run)
    try:
        return read_page(path) if path.exists() else ""
    except IsADirectoryError as error:
        raise build_page_error(path, error) from error
    except OSError as error:
        raise PageError(f"{path} cannot be read: {error.strerror or error}", "check its permissions") from error


def read_former_memory(run: Run) -> str:
    """Return MEMORY.md as it was before recollect last wrote it, empty when nothing tells."""
    try:
        return read_page(_locate_backup(run))
    except OSError:
        return ""


def render_empty_memory(run: Run) -> str:
    """Return a MEMORY.md with its four sections and nothing in them."""
    return render_template("pages/memory.md.j2", owner=name_owner_section(run.settings.owner))


def write_memory(run: Run, before: str, after: str) -> None:
    """Replace MEMORY.md, unless somebody changed it since `before` was read.

    Raises:
        PageError: when it is not `before` any more, or cannot be written.
    """
    path = locate_memory(run)
    if read_memory(run) != before:
        raise PageError(f"{path} changed during the update; nothing was written", "run the same command again")
    try:
        if before:
            backup = _locate_backup(run)
            remove_leftovers(backup)  # of a killed run: no commit names the copy
            replace_file(backup, encode_page(before), like=path)
        remove_leftovers(path)
        replace_file(path, encode_page(after))
    except OSError as error:
        hint = advise_on_disk(error, path) or "check its permissions"
        raise PageError(f"{path} cannot be written: {error.strerror or error}", hint) from error


def _locate_backup(run: Run) -> Path:
    return locate_memory(run).with_name(".MEMORY.md.bak")


def read_memory_bullets(run: Run) -> list[str]:
    """Return the text of every bullet of MEMORY.md, in page order, without secrets: pages, models and vectors are made of it."""
    return list(_list_clean_texts(read_memory(run)))


@lru_cache(maxsize=2)
def _list_clean_texts(memory: str) -> tuple[str, ...]:
    """Return the texts of the bullets without secrets; a night asks for those of one page with each briefing."""
    from transforms.redaction.redact import redact  # most commands read no bullets

    return tuple(redact(bullet.text, is_user=True) for bullet in parse_memory(memory).bullets if bullet.text)


def list_memory_sections(run: Run) -> tuple[str, ...]:
    """Return the four sections in page order, the owner's first."""
    return list_sections(run.settings.owner)
