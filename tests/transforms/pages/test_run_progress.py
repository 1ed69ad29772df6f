"""One bar over a whole run: it only goes forward, and says what is left when that can be known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.pages.run_progress import (
    RunSteps,
    RunWork,
    StepPart,
    StepTimes,
    format_duration,
    format_progress,
    measure_progress,
)

STEPS = [StepPart("ingest"), StepPart("distil"), StepPart("embed"), StepPart("index")]
NIGHT = RunSteps("nightly", STEPS)
TWO_SLICES = [
    StepPart("ingest_slice", 0.1), StepPart("distil", 0.1), StepPart("index", 0.1), StepPart("ingest", 0.9),
    StepPart("distil", 0.3), StepPart("embed_kept", 0.4), StepPart("index", 0.1), StepPart("distil", 0.6),
    StepPart("embed_kept", 0.6), StepPart("embed"), StepPart("index"),
]  # fmt: skip


def test_a_line_names_step_units_rate_and_the_time_left() -> None:
    """Ten windows a second, 90 of them left, and the later steps."""
    progress = measure_progress(NIGHT, 1, StepTimes(2.3, 1.0, None, [1.3]), "windows", 10, 100)
    assert format_progress(progress).startswith("nightly 2/4 distil, 10/100 windows, 10 a second, ")
    assert progress.seconds_left is not None
    assert progress.seconds_left > 8


def test_nothing_is_promised_before_windows_are_distilled() -> None:
    """A rate of the first moment says nothing about the end, and neither do bytes: a megabyte of chat takes ten times as long as
    one of tool results."""
    assert format_progress(measure_progress(NIGHT, 0, StepTimes(0.1, 0.1))) == "nightly 1/4 ingest"
    assert "left" not in format_progress(measure_progress(NIGHT, 0, StepTimes(60, 60), "MB", 50, 100))
    assert "left" not in format_progress(measure_progress(NIGHT, 1, StepTimes(1.0, 0.5, None, [0.5]), "windows", 50, 100))
    assert "left" not in format_progress(measure_progress(NIGHT, 1, StepTimes(60, 10, None, [50]), "windows", 1, 100))
    assert "left" in format_progress(measure_progress(NIGHT, 1, StepTimes(60, 10, None, [50]), "windows", 10, 100))


def test_a_step_with_a_limit_ends_with_it() -> None:
    """A night may spend ten minutes on vectors, however many texts wait; before the step begins that is known, too."""
    steps = RunSteps("nightly", STEPS[:3])
    endless = measure_progress(steps, 2, StepTimes(60, 30, None, [10, 20]), "texts", 1000, 100_000)
    limited = measure_progress(steps, 2, StepTimes(60, 30, 20, [10, 20]), "texts", 1000, 100_000)
    assert endless.seconds_left is not None
    assert endless.seconds_left > 2000
    assert limited.seconds_left == 20
    work = RunWork(1000, 100_000, 1e9, turn_seconds=600)
    before = measure_progress(RunSteps("nightly", STEPS[:3], work), 1, StepTimes(60, 50, None, [10]), "windows", 99, 100)
    assert before.seconds_left is not None
    kept = work.list_seconds("embed") - 600
    assert before.seconds_left is not None
    assert 600 < before.seconds_left < 605 + kept, "the time of turns is limited, not that of condensed texts"


@given(
    slowness=st.floats(0.4, 6), windows=st.floats(0.2, 20), turns=st.integers(2_000, 50_000), inside=st.floats(0.05, 0.99),
    position=st.integers(3, len(TWO_SLICES) - 1),
)  # fmt: skip
def test_what_the_newest_sessions_took_tells_what_the_others_take(
    slowness: float, windows: float, turns: int, inside: float, position: int
) -> None:
    """On a slow machine, and with windows that take longer or shorter than usual, what is said is within a factor of two:
    a slice of a tenth is not taken for a whole step, as it was (3 h left of 12 min)."""
    work = RunWork(turns / 150, turns, turns * 500)
    takes = [
        work.list_seconds(step.family) * step.part * slowness * (windows if step.name == "distil" else 1) for step in TWO_SLICES
    ]
    own = takes[position] * inside
    times = StepTimes(sum(takes[:position]) + own, own, None, takes[:position])
    progress = measure_progress(RunSteps("nightly", TWO_SLICES, work), position, times, "units", round(inside * 1e6), 1_000_000)
    left = takes[position] - own + sum(takes[position + 1 :])
    if times.of_run >= 10:
        assert progress.seconds_left is not None
        assert left / 2 - 1 <= progress.seconds_left <= left * 2 + 1


RECORDED = [
    ("ingest", 1, 26), ("attribute", 1, 77), ("window", 1, 14), ("distil", 0.033, 8),
    ("embed_kept", 0.033, 8), ("consolidate", 1, 3), ("render", 0.3, 5), ("index", 1, 10),
    ("distil", 0.333, 155), ("embed_kept", 0.333, 75), ("consolidate", 1, 4), ("render", 0.3, 6),
    ("index", 0.1, 6), ("distil", 0.333, 150), ("embed_kept", 0.333, 150), ("consolidate", 1, 4),
    ("render", 0.3, 8), ("index", 0.1, 8), ("distil", 0.3, 143), ("embed_kept", 0.3, 85),
    ("dedupe", 1, 62), ("consolidate", 1, 12), ("reflect", 1, 102), ("render", 1, 30),
    ("embed", 1, 254), ("index", 0.8, 47),
]  # fmt: skip
"""Steps, their parts and seconds, by its log, of a night over 3,000 tiny sessions on a machine that others used more and more."""


@each_case("position", [8, 9, 13, 14, 18, 19, 20, 22, 24])
def test_the_time_left_is_not_short_by_a_third_where_a_machine_gets_slower(position: int) -> None:
    """In the middle of a step, from the second slice on; it was short by 37 %."""
    takes = [float(seconds) for _, _, seconds in RECORDED]
    own = takes[position] / 2
    run = RunSteps("nightly", [StepPart(name, part) for name, part, _ in RECORDED], RunWork(60, 9000, 0.9e6, turn_seconds=240))
    progress = measure_progress(run, position, StepTimes(sum(takes[:position]) + own, own, None, takes[:position]), "units", 1, 2)
    left = own + sum(takes[position + 1 :])
    assert progress.seconds_left is not None
    assert left * 0.7 <= progress.seconds_left <= left * 1.4


@each_case("part", [0.0, 0.01])
def test_a_step_with_next_to_nothing_to_do_foretells_nothing(part: float) -> None:
    """The newest sessions may be all there is: the other slice has a part of 0. A start of 12 s is no part of 20 minutes."""
    work = RunWork(60, 9000, 0.9e6)
    run = RunSteps("nightly", [StepPart("ingest", part), StepPart("distil", 0.5), StepPart("ingest", 1 - part)], work)
    progress = measure_progress(run, 1, StepTimes(62, 50, None, [12]), "windows", 50, 100)
    assert progress.seconds_left is not None
    assert progress.seconds_left < 300


def test_slow_units_are_counted_by_the_minute() -> None:
    """A model that reads a window takes seconds for it."""
    progress = measure_progress(RunSteps("nightly", STEPS[1:2]), 0, StepTimes(10, 10), "windows", 1, 8)
    assert "6 a minute" in format_progress(progress)


def test_durations_are_readable() -> None:
    """Seconds, minutes, hours."""
    assert [format_duration(seconds) for seconds in (12, 200, 4800)] == ["12 s", "3 min", "1 h 20 min"]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20))
def test_the_share_never_goes_back(dones: list[int]) -> None:
    """Within a step and from one to the next, also when a step reports nothing; it ends below or at the whole."""
    moments = [(position, done) for position in range(len(STEPS)) for done in sorted(dones)]
    shares = [measure_progress(NIGHT, position, StepTimes(9, 3), "x", done, 50).share for position, done in moments]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] <= 1
