"""Pictures of the report: every number is drawn, words are escaped, and nothing outside of the page is named."""

from __future__ import annotations

import re
from datetime import date, timedelta
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from transforms.report.pictures import Series, draw_counts, draw_days

DAYS = [date(2026, 3, 1) + timedelta(days=back) for back in range(60)]
AMOUNTS = st.dictionaries(st.sampled_from(DAYS), st.floats(0, 1e6, allow_subnormal=False), max_size=60)


@given(AMOUNTS, AMOUNTS)
def test_bars_stay_inside_the_picture_and_grow_with_their_numbers(one: dict[date, float], two: dict[date, float]) -> None:
    root = ElementTree.fromstring(draw_days(DAYS, [Series("a", "c1", one), Series("b", "c2", two)], "t"))
    bars = root.findall(".//rect")
    assert len(bars) == sum(value > 0 for value in [*one.values(), *two.values()])
    for bar in bars:
        assert float(bar.attrib["y"]) >= 0
        assert float(bar.attrib["y"]) + float(bar.attrib["height"]) <= 160
    tall = [float(bar.attrib["height"]) for bar in bars if bar.attrib["class"] == "c1"]
    assert sorted(tall) == [height for _, height in sorted(zip([one[day] for day in DAYS if one.get(day)], tall, strict=True))]


@given(
    st.lists(st.tuples(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])), st.integers(0, 10**9)), max_size=6)
)
def test_labels_are_words_and_never_markup(counts: list[tuple[str, int]]) -> None:
    picture = draw_counts(counts, '<b>"t"')
    names = [text.text or "" for text in ElementTree.fromstring(picture).findall("text[@class='name']")]
    assert names == [label for label, _ in counts]
    assert not re.search(r"<(?!/?(?:svg|g|title|rect|text|line)\b)", picture)
