"""Tune the bundled encoder to read clauses of people's words, or measure it with whole writers left out.

    python -m benchmarks.distil.clauses.tune_encoder [SHARED] [--folds FOLDER] [--write]

Examples are the clauses of `sayings.py` and labelled turns (`row_kinds.list_clauses_of`). Each matrix of the encoder gets an
update of low rank (LoRA, Hu et al. 2021), two heads learn the family of a clause and whether it is a rule, a preference or a
convention for good; the second is what recollect uses. A part of the examples is shown without its message, as lines of memory
are judged. `--folds` tunes once without each of three groups of writers, stores the updates in FOLDER, and prints by writer, for
`words` (the linear models, fitted without them, too), `encoder` and `both`: for clauses without their message the `area` under
the curve of what lasts, and `found`, the share of it above the bound with four of five right; for the first two the share of
right families with the message, too. `--write` tunes on everything. Needs torch and scikit-learn
(`pip install torch 'recollect[learning]'`); an epoch takes two to three minutes on two cores.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.arguments import add_shared, make_parser, report_missing
from benchmarks.distil.row_kinds import CLAUSE_STRENGTH, STANDING, fit_lasting, fit_linear, list_clauses_of
from benchmarks.distil.sayings import Saying, read_sayings
from effects.embedding.embedder import BUNDLED, find_folder, load_tokenizer, read_checkpoint
from effects.embedding.tuned_encoder import DOWN, UP
from effects.judging.clause_encoder import UPDATES_FILE, open_clause_encoder
from transforms.classify.clause_encoder import lay_out_clause
from transforms.classify.clause_kinds import hash_clause, judge_lasting
from transforms.classify.row_kinds import FAMILIES, find_family

FOLDS = ("hij", "abc", "defg")
"""Writers that are left out together; each fold has three or four."""
RANK, EPOCHS, RATE, BATCH, DECAY, DROPOUT, SMOOTHING = 16, 3, 1e-3, 32, 0.01, 0.1, 0.1
"""Of 16 and 3 epochs the first try; a rate of 1e-3 is usual for updates of low rank."""
WARM_UP, SORTED = 0.1, 20
"""Share of the steps in which the rate rises, and batches that are sorted by length together."""
ALONE, WITHOUT_BEFORE = 0.25, 0.35
"""Shares of examples, added up, that are shown without their message, or without the agent's words."""
MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense",
    "output.dense",
)  # fmt: skip
HEADS, EPSILON = 12, 1e-12
FOUND_PRECISION, LEAST_FOUND = 0.8, 10

Tokens = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
Updates = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Example:
    """A clause with its context and labels; `lasts` is None where nobody labelled it. `forms` are its tokens with all context,
    without the agent's words, and alone."""

    writer: str
    text: str
    message: str
    before: str
    family: str
    lasts: bool | None
    forms: tuple[Tokens, Tokens, Tokens]


