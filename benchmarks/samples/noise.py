"""Makes long tool outputs as real sessions have them (logs, listings, pages), line by line from the position alone.

Four fifths of a real session is tool output. Without it a scene would be far denser than anything pi writes, and what a
memory keeps of a session is bounded by a share of its tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.samples.redate import pick_number

HOSTS = ("hooks.example.com", "in.shop.example", "api.garden.example", "events.example.net", "erp.example.org")
WORDS = [
    "access",
    "account",
    "badge",
    "binder",
    "booking",
    "bridge",
    "budget",
    "calendar",
    "camera",
    "canteen",
    "chair",
    "charger",
    "clinic",
    "contract",
    "courier",
    "desk",
    "door",
    "drawer",
    "export",
    "fax",
    "floor",
    "form",
    "garage",
    "holiday",
    "invoice",
    "keyboard",
    "kitchen",
    "laptop",
    "letter",
    "locker",
    "monitor",
    "notebook",
    "office",
    "parcel",
    "parking",
    "phone",
    "plant",
    "printer",
    "projector",
    "receipt",
    "room",
    "scanner",
    "shelf",
    "stamp",
    "storage",
    "ticket",
    "travel",
    "vacation",
    "visitor",
    "window",
]


def pick(seed: str, *fields: object) -> str:
    """Return a word that depends on the fields."""
    return WORDS[pick_number(seed, *fields, below=len(WORDS))]


def journal(seed: str, index: int) -> str:
    """Return a line of the workers' log."""
    job, worker, took = 1800 + index, 1 + pick_number(seed, "w", index, below=2), 90 + pick_number(seed, "t", index, below=900)
    clock = f"{6 + index // 60 % 18:02d}:{index % 60:02d}:{pick_number(seed, 's', index, below=60):02d}"
    status = 200 if pick_number(seed, "f", index, below=14) else 503
    host = HOSTS[pick_number(seed, "h", index, below=len(HOSTS))]
    return (
        f"{clock} ferry-vm worker-{worker}[{4100 + worker}]: sent job={job} attempt=1 host={host} status={status} took={took}ms"
    )


def links(seed: str, index: int) -> str:
    """Return a line of plumline's JSON output."""
    page, line = f"handbook/{pick(seed, 'p', index)}/{pick(seed, 'q', index)}.md", 1 + pick_number(seed, "l", index, below=90)
    host, status = HOSTS[pick_number(seed, "h", index, below=len(HOSTS))], 200 if pick_number(seed, "s", index, below=40) else 404
    return f'{{"file":"{page}","line":{line},"target":"https://{host}/{pick(seed, "r", index)}","status":{status}}}'


def tests(seed: str, index: int) -> str:
    """Return a line of a verbose test run."""
    area = ("store", "sender", "worker", "api", "config")[index % 5]
    return f"tests/test_{area}.py::test_{pick(seed, index)}_{pick(seed, 'x', index)}_{index} PASSED [{min(99, index):3d}%]"


def rows(seed: str, index: int) -> str:
    """Return a line of psql's output."""
    state = ("done", "done", "done", "queued", "dead")[pick_number(seed, "s", index, below=5)]
    host = HOSTS[pick_number(seed, "h", index, below=len(HOSTS))]
    tries = 1 + pick_number(seed, "a", index, below=6)
    return f" {1200 + index:>6} | https://{host}/{pick(seed, index):<12} | {state:<7} | {tries} | 17730{index:05d}"


def page(seed: str, index: int) -> str:
    """Return a line of a handbook page."""
    if index % 12 == 0:
        return f"## {pick(seed, index).capitalize()} and {pick(seed, 'b', index)}"
    first, second, third = pick(seed, index), pick(seed, "b", index), pick(seed, "c", index)
    link = f"[{third}](../{third}/{first}.md#{second})"
    return f"- The {first} is next to the {second}; see {link} for the form and the opening hours."


def tree(seed: str, index: int) -> str:
    """Return a line of a dependency or file listing."""
    size = 200 + pick_number(seed, "z", index, below=90_000)
    return f"-rw-r--r-- 1 mara mara {size:>7} docs/{pick(seed, index)}/{pick(seed, 'b', index)}-{index:03d}.md"


KINDS: dict[str, Callable[[str, int], str]] = {
    "journal": journal, "links": links, "tests": tests, "rows": rows, "page": page, "tree": tree,
}  # fmt: skip


SLICE = 18
"""Lines per call: an agent pages through long output, and pi shows a summarising model 2,000 characters of a result."""


def page_outputs(turn: dict[str, Any]) -> dict[str, Any]:
    """Return the turn with every call for `lines` of `noise` split into calls that page through them; `out` is filled in."""
    calls: list[dict[str, Any]] = []
    for call in turn.get("calls", []):
        if "noise" not in call:
            calls.append(call)
            continue
        for first in range(0, call["lines"], SLICE):
            last = min(first + SLICE, call["lines"])
            text = "".join(KINDS[call["noise"]](call["bash"], index) + "\n" for index in range(first, last))
            calls.append({"bash": f"{call['bash']} | sed -n '{first + 1},{last}p'", "out": text})
    return turn | {"calls": calls} if calls else turn
