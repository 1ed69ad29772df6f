"""Compares the addresses of repositories: one repository has many."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_REMOTE_ADDRESS = compile_late(
    r"^(?:(?:https?|ssh|git|git\+ssh)://)?(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+|localhost)(?::\d+(?=/))?[:/]+(?P<path>[^\s?#]+)$"
)


def normalise_remote(address: str | None) -> str | None:
    """Return `host/owner/name` of a repository's address, without user, protocol, port and `.git`; None for a local path.

    Addresses with upper case and lower case are the same repository, as they are on the large hosts.
    """
    match = _REMOTE_ADDRESS.match((address or "").strip())
    if match is None:
        return None
    path = match["path"].strip("/").removesuffix(".git").strip("/")
    return f"{match['host']}/{path}".lower() if "/" in path else None
