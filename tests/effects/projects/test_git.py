"""Git runs no program that a repository names, whatever recollect asks it; and what makes it wait is asked once."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from effects.fleet.team_repository import propose_page, read_accepted_page
from effects.ground.branch_lookups import look_up_branch, read_refs
from effects.ground.lookups import look_up, read_head
from effects.ground.package_lookups import read_packages
from effects.projects import git as git_module
from effects.projects.git import ask_git, run_git
from effects.projects.repositories import read_repository
from effects.sessions.commit_traces import read_blamed_commit, read_commit
from tests.effects.session_home import START
from transforms.ground.code_references import CodeReference

PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass",
    "core.alternateRefsCommand",
    "sequence.editor", "interactive.diffFilter", "diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean",
    "filter.trap.smudge", "filter.a=b.clean", "merge.trap.driver", "gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand",
    "credential.helper", "pager.log", "pager.show", "pager.blame", "pager.grep", "pager.diff", "alias.log", "alias.show",
    "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.receivepack", "browser.trap.cmd", "man.trap.cmd",
    "difftool.trap.cmd", "mergetool.trap.cmd", "sendemail.ccCmd", "sendemail.toCmd", "trailer.trap.command", "tar.trap.command",
)  # fmt: skip
"""Keys of a configuration whose value is a program (git help --config)."""
SETTINGS = {
    "log.showSignature": "true", "filter.trap.required": "true", "diff.submodule": "diff", "submodule.recurse": "true",
    "protocol.ext.allow": "always", "protocol.allow": "always", "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1", "diff.trap.cachetextconv": "true", "diff.colorMoved": "zebra",
}  # fmt: skip
"""Settings that let git come to those programs."""
SIGNED = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n =abcd\n -----END PGP SIGNATURE-----\n\n"
LOST = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *arguments: str, text: str | None = None) -> str:
    """Run git for the owner."""
    identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
    ]
    command = ["git", *identity, "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, input=text, timeout=30)
    return done.stdout.strip()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a repository whose configuration names a program wherever one may stand; each leaves its key in `RAN`."""
    library, folder = tmp_path / "library", tmp_path / "unzipped"
    for made in (library, folder):
        made.mkdir()
        git(made, "init", "-q")
    (library / "l.txt").write_text("1\n", encoding="utf-8")
    git(library, "add", "-A")
    git(library, "commit", "-qm", "one")
    git(folder, "submodule", "--quiet", "add", str(library), "library")
    (folder / ".gitattributes").write_text("* diff=trap merge=trap\n*.py filter=trap\n*.js filter=a=b\n", encoding="utf-8")
    for number, version in enumerate(("left-pad", "is-odd")):
        (folder / "package.json").write_text(f'{{\n  "dependencies": {{\n    "{version}": "^1.0.0"\n  }}\n}}\n', encoding="utf-8")
        (folder / "MEMORY.md").write_text(f"- line {number}\n", encoding="utf-8")
        for name in ("main.py", "main.js"):
            (folder / name).write_text(f"print({number})\n", encoding="utf-8")
        (folder / "library" / "l.txt").write_text(f"2{number}\n", encoding="utf-8")
        git(folder / "library", "commit", "-qam", f"more {number}")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", version)
    plain = git(folder, "cat-file", "commit", "HEAD")
    commit = git(folder, "hash-object", "-t", "commit", "-w", "--stdin", text=plain.replace("\n\n", SIGNED, 1) + "\n")
    git(folder, "update-ref", "refs/heads/main", commit)
    git(folder, "update-ref", "refs/remotes/origin/topic", "HEAD~1")
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/RAN\n[ -f "$2" ] && cat "$2"\nexit 0\n', encoding="utf-8")
    trap.chmod(0o755)
    included = tmp_path / "included"
    for key in PROGRAMS:
        place = included if key.startswith("diff.") else folder / ".git" / "config"
        git(folder, "config", "-f", str(place), key, f"'{trap}' '{key}'")
    for key in ("diff.external", "diff.trap.textconv"):
        git(folder, "config", "-f", str(tmp_path / "library.config"), key, f"'{trap}' 'submodule {key}'")
    git(folder / "library", "config", "include.path", str(tmp_path / "library.config"))
    for key, value in SETTINGS.items():
        git(folder, "config", "-f", str(folder / ".git" / "config"), key, value)
    signer = trap.with_name("signer.sh")  # this one is started without a shell
    signer.write_text(f"#!/bin/sh\nexec {trap} gpg.program\n", encoding="utf-8")
    signer.chmod(0o755)
    git(folder, "config", "-f", str(folder / ".git" / "config"), "gpg.program", str(signer))
    git(folder, "config", "-f", str(folder / ".git" / "config"), "include.path", str(included))
    git(folder, "config", "-f", str(folder / ".git" / "config"), "remote.origin.url", f"ext::{trap} remote")
    hooks = folder / ".git" / "hooks"
    for hook in ("reference-transaction", "post-index-change", "post-checkout", "fsmonitor-watchman", "pre-commit"):
        (hooks / hook).write_text(f"#!/bin/sh\necho hook {hook} >>{tmp_path}/RAN\n", encoding="utf-8")
        (hooks / hook).chmod(0o755)
    (tmp_path / "RAN").unlink(missing_ok=True)
    return folder


def list_executed(folder: Path) -> list[str]:
    """Return the keys whose programs were run."""
    mark = folder.parent / "RAN"
    return sorted(set(mark.read_text(encoding="utf-8").splitlines())) if mark.exists() else []


