"""Fit the network that judges clauses in languages that no rule reads, or measure it on languages and writers left out.

    python -m benchmarks.distil.clauses.fit_unread [--write]

`unread_sayings.jsonl.xz` has messages in eight languages, labelled as those of `sayings.py`: by one writer each ("de"), four of
which have a second one ("de2"). Each language is left out with another one, and each second writer of all fits. Per writer, for
`majority`, `english` (the stored models of clauses as they are), `words` (the same features, fitted on all others) and `vectors`
(what ships): `family`, the share of clauses whose family is right; of what is a rule, a preference or a convention for good the
`area` under the curve and `found`, the share above the lowest likelihood from which eight of ten are right. `told`: of all left
out, how many clauses have a share of half and more, by family, and which share of them is right; `lasts`: of all left out the
share right and found from likelihoods. `--write` fits on everything and stores the weights. Needs scikit-learn, torch, and
`pip install 'recollect[multilingual]'`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from benchmarks.arguments import make_parser
from benchmarks.distil.clauses.tune_encoder import score_lasting
from benchmarks.distil.reach import read_pairs
from benchmarks.distil.row_kinds import CLAUSE_STRENGTH, STANDING, fit_linear
from benchmarks.distil.sayings import Saying, read_sayings
from effects.judging.kind_models import load_kind_models
from effects.judging.unread_clauses import ARRAYS, WEIGHTS_FILE, embed_text
from transforms.classify.clause_kinds import LASTS, ONCE, hash_clause, judge_lasting
from transforms.classify.row_kinds import FAMILIES, find_family
from transforms.classify.unread_clauses import describe_clause

ARCHIVE = Path(__file__).with_name("unread_sayings.jsonl.xz")
LEFT_OUT = (("de", "ko"), ("es", "pt"), ("fr", "ru"), ("ja", "zh"))
SECOND = ("de2", "es2", "ja2", "zh2")
UNITS, SEEDS = 64, 3
EPOCHS, BATCH, RATE, DECAY, DROPOUT, WARM_UP = 10, 64, 3e-3, 0.05, 0.3, 0.3
SMOOTHING, BEFORE_WEIGHT, WITHOUT_BEFORE = 0.05, 0.5, 0.2
"""Smoothing of labels; weight of the agent's words beside the clause; share of examples that are shown without them."""
NO_FAMILY = -100
"""What stands for a family that nobody labelled: torch learns nothing from it."""
PAIRS = "pairs"
"""The writer of the pairs."""
SURE = 0.5
BARS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)