class TunedEncoder(nn.Module):
    """The encoder with frozen weights and an update of low rank of each matrix."""

    def __init__(self) -> None:
        super().__init__()
        folder, _ = find_folder(BUNDLED)
        assert folder is not None, "the bundled model is a folder"
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.frozen = {name: torch.tensor(array) for name, array in read_checkpoint(folder, config)[0].items()}
        self.layers = int(config["num_hidden_layers"])
        self.learned = nn.ParameterDict()
        for name, matrix in self.frozen.items():
            if any(name.endswith(f"{part}.weight") for part in MATRICES):
                self.learned[_name_key(name + DOWN)] = nn.Parameter(
                    torch.randn(RANK, matrix.shape[1]) / math.sqrt(matrix.shape[1])
                )
                self.learned[_name_key(name + UP)] = nn.Parameter(torch.zeros(matrix.shape[0], RANK))
            elif "LayerNorm" in name or "token_type" in name:
                self.learned[_name_key(name)] = nn.Parameter(matrix.clone())
        width = self.frozen["embeddings.word_embeddings.weight"].shape[1]
        self.heads = nn.ModuleDict({"families": nn.Linear(2 * width, len(FAMILIES)), "lasting": nn.Linear(2 * width, 2)})

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of families and of lasting (texts, labels)."""
        words, places = (self.frozen[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position"))
        hidden = words[ids] + places[: ids.shape[1]] + self._take("embeddings.token_type_embeddings.weight")[types]
        hidden = self._normalise(hidden, "embeddings.LayerNorm")
        for number in range(self.layers):
            hidden = self._transform(hidden, f"encoder.layer.{number}.", mask[:, None, None, :])
        own = ((types == 0) & mask)[:, :, None]
        mean = (hidden * own).sum(1) / own.sum(1)
        summary = self._drop(torch.cat([hidden[:, 0], mean], 1))
        return self.heads["families"](summary), self.heads["lasting"](summary)

    def list_updates(self) -> Updates:
        """Return what was learned, as `effects.judging.clause_encoder` stores it."""
        learned = {key.replace("/", "."): value for key, value in self.learned.items()}
        for name, head in self.heads.items():
            learned |= {f"{name}.weight": head.weight, f"{name}.bias": head.bias}
        return {name: value.detach().numpy().astype(np.float32) for name, value in learned.items()}

    def _transform(self, hidden: Tensor, layer: str, mask: Tensor) -> Tensor:
        texts, tokens, width = hidden.shape
        parts = (self._multiply(hidden, f"{layer}attention.self.{part}") for part in ("query", "key", "value"))
        heads = (part.view(texts, tokens, HEADS, width // HEADS).transpose(1, 2) for part in parts)
        attended = functional.scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2).reshape(hidden.shape)
        projected = self._drop(self._multiply(attended, f"{layer}attention.output.dense"))
        hidden = self._normalise(hidden + projected, f"{layer}attention.output.LayerNorm")
        wide = functional.gelu(self._multiply(hidden, f"{layer}intermediate.dense"))
        return self._normalise(hidden + self._drop(self._multiply(wide, f"{layer}output.dense")), f"{layer}output.LayerNorm")

    def _multiply(self, hidden: Tensor, name: str) -> Tensor:
        down, up = self._take(f"{name}.weight{DOWN}"), self._take(f"{name}.weight{UP}")
        result = functional.linear(hidden, self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"])
        return result + functional.linear(functional.linear(hidden, down), up)

    def _normalise(self, hidden: Tensor, name: str) -> Tensor:
        gain, shift = self._take(f"{name}.weight"), self._take(f"{name}.bias")
        return functional.layer_norm(hidden, (hidden.shape[-1],), gain, shift, EPSILON)

    def _drop(self, hidden: Tensor) -> Tensor:
        return functional.dropout(hidden, DROPOUT, self.training)

    def _take(self, name: str) -> nn.Parameter:
        parameter: nn.Parameter = self.learned[_name_key(name)]
        return parameter


def _name_key(name: str) -> str:
    return name.replace(".", "/")  # torch allows no dot in the name of a parameter


def list_examples(sayings: Sequence[Saying]) -> list[Example]:
    """Return the labelled clauses of all writers, and of labelled turns (writer "turns")."""
    folder, name = find_folder(BUNDLED)
    assert folder is not None, "the bundled model is a folder"
    tokenizer = load_tokenizer(folder, name, 512)

    def tokenize(text: str) -> list[int]:
        """Return the tokens of a text without markers."""
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def describe(writer: str, text: str, context: tuple[str, str], family: str, lasts: bool | None) -> Example:
        """Return an example with its tokens."""
        message, before = context
        forms = tuple(lay_out_clause(tokenize, text, *seen) for seen in ((message, before), (message, ""), ("", "")))
        return Example(writer, text, message, before, family, lasts, (forms[0], forms[1], forms[2]))

    said = [
        describe(saying.writer, span, (saying.text, saying.before), find_family(kind), kind in STANDING and keep == "lasting")  # type: ignore[arg-type]
        for saying in sayings
        for span, kind, keep in saying.parts
    ]
    return said + [describe("turns", c.text, (c.message, c.before), c.family, None) for c in list_clauses_of([])]


def tune(examples: Sequence[Example]) -> Updates:
    """Return the updates that were learned from the examples."""
    torch.manual_seed(0)
    chance = random.Random(0)
    model = TunedEncoder()
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * len(examples) // BATCH
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * steps)) * max(0.0, 1 - step / steps)
    )
    model.train()
    for _ in range(EPOCHS):
        for batch in _draw_batches(examples, chance):
            shown = [example.forms[_choose_form(chance.random())] for example in batch]
            families, lasting = model(*_stack(shown))
            truth = torch.tensor([FAMILIES.index(example.family) for example in batch])
            loss = functional.cross_entropy(families, truth, label_smoothing=SMOOTHING)
            known = [place for place, example in enumerate(batch) if example.lasts is not None]
            if known:
                loss = loss + functional.cross_entropy(lasting[known], torch.tensor([int(batch[p].lasts or 0) for p in known]))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
    return model.list_updates()


def _choose_form(drawn: float) -> int:
    return 2 if drawn < ALONE else 1 if drawn < WITHOUT_BEFORE else 0


def _draw_batches(examples: Sequence[Example], chance: random.Random) -> Iterator[list[Example]]:
    """Yield batches of examples of similar length, in random order."""
    order = chance.sample(range(len(examples)), len(examples))
    blocks = [order[start : start + BATCH * SORTED] for start in range(0, len(order), BATCH * SORTED)]
    for block in blocks:
        block.sort(key=lambda place: len(examples[place].forms[0][0]))
    batches = [block[start : start + BATCH] for block in blocks for start in range(0, len(block), BATCH)]
    chance.shuffle(batches)
    for batch in batches:
        yield [examples[place] for place in batch]


def _stack(shown: Sequence[Tokens]) -> tuple[Tensor, Tensor, Tensor]:
    longest = max(len(ids) for ids, _ in shown)
    stacked, types = torch.zeros(len(shown), longest, dtype=torch.long), torch.ones(len(shown), longest, dtype=torch.long)
    for row, (ids, kinds) in enumerate(shown):
        stacked[row, : len(ids)], types[row, : len(ids)] = torch.tensor(ids), torch.tensor(kinds)
    lengths = torch.tensor([len(ids) for ids, _ in shown])
    return stacked, types, torch.arange(longest)[None, :] < lengths[:, None]


def measure_fold(fold: str, sayings: Sequence[Saying], examples: Sequence[Example], updates: Updates) -> dict[str, object]:
    """Return the figures of each writer of a fold, by models that saw none of its writers."""
    encoder = open_clause_encoder(updates)
    others = [example for example in examples if example.writer not in fold]
    vectors = [hash_clause(example.text, example.message, example.before) for example in others]
    words = fit_linear(vectors, [example.family for example in others], CLAUSE_STRENGTH)
    lasting = fit_lasting([saying for saying in sayings if saying.writer not in fold])
    figures = dict[str, object]()
    for writer in fold:
        own = [example for example in examples if example.writer == writer]
        by_words = [words.predict(hash_clause(example.text, example.message, example.before)) for example in own]
        summaries = np.array([encoder.summarise(example.text, example.message, example.before) for example in own])
        best = (summaries @ updates["families.weight"].T + updates["families.bias"]).argmax(axis=1)
        alone = [encoder.weigh_clause(example.text, "", "") for example in own]
        alone_by_words = [judge_lasting(example.text, lasting) for example in own]
        joined = [judge_lasting(example.text, lasting, encoder.weigh_clause) for example in own]
        figures[writer] = {
            "clauses": len(own),
            "words": _score(own, alone_by_words) | {"family": _share_right(own, [max(s, key=lambda f: s[f]) for s in by_words])},
            "encoder": _score(own, alone) | {"family": _share_right(own, [FAMILIES[place] for place in best])},
            "both": _score(own, joined),
        }
    return figures


def _share_right(own: Sequence[Example], families: Sequence[str]) -> float:
    return round(float(np.mean([example.family == family for example, family in zip(own, families, strict=True)])), 3)


def _score(own: Sequence[Example], lasting: Sequence[float]) -> dict[str, float]:
    return score_lasting([bool(example.lasts) for example in own], lasting)


def score_lasting(labels: Sequence[bool], lasting: Sequence[float]) -> dict[str, float]:
    """Return the area under the curve of likelihoods, and the share of what lasts above the lowest with eight right of ten."""
    lasts = np.array(labels)
    ranked = lasts[np.argsort(-np.array(lasting), kind="stable")].cumsum()
    precise = ranked[ranked >= FOUND_PRECISION * np.arange(1, len(ranked) + 1)]
    found = float(precise[-1] / lasts.sum()) if len(precise) and precise[-1] >= LEAST_FOUND else 0.0
    return {"area": round(float(roc_auc_score(lasts, lasting)), 3), "found": round(found, 3)}


def write_updates(updates: Updates, file: Path) -> None:
    """Store updates as float16."""
    np.savez_compressed(file, **{name: array.astype(np.float16) for name, array in updates.items()})  # type: ignore[arg-type]


def main() -> int:
    """Print the figures, or store the updates."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--folds", type=Path, help="where to store the updates of each fold")
    parser.add_argument("--write", action="store_true", help="tune on everything and store the updates")
    arguments = parser.parse_args()
    if report_missing([arguments.shared / "bench"]):
        return 1
    sayings = read_sayings()
    examples = list_examples(sayings)
    if arguments.write:
        write_updates(tune(examples), UPDATES_FILE)
    for fold in FOLDS if arguments.folds else ():
        updates = tune([example for example in examples if example.writer not in fold])
        write_updates(updates, arguments.folds / f"{fold}.npz")
        print(json.dumps(measure_fold(fold, sayings, examples, updates)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