def test_plain_git_would_run_the_programs_of_this_repository(hostile: Path) -> None:
    """Or the test below would prove nothing."""
    for words in (
        ["log", "-p"], ["log", "--no-textconv", "-p"], ["blame", "main.py"], ["blame", "main.js"], ["diff", "HEAD~1", "HEAD"],
        ["status"], ["cat-file", "-e", LOST], ["update-ref", "refs/heads/x", "HEAD"], ["log", "-1"],
    ):  # fmt: skip
        subprocess.run(["git", "-C", str(hostile), *words], capture_output=True, check=False, timeout=30)
    assert {
        "core.fsmonitor", "diff.trap.textconv", "diff.trap.command", "submodule diff.external", "filter.trap.clean",
        "filter.a=b.clean", "gpg.program", "remote", "hook reference-transaction",
    } <= {*list_executed(hostile)}  # fmt: skip


def test_no_question_that_recollect_asks_runs_a_program_of_the_repository(hostile: Path) -> None:
    """Textconv, filters, monitors, signatures, hooks, submodules, pagers, and the fetch of an object that is not there."""
    root = str(hostile)
    head = read_head(root)
    assert head
    assert read_repository(root)
    for kind, name in (
        ("path", "gone.py"), ("path", "main.py"), ("command", "npm run x"), ("command", "make x"), ("commit", head[:9]),
        ("commit", LOST), ("symbol", "left_pad"), ("symbol", "print"), ("flag", "--gone"),
    ):  # fmt: skip
        look_up(root, head, CodeReference(kind, name))  # type: ignore[arg-type]
    assert "left-pad" in read_packages(root, head).removed
    assert read_refs(root)
    look_up_branch(root, "topic", [head[:7]], START)
    for words in (("diff", "--raw", "--abbrev=40", f"{head}~1", head), ("diff", f"{head}~1", head), ("show", head), ("log", "-p"),
                  ("log", "-1", "--merges", "--format=%h", "--grep=x", head), ("log", "-1", f"--find-object={LOST}"),
                  ("cat-file", "-e", LOST), ("grep", "print", head)):  # fmt: skip
        run_git(hostile, *words)
    assert read_commit(hostile, "HEAD")
    for name in ("main.py", "main.js"):
        assert read_blamed_commit(hostile, name, 1)
    assert read_accepted_page(hostile).removed
    assert propose_page(hostile, "# Team memory\n", START)
    assert list_executed(hostile) == []


def test_a_folder_of_a_clone_that_looks_like_a_repository_is_none(hostile: Path, tmp_path: Path) -> None:
    """A clone brings no configuration, but the files of a bare repository in it do."""
    inside = tmp_path / "clone" / "packages" / "app"
    inside.parent.mkdir(parents=True)
    git(tmp_path / "clone", "init", "-q")
    shutil.copytree(hostile / ".git", inside)
    git(inside, "config", "-f", str(inside / "config"), "core.bare", "false")
    git(inside, "config", "-f", str(inside / "config"), "core.worktree", ".")
    assert read_repository(str(inside)) is None
    assert read_head(str(inside)) is None
    assert list_executed(hostile) == []


def test_the_team_repository_may_have_no_files(tmp_path: Path) -> None:
    """The owner of the fleet named it."""
    git(tmp_path, "init", "-q", "--bare", "team.git")
    propose_page(tmp_path / "team.git", "# Team memory\n", START)
    assert ask_git(tmp_path, "--git-dir", str(tmp_path / "team.git"), "rev-parse", "--verify", "recollect-team-memory")


def test_a_pipe_where_git_reads_a_file_costs_no_wait(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "HEAD").unlink()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    (tmp_path / "src").mkdir()
    begin = time.monotonic()
    assert read_repository(str(tmp_path / "src")) is None
    assert time.monotonic() - begin < git_module.GIT_TIMEOUT_S / 2


def test_a_folder_in_which_git_does_not_answer_is_asked_once_and_many_of_them_soon_get_less_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe may lie deeper: behind a branch, or in a file that the configuration includes."""
    monkeypatch.setattr(git_module, "_seconds_lost", {})
    monkeypatch.setattr(git_module, "GIT_TIMEOUT_S", 0.6)
    monkeypatch.setattr(git_module, "SLOW_TIMEOUT_S", 0.1)
    monkeypatch.setattr(git_module, "PATIENCE_S", 1.0)
    os.mkfifo(tmp_path / "pipe")
    folders = [tmp_path / str(number) for number in range(6)]
    for folder in folders:
        folder.mkdir()
        git(folder, "init", "-q")
        (folder / ".git" / "config").write_text(f"[include]\npath = {tmp_path / 'pipe'}\n", encoding="utf-8")
    waits: list[float] = []

    def note_and_call(*arguments: object, timeout: float, **options: object) -> object:
        """Note how long git may take; how long it takes is the machine's matter."""
        waits.append(timeout)
        return called(*arguments, timeout=timeout, **options)  # type: ignore[call-overload]

    called = subprocess.run
    monkeypatch.setattr(git_module, "time", SimpleNamespace(monotonic=lambda: sum(waits)))
    monkeypatch.setattr(git_module.subprocess, "run", note_and_call)
    for _ in range(3):
        assert [ask_git(folder, "rev-parse", "HEAD") for folder in folders] == [None] * 6
    assert waits == [0.6, 0.6, 0.1, 0.1, 0.1, 0.1]
