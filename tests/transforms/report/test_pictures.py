"""Pictures of the report: every number is drawn and told, words are escaped, and nothing outside of the page is named."""

from __future__ import annotations

import itertools
import re
from datetime import date, timedelta
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.report.pictures import BASE, HEIGHT, NAME_WIDTH, WIDTH, Series, draw_days
from transforms.report.time_bins import choose_bins

FIRST = date(2026, 3, 1)
DAYS = [FIRST + timedelta(days=back) for back in range(60)]
AMOUNTS = st.dictionaries(st.sampled_from(DAYS), st.floats(0, 1e6, allow_subnormal=False), max_size=60)
NO_CONTROLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))


@given(AMOUNTS, AMOUNTS)
def test_bars_stay_inside_the_picture_and_grow_with_their_numbers(picture: dict[date, float], two: dict[date, float]) -> None:
    bins = choose_bins(DAYS[0], DAYS[-1])
    root = ElementTree.fromstring(draw_days(bins, [Series("a", "c1", picture), Series("b", "c2", two)], "t"))
    bars = root.findall(".//rect")
    assert len(bars) == sum(value > 0 for value in [*picture.values(), *two.values()])
    for bar in bars:
        assert float(bar.attrib["y"]) >= 0
        assert float(bar.attrib["y"]) + float(bar.attrib["height"]) <= HEIGHT - BASE + 0.2
    tall = [float(bar.attrib["height"]) for bar in bars if bar.attrib["class"] == "c1"]
    assert sorted(tall) == [
        height for _, height in sorted(zip([picture[day] for day in DAYS if picture.get(day)], tall, strict=True))
    ]


@given(NO_CONTROLS, NO_CONTROLS)
def test_labels_are_words_and_never_markup(title: str, name: str) -> None:
    picture = draw_days(choose_bins(DAYS[0], DAYS[-1]), [Series(name, "c1", {DAYS[3]: 2})], title)
    root = ElementTree.fromstring(picture)
    assert root.attrib["aria-label"].replace("\n", " ").startswith(title.replace("\n", " "))
    assert root.findtext(".//title") == f"2026-03-04: 2 {name}"
    assert not re.search(r"<(?!/?(?:svg|g|title|rect|text|line)\b)", picture)


def test_one_is_no_plural() -> None:
    picture = draw_days(choose_bins(DAYS[0], DAYS[-1]), [Series("topics", "c1", {DAYS[3]: 1, DAYS[4]: 2})], "Topics")
    names = [title.text for title in ElementTree.fromstring(picture).iter("title")]
    assert names == ["2026-03-04: 1 topic", "2026-03-05: 2 topics"]


def test_whoever_does_not_see_a_picture_hears_its_numbers() -> None:
    picture = draw_days(choose_bins(DAYS[0], DAYS[-1]), [Series("facts", "c1", {DAYS[3]: 2, DAYS[4]: 1})], "Facts")
    label = ElementTree.fromstring(picture).attrib["aria-label"]
    assert label == "Facts: 3 from 2026-03-01 to 2026-04-29, most in the day 2026-03-04 (2)"


@given(st.integers(0, 4000), st.dictionaries(st.integers(0, 4000), st.integers(1, 9), max_size=20))
def test_every_day_lies_in_one_bin_of_its_unit(length: int, values: dict[int, int]) -> None:
    """Bins follow each other without a gap; the sum stays, whatever the unit."""
    last = FIRST + timedelta(days=length)
    bins = choose_bins(FIRST, last)
    counts = {FIRST + timedelta(days=day): value for day, value in values.items() if day <= length}
    assert sum(bins.sum_days(counts).values()) == sum(counts.values())
    assert bins.starts[0] <= FIRST
    assert bins.starts[-1] <= last
    assert list(bins.starts) == sorted(set(bins.starts))


@each_case(("days", "unit", "bars"), [(59, "day", 60), (60, "week", 9), (413, "week", 60), (420, "month", 14)])
def test_a_longer_time_has_coarser_bins(days: int, unit: str, bars: int) -> None:
    bins = choose_bins(date(2026, 3, 2), date(2026, 3, 2) + timedelta(days=days))
    assert (bins.unit, len(bins.starts)) == (unit, bars)


@given(st.integers(0, 1500))
def test_names_below_the_bars_never_touch_and_name_both_ends(length: int) -> None:
    """Each name has its width: from its place when it is the first, around it in between, up to it when it is the last."""
    bins = choose_bins(FIRST, FIRST + timedelta(days=length))
    root = ElementTree.fromstring(draw_days(bins, [Series("a", "c1", {FIRST: 1})], "t"))
    spans = []
    for text in root.findall("text"):
        place, style = float(text.attrib["x"]), text.attrib["class"]
        if float(text.attrib["y"]) > HEIGHT - BASE + 4.1:
            shift = {"first": 0, "day": 0.5, "name": 1}[style]
            spans.append((place - shift * NAME_WIDTH, place + (1 - shift) * NAME_WIDTH, text.text))
    assert spans[-1][2] == bins.name(bins.starts[-1])
    assert spans[0][2] == bins.name(bins.starts[0])
    assert spans[0][0] >= 0
    assert spans[-1][1] <= WIDTH
    assert all(before[1] <= after[0] + 0.1 for before, after in itertools.pairwise(spans))
