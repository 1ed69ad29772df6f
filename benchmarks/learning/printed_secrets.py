"""Trains the judge of values in outputs and files that no name tells (`transforms/redaction/bare/printed_judge.py`).

    python -m benchmarks.learning.printed_secrets CASES.jsonl… --sessions FOLDER --innocent FOLDER [--write]

Positive are the secrets of made texts and of files of cases, negative every other value in them, in what tools showed in real
sessions, and in a folder of innocent outputs (a file per output, `KIND-NUMBER.txt`). Each file of cases in turn is left out,
with half of the owners and half of the kinds of outputs: a line says for each threshold how many of its cases in outputs and
files have a secret that redaction left and the judge finds, in how many of its innocent texts it finds one, and how many values
of the owners and kinds left out it takes for secrets. `--write` trains on everything and writes the weights.
"""

from __future__ import annotations

import base64
import json
import random
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.learning import secret_cases
from benchmarks.learning.bare_cases import make_texts
from benchmarks.learning.bare_secrets import read_texts, step_down
from benchmarks.learning.printed_cases import make_printed_texts
from benchmarks.safety.case_bank import list_texts, read_cases
from transforms.redaction.bare.printed_judge import (
    FORM_SIZE,
    LEAST_ODDS,
    MOST_OF_PLACE,
    MOST_OF_WORDS,
    describe_form,
    describe_place,
    hash_form,
    hash_place,
)
from transforms.redaction.bare.printed_values import PrintedValue, ValueBlock, cut_blocks
from transforms.redaction.bare.value_tokens import SLOTS, cut_line
from transforms.redaction.redact import redact
from transforms.redaction.value_judge import compute_surprise

Numbers = npt.NDArray[np.float64]
DRAWS, PRINTED_DRAWS, MOST_VALUES = 3, 5, 60
"""Draws of made texts, and values of a block of innocent outputs that are taken."""
THRESHOLDS = (2.0, 2.5, 3.0, 3.5, 4.0)
PLAIN_SURPRISE, PLAIN_SHARE = 5.0, 0.3
"""Values of real outputs that surprise less are taken at this share."""
EPOCHS, RATE, PENALTY = 220, 0.05, 1e-4
FORM_SLOTS = 3
SECRET_WEIGHT, INNOCENT_WEIGHT, MADE_WEIGHT = 3.0, 4.0, 0.6
TARGET = Path(__file__).parents[2] / "transforms" / "redaction" / "bare" / "printed_weights.py"


