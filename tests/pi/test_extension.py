"""The extension in the real pi, against a loopback model: briefing once, recall as a tool, distilling at shutdown."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.samples.drive import Client, prepare_home
from effects.config.settings import EmbeddingSettings, Settings
from effects.index.index_step import index
from effects.opening.memory_note import format_note
from effects.pages.render_step import render
from effects.recall.ask import ask, open_recall
from effects.store.lake import Lake
from effects.store.run import Run, open_run
from tests.effects.recall_world import DAY, START, fact, filled, write
from tests.machine.loopback import QuietHandler, serving_on_loopback
from tests.pi.clients import CLIENTS, QUIET, ROOT, node
from transforms.recall.types import Filters

pytestmark = pytest.mark.pi

EXTENSION = ROOT / "extensions" / "pi" / "recollect.ts"
SETTLED = {"0.73.1": "agent_end", "1.5.2": "agent_settled"}
VERSIONS = pytest.mark.parametrize("version", sorted(SETTLED))


@dataclass
class Model:
    """A model that answers "Noted." and calls `recall` when the person says so; every request is kept."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0
    prompt_tokens: int = 10

    def reply(self, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return one delta and the reason why the reply ends."""
        self.requests.append(body)
        last = body["messages"][-1]
        words = " ".join(text_of(message) for message in body["messages"][-2:] if message["role"] == "user")
        if last["role"] == "user" and "please recall" in words:
            project = "nowhere" if "nowhere" in words else "shop"
            arguments = json.dumps({"question": "session cache TTL", "project": project})
            call = {"index": 0, "id": f"call_{len(self.requests)}", "type": "function"}
            return {"tool_calls": [call | {"function": {"name": "recall", "arguments": arguments}}]}, "tool_calls"
        return {"content": "Noted."}, "stop"

    def texts(self, role: str) -> list[str]:
        """Return the texts of one role in the last request."""
        return [text_of(message) for message in self.requests[-1]["messages"] if message["role"] == role]


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a message of the protocol."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@contextmanager
def serving(served: Model | None = None) -> Iterator[Model]:
    """The model on a port of this machine."""
    model = served or Model()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.read_body())
            delta, reason = model.reply(body)
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
            usage = {"prompt_tokens": model.prompt_tokens, "completion_tokens": 2, "total_tokens": model.prompt_tokens + 2}
            parts: list[dict[str, Any]] = [
                chunk | {"choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]},
                chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                chunk | {"choices": [], "usage": usage},
            ]
            events = [f"data: {json.dumps(part)}\n\n" for part in parts]
            self.send_body("".join([*events, "data: [DONE]\n\n"]), kind="text/event-stream")

    with serving_on_loopback(Handler) as model.port:
        yield model


@dataclass
class Desk:
    """A home with pi and the extension, and the settings of one lake."""

    version: str
    root: Path
    model: Model
    env: dict[str, str]
    ended: int

    @property
    def notices(self) -> list[str]:
        """Return the lines that a person sees beside the conversation, of all sessions."""
        lines = (self.root / "pi.log").read_text(encoding="utf-8").splitlines()
        asked = [json.loads(line) for line in lines if line.startswith('{"type":"extension_ui_request"')]
        return [event["message"] for event in asked if event["method"] == "notify"]

    @property
    def log(self) -> str:
        """Return the log of the extension."""
        path = self.root / "home" / ".cache" / "recollect" / "pi.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def session(self, *prompts: str, options: tuple[str, ...] = ()) -> Path:
        """Run a session of these prompts until stdin is closed; return its file, which `recollect session` is not to read."""
        unread = self.root / "unread"
        unread.touch()
        file = self.talk(*prompts, options=options)
        self.wait_for_end()
        unread.unlink()
        return file

    def let_go(self) -> str:
        """Let `recollect session` begin after pi has ended; return its exit code."""
        (self.root / "go").write_text("go\n", encoding="utf-8")
        return self.wait_for_end()

    def wait_for_end(self) -> str:
        """Wait for the end of what the extension starts after pi; return its exit code."""
        waiting = select.select([self.ended], [], [], 120)[0]
        assert waiting, f"the extension started nothing at shutdown: {self.log}"
        return os.read(self.ended, 100).decode().strip()

    def talk(self, *prompts: str, options: tuple[str, ...] = ()) -> Path:
        """Run a session without the work after the end of pi."""
        command = [str(node()), str(CLIENTS[self.version]), "--mode", "rpc", "--model", "anthropic/claude-sonnet-4-5"]
        folder = self.root / "work"
        folder.mkdir(exist_ok=True)
        client = Client([*command, "-e", str(EXTENSION), *options], folder, self.env, self.root / "pi.log")
        for prompt in prompts:
            client.send({"type": "prompt", "message": prompt}, until=SETTLED[self.version])
        file = Path(client.send({"type": "get_state"})["data"]["sessionFile"])
        client.close()
        return file


@pytest.fixture
def desk(version: str, tmp_path: Path) -> Iterator[Desk]:
    """pi with the extension; `recollect` is the one of this repository, with a lake of two projects."""
    node()
    run = filled(tmp_path / "memory", model=str(tmp_path / "no-model"))
    with serving() as model:
        prepare_home(tmp_path / "home", model.port)
        for name in ("go", "ended"):
            os.mkfifo(tmp_path / name)
        ended = os.open(tmp_path / "ended", os.O_RDWR)
        yield Desk(version, tmp_path, model, environment(run, tmp_path), ended)
        os.close(ended)


def environment(run: Run, root: Path) -> dict[str, str]:
    """Return a closed environment: a home in the folder of the test, the loopback, and the command of this repository."""
    command = root / "recollect"
    lines = [
        "#!/bin/sh",
        f'[ "$1" = session ] && [ -e {root}/unread ] && echo 0 >{root}/ended && exit 0',
        f'[ "$1" = session ] && read line <{root}/go',  # pi must be able to end before this goes on
        f'PYTHONPATH={ROOT} {sys.executable} -m recollect "$@"',
        "code=$?",
        f'[ "$1" = session ] && echo $code >{root}/ended',
        "exit $code",
    ]
    command.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command.chmod(0o755)
    (root / "SOUL.md").write_text("Be plain.\n", encoding="utf-8")
    own = {"BIN": command, "LAKE": run.settings.lake, "WORKSPACE": run.settings.workspace, "IDENTITY": root / "SOUL.md"}
    own |= {"EMBEDDING__MODEL": run.settings.embedding.model, "TIMEZONE": "UTC", "OWNER": "joel"}
    path = os.pathsep.join([str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"])
    env = {"HOME": str(root / "home"), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "NO_PROXY": "127.0.0.1,localhost"}
    env |= QUIET | {"RECOLLECT_PI_WAIT_MS": "60000", "OPENBLAS_NUM_THREADS": "1"}
    return env | {f"RECOLLECT_{name}": str(value) for name, value in own.items()}


@VERSIONS
def test_the_briefing_comes_once_and_recall_is_a_tool(desk: Desk) -> None:
    """The briefing follows the first words of the person; a resumed session does not get it again."""
    file = desk.session("Hello, let us go on.", "please recall what the TTL is")
    first = desk.model.requests[0]
    assert "recall" in [tool["function"]["name"] for tool in first["tools"]]
    request_text = [text_of(message) for message in first["messages"] if message["role"] == "user"]
    assert [text.startswith("<recollect-briefing>") for text in request_text] == [False, True], desk.log
    assert request_text[1].index("Be plain.") < request_text[1].index("Session cache TTL stays below 20 minutes")
    results = desk.model.texts("tool")
    assert len(results) == 1
    assert "o-ttl | 2026-02-09 | decision | shop | " in results[0]
    assert "Session cache: Redis, TTL 15 minutes" in results[0]
    assert results[0].startswith("<recollect-recall>")
    desk.session("please recall nowhere", options=("--session", str(file)))
    assert "no session belongs to a project `nowhere`; next: known projects: blog, shop" in desk.model.texts("tool")[-1]
    assert sum(text.startswith("<recollect-briefing>") for text in desk.model.texts("user")) == 1
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [entry["type"] for entry in entries].count("custom_message") == 1


def remember_port(desk: Desk) -> None:
    """Let memory know a fact of the project in which pi runs, in the index and on the page of a night."""
    project = str(desk.root / "work")
    lake, workspace = Path(desk.env["RECOLLECT_LAKE"]), Path(desk.env["RECOLLECT_WORKSPACE"])
    embedding = EmbeddingSettings(model=desk.env["RECOLLECT_EMBEDDING__MODEL"])
    run = open_run(Settings(lake=lake, workspace=workspace, timezone="UTC", owner="joel", embedding=embedding))
    session = {"session_id": "work-1", "project": project, "title": "work", "source_path": "/sessions/work-1.jsonl"}
    times = {"started_at": START, "ended_at": START, "day": DAY}
    write(run, "sessions", [session | times])
    window = {
        "window_id": "w-2",
        "session_id": "work-1",
        "kind": "closing",
        "status": "distilled",
        "reason": "",
        "entry_count": 1,
    }
    write(run, "windows", [window | times | {"first_ordinal": 0, "last_ordinal": 0, "files_read": [], "files_modified": []}])
    port = fact("port", "The gateway listens on port 9500", session_id="work-1", window_id="w-2", project=project)
    write(run, "observations", [port])
    with run.lake.writing("test"):
        render(run)
        index(run)


def leave_note(desk: Desk) -> None:
    """Say where memory is, as `recollect init` does."""
    note = desk.root / "home" / ".cache" / "recollect" / "memory.json"
    note.parent.mkdir(parents=True)
    note.write_bytes(format_note(Path(desk.env["RECOLLECT_LAKE"]), Path(desk.env["RECOLLECT_WORKSPACE"])))


@VERSIONS
def test_facts_about_the_first_request_come_with_the_briefing(desk: Desk) -> None:
    """Facts that share words with what the person typed first, and only then."""
    remember_port(desk)
    desk.session("Move the gateway to another port.", "And move the gateway to port 12 again.")
    openings = [text for text in desk.model.texts("user") if text.startswith("<recollect-briefing>")]
    assert len(openings) == 1, desk.log
    assert "The gateway listens on port 9500" in openings[0].partition("about this request")[2]


@VERSIONS
def test_words_about_nothing_leave_the_facts_to_the_next_prompt(desk: Desk) -> None:
    """ "hi" had spent them. They come once."""
    remember_port(desk)
    desk.session("hi", "Move the gateway to another port.", "And move the gateway to port 12 again.")
    openings = [text for text in desk.model.texts("user") if text.startswith("<recollect-briefing>")]
    assert ["about this request" in text for text in openings] == [False, True], desk.log
    assert "The gateway listens on port 9500" in openings[1]
    assert "# Briefing" not in openings[1]


@VERSIONS
def test_a_slow_command_gives_way_to_the_page_of_the_last_night(desk: Desk) -> None:
    """The first turn never waits longer than its time, and the log says what it got."""
    remember_port(desk)
    leave_note(desk)
    command = Path(desk.env["RECOLLECT_BIN"])
    slow = '#!/bin/sh\n[ "$1" = session ] || sleep 5\n'  # the briefing's command; the one after the session is not waited for
    command.write_text(command.read_text(encoding="utf-8").replace("#!/bin/sh\n", slow), encoding="utf-8")
    desk.env["RECOLLECT_PI_WAIT_MS"] = "300"
    desk.session("Hello again.")
    page = desk.model.texts("user")[-1]
    assert page.startswith("<recollect-briefing>\n<!-- recollect:briefing -->"), desk.log
    assert "The gateway listens on port 9500" in page
    assert "not within 300 ms; given as last rendered" in desk.log


@VERSIONS
def test_in_print_mode_the_first_session_of_a_folder_has_the_page_when_the_command_is_too_slow(desk: Desk) -> None:
    """`pi -p` has one turn: the page is read without a process, from where `recollect init` says that memory is."""
    remember_port(desk)
    leave_note(desk)
    Path(desk.env["RECOLLECT_BIN"]).write_text("#!/bin/sh\nsleep 5\n", encoding="utf-8")
    desk.env["RECOLLECT_PI_WAIT_MS"] = "300"
    folder = desk.root / "work" / "src"
    folder.mkdir(parents=True)
    command = [str(node()), str(CLIENTS[desk.version]), "-p", "--no-session", "--model", "anthropic/claude-sonnet-4-5"]

    def ask() -> list[str]:
        subprocess.run([*command, "-e", str(EXTENSION), "Hello."], env=desk.env, cwd=folder, stdin=subprocess.DEVNULL, check=True)
        return [text for text in desk.model.texts("user") if text.startswith("<recollect-briefing>")]

    [page] = ask()
    assert "The gateway listens on port 9500" in page, desk.log
    desk.env["RECOLLECT_LAKE"] = str(desk.root / "another")
    assert ask() == [], "the note is of another memory"


@VERSIONS
def test_a_session_is_distilled_after_it_closed_and_memory_does_not_observe_itself(desk: Desk) -> None:
    """pi has ended before the command goes on. What memory said is in the file, and in nothing that is made of it."""
    words = [f"we decided that the parser keeps rule number {number} for tables" for number in range(5)]
    file = desk.talk("Let us begin with the parser, please recall what there is.", *words)
    assert desk.let_go() == "0", desk.log
    session = json.loads(file.read_text(encoding="utf-8").splitlines()[0])["id"]
    lake = Lake(Path(desk.env["RECOLLECT_LAKE"]))
    mine = pl.col("session_id") == session
    assert lake.read("windows").filter(mine)["status"].to_list() == ["distilled"]
    kept = lake.read("observations").filter(mine)["text"].to_list() + lake.read("segments").filter(mine)["narrative"].to_list()
    assert any("rule number" in text for text in kept)
    assert not any("Redis" in text or "Session cache" in text or "Be plain" in text for text in kept), kept
    entries = lake.read("entries").filter(mine)
    ours = entries.filter(pl.col("entry_type") == "custom_message")
    assert (ours.height, ours["role"].to_list(), ours["turn_kind"].to_list()) == (1, [None], [None])
    assert "<recollect-recall>" in "".join(entries.filter(pl.col("tool_name") == "recall")["text"].to_list())
    assert lake.read("sessions").filter(mine)["user_message_count"].to_list() == [6]
    run = open_run(Settings(lake=lake.root, embedding=EmbeddingSettings(model=desk.env["RECOLLECT_EMBEDDING__MODEL"])))
    hits = ask(open_recall(run), "session cache TTL Redis", Filters(project="all", k=30)).hits
    assert hits
    assert not [hit for hit in hits if hit.session_id == session]


@VERSIONS
def test_without_the_command_or_a_memory_pi_works_as_ever(desk: Desk) -> None:
    """Nothing is injected, nobody is disturbed; the reason is in the log."""
    desk.env["RECOLLECT_LAKE"] = str(desk.root / "no-lake")
    desk.talk("Hello.")
    assert "there is no lake" in desk.log
    assert desk.let_go() == "0"
    desk.env["RECOLLECT_BIN"] = str(desk.root / "missing")
    desk.talk("Hello.", "please recall what the TTL is")
    assert "memory could not be asked" in desk.model.texts("tool")[0]
    assert "missing is not a program" in desk.log
    assert not any("recollect-briefing" in text for text in desk.model.texts("user"))
    desk.env["RECOLLECT_PI"] = "off"
    desk.talk("Hello.")
    assert "recall" not in [tool["function"]["name"] for tool in desk.model.requests[-1]["tools"]]
    assert "Extension error" not in (desk.root / "pi.log").read_text(encoding="utf-8")


BROKEN = {
    "no lake yet": ("", "there is no lake in "),
    "no program": (None, "missing is not a program"),
    "a Python that is gone": ("#!/nowhere/python3\n", "ENOENT"),
    "a package that is gone": (
        "#!/bin/sh\nprintf 'Traceback (most recent call last):\\n  File \"x\"\\nImportError: no recollect\\n' >&2\nexit 1\n",
        "ImportError: no recollect",
    ),
    "a wrong setting": ("setting", "RECOLLECT_TIMEZONE"),
    "an answer of another version": ("#!/bin/sh\necho not JSON\n", "recollect doctor"),
}


@pytest.mark.parametrize("fault", sorted(BROKEN))
@pytest.mark.parametrize("version", ["1.5.2"])
def test_a_person_sees_once_what_is_wrong_with_memory_and_the_session_goes_on(desk: Desk, fault: str) -> None:
    """It stood in a log that nobody reads: a session without memory looked like one about which memory has nothing."""
    script, words = BROKEN[fault]
    if script == "setting":
        desk.env["RECOLLECT_TIMEZONE"] = "Mars/Base"
    elif script == "":
        desk.env["RECOLLECT_LAKE"] = str(desk.root / "no-lake")
    elif script is None:
        desk.env["RECOLLECT_BIN"] = str(desk.root / "missing")
    else:
        command = desk.root / "broken"
        command.write_text(script, encoding="utf-8")
        command.chmod(0o755)
        desk.env["RECOLLECT_BIN"] = str(command)
    (desk.root / "unread").touch()
    desk.talk("Hello.", "And again.")
    [notice] = desk.notices
    assert notice.startswith("memory is off: ")
    assert words in notice
    assert "Traceback" not in notice
    assert len(desk.model.requests) == 2
    assert not any("recollect-briefing" in text for text in desk.model.texts("user"))


@pytest.mark.parametrize("version", ["1.5.2"])
def test_a_command_that_hangs_costs_a_session_no_more_than_three_turns_of_waiting(desk: Desk) -> None:
    """Each turn waited for its time and started another process, as long as the session lasted."""
    count = desk.root / "count"
    command = desk.root / "hanging"
    command.write_text(f"#!/bin/sh\n[ $1 = briefing ] && echo x >>{count} && exec sleep 30\nexit 0\n", encoding="utf-8")
    command.chmod(0o755)
    desk.env |= {"RECOLLECT_BIN": str(command), "RECOLLECT_PI_WAIT_MS": "200"}
    desk.talk(*(f"Turn {number}." for number in range(6)))
    assert count.read_text(encoding="utf-8").count("x") <= 4, "one while the person types, and one for each of three turns"
    assert len(desk.model.requests) == 6
    assert desk.notices == []


@VERSIONS
def test_a_link_in_pis_own_folder_is_enough(desk: Desk) -> None:
    """pi finds the extension, the extension finds the command of this repository; also in print mode, which keeps no session."""
    if not (ROOT / ".venv" / "bin" / "recollect").exists():
        pytest.skip("the command is not installed in .venv: make setup")
    folder = desk.root / "home" / ".pi" / "agent" / "extensions"
    folder.mkdir(parents=True)
    (folder / "recollect.ts").symlink_to(EXTENSION)
    command = [str(node()), str(CLIENTS[desk.version]), "-p", "--no-session", "--model", "anthropic/claude-sonnet-4-5", "Hello."]
    env = {name: value for name, value in desk.env.items() if name != "RECOLLECT_BIN"}
    done = subprocess.run(command, env=env, cwd=desk.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), desk.log) == ("Noted.", "")
    assert desk.model.texts("user")[1].startswith("<recollect-briefing>")
