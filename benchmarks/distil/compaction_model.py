"""Measures the knowledge of a session after a compaction by a model, through the pi extension itself, beside pi's own summary.

    python -m benchmarks.distil.compaction_model ANSWERS [SHARED]

The compactions, texts and readers of `benchmarks/distil/compaction.py`; the observations come from the extension's own prompts
(`compact_with_model.mjs` loads it with node >= 22). Requests wait in ANSWERS/requests/KIND-NAME.md until a reader, who knows no
gold, has written ANSWERS/answers/KIND-NAME.txt. Keys:

    retained, retained_all, anywhere   as there, of the observations consolidated to the size of pi's own summary
    whole_…                            the same for the observations as they came; at a second compaction they begin with the
                                       consolidated ones of the first
    offline_…, pi_…, typed_…           the offline observer at pi's size, pi's own summary, the owner's typed text at that size

and per compaction in `compactions` the figures with the tokens of each text.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from threading import Lock
from types import ModuleType
from typing import Any

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing
from benchmarks.distil.compaction import (
    ZONE,
    Compaction,
    compact_offline,
    count_high,
    find_compactions,
    find_gold_session,
    fit_newest,
    score_text,
    select_facts,
)
from effects.distil.observe_messages import read_conversation
from tests.pi.clients import node
from transforms.conversation.entries import Entry
from transforms.tables.tokens import count_tokens

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("compact_with_model.mjs")
EXTENSION = ROOT / "extensions" / "pi" / "observational-memory"
CHARS_PER_TOKEN = 4
"""As pi and the extension estimate tokens."""

Scores = dict[str, Any]
_SCORING = Lock()
"""Sessions run beside each other, and the scorer prints its figures: one at a time."""


@dataclass(frozen=True, slots=True)
class Extension:
    """The extension in a node process, which answers one compaction after another."""

    process: subprocess.Popen[str]

    def compact(self, compaction: Compaction, known: str) -> tuple[str, str]:
        """Return the observations after a compaction as they came, and consolidated to the size of pi's summary."""
        max_tokens = -(-len(compaction.summary) // CHARS_PER_TOKEN)
        messages = [message for entry in compaction.replaced if (message := show_message(entry))]
        order = {"messages": messages, "known": known, "maxTokens": max_tokens, "firstKeptEntryId": "kept"}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the extension ended without an answer; its reason stands above")
        answer = json.loads(line)
        if answer["problem"]:
            print(answer["problem"], file=sys.stderr)
        return str(answer["observed"]), str(answer["fitted"])


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions"
    if report_missing([bench / "score_gold.py", bench / "gold", bench / "gold_owners", sessions]):
        return 1
    scorer = load_module(bench / "score_gold.py")
    golds = sorted([*(bench / "gold").glob("*.gold.json"), *(bench / "gold_owners").glob("*.gold.json")])
    conversations = [(gold, read_conversation(find_gold_session(sessions, gold).read_bytes(), ZONE)) for gold in golds]
    compacted = [pair for pair in conversations if find_compactions(pair[1])]
    with ThreadPoolExecutor(len(compacted)) as pool:
        found = pool.map(lambda pair: _score_session(scorer, *pair, arguments.answers), compacted)
        results = [scores for session in found for scores in session]
    keys = [key for key, value in results[0].items() if isinstance(value, float)]
    means = {key: round(mean(result[key] for result in results), 4) for key in keys}
    print(json.dumps({"benchmark": "compaction_model", "count": len(results), **means, "compactions": results}))
    return 0


def show_message(entry: Entry) -> dict[str, Any] | None:
    """Return an entry as the message that pi gives to a compaction; None when pi shows it to no model."""
    raw = entry.raw
    if entry.entry_type == "message":
        return dict(raw["message"])
    if entry.entry_type == "custom_message":
        return {"role": "custom", "content": raw.get("content"), "timestamp": raw.get("timestamp")}
    if entry.entry_type == "branch_summary":
        return {"role": "branchSummary", "summary": raw.get("summary"), "timestamp": raw.get("timestamp")}
    return None


def _score_session(scorer: ModuleType, gold: Path, entries: Sequence[Entry], answers: Path) -> list[Scores]:
    content = json.loads(gold.read_bytes())
    results: list[Scores] = []
    known = known_offline = ""
    seen: list[Entry] = []
    with start_extension(answers) as extension:
        for number, compaction in enumerate(find_compactions(entries), 1):
            facts = select_facts(content, compaction)
            if not count_high(facts):
                continue
            seen += compaction.replaced
            size = count_tokens(compaction.summary)
            whole, known = extension.compact(compaction, known)
            known_offline = compact_offline(compaction, known_offline, seen, size)
            typed = [words for entry in seen if (words := entry.owner_words)]
            result: Scores = {
                "session": content["session"],
                "number": number,
                "important": count_high(facts),
                "facts": len(facts),
            }
            texts = {
                "": known,
                "whole_": whole,
                "offline_": known_offline,
                "pi_": compaction.summary,
                "typed_": fit_newest(typed, size),
            }
            for prefix, text in texts.items():
                with _SCORING:
                    scores = score_text(scorer, content | {"facts": facts}, text)
                result |= {f"{prefix}{key}": value for key, value in scores.items()}
            results.append(result)
    return results


@contextmanager
def start_extension(answers: Path) -> Iterator[Extension]:
    """Start the extension; its requests and their answers lie below `answers`. Skips as tests do where no node >= 22 is."""
    command = [str(node()), "--experimental-strip-types", "--no-warnings", str(SCRIPT), str(EXTENSION), str(answers.resolve())]
    environment = os.environ | {"TZ": str(ZONE)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield Extension(process)
        finally:
            process.kill()


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("answers", type=Path, help="folder of requests and answers")
    add_shared(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
