"""The house rules that a reader could check by hand: imports, sizes, docstrings, names."""

from __future__ import annotations

import ast
import importlib
import logging
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from tests.each_case import each_case
from tests.machine.parsed_modules import list_imports, list_nodes, parse_module
from transforms.patterns.late_pattern import LatePattern

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("recollect", "flows", "effects", "transforms", "prompts")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
INITS = [path for path in MODULES if path.name == "__init__.py"]
MOST_MODULES = 15
MOST_LINES = 390
LONGER_MODULES = {
    "effects/memory/forget_targets.py": 398,
    "effects/memory/proposal_store.py": 400,
    "effects/memory/reflect_step.py": 399,
    "effects/memory/review_page.py": 400,
    "transforms/recall/documents.py": 395,
    "transforms/recall/question_dates.py": 395,
    "transforms/recall/rank.py": 399,
    "transforms/redaction/redact.py": 399,
}
"""Modules that had more lines when the bound fell, with as many as they had: each may only become shorter."""
MOST_PATTERNS, MOST_WORDS = 735, 3378
"""Compiled patterns, and words in literals of sets, that judge language. A failure is fixed by its class, never by one more
phrase or word: lower both whenever some go."""
READERS_OF_FORMATS = ("redaction", "reading", "tables", "pages")
"""Packages of transforms that judge no language: secrets, JSON, columns, Markdown."""
MOST_UNTYPED_ROWS = 4
"""Only foreign JSON has no row type. Lower it whenever some are gone."""
OUTSIDE = re.compile(
    r"CONTRACT[.]md|ADR-?\d{4}|DESIGN([.]md| [§]|[:])|\b(the [s]eeds|[s]eeds/)|(lessons|house)[.]md"
    r"|pi[-]session-format|reference [o]n pi"
)
"""Documents that are not part of the repository."""

PRIVATE = re.compile(r"(?:^|[.])_(?!_)")
OURS = tuple(f"{package}." for package in (*PACKAGES, "tests", "benchmarks"))
DOCUMENTED = {"_replace", "_make", "_fields", "_asdict", "_exit"}
"""Names of named tuples and of `os` that begin with `_` and are public."""


@dataclass(frozen=True)
class Source:
    """A module: its place, its text and its syntax, which is parsed once for all tests."""

    path: Path
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    def name(self, node: ast.expr | ast.stmt | None = None) -> str:
        """Return the path from the root of the repository, and the line of a node."""
        return f"{self.path.relative_to(ROOT)}" + (f":{node.lineno}" if node else "")


def parse_source(path: Path) -> Source:
    """Read and parse a module."""
    return Source(path, path.read_text(encoding="utf-8"), parse_module(path), list_nodes(path))


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    """The modules of the product."""
    return [parse_source(path) for path in MODULES]


def run_python(code: str) -> str:
    """Return output of a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_layers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each package imports only packages below it, transforms are pure, and only flows import Prefect."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    for logger in logging.root.manager.loggerDict.values():  # import-linter sets logging up anew, which disables all of them
        if isinstance(logger, logging.Logger):
            monkeypatch.setattr(logger, "disabled", logger.disabled)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


def test_importing_every_transform_brings_in_no_library_that_does_io() -> None:
    """The test uses a fresh interpreter, because this one has imported everything."""
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES if "transforms" in path.parts]
    heavy = ("prefect", "lancedb", "duckdb", "instructor", "openai", "httpx", "mlx", "filelock", "stamina", "rich")
    code = f"import sys\nfor name in {names!r}: __import__(name)\nprint(sorted(set({heavy!r}) & set(sys.modules)))"
    assert run_python(code).strip() == "[]"


def test_no_transform_reads_the_clock_the_disk_or_the_environment(sources: list[Source]) -> None:
    """import-linter cannot see `datetime.now`, `open`, `print`, a changed global and randomness without a seed."""
    forbidden = {"now", "today", "utcnow", "open", "input", "print", "read_parquet", "write_parquet", "scan_parquet"}
    for source in [source for source in sources if source.path.is_relative_to(ROOT / "transforms")]:
        for node in source.nodes:
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                assert called not in forbidden, f"{source.name(node)} calls {called}"
            assert not isinstance(node, ast.Global), f"{source.name(node)} changes something of its module"
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                assert module not in {"random", "secrets", "uuid"}, f"{source.name(node)} imports {module}"


def test_an_argument_that_changes_a_result_has_no_default(sources: list[Source]) -> None:
    """Who forgot `apart` merged what a model had told apart, and no type checker said so; tests have helpers with defaults."""
    functions = {
        "decide_merges", "make_turn_documents", "make_observation_documents", "make_segment_documents",
        "make_distillate_documents", "make_memory_documents", "redact_answer", "count_secrets", "list_secret_entries",
    }  # fmt: skip
    defined = [
        node for source in sources for node in source.nodes if isinstance(node, ast.FunctionDef) and node.name in functions
    ]
    assert {node.name for node in defined} == functions
    assert [node.name for node in defined if node.args.defaults or any(node.args.kw_defaults)] == []


def test_every_python_that_we_start_imports_nothing_from_its_working_directory(sources: list[Source]) -> None:
    """`-m` and `-c` look there first, and a hook runs in a cloned repository: a command begins with `own_process.PYTHON`."""
    unsafe = []
    for source in sources:
        for node in [node for node in source.nodes if isinstance(node, ast.List | ast.Tuple)]:
            if not any(isinstance(word, ast.Attribute) and word.attr == "executable" for word in node.elts):
                continue
            words = [ast.unparse(word).strip("'") for word in node.elts]
            places = [number for number, word in enumerate(words) if word == "sys.executable"]
            unsafe += [source.name(node) for at in places if words[at + 1 : at + 2] != ["-P"] and words[at - 1] != "--python"]
    assert unsafe == []


def test_one_module_starts_git(sources: list[Source]) -> None:
    """A repository's configuration names programs: `effects/projects/git.py` knows how to run none of them."""
    starts = [
        source.name(node)
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.List | ast.Tuple) and node.elts and ast.unparse(node.elts[0]) == "'git'" and len(node.elts) > 1
    ]
    assert {name.partition(":")[0] for name in starts} == {"effects/projects/git.py"}, starts


