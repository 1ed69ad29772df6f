"""What the tests do to the machine: where their files lie, and in which order their own files run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis.configuration import set_hypothesis_home_dir, storage_directory

from tests.machine import memory_folder
from tests.machine.file_order import LONG, ROOT, find_group, rank_file
from tests.machine.memory_folder import open_memory_folder
from tests.machine.shared_bytecode import has_constants, keep_constants, make_share


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for the machine's memory, for a process that was told of none."""
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(memory_folder, "_is_roomy", lambda folder, _size: folder.is_dir())
    return tmp_path


def test_temporary_files_of_a_run_and_of_what_it_starts_lie_in_memory(memory: Path) -> None:
    folder = open_memory_folder(memory)
    assert folder is not None
    assert folder.is_relative_to(memory)
    assert os.environ["TMPDIR"] == tempfile.gettempdir() == str(folder)


def test_what_an_ended_run_left_in_memory_goes_and_a_running_one_keeps_its_files(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = memory / f"recollect-tests-{os.getuid()}" / "run-ended"
    (ended / "lake").mkdir(parents=True)
    running = open_memory_folder(memory)
    assert running is not None
    assert not ended.exists()
    monkeypatch.delenv("TMPDIR")
    assert open_memory_folder(memory) not in (None, running)
    assert running.is_dir()


@pytest.mark.parametrize("reason", ["told where", "no such folder", "foreign"])
def test_files_stay_on_the_disk_where_memory_is_missing_anothers_or_not_wanted(
    reason: str, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "told where":
        monkeypatch.setenv("TMPDIR", "/elsewhere")
    if reason == "foreign":
        (memory / "theirs").mkdir()
        (memory / f"recollect-tests-{os.getuid()}").symlink_to(memory / "theirs")
    assert open_memory_folder(memory / "missing" if reason == "no such folder" else memory) is None
    assert os.environ.get("TMPDIR") == ("/elsewhere" if reason == "told where" else None)


def test_memory_that_could_run_full_is_left_alone(tmp_path: Path) -> None:
    assert not memory_folder._is_roomy(tmp_path, 1 << 60)


def test_files_that_take_long_exist_and_start_before_all_others() -> None:
    missing = [file for file in LONG if not (ROOT / file).is_file()]
    assert missing == []
    ranks = [rank_file(ROOT / file) for file in (*LONG, "tests/test_lessons.py")]
    assert ranks == sorted(ranks)


def test_files_of_a_group_stay_on_one_worker_side_by_side_and_start_first() -> None:
    groups = {
        "prefect_server": ["tests/flows/test_flows_deployed.py", "tests/flows/test_flows_in_pools.py"],
        "clients": ["tests/pi/test_extension.py", "tests/clients/test_real_clients.py"],
        "parsed_modules": ["tests/test_layers.py", "tests/test_docstrings.py", "tests/test_docs.py"],
        "sample_night": ["tests/flows/pipelines/test_pipelines.py", "tests/flows/test_slices.py"],
    }
    for name, files in groups.items():
        assert {find_group(ROOT / file) for file in files} == {name}
        assert len({rank_file(ROOT / file) for file in files}) == 1
    ranks = [rank_file(ROOT / files[0]) for files in groups.values()]
    assert ranks == sorted(ranks)
    assert ranks[-1] < rank_file(ROOT / LONG[0])
    assert find_group(ROOT / LONG[0]) is None


def test_workers_together_make_the_bytecode_of_every_file_and_none_of_them_makes_another_ones(tmp_path: Path) -> None:
    """A test file that cannot be imported stops nobody: the collection tells it."""
    names = [f"{package}/{name}.py" for package in ("effects", "tests") for name in ("a", "b", "test_c", "test_d")]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise ValueError\n", encoding="utf-8")
    made: list[set[str]] = []
    for number in range(3):
        make_share(tmp_path, number, 3)
        compiled = {path.name.partition(".")[0] + path.parts[-3] for path in tmp_path.rglob("*.pyc")}
        made.append(compiled.difference(*made))
    assert [len(share) for share in made] == [2, 1, 1]
    assert set().union(*made) == {"aeffects", "beffects", "atests", "btests"}


def test_workers_together_keep_the_constants_of_every_module_but_those_of_tests(tmp_path: Path) -> None:
    """Hypothesis takes them from its folder then, and parses no module again."""
    modules = [f"{package}/{name}.py" for package in ("effects", "flows", "tests") for name in ("a", "b")]
    for number, name in enumerate(modules):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"NAME = {4_000 + number}\n", encoding="utf-8")
    former = storage_directory().path
    set_hypothesis_home_dir(tmp_path / "hypothesis")
    try:
        assert not has_constants()
        counts = []
        for number in range(3):
            keep_constants(tmp_path, number, 3)
            counts.append(len(list((tmp_path / "hypothesis" / "constants").iterdir())))
        assert has_constants()
    finally:
        set_hypothesis_home_dir(former)
    assert counts == [2, 3, 4]
