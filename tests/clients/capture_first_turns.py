"""`python -m tests.clients.capture_first_turns`: captures of the first turn of pi, Claude Code and Codex, in docs/first-turns/.

The real clients, in a terminal of 100 by 40 characters, with hooks and extensions as `recollect init` installs them, over the
memory of the sample sessions. A screen shows no opening: the model on the loopback repeats what memory told it about the request.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

from benchmarks.samples.drive import prepare_home
from effects.health.sample_sessions import copy_sample_sessions
from tests.clients.model_servers import CODEX_CONFIG, list_anthropic_events, list_openai_events, serve_model
from tests.clients.terminal import COLUMNS, Terminal, open_terminal
from tests.pi.clients import CLIENTS, node
from tests.pi.test_extension import Model, serving, text_of

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "clients" / "node_modules" / ".bin"
TARGET = ROOT / "docs" / "first-turns"
PROMPT = "Postgres is slow in CI. Which port does it listen on, and may I go back to SQLite?"
NIGHT = "2026-03-16T03:30"
KEY = "loopback"
SIGN = "This is what memory told me about it:"
END = "Postgres it is, then."
SVG = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px monospace; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


TRUSTED_PROJECT = """[projects."{folder}"]
trust_level = "trusted"
"""
NAMES = {"brown": "yellow"} | {
    f"bright{name}": f"bright_{name}" for name in ("black", "red", "green", "blue", "magenta", "cyan", "white")
}
"""pyte's names of colours that rich calls otherwise."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A home of the invented developer Mara, her project, and the environment of a client there."""

    home: Path
    folder: Path
    env: dict[str, str]