def infers_schema(call: ast.Call) -> bool:
    """Whether polars would guess the types of Python values: from the first 100 rows of a frame, or from an empty list."""
    if not (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "pl"):
        return False
    data, keywords = call.args[0] if call.args else None, {keyword.arg for keyword in call.keywords}
    if call.func.attr in {"DataFrame", "LazyFrame", "from_dict", "from_dicts", "from_records"}:
        is_arrow = isinstance(data, ast.Call) and ast.unparse(data.func) == "pl.from_arrow"
        is_list_of_series = isinstance(data, ast.List) and isinstance(data.elts[0], ast.Starred)
        return "schema" not in keywords and not is_arrow and not is_list_of_series
    if call.func.attr == "Series":
        values = call.args[min(len(call.args), 2) - 1] if call.args else None
        is_python = isinstance(values, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp) or (
            isinstance(values, ast.Call) and ast.unparse(values.func).rsplit(".", 1)[-1] in {"list", "range", "sorted", "tolist"}
        )
        return is_python and "dtype" not in keywords and len(call.args) < 3
    return False


def test_no_frame_is_built_from_rows_without_a_schema(sources: list[Source]) -> None:
    """Polars infers it from the first 100 rows and fails at a later one: use `build_frame` or pass `schema`."""
    guesses = []
    for source in [*sources, *map(parse_source, sorted((ROOT / "benchmarks").rglob("*.py")))]:
        guesses += [source.name(node) for node in source.nodes if isinstance(node, ast.Call) and infers_schema(node)]
    assert guesses == []


DAYS_IN_UTC = {
    "transforms/tables/periods.py": "the helper itself converts",
    "transforms/condensing/period_answer.py": "parses a day that was written",
    "effects/distil/window_step.py": "a day more on both sides",
    "transforms/offline/user_facts.py": "asks whether words name an end, not which day it is",
    "effects/fleet/owner_figures.py": "owners of several zones in one report: both sides are UTC",
    "effects/health/health_checks.py": "counts nights, and compares no day",
}
"""Modules that may ask a moment for its day without the owner's zone, and why."""


def test_no_day_is_taken_from_a_moment_without_the_owners_zone(sources: list[Source]) -> None:
    """Days of lines, pages and questions are local; in UTC the evening, or the morning, is of another day."""
    taken = [
        source.name(node)
        for source in sources
        if source.path.relative_to(ROOT).parts[0] in ("transforms", "effects") and source.name() not in DAYS_IN_UTC
        for node in source.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "date" and not node.args
        if not any(isinstance(part, ast.Attribute) and "zone" in part.attr for part in ast.walk(node.func.value))
    ]
    assert taken == []


def test_modules_stay_short(sources: list[Source]) -> None:
    """A longer module is to be split by subject; none becomes longer because another one is."""
    lines = {source.name(): len(source.text.splitlines()) for source in sources}
    assert {name: count for name, count in lines.items() if count > LONGER_MODULES.get(name, MOST_LINES)} == {}
    assert {name for name in LONGER_MODULES if lines.get(name, 0) <= MOST_LINES} == set(), "they are short enough: take them out"


