"""From a module to its tests and back by name.

A test file is tests/PATH/test_MODULE.py or tests/PATH/test_MODULE_ASPECT.py for PATH/MODULE.py; a file about a whole package has
the package's name there. The files of a module that has many of them lie together in tests/PATH/MODULE/. A module without a file
of its name is part of another: a test imports it, or a module of its package that is tested uses it. `RUN_BY` lists the rest,
which are run through what uses them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.machine.parsed_modules import list_imports

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("transforms", "effects", "flows", "recollect")
MODULES = sorted(
    path.relative_to(ROOT) for layer in LAYERS for path in (ROOT / layer).rglob("*.py") if path.name != "__init__.py"
)
TESTS = sorted(path.relative_to(ROOT) for layer in LAYERS for path in (ROOT / "tests" / layer).rglob("test_*.py"))
RUN_BY = {
    "tests/effects/distil/test_distil_step.py": ["transforms/distil/result_rows.py"],
    "tests/effects/embedding/test_embedder.py": [
        "transforms/embedding/word_vectors.py",
    ],
    "tests/effects/ingest/test_ingest_step_forms.py": ["transforms/reading/pi/html_export.py"],
    "tests/effects/memory/test_friction_step.py": ["effects/engines/friction_finder.py"],
    "tests/effects/memory/review_step/test_review_step.py": ["transforms/memory/promotion.py"],
    "tests/effects/opening/test_client_hooks.py": ["recollect/commands/agents/hook.py"],
    "tests/effects/report/test_report_file.py": ["transforms/report/summary.py"],
    "tests/effects/store/test_sql_console.py": ["transforms/views/sql_views.py"],
    "tests/effects/todoist/test_exchange.py": ["transforms/pages/todoist_tasks.py"],
    "tests/effects/store/test_old_paths.py": ["recollect/commands/setup/config.py"],
    "tests/flows/test_prefect_run.py": ["recollect/__main__.py"],
    "tests/recollect/commands/runs/test_friction.py": [
        "recollect/commands/runs/timeline.py",
    ],
    "tests/recollect/cli/test_cli_errors.py": ["recollect/commands/runs/backfill.py", "recollect/commands/runs/session.py"],
    "tests/flows/test_fleet.py": ["recollect/commands/runs/fleet.py"],
    "tests/flows/test_flows_deployed.py": [
        "flows/deployment_values.py",
        "flows/backfill.py",
        "flows/friction.py",
        "flows/nightly.py",
        "flows/session.py",
        "flows/timeline.py",
    ],
    "tests/recollect/commands/memory/test_forget.py": [
        "effects/memory/prune.py",
        "recollect/commands/runs/prune.py",
        "recollect/commands/runs/nightly.py",
    ],
    "tests/recollect/commands/memory/test_projects.py": [
        "effects/projects/list_projects.py",
    ],
    "tests/recollect/commands/memory/test_tasks.py": ["transforms/tasks/task_json.py"],
    "tests/recollect/commands/setup/test_init.py": [
        "effects/config/settings_file.py",
        "effects/setup/schedule.py",
        "effects/setup/agent_tools.py",
        "recollect/commands/setup/schedule.py",
        "recollect/commands/setup/uninstall.py",
    ],
    "tests/recollect/cli/test_cli_damaged_lake.py": [
        "recollect/commands/agents/briefing.py",
        "recollect/commands/recall/export.py",
        "recollect/commands/recall/show.py",
        "recollect/commands/runs/rebuild.py",
    ],
}
"""Test file → modules that it runs through others."""
UNTESTED = {"recollect/demo.py": "minutes of work over the samples: `make demo` runs it"}


def find_imports(path: Path) -> set[str]:
    """Return the modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in list_imports(ROOT / path):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def name_module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def find_package(path: Path) -> tuple[str, ...]:
    """Return the unit whose modules are parts of each other: a package of transforms or effects, else the layer."""
    return path.parts[:2] if path.parts[0] in ("transforms", "effects") else path.parts[:1]


@cache
def find_subjects() -> dict[Path, Path | None]:
    """Return for each test file the module of its name; its folder for a file about a package, None for another name."""
    stems: defaultdict[Path, set[str]] = defaultdict(set)
    for module in MODULES:
        stems[module.parent].add(module.stem)
    subjects: dict[Path, Path | None] = {}
    for test in TESTS:
        folder, name = test.relative_to("tests").parent, test.stem.removeprefix("test_")
        modules = stems.get(folder, set())
        if not (ROOT / folder).is_dir() and folder.name in stems.get(folder.parent, ()):  # the folder of one module's files
            folder, modules = folder.parent, {folder.name}
        named = [stem for stem in modules if name == stem or name.startswith(f"{stem}_")]
        is_package = (ROOT / folder).is_dir() and re.match(rf"{folder.name}(_|$)", name)
        subjects[test] = folder / f"{max(named, key=len)}.py" if named else (folder if is_package else None)
    return subjects


def find_tested() -> set[Path]:
    """Return the modules with a test file of their name, those that a test imports, and those that these use in their package."""
    imported = set().union(*(find_imports(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py")))
    own = set(find_subjects().values())
    tested = {module for module in MODULES if module in own or name_module(module) in imported}
    waiting, used = list(tested), {module: find_imports(module) for module in MODULES}
    while waiting:
        user = waiting.pop()
        new = {
            module
            for module in MODULES
            if module not in tested and find_package(module) == find_package(user) and name_module(module) in used[user]
        }
        tested |= new
        waiting += new
    return tested


def test_a_test_file_has_the_name_of_a_module_or_package_in_the_same_place() -> None:
    subjects = find_subjects()
    assert subjects
    assert [test for test, subject in subjects.items() if subject is None] == []


def test_every_module_has_a_test_that_its_name_leads_to() -> None:
    """Its own, one that uses it, or the one in the table, which names no other module."""
    listed = [Path(module) for modules in (*RUN_BY.values(), UNTESTED) for module in modules]
    assert sorted(listed) == sorted(set(MODULES) - find_tested())
    assert all((ROOT / test).is_file() for test in RUN_BY)
