"""A terminal for clients that draw on one: a pseudo terminal, and the screen that a person would see."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

import pyte

COLUMNS = 100
PATIENCE = 240.0
"""Seconds that a text may take to appear, counted from the wish for it: a busy machine is not a failure."""


class Screen(pyte.Screen):
    """A screen that answers the program's questions about the terminal."""

    answer: Callable[[bytes], object]

    def write_process_input(self, data: str) -> None:
        """Send an answer, as if it were typed."""
        self.answer(data.encode())


class Terminal:
    """A program, and the screen on which it draws."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str], lines: int) -> None:
        self.screen = Screen(COLUMNS, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, COLUMNS, 0, 0))
        self.screen.answer = self.send
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
            env=env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
        )  # fmt: skip
        os.close(slave)

    @property
    def text(self) -> str:
        """Return the lines of the screen that hold something, without spaces at their ends."""
        return "".join(f"{line.rstrip()}\n" for line in self.screen.display if line.strip())

    def send(self, keys: bytes) -> None:
        """Press these keys."""
        os.write(self.master, keys)

    def draw(self, seconds: float) -> bool:
        """Draw the next thing that the program writes within these seconds; return False when it has ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            written = os.read(self.master, 65_536)
        except OSError:
            return False  # Linux says so when nobody holds the other end
        self.stream.feed(written)
        return bool(written)

    def wait(self, *texts: str) -> str:
        """Draw until all of these texts stand on the screen; return the screen."""
        self.wait_until(lambda: all(text in self.text for text in texts), f"{texts} to appear")
        return self.text

    def wait_until(self, is_so: Callable[[], bool], wish: str) -> None:
        """Draw until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            is_there = self.draw(0.1)
            assert is_there, f"the program ended before {wish}:\n{self.text}"
            assert time.monotonic() < end, f"waited {PATIENCE:.0f} s for {wish}:\n{self.text}"

    def type(self, words: str, *texts: str) -> None:
        """Type words, wait until they and these texts stand on the screen, and press Enter."""
        self.send(words.encode())
        self.wait(words, *texts)
        self.send(b"\r")

    def wait_for_end(self) -> int:
        """Draw until the program has ended; return its exit code."""
        end = time.monotonic() + PATIENCE
        while self.draw(0.1) and time.monotonic() < end:
            pass
        return self.process.wait(PATIENCE)


@contextmanager
def open_terminal(command: list[str], folder: Path, env: dict[str, str], lines: int = 40) -> Iterator[Terminal]:
    """Run a program in a terminal of 100 columns; whatever happens, it is gone afterwards, with all that it started."""
    terminal = Terminal(command, folder, env, lines)
    try:
        yield terminal
    finally:
        if terminal.process.poll() is None:
            os.killpg(terminal.process.pid, signal.SIGKILL)
            terminal.process.wait()
        os.close(terminal.master)