@dataclass(frozen=True, slots=True)
class Example:
    """A value in its place: features, slots (first FORM_SLOTS of its form), whether a secret, its case, owner or kind, the value,
    its weight, whether its text is innocent, and whether it tests."""

    features: tuple[float, ...]
    slots: tuple[int, ...]
    is_secret: bool
    origin: str
    value: str
    weight: float
    is_innocent: bool = False
    is_test: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the features and of the slots, and the constant."""

    features: Numbers
    slots: Numbers
    constant: float


def main() -> None:
    """Print the figures of the folds; with `--write` train on everything and write the weights."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--sessions", type=Path, required=True)
    parser.add_argument("--innocent", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    written = {path: list(_list_written(path)) for path in arguments.cases}
    real, shown, made = list(_list_real(arguments.sessions)), list(_list_innocent(arguments.innocent)), list(_list_made())
    if arguments.write:
        every = [example for path in arguments.cases for example in written[path]]
        TARGET.write_text(_format_module(fit([*every, *made, *real, *shown])), encoding="utf-8")
        return
    origins = [sorted({example.origin for example in examples}) for examples in (real, shown)]
    for left_out in arguments.cases:
        others = [example for path in arguments.cases if path != left_out for example in written[path]]
        for half in (0, 1):
            taken = {origin for names in origins for origin in names[half::2]}
            weights = fit([*others, *made, *(example for example in (*real, *shown) if example.origin in taken)])
            kept = [[example for example in examples if example.origin not in taken] for examples in (real, shown)]
            print(json.dumps({"left_out": left_out.parent.name, **_count(weights, written[left_out], *kept)}), flush=True)


def fit(examples: Sequence[Example]) -> Weights:
    """Return the weights of a logistic regression by Adam over all examples; the same examples give the same weights."""
    features = np.asarray([example.features for example in examples])
    rows = np.repeat(np.arange(len(examples)), [len(example.slots) for example in examples])
    columns = np.concatenate([np.asarray(example.slots, np.int64) for example in examples])
    targets = np.asarray([example.is_secret for example in examples], np.float64)
    importance = np.asarray([example.weight for example in examples])
    importance /= importance.sum()
    mean, spread = features.mean(0), features.std(0) + 1e-2
    dense = np.hstack([(features - mean) / spread, np.ones((len(examples), 1))])
    weights, slots = np.zeros(dense.shape[1]), np.zeros(SLOTS)
    weights[-1] = -4.0
    moments = [(np.zeros_like(each), np.zeros_like(each)) for each in (weights, slots)]
    for step in range(1, EPOCHS + 1):
        odds = dense @ weights + np.bincount(rows, slots[columns], len(examples))
        error = (1 / (1 + np.exp(-np.clip(odds, -30, 30))) - targets) * importance
        slopes = (dense.T @ error + 0.3 * PENALTY * weights, np.bincount(columns, error[rows], SLOTS) + PENALTY * slots)
        for each, slope, moment in zip((weights, slots), slopes, moments, strict=True):
            step_down(each, slope, moment, step)
    own = weights[:-1] / spread
    return Weights(own, slots, float(weights[-1] - mean @ own))


def score(weights: Weights, example: Example) -> float:
    """Return the log-odds that a value is a secret; far below zero when its form alone says that it is none."""
    form = weights.constant + float(np.dot(example.features[:FORM_SIZE], weights.features[:FORM_SIZE]))
    form += float(weights.slots[list(example.slots[:FORM_SLOTS])].sum())
    place = float(np.dot(example.features[FORM_SIZE:], weights.features[FORM_SIZE:]))
    if form + MOST_OF_PLACE <= LEAST_ODDS or form + place + MOST_OF_WORDS <= LEAST_ODDS:
        return -9.0
    return form + place + float(weights.slots[list(example.slots[FORM_SLOTS:])].sum())


def _count(weights: Weights, tests: Sequence[Example], real: Sequence[Example], shown: Sequence[Example]) -> dict[str, object]:
    scores = [[(score(weights, example), example) for example in examples] for examples in (tests, real, shown)]
    found: dict[str, object] = {"cases": len({example.origin for example in tests if example.is_test and example.is_secret})}
    for least in THRESHOLDS:
        taken, alarms, others = ([example for odds, example in each if odds > least] for each in scores)
        found[str(least)] = {
            "found": len({example.origin for example in taken if example.is_secret and example.is_test}),
            "innocent": len({example.origin for example in taken if example.is_innocent}),
            "alarms": sorted({example.value for example in alarms}), "outputs": len({example.value for example in others}),
        }  # fmt: skip
    return found


def _list_written(path: Path) -> Iterator[Example]:
    """Yield the values of cases: as they stand, and in outputs and files also what redaction leaves, which is what is tested."""
    for case in read_cases(path):
        is_innocent, is_shown = case["kind"] == "innocent", case["place"] in ("file", "tool_output")
        for text in list_texts(case["text"]):
            weight = INNOCENT_WEIGHT if is_innocent else 1.0
            if is_shown:
                yield from _list_examples(redact(text), case["secrets"], case["id"], weight, is_innocent, is_test=True)
            if not is_innocent:
                yield from _list_examples(text, case["secrets"], case["id"], weight)


def _list_made() -> Iterator[Example]:
    for seed in range(DRAWS):
        for made in make_texts(seed):
            yield from _list_examples(made.text, made.secrets, made.name, MADE_WEIGHT)
        for case in (*secret_cases.cases(seed)[::2], *secret_cases.innocent(seed)[::2]):
            secrets = case.get("secret")
            yield from _list_examples(
                str(case["text"]),
                [str(each) for each in secrets] if isinstance(secrets, list) else [],
                str(case["id"]),
                MADE_WEIGHT,
            )
    for seed in range(PRINTED_DRAWS):
        for printed in make_printed_texts(seed):
            yield from _list_examples(printed.text, printed.secrets, "printed", MADE_WEIGHT)


def _list_examples(
    text: str, secrets: Sequence[str], origin: str, weight: float, is_innocent: bool = False, is_test: bool = False
) -> Iterator[Example]:
    for start, end in cut_blocks(text):
        block = ValueBlock(text, start, end)
        for value in block.values:
            word = text[value.start : value.end]
            covered = [secret for secret in secrets if secret in word]
            is_secret = any(2 * len(secret) >= len(word) for secret in covered) or any(word in secret for secret in secrets)
            if is_secret or not covered:
                features, slots = describe_printed(block, value)
                importance = SECRET_WEIGHT * weight if is_secret else weight
                yield Example(features, tuple(slots), is_secret, origin, word, importance, is_innocent, is_test)


def _list_real(folder: Path) -> Iterator[Example]:
    draw, known, done = random.Random(1), set[tuple[str, str]](), set[str]()
    for owner, text, place in read_texts(folder):
        if place == "shown" and text not in done:
            done.add(text)
            yield from _list_negative(text, owner, draw, known)


def _list_innocent(folder: Path) -> Iterator[Example]:
    draw, known = random.Random(1), set[tuple[str, str]]()
    for path in sorted(folder.glob("*.txt")):
        yield from _list_negative(path.read_text(encoding="utf-8"), path.name.split("-")[0], draw, known)


def _list_negative(text: str, origin: str, draw: random.Random, known: set[tuple[str, str]]) -> Iterator[Example]:
    for start, end in cut_blocks(text):
        block = ValueBlock(text, start, end)
        some = block.values if len(block.values) <= MOST_VALUES else draw.sample(block.values, MOST_VALUES)
        for value in some:
            word = text[value.start : value.end]
            if (word, value.key) in known:
                continue
            known.add((word, value.key))
            if compute_surprise(word)[0] >= PLAIN_SURPRISE or draw.random() < PLAIN_SHARE:
                features, slots = describe_printed(block, value)
                yield Example(features, tuple(slots), False, origin, word, 1.0)


def _format_module(weights: Weights) -> str:
    scale = float(np.abs(weights.slots).max()) / 127
    packed = base64.b85encode((np.round(weights.slots / scale) + 128).astype(np.uint8).tobytes()).decode()
    texts = [f"{number:.3f}" for number in weights.features]
    lines = [
        '"""Weights of `transforms/redaction/bare/printed_judge.py`, which `benchmarks/learning/printed_secrets.py` writes."""',
        "",
        "# fmt: off",
        f"CONSTANT = {weights.constant:.3f}",
        f"SLOT_SCALE = {scale:.6f}",
        "WEIGHTS: tuple[float, ...] = (",
        *("    " + ", ".join(texts[at : at + 12]) + "," for at in range(0, len(texts), 12)),
        ")",
        "PACKED_SLOTS: tuple[str, ...] = (",
        *(f"    {packed[at : at + 120]!r}," for at in range(0, len(packed), 120)),
        ")",
        "",
    ]
    return "\n".join(lines)


def describe_printed(block: ValueBlock, value: PrintedValue) -> tuple[tuple[float, ...], list[int]]:
    """Return the features of a value, first those of its form, and the slots of its form and of the words around it."""
    line = cut_line(block.text, value.start, value.end)
    word = block.text[value.start : value.end]
    place = map(float, describe_place(block, value, line))
    return (*map(float, describe_form(word)), *place), [*hash_form(word), *hash_place(block, value, line)]


if __name__ == "__main__":
    main()
