"""The known folder that a folder lies in."""

from __future__ import annotations

from pathlib import Path

from effects.system.known_folders import find_enclosing


def test_the_innermost_known_folder_counts_and_a_name_that_only_begins_alike_does_not() -> None:
    known = ["/w/shop", "/w/shop/api", "/w/sho"]
    assert find_enclosing("/w/shop/api/src", known) == "/w/shop/api"
    assert find_enclosing("/w/shop", known) == "/w/shop"
    assert find_enclosing("/w/shopping", known) is None


def test_the_home_folder_and_those_around_it_hold_no_other_folder() -> None:
    """A session that was started at home once made every new folder a part of it, with its briefing."""
    home = Path.home()
    known = ["/", str(home.parent), str(home), str(home / "work")]
    assert find_enclosing(str(home / "new"), known) is None
    assert find_enclosing(str(home), known) == str(home)
    assert find_enclosing("/", known) == "/"
    assert find_enclosing(str(home / "work/app"), known) == str(home / "work")
