"""The team page is proposed on a branch; what is checked out, and what people decided, stays."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from effects.fleet.fleet_file import load_fleet
from effects.fleet.fleet_pages import propose_team_page
from effects.fleet.team_repository import BRANCH, propose_page, read_accepted_page, withdraw_page
from effects.system.errors import PageError

AS_OF = datetime(2026, 5, 20, tzinfo=UTC)


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "README.md").write_text("ours\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "begin")
    return folder


def test_a_proposal_is_a_commit_on_its_branch_and_nothing_else_changes(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    propose_page(repository, "# Team memory\n", AS_OF)
    assert git(repository, "rev-parse", "HEAD") == head
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "show", f"{BRANCH}:MEMORY.md") == "# Team memory"
    assert git(repository, "show", f"{BRANCH}:README.md") == "ours"
    assert git(repository, "rev-parse", f"{BRANCH}^") == head


def test_the_same_page_is_proposed_once(repository: Path) -> None:
    propose_page(repository, "# Team memory\n", AS_OF)
    first = git(repository, "rev-parse", BRANCH)
    propose_page(repository, "# Team memory\n", datetime(2026, 6, 1, tzinfo=UTC))
    assert git(repository, "rev-parse", BRANCH) == first
    propose_page(repository, "# Team memory\n\n- more\n", AS_OF)
    assert git(repository, "rev-parse", BRANCH) != first


def test_a_repository_without_a_commit_gets_a_first_one_on_the_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    propose_page(tmp_path, "# Team memory\n", AS_OF)
    assert git(tmp_path, "show", f"{BRANCH}:MEMORY.md") == "# Team memory"


def test_a_folder_without_a_repository_is_an_error_with_the_next_command(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="is not a git repository") as error:
        read_accepted_page(tmp_path)
    assert error.value.hint == f"git init {tmp_path}"


def test_a_line_that_the_team_took_off_in_git_is_never_proposed_again(repository: Path, tmp_path: Path) -> None:
    memory = tmp_path / "owners" / "ana" / "workspace" / "MEMORY.md"
    memory.parent.mkdir(parents=True)
    memory.write_text("## Hard Rules\n\n- Never push on Friday #team\n- Squash before merging #team\n", encoding="utf-8")
    (tmp_path / "fleet.toml").write_text('owners = ["owners/*"]\nteam = "team"\n', encoding="utf-8")
    fleet = load_fleet(tmp_path / "fleet.toml")
    assert propose_team_page(fleet, AS_OF)["added"] == 2
    git(repository, "merge", "-q", BRANCH)
    page = repository / "MEMORY.md"
    kept = "".join(line for line in page.read_text(encoding="utf-8").splitlines(keepends=True) if "Friday" not in line)
    page.write_text(kept, encoding="utf-8")
    git(repository, "commit", "-qam", "not this one")
    assert propose_team_page(fleet, AS_OF) == {
        "added": 0,
        "removed": 0,
        "branch": "",
        "refusals": [],
        "conflicts": [],
        "problem": "",
    }


def test_a_proposal_that_nobody_needs_any_more_goes_and_a_branch_that_people_wrote_to_stays(repository: Path) -> None:
    propose_page(repository, "# Team memory\n", AS_OF)
    withdraw_page(repository)
    assert git(repository, "branch", "--list", BRANCH) == ""
    withdraw_page(repository)
    git(repository, "branch", BRANCH)
    withdraw_page(repository)
    assert BRANCH in git(repository, "branch", "--list", BRANCH)


def test_lines_that_recollect_wrote_are_told_from_those_of_people(repository: Path) -> None:
    propose_page(repository, "# Team memory\n\n- Ours (approved by ana)\n", AS_OF)
    git(repository, "merge", "-q", BRANCH)
    page = repository / "MEMORY.md"
    page.write_text(page.read_text(encoding="utf-8") + "- Theirs (approved by legal)\n", encoding="utf-8")
    git(repository, "commit", "-qam", "by hand")
    assert read_accepted_page(repository).written == ("- Ours (approved by ana)",)


def test_a_repository_that_git_refuses_is_not_to_be_made_anew(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_text("damaged", encoding="utf-8")
    with pytest.raises(PageError) as error:
        read_accepted_page(repository)
    assert "safe.directory" in error.value.hint
