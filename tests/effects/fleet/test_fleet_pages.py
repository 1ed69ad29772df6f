"""The report of a fleet as a page."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from effects.fleet.fleet_file import Fleet, FleetOwner, FleetSettings
from effects.fleet.fleet_pages import propose_team_page, render_fleet_report
from tests.each_case import each_case
from tests.transforms.fleet.test_fleet_report import AS_OF, _figures, _result


@each_case(("owners", "words"), [(["ana"], " 1 owner; 1 done"), (["ana", "bo"], " 2 owners; 2 done")])
def test_a_report_of_one_owner_counts_one_owner(owners: list[str], words: str) -> None:
    text = render_fleet_report({
        "as_of": AS_OF.isoformat(), "seconds": 4.0, "states": {"done": len(owners)}, "team": None,
        "owners": [_figures(owner, 0) for owner in owners], "results": [_result(owner, "done") for owner in owners],
    })  # fmt: skip
    assert words in text


@pytest.mark.parametrize("kind", ["pipe", "circle"])
def test_a_memory_that_is_no_file_stops_no_team_page(tmp_path: Path, kind: str) -> None:
    """A pipe was waited for without end, and a link to itself was a traceback."""
    for name in ("ana", "bo"):
        (tmp_path / name / "workspace").mkdir(parents=True)
    (tmp_path / "ana" / "workspace" / "MEMORY.md").write_text("- Squash before merging #team\n", encoding="utf-8")
    strange = tmp_path / "bo" / "workspace" / "MEMORY.md"
    os.mkfifo(strange) if kind == "pipe" else strange.symlink_to("MEMORY.md")
    subprocess.run(["git", "init", "-q", str(tmp_path / "team")], check=True)
    owners = tuple(FleetOwner(name, tmp_path / name) for name in ("ana", "bo"))
    fleet = Fleet(tmp_path / "fleet.toml", FleetSettings(owners=("*",), team=Path("team")), owners)
    team = propose_team_page(fleet, AS_OF)
    assert team is not None
    assert (team["added"], team["problem"]) == (1, "")
