"""Work that is done side by side is what it would be alone, also when a helper dies."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from effects.ingest import batches, ingest_step
from effects.ingest.part_files import Part, PartTask, make_part
from effects.system.process_pool import side_by_side
from tests.effects.session_home import LINES, Home, header, write

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "samples" / "sessions"


def doubled(number: int) -> int:
    """For helpers: twice the number, said aloud, which must not disturb the answers."""
    sys.stdout.write("a library prints something\n")
    sys.stdout.flush()
    return 2 * number


def dying_in_helpers(number: int) -> int:
    """For helpers: the process dies, but where the tests run."""
    if os.environ["HERE"] != str(os.getpid()):
        os._exit(3)
    return -number


def failing_in_helpers(number: int) -> int:
    """For helpers: an error, but where the tests run."""
    if os.environ["HERE"] != str(os.getpid()):
        raise ValueError(f"no {number}")
    return -number


def failing(number: int) -> int:
    """An error everywhere."""
    raise ValueError(f"never {number}")


def part_but_not_in_helpers(task: PartTask) -> Part:
    """For helpers: an error; where the tests run it waits for that, however long a helper takes to start."""
    mark = Path(os.environ["MARK"])
    if os.environ["HERE"] != str(os.getpid()):
        mark.touch()
        raise OSError("disk gone")
    wait_for(mark)
    return make_part(task)


def wait_for(mark: Path) -> None:
    """Waits for a file that a helper makes, at most two minutes."""
    for _ in range(1200):
        if mark.exists():
            return
        time.sleep(0.1)


def use_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets also few sessions be read by helper processes, in small parts."""
    monkeypatch.setattr(ingest_step, "HELPED_BYTES", 0)
    monkeypatch.setattr(ingest_step, "helpers_here", lambda: 2)
    monkeypatch.setattr(batches, "FILL_BYTES", 20_000)


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_every_piece_is_done_once(helpers: int) -> None:
    told: list[str] = []
    assert sorted(side_by_side(doubled, range(40), helpers, told.append)) == list(range(0, 80, 2))
    assert told == []


def test_nothing_to_do_starts_nothing() -> None:
    assert list(side_by_side(doubled, [], 2, pytest.fail)) == []


@pytest.mark.parametrize("work", [dying_in_helpers, failing_in_helpers])
def test_what_a_helper_fails_at_is_done_here_and_told(work: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", str(os.getpid()))
    told: list[str] = []
    numbers = list(range(2000))
    done = []
    for answer in side_by_side(work, numbers, 1, told.append):
        done.append(answer)
        if len(told) == 0:  # until the helper has taken a piece
            time.sleep(0.01)
    assert sorted(done) == sorted(-number for number in numbers)
    assert len(told) == 1
    assert "is done here" in told[0]


def test_an_error_of_the_work_itself_is_raised() -> None:
    with pytest.raises(ValueError, match="never"):
        list(side_by_side(failing, range(3), 1, print))


def test_ingesting_with_helpers_gives_the_lake_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path, "alone")
    shutil.copytree(SAMPLES, home.sessions, dirs_exist_ok=True)
    write(home.sessions / "fork.jsonl", header("fork", parentSession="/gone/2026_parent.jsonl"), *LINES)
    write(home.sessions / "damaged.jsonl", header("damaged"), *LINES, '{"type":"message"', end="\n")
    counts = home.night()
    helped = Home(tmp_path, "helped")
    use_helpers(monkeypatch)
    assert helped.night() == counts
    assert counts["read"] > 10
    assert helped.files() == home.files()
    assert not list((helped.lake.root / "_tx").glob("*"))


def test_helpers_that_fail_at_reading_are_named_in_the_counts_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path, "alone")
    shutil.copytree(SAMPLES, home.sessions, dirs_exist_ok=True)
    counts = home.night()
    assert "helper_failures" not in counts
    helped = Home(tmp_path, "helped")
    monkeypatch.setenv("HERE", str(os.getpid()))
    use_helpers(monkeypatch)
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setattr(ingest_step, "make_part", part_but_not_in_helpers)
    found = helped.night()
    failures = found.pop("helper_failures")
    assert 1 <= len(failures) <= 2
    assert all("OSError: disk gone" in failure for failure in failures)
    assert found == counts
    assert helped.files() == home.files()
