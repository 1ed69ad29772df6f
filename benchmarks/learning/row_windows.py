"""The windows of the real sessions, as the offline engine gets them, one lake per folder of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from effects.config.settings import Settings, WindowSettings
from effects.distil.distil_step import distil
from effects.distil.stored_weights import load_turn_classifier
from effects.distil.window_distillers import choose_mode
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow
from transforms.offline.engine import OfflineEngine
from transforms.tables.enums import OFFLINE, AgentMode

FOLDERS = ("owners", "claude", "codex", "real")
AS_OF = datetime(2026, 12, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """What an engine gets of a window, its session and file, and the physical line of each entry of the session."""

    session: str
    file: str
    entries: list[Entry]
    summarised: list[Entry]
    topics: list[tuple[int, int]]
    budget: int
    mode: AgentMode
    lines: dict[int, int]


def read_windows(
    sessions: Path, folder: Path, names: Sequence[str] = FOLDERS, min_user_messages: int | None = None
) -> list[Window]:
    """Return the windows of all sessions in these folders that the offline engine would distil; lakes are made in `folder`."""
    limits = WindowSettings() if min_user_messages is None else WindowSettings(min_user_messages=min_user_messages)
    return [window for name in names for window in _read_windows(sessions / name, folder / name, limits)]


@dataclass(frozen=True, slots=True)
class _CapturingEngine:
    """The offline engine, which keeps what it gets in `windows`."""

    run: Run
    files: dict[str, str]
    lines: dict[str, dict[int, int]]
    windows: list[Window]
    name: str = OFFLINE
    template_hash: str = "captured"

    def distil(
        self,
        entries: list[Entry],
        topics: list[tuple[int, int]],
        earlier: list[str],
        budget_tokens: int,
        summarised: Sequence[Entry] = (),
    ) -> DistilledWindow:
        """Keep the arguments and distil with the rules alone."""
        session = entries[0].session_id
        mode = choose_mode(entries, self.run)
        window = Window(session, self.files[session], entries, list(summarised), topics, budget_tokens, mode, self.lines[session])
        self.windows.append(window)
        return OfflineEngine(classifier=load_turn_classifier()).distil(entries, topics, earlier, budget_tokens, summarised)


def _read_windows(sessions: Path, folder: Path, limits: WindowSettings) -> list[Window]:
    lake, workspace = folder / "lake", folder / "workspace"
    settings = Settings(sessions=(sessions,), lake=lake, workspace=workspace, timezone="UTC", window=limits)
    run = open_run(settings, AS_OF)
    windows: list[Window] = []
    with run.lake.writing("labels"):
        for step in NIGHTLY_STEPS[: [name_step(step) for step in NIGHTLY_STEPS].index("distil")]:
            step(run)
        frame = run.lake.scan("sessions").select("session_id", "source_path").collect()
        files = {session: Path(path).name for session, path in frame.iter_rows()}
        lines: dict[str, dict[int, int]] = {}
        for session, ordinal, line in run.lake.scan("entries").select("session_id", "ordinal", "line_no").collect().iter_rows():
            lines.setdefault(session, {})[ordinal] = line
        distil(run, _CapturingEngine(run, files, lines, windows))
    return windows
