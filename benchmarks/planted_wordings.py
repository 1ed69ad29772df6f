"""Wordings by many hands through the offline engine: is each kept, as the right kind, and is nothing made of the rest?

    python benchmarks/planted_wordings.py [--half dev|held|unseen|all] [--misses dev]

Every item of `planting/wordings.yaml` is a little conversation of its own: work that is done, the words, and work that
follows. Prints one JSON line: per group and half how many were told, and how many as a right kind (for what is nothing: how
many were left alone). `--misses dev` shows what went wrong in the half that may be looked at.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.distil.engine_result import Fact
from transforms.offline.engine import OfflineEngine

BANK = Path(__file__).parent / "planting" / "wordings.yaml"
UNSEEN = BANK.with_name("wordings_unseen.yaml")
BUDGET = 1500
OPENING = "the import stops at the second file, please look at src/importer.py"
WORKED = "The import reads all files now; `load_rows` closes each of them."
HUNT = "the nightly report stops halfway, can you find out why?"
AFTERWARDS = (user("and now the readme, please"), *edited("README.md", "old", "new", "c9"), agent("The readme says it now."))


class Found(NamedTuple):
    """An item with what the engine made of it."""

    group: str
    words: str
    wanted: tuple[str, ...]
    told: bool
    right: bool
    facts: tuple[Fact, ...]


def main() -> int:
    """Runs the benchmark."""
    arguments = _arguments()
    found = {half: measured(half) for half in (("dev", "held", "unseen") if arguments.half == "all" else (arguments.half,))}
    for one in found.get(arguments.misses, []):
        if not one.right:
            print(f"{one.group:12} {'/'.join(one.wanted)}: {one.words}", file=sys.stderr)
            for fact in one.facts:
                print(f"{'':12}   -> {fact.kind} {fact.priority}: {fact.text}", file=sys.stderr)
    print(json.dumps({"benchmark": "planted_wordings", **{half: shares(items) for half, items in found.items()}}))
    return 0


def measured(half: str) -> list[Found]:
    """The items of one half, or of the unseen bank, judged."""
    bank: dict[str, list[dict[str, Any]]] = yaml.safe_load((UNSEEN if half == "unseen" else BANK).read_text(encoding="utf-8"))
    drawn = {group: items if half == "unseen" else items_of(items, half) for group, items in bank.items()}
    return [judged(group, item) for group, items in drawn.items() for item in items]


def items_of(items: list[dict[str, Any]], half: str) -> list[dict[str, Any]]:
    """Every second item in an order that is chance, but the same on every machine: each group is halved."""
    drawn = sorted(items, key=lambda item: blake2b(item["say"].encode(), digest_size=8).digest())
    return drawn[("dev", "held").index(half) :: 2]


def judged(group: str, item: dict[str, Any]) -> Found:
    """One item: the facts that cite its words, whether one of them tells it, and whether as a right kind."""
    parts, at = _conversation(item)
    entries = conversation(*parts)
    distilled = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], BUDGET)
    wanted = tuple(item["is"])
    facts = tuple(fact for segment in distilled.segments for fact in segment.facts if at in fact.ordinals)
    if wanted[0] == "nothing":
        wrong = [fact for fact in facts if fact.kind not in wanted and _tells_words(fact, item["say"])]
        return Found(group, item["say"], wanted, bool(wrong), not wrong, tuple(wrong))
    telling = [fact for fact in facts if all(_any_of(fact.text, key) for key in item["has"])]
    return Found(group, item["say"], wanted, bool(telling), any(fact.kind in wanted for fact in telling), facts)


def shares(items: list[Found]) -> dict[str, Any]:
    """Per group and for all that is something and all that is nothing: how many, told, right."""
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for one in items:
        for name in (one.group, "all_nothing" if one.wanted[0] == "nothing" else "all_something"):
            count[name].update({"n": 1, "told": one.told, "right": one.right})
    return {
        name: {"n": one["n"], "told": round(one["told"] / one["n"], 3), "right": round(one["right"] / one["n"], 3)}
        for name, one in count.items()
    }


def _conversation(item: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    if item.get("by") != "agent":
        parts = [user(OPENING), *edited("src/importer.py", "a", "b"), agent(item.get("before", WORKED))]
        return [*parts, user(item["say"]), agent("Okay."), *AFTERWARDS], len(parts)
    parts = [user(item.get("before", HUNT))]
    after = item.get("after", "both")
    if after in ("failing", "both"):
        parts += ran("make check", "2 failed: the result is not what was expected", is_error=True)
    if after in ("edit", "both"):
        parts += edited("src/report.py", "a", "b", "c4")
    if after in ("passing", "both"):
        parts += ran("make check", "34 passed", "c5")
    return [*parts, agent(item["say"]), *AFTERWARDS], len(parts)


def _any_of(text: str, key: Any) -> bool:
    return any(alternative in text.lower() for alternative in str(key).lower().split("|"))


def _tells_words(fact: Fact, words: str) -> bool:
    """A fact about the work that merely cites the entry as its occasion does not tell its words."""
    plain = {word for word in words.lower().split() if len(word) > 3}
    return fact.kind not in ("file_change", "error") or bool(plain & set(fact.text.lower().split()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Wordings by many hands: kept, and as the right kind?")
    parser.add_argument("--half", choices=("dev", "held", "unseen", "all"), default="all")
    parser.add_argument("--misses", choices=("dev", "none"), default="none")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
