"""Runs `recollect` in a process without internet: `python no_sockets.py ARGUMENTS`.

On Linux the kernel refuses every socket of IPv4 and IPv6 (seccomp), to libraries in Rust and C++ and to children, too. Python
code that looks up a name, connects or sends ends the process. (Importing urllib3 makes a socket, to see whether there is IPv6.)
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
import struct
import sys
import traceback

INTERNET = (int(socket.AF_INET), int(socket.AF_INET6))
FORBIDDEN = frozenset({"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"})
DIED = 97
"""Exit code after a forbidden call."""

_NUMBERS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""Per machine the name of its calls and the number of `socket`."""


def forbid_sockets() -> None:
    """Let this process and its children make no socket of IPv4 or IPv6, and end it when it tries to reach anybody."""
    sys.addaudithook(_refuse)
    if sys.platform == "linux" and platform.machine() in _NUMBERS:
        _install_filter(*_NUMBERS[platform.machine()])


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in FORBIDDEN:
        traceback.print_stack()
        sys.stderr.flush()
        os._exit(DIED)


def _install_filter(machine: int, call: int) -> None:
    load, equal, give = 0x20, 0x15, 0x06  # BPF: load a word, compare and jump, return (EPERM or all right)
    program = [
        (load, 0, 0, 4), (equal, 0, 6, machine),
        (load, 0, 0, 0), (equal, 0, 4, call),
        (load, 0, 0, 16), (equal, 1, 0, INTERNET[0]), (equal, 0, 1, INTERNET[1]),
        (give, 0, 0, 0x00050001), (give, 0, 0, 0x7FFF0000),
    ]  # fmt: skip
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((38, 1, 0, 0, 0), (22, 2, ctypes.byref(filters), 0, 0)):  # no new privileges, then the filter
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forbid_sockets()
    if sys.argv[1:] == ["--try"]:
        is_refused = ctypes.CDLL(None).socket(INTERNET[0], int(socket.SOCK_STREAM), 0) < 0
        sys.stdout.write("refused\n" if is_refused else "made\n")
        sys.stdout.flush()
        socket.getaddrinfo("localhost", 80)
    from recollect.cli import main

    main(sys.argv[1:])