def test_imports_are_absolute_and_modules_named_for_what_they_hold(sources: list[Source]) -> None:
    """Relative imports break under Prefect's loader; `utils`, `common` and `core` hold anything."""
    for source in sources:
        assert source.path.stem not in {"utils", "common", "core", "helpers", "misc"}, source.path
        assert [source.name(node) for node in source.nodes if isinstance(node, ast.ImportFrom) and node.level] == []


def test_a_package_has_a_docstring_and_nothing_else() -> None:
    """Importing a package imports none of its modules: `flows` would bring in Prefect."""
    for init in INITS:
        module = ast.parse(init.read_text(encoding="utf-8"))
        assert (bool(ast.get_docstring(module)), len(module.body)) == (True, 1), init


def test_folders_stay_small() -> None:
    """A reader finds a module by its subject, not by searching; the tests of a layer have its folders."""
    layers = [ROOT / "tests" / package for package in PACKAGES if (ROOT / "tests" / package).is_dir()]
    folders = {init.parent for init in INITS} | {path.parent for layer in layers for path in layer.rglob("*.py")}
    others = {"__init__.py", "conftest.py"}
    sizes = {str(folder.relative_to(ROOT)): len({path.name for path in folder.glob("*.py")} - others) for folder in folders}
    assert {folder: size for folder, size in sizes.items() if size > MOST_MODULES} == {}


ENTRY_POINTS = {
    "backfill.py": "speed.backfill",
    "chaos.py": "safety.chaos",
    "ingest.py": "speed.ingest",
    "peers.py": "recall.peers",
    "recall.py": "speed.recall",
    "season.py": "memory.season",
    "segmentation.py": "windowing.segmentation",
    "years.py": "speed.years",
}
"""Scripts of `benchmarks/` that others run by path, and the benchmark that each one is."""


