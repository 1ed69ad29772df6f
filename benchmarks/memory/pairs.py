"""Measures supersession and restatement on labelled pairs of assertions: does dedupe retire, merge or leave alone?

    python -m benchmarks.memory.pairs [--split dev|kept] [--failures]

The folder `pairs` holds pairs of an older and a newer assertion in twelve invented voices; six of them (`kept`) took no part in
any choice. Each pair is compared alone, as rows of one project, by the code that the dedupe step runs.

Keys: `retired` (share of `replaces` whose older side is retired), `wrongly_retired` (share of other pairs), `merged` (share of
`restates`), `polarity_merges` (merged pairs of `replaces`, `exception` or `opposite_scope`), `look_alikes_merged` (merged pairs
of `different`); per voice the same; `baselines`: a threshold on the cosine of the bundled model alone, which retires from the
cosine on (fitted on dev to the most that at most 2 % wrong allow), and the share that always answering with the most frequent
label gets right.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

from benchmarks.arguments import make_parser, read_jsonl
from effects.embedding.embedder import open_embedder
from transforms.language.similarity import compute_cosine
from transforms.merging.compared_row import build_compared_row
from transforms.merging.deduplicate import decide_merges
from transforms.tables.rows import ObservationRow

FOLDER = Path(__file__).parent / "pairs"
MOST_WRONG = 0.02
LabelledPair = dict[str, Any]


def main() -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__)
    parser.add_argument("--split", choices=("dev", "kept"), default="dev", help="half of the voices")
    parser.add_argument("--failures", action="store_true", help="print the pairs of dev that went wrong to stderr")
    arguments = parser.parse_args()
    pairs = read_pairs(arguments.split)
    outcomes = [(pair, decide_pair(pair)) for pair in pairs]
    if arguments.failures and arguments.split == "dev":
        print_failures(outcomes)
    by_voice: defaultdict[str, list[tuple[LabelledPair, str]]] = defaultdict(list)
    for pair, outcome in outcomes:
        by_voice[pair["voice"]].append((pair, outcome))
    result = {"split": arguments.split, "pairs": len(pairs), **score_outcomes(outcomes)}
    result["voices"] = {voice: score_outcomes(part) for voice, part in sorted(by_voice.items())}
    result["baselines"] = measure_baselines(pairs)
    print(json.dumps(result))
    return 0


def read_pairs(split: str) -> list[LabelledPair]:
    """Return the pairs of a half, in the order of voices and numbers."""
    return [pair for path in sorted((FOLDER / split).glob("*.jsonl")) for pair in read_jsonl(path)]


def decide_pair(pair: LabelledPair) -> str:
    """Return `retired`, `merged` or `kept`: the fate of the older side when only these two are compared."""
    observations = [build_row(pair, side, number) for number, side in enumerate(("older", "newer"))]
    rows = [build_compared_row(cast("ObservationRow", observation), "") for observation in observations]
    decisions = decide_merges(rows, find_cosine, {}, {}, frozenset())
    older, newer = decisions["o-0"], decisions["o-1"]
    if older.merged_count > 1 or newer.merged_count > 1:
        return "merged"
    return "retired" if older.superseded_by == "o-1" else "kept"


def build_row(pair: LabelledPair, side: str, number: int) -> dict[str, Any]:
    """Return the observation of one side."""
    words = pair[side]
    return {
        "observation_id": f"o-{number}", "kind": words["kind"], "project": pair["project"], "priority": "high",
        "said_at": datetime.fromisoformat(words["said_at"].replace("Z", "+00:00")), "session_id": f"session-{number}",
        "ordinals": [number], "entry_ids": [f"e{number}"], "text": words["text"],
    }  # fmt: skip


def score_outcomes(outcomes: list[tuple[LabelledPair, str]]) -> dict[str, float | int]:
    """Return the shares and counts of the module's docstring."""
    counts = Counter((pair["label"], outcome) for pair, outcome in outcomes)
    labels = Counter(pair["label"] for pair, _ in outcomes)
    others = sum(count for label, count in labels.items() if label != "replaces")
    wrong = sum(count for (label, outcome), count in counts.items() if outcome == "retired" and label != "replaces")
    return {
        "retired": _share(counts["replaces", "retired"], labels["replaces"]),
        "wrongly_retired": _share(wrong, others),
        "merged": _share(counts["restates", "merged"], labels["restates"]),
        "polarity_merges": sum(counts[label, "merged"] for label in ("replaces", "exception", "opposite_scope")),
        "look_alikes_merged": counts["different", "merged"],
    }


def measure_baselines(pairs: list[LabelledPair]) -> dict[str, float]:
    """Return the scores of simpler rules on these pairs; the threshold is fitted on dev."""
    dev = [(find_cosine(pair["older"]["text"], pair["newer"]["text"]) or 0.0, pair["label"]) for pair in read_pairs("dev")]
    others = sum(label != "replaces" for _, label in dev)
    allowed = [bound for bound, _ in dev if sum(c >= bound and label != "replaces" for c, label in dev) <= MOST_WRONG * others]
    bound = min(allowed, default=1.0)
    here = [(find_cosine(pair["older"]["text"], pair["newer"]["text"]) or 0.0, pair["label"]) for pair in pairs]
    retired = [label for cosine, label in here if cosine >= bound]
    labels = Counter(label for _, label in here)
    return {
        "cosine_bound": round(bound, 3),
        "cosine_retired": _share(retired.count("replaces"), labels["replaces"]),
        "cosine_wrongly_retired": _share(len(retired) - retired.count("replaces"), len(here) - labels["replaces"]),
        "most_frequent_label": _share(labels.most_common(1)[0][1], len(here)),
    }


def find_cosine(first: str, second: str) -> float | None:
    """Return the cosine of two texts by the bundled model."""
    return compute_cosine(_embed(first), _embed(second))


@cache
def _embed(text: str) -> Any:
    return _open().embed_documents([text])[0]


@cache
def _open() -> Any:
    return open_embedder()


def print_failures(outcomes: list[tuple[LabelledPair, str]]) -> None:
    """Print the pairs with another outcome than their label asks for."""
    wanted = {"replaces": "retired", "restates": "merged"}
    for pair, outcome in outcomes:
        if outcome != wanted.get(pair["label"], "kept"):
            print(pair["id"], pair["label"], outcome, "|", pair["older"]["text"], "||", pair["newer"]["text"], file=sys.stderr)


def _share(part: int, whole: int) -> float:
    return round(part / max(whole, 1), 3)


if __name__ == "__main__":
    raise SystemExit(main())
