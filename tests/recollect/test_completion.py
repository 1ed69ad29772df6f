"""Shell completion, and help in colour."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import shtab
from rich_argparse import RichHelpFormatter

from recollect.arguments import FILE_COMPLETION, make_formatter
from recollect.cli import run
from recollect.command_list import COMMANDS


def complete(script: str, *words: str) -> set[str]:
    """Return what bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    code = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _shtab_recollect recollect '{words[-1]}' '{words[-2]}'"
    code += '\nprintf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return {word.strip() for word in done.stdout.splitlines() if word.strip()}


def test_bash_completes_commands_options_and_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script is made from the parsers, so that a new option is completed without further work."""
    (tmp_path / "a.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    assert run(["--completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert set(COMMANDS) <= complete(script, "recollect", "")
    assert complete(script, "recollect", "rev") == {"review"}
    assert {"--project", "--json", "--since"} <= complete(script, "recollect", "ask", "--")
    assert "a.jsonl" in complete(script, "recollect", "session", "a")


def test_files_are_completed_as_shtab_does_it() -> None:
    """Its values are written out, because importing it would slow every command down."""
    assert FILE_COMPLETION == shtab.FILE


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh", "powershell"])
def test_other_shells_have_a_script_too(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names every command."""
    assert run(["--completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)


def test_an_unknown_shell_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists the shells."""
    assert run(["--completion", "basch"]) == 2
    assert "bash, zsh" in capsys.readouterr().err


def test_help_is_coloured_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets of an option are text there, not markup."""
    assert not isinstance(make_formatter("recollect"), RichHelpFormatter)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    formatter = make_formatter("recollect")
    assert isinstance(formatter, RichHelpFormatter)
    formatter.add_text("[list] of words")
    assert "[list] of words" in formatter.format_help()
