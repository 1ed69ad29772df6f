"""Measures the knowledge of a session after a compaction: dated observations of the offline observer, beside pi's own summary.

    python -m benchmarks.distil.compaction [SHARED]

SHARED has `bench/` (with `score_gold.py`) and `sessions/`. For each compaction of each gold session the facts count whose
evidence ends before the first kept entry: what follows is in the context anyway. Both texts have the size of pi's own summary and
go through the same reader, which takes a line as a row of `score_gold.py` (a fact must be told by one line of 480 characters). A
later compaction gets the observations of the one before it, as in the extension. Keys:

    retained, retained_all   share of the important facts and of all facts, mean over the compactions
    anywhere                 share of the important facts whose words occur anywhere in the text: a kinder reader
    pi_…                     the same for pi's own summary
    typed_…                  the same for all typed text of the owner, the newest that fits
    double_…                 observations of twice the size; default_…: of the size that `recollect observe` chooses by itself

and per compaction in `compactions` the figures with the tokens of both texts.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.arguments import add_shared, load_module, make_parser, report_missing, write_jsonl
from effects.distil.observe_messages import SUMMARY_TYPE, observe_entries, read_conversation
from transforms.conversation.entries import Entry
from transforms.distil.dated_observations import condense_observations
from transforms.tables.tokens import count_tokens

ZONE = ZoneInfo("UTC")
OWNER = "Owner"
SHARE = 0.05

Scores = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction of a gold session: what it replaced, its summary, and the first line that it kept."""

    replaced: list[Entry]
    summary: str
    kept_line: int


def main() -> int:
    """Run the benchmark; return 1 when a set is missing."""
    arguments = _parse_arguments()
    bench, sessions = arguments.shared / "bench", arguments.shared / "sessions"
    if report_missing([bench / "score_gold.py", bench / "gold", bench / "gold_owners", sessions]):
        return 1
    scorer = load_module(bench / "score_gold.py")
    results: list[Scores] = []
    for gold in sorted([*(bench / "gold").glob("*.gold.json"), *(bench / "gold_owners").glob("*.gold.json")]):
        entries = read_conversation(find_gold_session(sessions, gold).read_bytes(), ZONE)
        results += _score_session(scorer, gold, entries)
    keys = [key for key, value in results[0].items() if isinstance(value, float)]
    means = {key: round(mean(result[key] for result in results), 4) for key in keys}
    print(json.dumps({"benchmark": "compaction", "count": len(results), **means, "compactions": results}))
    return 0


def find_compactions(entries: Sequence[Entry]) -> list[Compaction]:
    """Return the compactions of the active branch in order."""
    path = [entry for entry in entries if entry.on_active_branch]
    places = {entry.entry_id: index for index, entry in enumerate(path)}
    compactions: list[Compaction] = []
    begin = 0
    for index, entry in enumerate(path):
        if entry.entry_type == SUMMARY_TYPE:
            kept = places.get(str(entry.raw.get("firstKeptEntryId")), index)
            replaced = [item for item in path[begin:kept] if item.entry_type != SUMMARY_TYPE]
            compactions.append(Compaction(replaced, str(entry.raw.get("summary") or ""), path[kept].line_no))
            begin = kept
    return compactions


def _score_session(scorer: ModuleType, gold: Path, entries: Sequence[Entry]) -> list[Scores]:
    content = json.loads(gold.read_bytes())
    results = []
    known = {1.0: "", 2.0: "", 0.0: ""}
    seen: list[Entry] = []
    for number, compaction in enumerate(find_compactions(entries), 1):
        facts = select_facts(content, compaction)
        if not count_high(facts):
            continue
        seen += compaction.replaced
        size = count_tokens(compaction.summary)
        known = {factor: compact_offline(compaction, text, seen, round(size * factor) or None) for factor, text in known.items()}
        typed = [words for entry in seen if (words := entry.owner_words)]
        result: Scores = {"session": content["session"], "number": number, "important": count_high(facts), "facts": len(facts)}
        texts = {"": known[1.0], "pi_": compaction.summary, "typed_": fit_newest(typed, size), "double_": known[2.0]}
        for prefix, text in (texts | {"default_": known[0.0]}).items():
            result |= {f"{prefix}{key}": value for key, value in score_text(scorer, content | {"facts": facts}, text).items()}
        results.append(result)
    return results


def select_facts(gold: Scores, compaction: Compaction) -> list[Scores]:
    """Return the annotated facts whose evidence ends before the first entry that a compaction kept."""
    return [fact for fact in gold["facts"] if max(fact["evidence"]) < compaction.kept_line]


def compact_offline(compaction: Compaction, known: str, seen: list[Entry], max_tokens: int | None) -> str:
    """Return the observations after a compaction: the known ones, then the new ones, condensed together as in the extension."""
    earlier = [line for line in known.splitlines() if line]
    new_share = sum(entry.token_count for entry in compaction.replaced) / max(sum(entry.token_count for entry in seen), 1)
    budget = round(max_tokens * new_share) if max_tokens and earlier else max_tokens
    new = observe_entries(compaction.replaced, OWNER, ZONE, SHARE, budget, earlier).text
    whole = f"{known}\n\n{new}" if known else new
    return condense_observations(whole, max_tokens, OWNER) if max_tokens else whole


def score_text(scorer: ModuleType, gold: Scores, text: str) -> Scores:
    """Return the figures of a text: its lines are the rows."""
    rows = [{"id": str(number), "text": line, "lines": []} for number, line in enumerate(text.splitlines()) if line.strip()]
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
        gold_file, export = Path(folder) / "gold.json", Path(folder) / "rows.jsonl"
        gold_file.write_text(json.dumps(gold), encoding="utf-8")
        write_jsonl(export, rows)
        scorer.main(str(gold_file), str(export))
    scores = json.loads(output.getvalue())
    high = [fact for fact in gold["facts"] if fact["priority"] == "high"]
    anywhere = sum(scorer.holds(text, fact["keys"]) for fact in high) / len(high)
    shares = {"retained": scores["retained_high"], "retained_all": scores["retained_all"], "anywhere": round(anywhere, 4)}
    return {key: float(value) for key, value in shares.items()} | {"tokens": count_tokens(text)}


def fit_newest(texts: list[str], max_tokens: int) -> str:
    """Return the newest texts that fit into this many tokens, oldest first."""
    kept: list[str] = []
    for text in reversed(texts):
        if count_tokens("\n".join([text, *kept])) > max_tokens:
            break
        kept.insert(0, text)
    return "\n".join(kept)


def count_high(facts: list[Scores]) -> int:
    """Return the number of facts with priority high."""
    return sum(fact["priority"] == "high" for fact in facts)


def find_gold_session(sessions: Path, gold: Path) -> Path:
    """Return the session file of an annotation; end the program when there is not exactly one."""
    content = json.loads(gold.read_bytes())
    named = sessions / "owners" / str(content.get("file"))
    if named.is_file():
        return named
    paths = sorted((sessions / "real").glob(f"*{content['session']}*"))
    if len(paths) != 1:
        raise SystemExit(f"{gold.name}: {len(paths)} session files, one was expected")
    return paths[0]


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    add_shared(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
