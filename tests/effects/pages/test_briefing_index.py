"""The index of the briefings: which project a folder's opening is about."""

from __future__ import annotations

from pathlib import Path

from effects.pages.briefing_index import BriefingIndex


def test_a_new_folder_below_home_does_not_open_with_the_briefing_of_home() -> None:
    home = str(Path.home())
    index = BriefingIndex(projects={home: home, f"{home}/work/shop": "/w/shop"})
    assert index.find_project(f"{home}/new") == ""
    assert index.find_project(home) == home
    assert index.find_project(f"{home}/work/shop/src") == "/w/shop"
