"""The opening of a client that waits no longer: the page that the last night rendered, read without any table."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from effects.pages.briefing_index import read_briefing_index
from transforms.pages.opening_block import wrap_opening
from transforms.tables.ids import hash_text


def compose_in_time(compose: Callable[[], str], seconds: float) -> str | None:
    """Return the text that `compose` makes; None when it takes longer than the process has, counted from its start.

    Without any time left it is not called. Its errors are raised here. When it is late it continues in a thread, which
    `end_process` ends.
    """
    seconds_left = seconds - time.process_time()  # the processor time so far is the least that starting has cost
    if seconds_left <= 0:
        return None
    results: list[str | Exception] = []

    def compose_aside() -> None:
        """Put the opening, or the error, where the waiting thread finds it."""
        try:
            results.append(compose())
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            results.append(error)

    thread = threading.Thread(target=compose_aside, daemon=True)
    thread.start()
    thread.join(seconds_left)
    if not results:
        return None
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]


def read_last_opening(lake: Path, workspace: Path, folder: Path) -> str:
    """Return the page that the last night rendered for the project of a folder, as an opening; empty when there is none.

    Where another machine or a person wrote the page, the night laid its own beside it, and that is the one.
    """
    index = read_briefing_index(lake)
    name = index.pages.get(index.find_project(os.fspath(folder)))
    if not name:
        return ""
    pages = [text for path in (workspace / name, workspace / f"{name}.new") if (text := _read_page(path))]
    own = [text for text in pages if hash_text(text) == index.hashes.get(name)]
    return wrap_opening((own or pages)[:1]) if pages else ""


def _read_page(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def end_process() -> NoReturn:
    """End the process without waiting for the thread that is late: it reads only, and Python would wait for it or crash."""
    sys.stdout.flush()
    os._exit(0)
