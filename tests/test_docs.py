"""README, the pages of docs/ and the habits of the repository agree with the code."""

from __future__ import annotations

import ast
import inspect
import os
import re
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest
import yaml

from effects.config.configuration import explain_settings, load_settings
from effects.system.errors import RecollectError
from recollect.cli import run
from recollect.command_list import COMMANDS
from tests.data_dictionary.diagram import draw_tables
from tests.data_dictionary.page import render_dictionary_page
from tests.each_case import each_case
from tests.machine.parsed_modules import list_imports, parse_module
from transforms.attribution import typed_language
from transforms.recall.types import Answer, Citation, Hit
from transforms.tables import enums
from transforms.tables.schema import TABLES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRACT = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
COMMANDS_PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
SETTINGS_PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def options(capsys: pytest.CaptureFixture[str], *command: str) -> set[str]:
    """Return the long options in the help of a command."""
    assert run([*command, "--help"]) == 0
    return set(re.findall(r"^  (?:-k, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)) - {"--help", "--version"}


def test_every_command_and_each_of_its_options_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    """Options stand in the row of the command; --json, --as-of and --direct mean the same everywhere."""
    for name in COMMANDS:
        known_options = options(capsys, name) | (options(capsys, name, "apply") if name == "review" else set())
        rows = [line for line in COMMANDS_PAGE.splitlines() if re.match(rf"\| `recollect {name}\b", line)]
        assert len(rows) == 1, name
        missing = {option for option in known_options - {"--json", "--as-of", "--direct"} if option not in rows[0]}
        assert missing == set(), name


def test_no_command_is_documented_that_does_not_exist() -> None:
    """Only what works is listed."""
    assert set(re.findall(r"`recollect (?!COMMAND)([a-z]+)", COMMANDS_PAGE)) == set(COMMANDS)
    assert set(re.findall(r"(?:`|bin/)recollect ([a-z]+)", README)) <= set(COMMANDS)


def test_every_recommended_command_exists() -> None:
    """The search covers `recollect COMMAND` in quotation marks or backticks, in hints, docstrings, templates and pages."""
    files = [
        path
        for layer in ("recollect", "flows", "effects", "transforms", "prompts", "extensions")
        for path in (ROOT / layer).rglob("*.*")
    ]
    texts = [path.read_text(encoding="utf-8") for path in [*files, *MARKDOWN] if path.suffix in {".py", ".j2", ".md", ".ts"}]
    recommended = {name for text in texts for name in re.findall(r"(?<![\w.])[\"'`]recollect (?!made )([a-z]+)\b", text)}
    assert recommended <= set(COMMANDS)


def test_the_page_of_the_multilingual_model_names_as_many_languages_as_messages_do() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    listed = re.search(r"=multilingual` \(([^:)]+): (\d+) as its makers count", page)
    assert listed is not None
    names = " ".join(listed[1].split()).replace("simplified and traditional Chinese", "simplified Chinese, Chinese").split(", ")
    assert len(names) == int(listed[2])
    assert f"{len(names)} languages" in SETTINGS_PAGE
    assert f"{len(names)} languages" in inspect.getsource(typed_language)


def test_a_backfill_that_may_cost_more_than_a_day_raises_every_budget_that_would_stop_it() -> None:
    """It is one run: the budget of a run is smaller than what its example allows for a day."""
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    raised = {name: float(value) for name, value in re.findall(r"BUDGET_(DAY|RUN)_USD=(\d+)", page)}
    assert set(raised) == {"DAY", "RUN"}
    assert raised["RUN"] >= raised["DAY"]


def test_every_setting_is_documented() -> None:
    """Every setting is documented, and every documented setting exists."""
    known = {item.variable for item in explain_settings(load_settings())} | {"RECOLLECT_CONFIG"}
    assert known == set(re.findall(r"RECOLLECT_[A-Z_]*[A-Z]", SETTINGS_PAGE))
    assert set(re.findall(r"RECOLLECT_[A-Z_]*[A-Z]", README)) <= known


def test_a_newcomer_reads_the_readme_to_its_end() -> None:
    """Tables of commands, settings and the lake have pages of their own, which it links."""
    assert len(README.splitlines()) <= 170
    assert {"docs/commands.md", "docs/settings.md", "docs/tables.md"} <= set(re.findall(r"\]\(([^)#]+)", README))


def test_the_page_of_settings_names_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults that depend on the machine are left out."""
    for variable in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(variable)
    documented = dict(re.findall(r"^\| `(RECOLLECT_\w+)` \| `?([^`|]*?)`? \|", SETTINGS_PAGE, re.MULTILINE))
    values = {item.variable: item.value for item in explain_settings(load_settings()) if item.origin == "default"}
    fixed = [name for name in values if "__" in name]
    assert len(fixed) > 10
    assert {name: documented[name] for name in fixed} == {name: values[name] or "–" for name in fixed}


def test_the_columns_of_the_contract_are_columns_of_the_tables() -> None:
    """Every table is in the contract; a column that others rely on cannot vanish unnoticed."""
    section = CONTRACT.partition("## The lake")[2].partition("\n## ")[0]
    stable = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))
    assert set(stable) == set(TABLES)
    for table, columns in stable.items():
        assert set(columns.split(", ")) <= set(TABLES[table].schema.names()), table


def test_the_values_of_the_contract_are_those_of_the_code() -> None:
    """Kinds and categories of observations, statuses, verdicts."""
    words = " ".join(CONTRACT.split())
    for values in (enums.FactKind, enums.Category, enums.WindowStatus, enums.Verdict, enums.ProposalStatus):
        assert ", ".join(get_args(values)) in words


def members(name: str) -> list[str]:
    """Return the members of a JSON object, as the contract lists them."""
    row = next(line for line in CONTRACT.splitlines() if line.startswith(f"| {name}"))
    return re.findall(r"`(\w+)`", row.split(" | ")[1])


def test_the_contract_names_the_members_of_json_objects() -> None:
    """Answers, hits and errors, in their order."""
    evidence = Citation("session", ("e1",), (1,))
    hit = Hit("o-1", "observation", "Use uv.", "rule", "high", "/p", "session", ("e1",), (1,), None, 0.5, None, (evidence,))
    answer = Answer("q", "hybrid", None, None, (hit,), id="1", engine="m").as_json()
    assert list(answer) == members("answer")
    assert list(answer["hits"][0]) == members("hit")
    assert list(answer["hits"][0]["also"][0]) == members("evidence")
    assert ["error", *RecollectError("m").make_envelope()["error"]] == members("error")


def test_the_data_dictionary_is_generated_from_the_definitions() -> None:
    """`UPDATE_GOLDEN=1` writes docs/tables.md and its picture again."""
    for name, expected in (("tables.md", render_dictionary_page()), ("tables.svg", draw_tables(TABLES.values()))):
        path = ROOT / "docs" / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(expected, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == expected


def test_the_modules_that_write_a_table_exist() -> None:
    """The data dictionary names them."""
    makers = {module for table in TABLES.values() for module in table.made_by}
    assert [module for module in sorted(makers) if find_spec(module) is None] == []


@each_case("page", MARKDOWN)
def test_every_file_that_a_page_points_to_exists(page: Path) -> None:
    """Modules, folders and pages of this repository, except the output of a run."""
    output = (
        "data/workspace",
        "data/lake",
        "memory/",
        "briefing/",
        "timeline/",
        "team/",
        "LAKE/",
        "pages/",
        "llm/",
        "samples/",
        "build/",
        "provider/",
    )
    for name in re.findall(r"`((?:[\w-]+/)+[\w.-]*)`", page.read_text(encoding="utf-8")):
        assert name.startswith(output) or (ROOT / name).exists(), name


def test_every_benchmark_is_documented_and_names_its_own_command() -> None:
    """`benchmarks/README.md` has a section per package with a row per script; a script's docstring shows how to run it."""
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\w+): .+\n((?:(?!## ).*\n)*)", readme, re.MULTILINE))
    listed = {
        f"{package}.{script}" for package, text in sections.items() for script in re.findall(r"^\| `(\w+)[.]py", text, re.M)
    }
    scripts = set()
    for path in (ROOT / "benchmarks").glob("*/*.py"):
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text and path.parent.name != "samples":
            scripts.add(f"{path.parent.name}.{path.stem}")
            assert f"python -m benchmarks.{path.parent.name}.{path.stem}" in (ast.get_docstring(parse_module(path)) or ""), path
    assert listed == scripts


def make_recipe(target: str) -> list[str]:
    """Return the commands of a target of the Makefile, without make's own signs."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").partition(f"\n{target}:")[2].splitlines()[1:]
    recipe = lines[: next(index for index, line in enumerate(lines) if not line.startswith("\t"))]
    return [line.removeprefix("\t@").replace("$(BIN)", ".venv/bin") for line in recipe]


def test_pre_commit_runs_what_make_check_runs() -> None:
    """The same commands in the same order."""
    configuration = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [hook["entry"] for repo in configuration["repos"] for hook in repo["hooks"]] == make_recipe("check")


def test_make_help_lists_every_target() -> None:
    """A target is a phony one; each has its sentence behind `##`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    assert sorted(re.findall(r"^([a-z]+):.*## \S", makefile, re.MULTILINE)) == sorted(phony)


def test_the_site_has_every_page_and_its_lock_names_no_index() -> None:
    """mkdocs itself is not in .venv: `make docs` checks the links again, strictly."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} <= {page for entry in site["nav"] for page in entry.values()}
    assert "://" not in (ROOT / "requirements-docs.lock").read_text(encoding="utf-8")


@each_case("page", MARKDOWN)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Relative links to files of the repository, and to their headings."""
    for target, heading in re.findall(r"\]\((?!\w+://)([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE) if heading else []
        slugs = {re.sub(r"[^\w\- ]", "", name.lower()).strip().replace(" ", "-") for name in headings}
        assert not heading or heading in slugs, f"{target}#{heading}"


def package_docstring(layer: str, package: str) -> str:
    """Return the docstring of a package's `__init__.py` as one line."""
    text = ast.get_docstring(parse_module(ROOT / layer / package / "__init__.py")) or ""
    return " ".join(text.split())


def describe_packages(layer: str, packages: Sequence[str]) -> str:
    """Table of packages with their docstrings: what lives there, and what they may import."""
    rows = []
    for package in packages:
        sentence, _, imports = package_docstring(layer, package).partition(". ")
        allowed = re.sub(r"^Imports nothing .*", "nothing", imports).removeprefix("May import ").removesuffix(".")
        rows.append(f"| `{layer}/{package}` | {sentence} | {allowed} |")
    return "| package | one sentence | may import |\n|---|---|---|\n" + "\n".join(rows)


def describe_modules(layer: str, modules: Sequence[str]) -> str:
    """Table of modules with the first sentence of their docstrings."""
    rows = []
    for module in modules:
        path = ROOT / layer / f"{module}.py"
        shown = f"{layer}/{module}.py" if path.is_file() else f"{layer}/{module}"
        path = path if path.is_file() else ROOT / layer / module / "__init__.py"
        sentence = re.split(r"[.](?:\s|$)", ast.get_docstring(parse_module(path)) or "")[0]
        rows.append(f"| `{shown}` | {' '.join(sentence.split())} |")
    return "| module | one sentence |\n|---|---|\n" + "\n".join(rows)


def packages_section() -> str:
    """Diagram and table of the packages, from import-linter's layers and the docstrings."""
    parts = []
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]:
        for layer in contract.get("containers", []):
            lines = [re.split(r"\s*[|:]\s*", line) for line in contract["layers"]]
            diagram = "\n     |\n".join(" " + "   ".join(names) for names in lines)
            names = [name for line in lines for name in line]
            table = describe_packages(layer, names) if layer in ("transforms", "effects") else describe_modules(layer, names)
            parts.append(f"### {layer}\n\n```text\n{diagram}\n```\n\n{table}\n")
    return "\n".join(parts)


def test_the_architecture_shows_the_packages_as_they_are() -> None:
    """Generated; `UPDATE_GOLDEN=1` writes the section again."""
    page = ROOT / "docs" / "architecture.md"
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- packages -->\n")
    shown, _, after = rest.partition("<!-- /packages -->")
    expected = f"\n{packages_section()}\n"
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(f"{before}<!-- packages -->\n{expected}<!-- /packages -->{after}", encoding="utf-8")
        shown = expected
    assert shown == expected


def imported_siblings(layer: str, package: str) -> set[str]:
    """Return the other packages of the layer that the modules of a package import."""
    modules: list[str] = []
    for path in (ROOT / layer / package).glob("*.py"):
        for node in list_imports(path):
            if isinstance(node, ast.ImportFrom):
                modules.append(node.module or "")
            elif isinstance(node, ast.Import):
                modules += [alias.name for alias in node.names]
    return {name.split(".")[1] for name in modules if name.startswith(f"{layer}.") and name.count(".")} - {package}


def test_a_package_imports_what_its_docstring_allows() -> None:
    """`May import a, b.` names the packages of the same layer; `patterns` and `words` stand for `re` and literals."""
    packages = [path.parent for layer in ("transforms", "effects") for path in sorted(ROOT.glob(f"{layer}/*/__init__.py"))]
    assert packages
    for folder in packages:
        layer, package = folder.parent.name, folder.name
        allowed = re.findall(r"May import ([a-z_, ]+)\.$", package_docstring(layer, package))
        if allowed != ["every other package of effects"]:
            assert imported_siblings(layer, package) - {"patterns", "words"} <= set(", ".join(allowed).split(", ")), folder


def test_a_term_stands_once_in_the_glossary() -> None:
    """Rows consist of a term and its meaning."""
    glossary = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Glossary")[2]
    rows = [
        line.strip("| ").split(" | ") for line in glossary.splitlines() if line.startswith("| ") and not line.startswith("| term")
    ]
    terms = [term for row in rows for term in row[0].split(", ")]
    assert sorted(terms) == sorted(set(terms))
    assert len(terms) > 80
    assert all(len(row) == 3 for row in rows)


def test_every_decision_is_dated_and_has_a_subject() -> None:
    """A subject is a page that the contents name; an entry begins with its date, and is short enough to be read."""
    contents = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "decisions").iterdir()}
    assert sorted(re.findall(r"^\| \[.+?\]\(decisions/(.+?)\)", contents, re.MULTILINE)) == sorted(pages)
    entries = [entry for page in pages.values() for entry in re.split(r"^## ", page, flags=re.MULTILINE)[1:]]
    assert [entry for entry in entries if not re.match(r".+\n\n\*\d{4}-\d\d-\d\d\.\* ", entry)] == []
    assert [entry.partition("\n")[0] for entry in entries if len(entry.splitlines()) > 40] == []


def test_the_version_is_the_newest_release_of_the_changelog() -> None:
    """Releases stand newest first below Unreleased, each with its date."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    releases = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", heading) for heading in headings[1:]]
    versions = [release[1] for release in releases if release]
    assert headings[0] == "[Unreleased]"
    assert len(versions) == len(releases)
    assert versions == sorted(versions, key=lambda version: [int(part) for part in version.split(".")], reverse=True)
    assert versions[0] == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert set(re.findall(r"^### (.+)$", changelog, re.MULTILINE)) <= {
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
        "Data",
    }