Vectors = npt.NDArray[np.float32]
Network = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled clause with its context; a sentence of a pair (`reach.py`) has none, and no family."""

    writer: str
    text: str
    message: str
    before: str
    family: str
    lasts: bool


def list_labelled(sayings: Sequence[Saying]) -> list[Labelled]:
    """Return the labelled clauses of messages."""
    return [
        Labelled(saying.writer, span, saying.text, saying.before, find_family(kind), kind in STANDING and keep == "lasting")  # type: ignore[arg-type]
        for saying in sayings
        for span, kind, keep in saying.parts
    ]


def list_pairs() -> list[Labelled]:
    """Return the sentences of the pairs of one grammar, of which one is for good: writers leave out the plainest words."""
    return [Labelled(PAIRS, pair.text, pair.text, "", "", pair.lasts) for pair in read_pairs()]


def fit_network(clauses: Sequence[Labelled], vectors: Vectors) -> Network:
    """Return the network that was learned from clauses: several with chance of their own, side by side in one."""
    mean, scale = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
    scale[len(scale) // 2 :] /= BEFORE_WEIGHT
    shown = torch.tensor((vectors - mean) / scale)
    bare = torch.tensor(((np.hstack([vectors[:, : len(mean) // 2], np.zeros_like(vectors[:, len(mean) // 2 :])])) - mean) / scale)
    families = torch.tensor([FAMILIES.index(clause.family) if clause.family else NO_FAMILY for clause in clauses])
    lasts = torch.tensor([int(clause.lasts) for clause in clauses])
    parts = [_train(seed, shown, bare, families, lasts) for seed in range(SEEDS)]
    hidden = np.hstack([part["hidden.weight"] for part in parts])
    bias = np.hstack([part["hidden.bias"] for part in parts])
    hidden = hidden / scale[:, None]
    return {
        "hidden.weight": hidden,
        "hidden.bias": bias - mean @ hidden,
        "scores.weight": np.vstack([part["scores.weight"] for part in parts]) / SEEDS,
        "scores.bias": np.mean([part["scores.bias"] for part in parts], axis=0),
    }


def _train(seed: int, shown: torch.Tensor, bare: torch.Tensor, families: torch.Tensor, lasts: torch.Tensor) -> Network:
    torch.manual_seed(seed)
    hidden, scores = nn.Linear(shown.shape[1], UNITS), nn.Linear(UNITS, len(FAMILIES) + 2)
    parameters = [*hidden.parameters(), *scores.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * (len(shown) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=WARM_UP)
    for _ in range(EPOCHS):
        order = torch.randperm(len(shown))
        for batch in order[: steps // EPOCHS * BATCH].view(-1, BATCH):
            is_bare = (torch.rand(BATCH) < WITHOUT_BEFORE)[:, None]
            seen = functional.dropout(torch.where(is_bare, bare[batch], shown[batch]), DROPOUT)
            told = scores(functional.dropout(torch.relu(hidden(seen)), DROPOUT))
            loss = functional.cross_entropy(told[:, : len(FAMILIES)], families[batch], label_smoothing=SMOOTHING)
            loss = loss + functional.cross_entropy(told[:, len(FAMILIES) :], lasts[batch], label_smoothing=SMOOTHING / 2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    names = dict(zip(ARRAYS, (hidden.weight.T, hidden.bias, scores.weight.T, scores.bias), strict=True))
    return {name: value.detach().numpy() for name, value in names.items()}


def apply_network(network: Network, vectors: Vectors) -> tuple[Vectors, Vectors]:
    """Return the shares of the families (clauses, families) and how likely each clause is for good."""
    units = np.maximum(vectors @ network["hidden.weight"] + network["hidden.bias"], 0)
    scores = torch.tensor(units @ network["scores.weight"] + network["scores.bias"])
    families = functional.softmax(scores[:, : len(FAMILIES)], 1).numpy()
    return families, functional.softmax(scores[:, len(FAMILIES) :], 1)[:, 1].numpy()


def measure_writers(
    writers: Sequence[str],
    clauses: Sequence[Labelled],
    vectors: Vectors,
    others: Sequence[bool],
    judged: list[tuple[Labelled, Vectors, float]],
) -> dict[str, object]:
    """Return the figures of writers, by models of the `others` alone; what vectors say of them is added to `judged`."""
    places = [place for place, is_other in enumerate(others) if is_other]
    network = fit_network([clauses[place] for place in places], vectors[places])
    seen = [clauses[place] for place in places if clauses[place].family]
    hashed = [hash_clause(clause.text, clause.message, clause.before) for clause in seen]
    alone = [hash_clause(clause.text, "", "") for clause in seen]
    words = fit_linear(hashed, [clause.family for clause in seen], CLAUSE_STRENGTH)
    lasting = fit_linear(alone, [LASTS if clause.lasts else ONCE for clause in seen], CLAUSE_STRENGTH, (LASTS, ONCE))
    stored = load_kind_models()
    majority = Counter(clause.family for clause in seen).most_common(1)[0][0]
    figures = dict[str, object]()
    for writer in writers:
        rows = [place for place, clause in enumerate(clauses) if clause.writer == writer]
        own = [clauses[place] for place in rows]
        shares, lasts = apply_network(network, vectors[rows])
        judged += zip(own, shares, lasts.tolist(), strict=True)
        vectors_of = [hash_clause(clause.text, clause.message, clause.before) for clause in own]
        figures[writer] = {
            "clauses": len(own),
            "majority": _share_right(own, [majority] * len(own)),
            "english": _show(
                own,
                [_name_likeliest(stored.clauses.predict(vector)) for vector in vectors_of],
                [judge_lasting(clause.text, stored.lasting, stored.weigh_clause) for clause in own],
            ),
            "words": _show(
                own,
                [_name_likeliest(words.predict(vector)) for vector in vectors_of],
                [lasting.predict(hash_clause(clause.text, "", ""))[LASTS] for clause in own],
            ),
            "vectors": _show(own, [FAMILIES[place] for place in shares.argmax(axis=1)], lasts.tolist()),
        }
    return figures


def _name_likeliest(shares: dict[str, float]) -> str:
    return max(shares, key=lambda family: shares[family])


def _show(own: Sequence[Labelled], families: Sequence[str], lasts: Sequence[float]) -> dict[str, float]:
    return {"family": _share_right(own, families)} | score_lasting([clause.lasts for clause in own], lasts)


def _share_right(own: Sequence[Labelled], families: Sequence[str]) -> float:
    return round(float(np.mean([clause.family == family for clause, family in zip(own, families, strict=True)])), 3)


def describe_told(judged: Sequence[tuple[Labelled, Vectors, float]]) -> dict[str, object]:
    """Return what is told of clauses left out: by family how many, and the share right; by likelihood of lasting how many, the
    share right, and the share found of all that lasts."""
    told, lasts = dict[str, object](), dict[str, object]()
    for place, family in enumerate(FAMILIES):
        right = [clause.family == family for clause, shares, _ in judged if shares.argmax() == place and shares[place] >= SURE]
        told[family] = [len(right), round(float(np.mean(right)), 3)] if right else [0, 0.0]
    every = sum(clause.lasts for clause, _, _ in judged)
    for bar in BARS:
        right = [clause.lasts for clause, _, likely in judged if likely >= bar]
        lasts[str(bar)] = [len(right), round(float(np.mean(right)), 3), round(sum(right) / every, 3)] if right else [0, 0.0, 0.0]
    return {"told": told, "lasts": lasts}


def write_network(network: Network) -> None:
    """Store the weights as float16."""
    rounded = {name: array.astype(np.float16) for name, array in network.items()}
    np.savez_compressed(WEIGHTS_FILE, labels=np.array(FAMILIES), **rounded)  # type: ignore[arg-type]


def main() -> int:
    """Print the figures, or store the weights."""
    parser = make_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="fit on everything and store the weights")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    clauses = [*list_labelled([*read_sayings(), *read_sayings(ARCHIVE)]), *list_pairs()]
    vectors = np.stack([describe_clause(embed_text, clause.text, clause.before) for clause in clauses])
    if arguments.write:
        write_network(fit_network(clauses, vectors))
        return 0
    figures, judged = dict[str, object](), list[tuple[Labelled, Vectors, float]]()
    for languages in LEFT_OUT:
        others = [clause.writer[:2] not in languages for clause in clauses]
        figures |= measure_writers(languages, clauses, vectors, others, judged)
    zero_shot = describe_told(judged)
    judged.clear()
    figures |= measure_writers(SECOND, clauses, vectors, [clause.writer not in SECOND for clause in clauses], judged)
    print(json.dumps({"benchmark": "unread", "writers": figures, "languages": zero_shot, "second": describe_told(judged)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