def main() -> int:
    """Write a text and a picture for each client; say where."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        desk = prepare_desk(Path(scratch))
        for name, capture in (("pi", capture_pi), ("claude-code", capture_claude), ("codex", capture_codex)):
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            write_capture(name, capture(desk), desk)
            print(f"{TARGET / name}.svg")  # noqa: T201
    return 0


def prepare_desk(scratch: Path) -> Desk:
    """Let the sample sessions be Mara's, run one night over them, and let `recollect init` set her clients up."""
    home = scratch / "home" / "mara"
    folder = home / "code" / "ferrypost"
    folder.mkdir(parents=True)
    sessions = home / ".pi" / "agent" / "sessions"
    copy_sample_sessions(ROOT / "data" / "samples" / "sessions", sessions)
    for path in sessions.rglob("*.jsonl"):
        path.write_text(path.read_text(encoding="utf-8").replace("/home/mara", str(home)), encoding="utf-8")
    (folder / ".git").mkdir()
    for other in (".claude/projects", ".codex/sessions"):
        (home / other).mkdir(parents=True)
    path = os.pathsep.join([str(ROOT / ".venv" / "bin"), str(node().parent), os.environ["PATH"]])
    env = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1", "RECOLLECT_PI_WAIT_MS": "60000"}
    env |= {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0", "RECOLLECT_OWNER": "mara"}
    env |= {"RECOLLECT_TIMEZONE": "Europe/Berlin", "RECOLLECT_EMBEDDING__TURN_MINUTES": "0"}
    env |= {"RECOLLECT_LAKE": str(scratch / "lake"), "RECOLLECT_WORKSPACE": str(scratch / "workspace")}
    env |= {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_API_KEY": KEY}
    env["RECOLLECT_CONFIG"] = str(home / "recollect.toml")
    program = str(ROOT / ".venv" / "bin" / "recollect")
    init = ["init", "--yes", "--engine", "offline", "--schedule", "none", "--no-model", "--no-night", "--tools"]
    for arguments in (init, ["nightly", "--direct", "--as-of", NIGHT]):
        subprocess.run([program, *arguments], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for settings in (home / ".claude" / "settings.json", home / ".codex" / "hooks.json"):
        settings.write_text(settings.read_text(encoding="utf-8").replace(" hook ", " hook --wait 60 "), encoding="utf-8")
    return Desk(home, folder, env)


def repeat_facts(body: str) -> str:
    """Return an answer with the facts about the request that stand in a request's body."""
    lines = body.replace("\\n", "\n").replace('\\"', '"').partition("about this request")[2].split("\n")
    facts = [re.sub(r", `o-[0-9a-f]+`(?=[);])", "", line) for line in lines if line.startswith("- ")][:3]
    return "\n".join([SIGN, "", *facts, "", END]) if facts else "Noted."


@dataclass
class Talker(Model):
    """pi's model: it repeats the facts that a request holds."""

    def reply(self, body: dict[str, object]) -> tuple[dict[str, object], str]:
        """Return one delta and the reason why the reply ends."""
        self.requests.append(body)
        return {"content": repeat_facts("\n".join(text_of(message) for message in body["messages"]))}, "stop"


def capture_pi(desk: Desk) -> Terminal:
    """Return the screen of pi 1.5.2 with the three extensions that `init` linked, memory on."""
    with serving(Talker()) as model:
        prepare_home(desk.home, model.port)
        command = [str(node()), str(CLIENTS["1.5.2"]), "--model", "anthropic/claude-sonnet-4-5", "--approve", "--memory"]
        with open_terminal(command, desk.folder, desk.env) as terminal:
            terminal.wait("Observational memory compaction enabled", "\nOM\n")
            terminal.type(PROMPT)
            terminal.wait_until(
                lambda: END in terminal.text and "↑" in terminal.text and "Working" not in terminal.text, "the answer"
            )
            return terminal


def capture_claude(desk: Desk) -> Terminal:
    """Return the screen of Claude Code with our hooks, past its first questions."""
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "projectOnboardingSeenCount": 9}
    own = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {str(desk.folder): trusted}}
    own |= {"customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}, "lastOnboardingVersion": "9.0.0"}
    (desk.home / ".claude.json").write_text(json.dumps(own), encoding="utf-8")
    with serve_model(list_anthropic_events, repeat_facts) as model:
        env = desk.env | {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.port}"}
        with open_terminal([str(PROGRAMS / "claude")], desk.folder, env) as terminal:
            terminal.wait("for shortcuts")
            terminal.type(PROMPT)
            terminal.wait(END, "for shortcuts")
            return terminal


def capture_codex(desk: Desk) -> Terminal:
    """Return the screen of Codex with our hooks and tools."""
    with serve_model(list_openai_events, repeat_facts) as model:
        config = desk.home / ".codex" / "config.toml"
        own = CODEX_CONFIG.format(port=model.port) + TRUSTED_PROJECT.format(folder=desk.folder)
        config.write_text(f"{own}{config.read_text(encoding='utf-8') if config.exists() else ''}", encoding="utf-8")
        with open_terminal([str(PROGRAMS / "codex"), "--dangerously-bypass-hook-trust"], desk.folder, desk.env) as terminal:
            terminal.wait("Ask Codex to do anything")
            terminal.type(PROMPT)
            terminal.wait(END, "for shortcuts")
            return terminal


def write_capture(name: str, terminal: Terminal, desk: Desk) -> None:
    """Write a screen as text and as a picture; the folder of this run is nowhere in it."""
    lines = [row_of(terminal.screen, number) for number in range(terminal.screen.lines)]
    while lines and not lines[-1].plain.strip():
        lines.pop()
    text = Text("\n").join(lines)
    plain = "".join(f"{line.plain.rstrip()}\n" for line in lines)
    assert str(desk.home) not in plain, plain
    (TARGET / f"{name}.txt").write_text(plain, encoding="utf-8")
    console = Console(width=COLUMNS, record=True, file=Path(os.devnull).open("w"), force_terminal=True, color_system="truecolor")  # noqa: SIM115
    console.print(text, soft_wrap=True)
    picture = console.export_svg(title=f"{name}: first turn", code_format=SVG, unique_id=name)
    (TARGET / f"{name}.svg").write_text(picture + "\n", encoding="utf-8")


def row_of(screen: pyte.Screen, number: int) -> Text:
    """Return one row of a screen, with its colours."""
    row = Text(no_wrap=True)
    cells = [screen.buffer[number][column] for column in range(screen.columns)]
    for look, run in itertools.groupby(cells, key=lambda cell: cell._replace(data="")):
        row.append("".join(cell.data for cell in run), style_of(look))
    return row


def style_of(look: pyte.screens.Char) -> Style:
    """Return the style of a cell: pyte writes colours as six digits or by names of its own."""
    fore, back = (f"#{color}" if re.fullmatch(r"[0-9a-f]{6}", color) else NAMES.get(color, color) for color in (look.fg, look.bg))
    marks = {"bold": look.bold, "italic": look.italics, "underline": look.underscore, "reverse": look.reverse}
    return Style(color=fore, bgcolor=back, **marks)


if __name__ == "__main__":
    raise SystemExit(main())
