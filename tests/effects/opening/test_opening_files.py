"""An opening from the page of the night: the same bytes as rendering it, or none at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from effects.opening.opening_files import read_current_opening
from effects.opening.session_opening import render_session_opening
from effects.pages.render_step import render
from effects.store.run import Run
from tests.effects.recall_world import SHOP, fact, filled, write
from transforms.tables.tokens import count_tokens


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a lake whose pages were rendered, with a log of today."""
    run = filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)
    log = run.settings.workspace / "memory" / f"{run.today}.md"
    log.parent.mkdir(exist_ok=True)
    log.write_text("noted today\n", encoding="utf-8")
    with run.lake.writing("test"):
        render(run)
    return run


def test_it_is_what_would_be_rendered(run: Run) -> None:
    """Also in a folder below the project's."""
    whole = render_session_opening(run, SHOP, 1_400, [])
    assert "Session cache TTL stays below" in whole
    assert read_current_opening(run, Path(SHOP), 1_400, []) == whole
    assert read_current_opening(run, Path(SHOP) / "src", 1_400, []) == whole


def test_with_a_request_the_page_takes_what_the_facts_leave(run: Run) -> None:
    """The short form grows by lines of the whole page; both ways to make an opening agree, and the budget is kept."""
    texts = [
        f"User decided: the {subject} number {number} is painted in colour {number * 7} before it is shipped, after a long talk"
        f" with the painters of hall {number}, who had wished for another one, and with the foreman of the {subject}, who had no"
        f" wish at all, so that the order of spring {number} leaves the yard before the feast"
        for number in range(12)
        for subject in ("lathe", "anvil", "ferry")
    ]
    write(run, "observations", [fact(f"x{number}", text) for number, text in enumerate(texts)])
    with run.lake.writing("test"):
        render(run)
    short = read_current_opening(run, Path(SHOP), 1_400, [])
    text = read_current_opening(run, Path(SHOP), 2_000, [], "what about the zebra crossing?")
    assert text == render_session_opening(run, SHOP, 2_000, [], "what about the zebra crossing?")
    assert short is not None
    assert text is not None
    assert count_tokens(text) <= 2_000
    asked = read_current_opening(run, Path(SHOP), 2_000, [], "is the lathe number 3 painted?")
    assert asked == render_session_opening(run, SHOP, 2_000, [], "is the lathe number 3 painted?")
    assert asked is not None
    assert "about this request" in asked
    assert 1_500 < count_tokens(asked) <= 2_000


def test_the_night_that_makes_memory_md_is_followed_by_quick_openings(run: Run) -> None:
    """The first night of an installation: the file is there before the briefings that rest on it."""
    (run.settings.workspace / "MEMORY.md").unlink()
    with run.lake.writing("test"):
        render(run)
    assert read_current_opening(run, Path(SHOP), 1_400, []) == render_session_opening(run, SHOP, 1_400, [])


def forget_a_fact(run: Run) -> None:
    """A tombstone that nobody has rendered yet."""
    write(run, "tombstones", [{"tombstone_id": "t", "target": "o-ttl", "reason": "x", "at": run.as_of, "is_undone": False}])


def learn_a_fact(run: Run) -> None:
    """A fact of a session that ended since."""
    write(run, "observations", [fact("port", "The gateway listens on port 9500")])


def edit_memory(run: Run) -> None:
    """A line of the owner."""
    path = run.settings.workspace / "MEMORY.md"
    path.write_text(path.read_text(encoding="utf-8") + "- Deploys on Tuesdays\n", encoding="utf-8")


def edit_the_page(run: Run) -> None:
    """The owner writes into the briefing: the page is not memory's any more."""
    [path] = (run.settings.workspace / "briefing").glob("shop*.md")
    path.write_text(path.read_text(encoding="utf-8") + "mine\n", encoding="utf-8")


@pytest.mark.parametrize("change", [forget_a_fact, learn_a_fact, edit_memory, edit_the_page])
def test_after_any_change_there_is_none_until_the_next_rendering(run: Run, change: Callable[[Run], None]) -> None:
    change(run)
    assert read_current_opening(run, Path(SHOP), 1_400, []) is None


def test_none_for_an_unknown_folder_a_small_budget_or_a_lake_without_pages(run: Run) -> None:
    assert read_current_opening(run, Path("/nowhere"), 1_400, []) is None
    assert read_current_opening(run, Path(SHOP), 20, []) is None
    (run.lake.root / "_briefings.json").unlink()
    assert read_current_opening(run, Path(SHOP), 1_400, []) is None


def test_it_loads_neither_tables_nor_templates() -> None:
    """They are most of what a session's start costs."""
    heavy = {"polars", "numpy", "jinja2", "markdown_it", "lance", "lancedb"}
    modules = "effects.opening.opening_files, effects.opening.request_recall, recollect.commands.agents.hook"
    code = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout == "[]\n"


def test_rendering_a_page_anew_does_not_load_the_judge_of_secrets() -> None:
    """It is a third of such a session's start, and only changes of tasks need it."""
    code = "import sys, effects.opening.session_opening; print({'transforms.redaction.redact', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout == "set()\n"
