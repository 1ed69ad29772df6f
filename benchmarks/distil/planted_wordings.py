"""Measures the offline engine on single wordings of many authors: are they kept, and as the right kind?

    python -m benchmarks.distil.planted_wordings [--half dev|held|unseen|all] [--misses dev]

Every item of `planting/wordings.yaml` becomes a short conversation: finished work, the words, and more work. Keys, per half
(dev, held, unseen) and group: n; told, the share that a fact states; right, the share that a fact of a right kind states (for
items that are nothing: the share without a fact). `--misses dev` prints the misses of the half that may be looked at.
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


class JudgedWording(NamedTuple):
    """An item with the engine's facts about it."""

    group: str
    words: str
    wanted: tuple[str, ...]
    kept: bool
    right: bool
    facts: tuple[Fact, ...]


def main() -> int:
    """Run the benchmark."""
    arguments = _parse_arguments()
    judged_halves = {
        half: judge_half(half) for half in (("dev", "held", "unseen") if arguments.half == "all" else (arguments.half,))
    }
    for judged in judged_halves.get(arguments.misses, []):
        if not judged.right:
            print(f"{judged.group:12} {'/'.join(judged.wanted)}: {judged.words}", file=sys.stderr)
            for fact in judged.facts:
                print(f"{'':12}   -> {fact.kind} {fact.priority}: {fact.text}", file=sys.stderr)
    print(json.dumps({"benchmark": "planted_wordings", **{half: compute_shares(items) for half, items in judged_halves.items()}}))
    return 0


def judge_half(half: str) -> list[JudgedWording]:
    """Judge the items of one half, or of the unseen bank."""
    bank: dict[str, list[dict[str, Any]]] = yaml.safe_load((UNSEEN if half == "unseen" else BANK).read_text(encoding="utf-8"))
    drawn = {group: items if half == "unseen" else draw_items(items, half) for group, items in bank.items()}
    return [judge_item(group, item) for group, items in drawn.items() for item in items]


def draw_items(items: list[dict[str, Any]], half: str) -> list[dict[str, Any]]:
    """Return every second item in an order that is random but the same on every machine: each group is halved."""
    drawn = sorted(items, key=lambda item: blake2b(item["say"].encode(), digest_size=8).digest())
    return drawn[("dev", "held").index(half) :: 2]


def judge_item(group: str, item: dict[str, Any]) -> JudgedWording:
    """Judge one item: the facts that cite its words, whether one of them states it, and whether with a right kind."""
    parts, at = _conversation(item)
    entries = conversation(*parts)
    distilled = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], BUDGET)
    wanted = tuple(item["is"])
    facts = tuple(fact for segment in distilled.segments for fact in segment.facts if at in fact.ordinals)
    if wanted[0] == "nothing":
        wrong = [fact for fact in facts if fact.kind not in wanted and _states_words(fact, item["say"])]
        return JudgedWording(group, item["say"], wanted, bool(wrong), not wrong, tuple(wrong))
    telling = [fact for fact in facts if all(_any_of(fact.text, key) for key in item["has"])]
    return JudgedWording(group, item["say"], wanted, bool(telling), any(fact.kind in wanted for fact in telling), facts)


def compute_shares(items: list[JudgedWording]) -> dict[str, Any]:
    """Return count and shares per group, for all items that are something, and for all that are nothing."""
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in items:
        for name in (entry.group, "all_nothing" if entry.wanted[0] == "nothing" else "all_something"):
            count[name].update({"n": 1, "told": entry.kept, "right": entry.right})
    return {
        name: {"n": entry["n"], "told": round(entry["told"] / entry["n"], 3), "right": round(entry["right"] / entry["n"], 3)}
        for name, entry in count.items()
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


def _states_words(fact: Fact, words: str) -> bool:
    """Whether a fact states the words; a fact about the work may cite the entry only as its occasion."""
    plain = {word for word in words.lower().split() if len(word) > 3}
    return fact.kind not in ("file_change", "error") or bool(plain & set(fact.text.lower().split()))


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Wordings by many hands: kept, and as the right kind?")
    parser.add_argument("--half", choices=("dev", "held", "unseen", "all"), default="all")
    parser.add_argument("--misses", choices=("dev", "none"), default="none")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