@each_case(("script", "module"), ENTRY_POINTS.items())
def test_a_benchmark_can_be_run_by_the_name_that_others_use(script: str, module: str) -> None:
    """`python benchmarks/ingest.py` is `python -m benchmarks.speed.ingest`."""
    tree = ast.parse((ROOT / "benchmarks" / script).read_text(encoding="utf-8"))
    imported = [(node.module, node.names[0].name) for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert (f"benchmarks.{module}", "main") in imported
    assert (ROOT / "benchmarks" / Path(module.replace(".", "/")).with_suffix(".py")).is_file()


def test_folders_of_benchmarks_stay_small() -> None:
    """A benchmark stands in the package of its subject; `arguments.py` is shared by all; others run the ENTRY_POINTS."""
    folders = [init.parent for init in (ROOT / "benchmarks").rglob("__init__.py")]
    assert {str(path.relative_to(ROOT)) for path in (ROOT / "benchmarks").rglob("*.py") if path.parent not in folders} == set()
    assert sorted(path.name for path in (ROOT / "benchmarks").glob("*.py")) == sorted(
        ["__init__.py", "arguments.py", *ENTRY_POINTS]
    )
    assert {str(folder): size for folder in folders if (size := len(list(folder.glob("*.py"))) - 1) > MOST_MODULES} == {}


def test_public_class_names_are_unique(sources: list[Source]) -> None:
    """A name has one meaning in the whole tree."""
    tops = [node for source in sources for node in source.tree.body]
    names = [node.name for node in tops if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    assert {name for name, count in Counter(names).items() if count > 1} == set()


def test_variables_say_what_they_hold(sources: list[Source]) -> None:
    """`one`, `found` and `told` could hold anything; house words that the glossary replaced do not come back."""
    vague = re.compile(r"^_?(?:one|found|told|stuff|doors?|heard|borne_out|helpless|side_by_side)$|_told$")
    names = []
    for source in sources:
        for node in source.nodes:
            bound = node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
            defined = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else bound
            name = node.arg if isinstance(node, ast.arg) else defined
            if name and vague.search(name):
                names.append(f"{source.name()} {name}")
    assert names == []


def list_constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield names and values of the constants of a module, of `A, B = 1, 2` as well."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from ((ast.unparse(name), item) for name, item in zip(target.elts, value.elts, strict=True))
        elif target is not None and value is not None:
            yield ast.unparse(target), value


def is_shared_by_nature(name: str, value: ast.expr) -> bool:
    """Whether a constant is a table of values or the length of a unit: two equal ones are one thing, not a coincidence."""
    table = value.args[0] if isinstance(value, ast.Call) and ast.unparse(value.func) == "frozenset" and value.args else value
    size = len(table.keys) if isinstance(table, ast.Dict) else len(table.elts) if isinstance(table, ast.Set) else 0
    return size >= 3 or (re.search(r"^_?[A-Z]+_PER_[A-Z]+$", name) is not None and isinstance(value, ast.Constant))


def test_a_table_of_values_and_the_length_of_a_unit_have_one_home(sources: list[Source]) -> None:
    """Copies drift apart; closed sets of columns live in `transforms/tables`, with what is true of their values."""
    homes: dict[str, list[str]] = {}
    for source in sources:
        for name, value in list_constants(source.tree):
            if is_shared_by_nature(name, value):
                key = name.strip("_") + ast.unparse(value) if isinstance(value, ast.Constant) else ast.unparse(value)
                homes.setdefault(key, []).append(f"{source.name()} {name}")
    assert {key: places for key, places in homes.items() if len(places) > 1} == {}
    assert len(homes) > 50


def find_private_names(nodes: Sequence[ast.AST], libraries: bool) -> Iterator[str]:
    """Yield the private names in a module that libraries own; a module may use those that it defines itself.

    `libraries` limits the search to imports: tests may look into the product.
    """
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom | ast.Import):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = [f"{module}.{alias.name}".strip(".") for alias in node.names]
            yield from (
                f"{node.lineno} {name}" for name in names if PRIVATE.search(name) and not (libraries and name.startswith(OURS))
            )
        elif isinstance(node, ast.Attribute) and PRIVATE.search(f".{node.attr}") and not libraries:
            holder = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr not in own | DOCUMENTED and holder not in {"self", "cls"}:
                yield f"{node.lineno} {ast.unparse(node)}"


def find_missing_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the modules of ours, and the names in them, that a module imports and that are not there."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(OURS):
            place = ROOT / str(node.module).replace(".", "/")
            home = place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"
            known = home.read_text(encoding="utf-8") if home.exists() else ""
            for name in (alias.name for alias in node.names):
                if not ((place / f"{name}.py").exists() or (place / name).is_dir() or re.search(rf"\b{name}\b", known)):
                    yield f"{node.module}.{name}"


def test_tests_and_benchmarks_import_what_is_there() -> None:
    """No test calls most benchmarks, so nothing else notices that a module moved."""
    paths = sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
    missing = {str(path.relative_to(ROOT)): list(find_missing_imports(list_imports(path))) for path in paths}
    assert {path: names for path, names in missing.items() if names} == {}
    sample = "from effects.store import export_rows\nfrom effects.recall import export_rows\nfrom tests.gone import a\nimport re"
    assert list(find_missing_imports(ast.walk(ast.parse(sample)))) == ["effects.store.export_rows", "tests.gone.a"]


REGEX_TREE = ("re._constants", "re._parser")
"""Python gives the tree of a regular expression no public name since 3.11; hypothesis reads it here, too."""


def test_no_private_name_of_a_library_is_used(sources: list[Source]) -> None:
    """It may be gone in the next release of the library."""
    tests = sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
    private = [f"{source.name()}:{name}" for source in sources for name in find_private_names(source.nodes, libraries=False)]
    for path in tests:
        private += [f"{path.relative_to(ROOT)}:{name}" for name in find_private_names(list_imports(path), libraries=True)]
    assert [name for name in private if name.partition(" ")[2] not in REGEX_TREE] == []
    sample = "from argparse import _SubParsersAction\nimport os._x\nparser._actions\nself._x\nmatch._replace()\n_y = 1\na._y"
    assert len(list(find_private_names(list(ast.walk(ast.parse(sample))), libraries=False))) == 3


def test_rows_have_types(sources: list[Source]) -> None:
    """`dict[str, Any]` is for JSON that others write."""
    assert sum(source.text.count("dict[str, Any]") for source in sources) <= MOST_UNTYPED_ROWS


def list_judges(sources: list[Source]) -> list[Source]:
    """Return the modules of transforms that judge language, those of packages inside of packages as well."""
    transforms = ROOT / "transforms"
    return [
        source
        for source in sources
        if source.path.is_relative_to(transforms) and source.path.relative_to(transforms).parts[0] not in READERS_OF_FORMATS
    ]


def test_lists_of_phrases_do_not_grow(sources: list[Source]) -> None:
    """One more pattern for one more phrase mends a case and no class of them."""
    texts = [source.text for source in list_judges(sources)]
    assert sum(text.count("re.compile(") + text.count("compile_late(") for text in texts) <= MOST_PATTERNS


def list_words(node: ast.AST) -> list[str]:
    """Return the words that a literal writes out: of a set, of a sequence that becomes one, of a text that is split."""
    elements: Sequence[ast.expr] = node.elts if isinstance(node, ast.Set) else ()
    if isinstance(node, ast.Call):
        called, text = ast.unparse(node.func), node.args[-1] if node.args else None
        if called in ("frozenset", "set") and isinstance(text, ast.List | ast.Tuple):
            elements = text.elts
        elif called in ("parse_set", "parse_stems", "re.findall") and isinstance(text, ast.Constant):
            return str(text.value).split()
    return [element.value for element in elements if isinstance(element, ast.Constant) and isinstance(element.value, str)]


def test_lists_of_words_do_not_grow(sources: list[Source]) -> None:
    """A set of words judges as a pattern does; of a closed class of grammar `transforms/words` has all, once."""
    words = [word for source in list_judges(sources) for node in source.nodes for word in list_words(node)]
    assert len(words) <= MOST_WORDS
    sample = "A = {'one', 'two'} | frozenset(['three']) | parse_set('four five') - {1}\nB = re.findall(r'\\w+', 'six')"
    assert len([word for node in ast.walk(ast.parse(sample)) for word in list_words(node)]) == 6


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a module: its place, its value and the names that its expression is made of."""

    module: str
    name: str
    value: object
    made_of: frozenset[str]


@pytest.fixture(scope="module")
def constants(sources: list[Source]) -> list[Constant]:
    """The constants of transforms and effects, with the values that they have, however they are written."""
    constants = []
    for source in sources:
        parts = source.path.relative_to(ROOT).with_suffix("").parts
        if parts[0] in ("transforms", "effects") and parts[-1] != "__init__":
            module = importlib.import_module(".".join(parts))
            for name, value in [*list_constants(source.tree)]:
                names = {ast.unparse(node) for node in ast.walk(value) if isinstance(node, ast.Name | ast.Attribute)}
                ends = frozenset(name.rpartition(".")[2] for name in names)
                if name.isidentifier() and hasattr(module, name):
                    constants.append(Constant(source.name(), name, getattr(module, name), ends))
    return constants


def test_a_set_of_words_has_one_home(constants: list[Constant]) -> None:
    """Copies drift apart, in another order or as a tuple as well: one is made of the other, or both are the same."""
    homes: dict[frozenset[str], list[Constant]] = {}
    for constant in constants:
        if isinstance(constant.value, frozenset | set | tuple | list) and all(isinstance(word, str) for word in constant.value):
            words = frozenset(map(str, constant.value))
            if len(words) >= 3 and any(char.isalpha() for word in words for char in word):
                homes.setdefault(words, []).append(constant)
    copies = [
        f"{one.module} {one.name} = {other.module} {other.name}"
        for same in homes.values()
        for one, other in combinations(same, 2)
        if one.name not in other.made_of and other.name not in one.made_of
    ]
    assert copies == []
    assert len(homes) > 300


def test_the_public_name_of_a_set_or_pattern_stands_for_one_thing(constants: list[Constant]) -> None:
    """Bounds and labels are named for their use, each in its module; a class of words or a form is the same everywhere."""
    values: dict[str, list[Constant]] = {}
    for constant in constants:
        if not constant.name.startswith("_"):
            values.setdefault(constant.name, []).append(constant)
    shared = {
        name: [constant.module for constant in same]
        for name, same in values.items()
        if len(same) > 1 and any(isinstance(constant.value, frozenset | set | re.Pattern | LatePattern) for constant in same)
    }
    assert shared == {}


def test_no_file_cites_documents_outside_of_the_repository() -> None:
    """Cite `docs/`, a public source, or nothing."""
    folders = [*PACKAGES, "tests", "docs", "benchmarks", "extensions"]
    files = [
        *ROOT.glob("*.*"),
        *(path for folder in folders for path in (ROOT / folder).rglob("*.*") if "node_modules" not in path.parts),
    ]
    texts = {
        path: path.read_text(encoding="utf-8") for path in files if path.suffix in {".py", ".md", ".j2", ".ts", ".toml", ".yaml"}
    }
    assert [f"{path}: {cited[0]}" for path, text in texts.items() if (cited := OUTSIDE.search(text))] == []


def test_no_unfinished_marks() -> None:
    """Open work stands in the issue tracker, not in the code."""
    mark = re.compile(r"\b(?:TO" + r"DO\b|FIX" + r"ME|XX" + r"X:|HA" + "CK)")
    assert [str(path) for path in MODULES if mark.search(path.read_text(encoding="utf-8"))] == []
