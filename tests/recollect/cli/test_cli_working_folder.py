"""No command reads a file of the folder that it is run in: a cloned repository may hold settings of any library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effects.session_home import header, user, write

ROOT = Path(__file__).resolve().parents[3]
SERVER = "http://127.0.0.1:9/api"
ASKING_PREFECT = (
    "import asyncio, json, os, sys\n"
    "def look(coroutine):\n"
    "    coroutine.close()\n"
    "    from prefect.settings import get_current_settings\n"
    "    settings = get_current_settings()\n"
    "    seen = settings.api.url, settings.api.key, str(settings.logging.config_path), settings.logging.level\n"
    "    print(json.dumps([str(value) for value in seen]), file=sys.stderr)\n"
    "    os._exit(0)\n"
    "asyncio.run = look\n"
    "from recollect.cli import main\n"
    "main()"
)
"""Instead of a flow's run: print the settings that Prefect has. Nothing stops a temporary server then, so that none may start."""
WATCHING = (
    "import json, os, sys\n"
    "def watch(event, arguments, here=os.getcwd()):\n"
    "    path = arguments[0] if event in ('open', 'os.listdir', 'os.scandir') else None\n"
    "    if isinstance(path, (str, bytes)) and os.path.abspath(os.fsdecode(path)).startswith(here):\n"
    "        os.write(2, b'READ ' + os.fsencode(path) + b'\\n')\n"
    "sys.addaudithook(watch)\n"
    "from recollect.cli import main\n"
    "for arguments in json.loads(sys.argv[1]):\n"
    "    os.write(2, f'RUN {arguments}\\n'.encode())\n"
    "    try:\n"
    "        main(arguments)\n"
    "    except SystemExit as end:\n"
    "        os.write(2, f'EXIT {end.code}\\n'.encode())"
)
"""Run commands one after the other, and print each file below the working directory that Python opens."""
WITHOUT_PREFECT = (
    ["nightly", "--direct"], ["friction"], ["timeline"], ["fleet", "run", "../fleet.toml", "--direct"],
    ["session", "../sessions/s-1.jsonl", "--direct"],
    ["ask", "which database do we keep?"], ["sql", "SELECT count(*) FROM entries"], ["doctor"], ["config"],
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder with the files in which libraries look for settings, beside sessions and a fleet."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    mark = tmp_path / "RAN"
    files = {
        "prefect.toml": f'[api]\nurl = "{SERVER}"\n[logging]\nconfig_path = "logging.yml"\n',
        "pyproject.toml": f'[tool.prefect.api]\nurl = "{SERVER}"\n[tool.prefect.logging]\nlevel = "DEBUG"\n',
        ".env": f"PREFECT_API_URL={SERVER}\nPREFECT_API_KEY=theirs\nRECOLLECT_LAKE={folder}\nDO_NOT_TRACK=0\n",
        "logging.yml": f'version: 1\nfilters:\n  x:\n    "()": os.system\n    command: "touch {mark}"\n',
        "recollect.toml": f'lake = "{folder}"\n', ".duckdbrc": f".shell touch {mark}\n", "pip.conf": "[global]\n", "uv.toml": "",
        "orjson.py": f"open({str(mark)!r}, 'w')\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for home in (tmp_path, tmp_path / "owners" / "ana"):
        write(home / "sessions" / "s-1.jsonl", header("s-1", cwd="/w/app"), user("a", None, 0, "we keep Postgres for the jobs"))
    (tmp_path / "fleet.toml").write_text('owners = ["owners/*"]\n', encoding="utf-8")
    return folder


def call(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the code as an installed script that is called in the folder."""
    script = folder.parent / "installed" / "recollect"
    script.parent.mkdir(exist_ok=True)
    script.write_text(code, encoding="utf-8")
    places = {f"RECOLLECT_{name.upper()}": str(folder.parent / name) for name in ("sessions", "lake", "workspace")}
    environment = os.environ | places | {"PYTHONPATH": str(ROOT), "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false"}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nightly"], ["session", "../sessions/s-1.jsonl"], ["backfill", "--since", "2026-05-01"],
        ["fleet", "run", "../fleet.toml"],
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_prefect_takes_no_setting_from_the_folder_of_a_command(arguments: list[str], hostile: Path) -> None:
    """A server of theirs would get the runs, and a filter of the log calls any function."""
    done = call(hostile, ASKING_PREFECT, *arguments)
    url, key, config, level = json.loads(done.stderr.splitlines()[-1])
    assert (url, key, level) == ("None", "None", "INFO"), done.stderr
    assert config != "logging.yml"
    assert not (hostile.parent / "RAN").exists()


def test_commands_without_prefect_open_no_file_of_the_folder(hostile: Path) -> None:
    """One process runs them all: what a library reads when it is imported is seen in the first command that needs it."""
    done = call(hostile, WATCHING, json.dumps(WITHOUT_PREFECT))
    assert "READ" not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("EXIT ") == len(WITHOUT_PREFECT), done.stderr
    assert not (hostile.parent / "RAN").exists()
    assert {path.name for path in hostile.iterdir()} >= {"prefect.toml", ".env"}


def test_an_opened_file_of_the_folder_would_be_seen(hostile: Path) -> None:
    """Or the test above would prove nothing."""
    done = call(hostile, WATCHING.replace("main(arguments)", "open('.env')"), "[[]]")
    assert "READ .env" in done.stderr
