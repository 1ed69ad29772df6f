"""Trains the judge of values near the name of a secret (`transforms/redaction/value_judge.py`).

    python -m benchmarks.learning.secrets BANK --sessions FOLDER [--write]
    python -m benchmarks.learning.secrets --adapt FOLDER… --sessions FOLDER [--write]

Positive are the secrets of made texts (`secret_cases.py`) and of a bank's writers, negative everything else in them and all
values in real sessions. A line per left-out writer says how many of the writer's named secrets a judge finds that has not seen
the writer, and how many different values of the sessions of left-out owners it takes for secrets. `--write` trains on everything
and writes the weights.

`--adapt` moves the present weights no further than the made texts, the sessions and source code of strangers ask for: what
agents read most is code, in which names with digits (`OAuth2TokenAuth`) stand beside the names of secrets. Its line counts the
values of every second package that are taken for secrets, before and after weights that saw the other half. `--write` takes the
first half only, so that the figure is that of the weights.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from benchmarks.learning import secret_cases
from benchmarks.safety.redaction import load_bank
from transforms.redaction.context import LEAST_ODDS, lower_keeping_length
from transforms.redaction.judge_weights import PACKED_TABLE, VALUE_WEIGHTS
from transforms.redaction.named_values import NamedValue, list_named_values
from transforms.redaction.value_judge import (
    BETWEEN,
    CLASSES,
    HAS_EXTENSION,
    HAS_MARK,
    HAS_VERB,
    IS_HEX,
    IS_MANIFOLD,
    IS_MIXED,
    IS_NAME,
    IS_NEAREST,
    MANY_WORDS,
    MARK_FEATURES,
    RANDOMNESS,
    RIGHT_BEHIND,
    RIGHT_BELOW,
    SAME_LINE,
    SOME_WORDS,
    TOP_SURPRISE,
    Pairs,
    describe_form,
    describe_surroundings,
    find_marks,
    unpack_table,
)

Numbers = npt.NDArray[np.float64]
SEEDS = 6
LONGEST_TEXT = 60_000
PENALTY, STAY_PENALTY, SECRET_COUNT, MOST_CHANGE = 3.0, 300.0, 6.0, 4.0
"""How much weights are drawn to zero, and to where they were; how much more a missed secret counts than an alarm; by how much the
odds of an example change in a step at most."""
CODE_SUFFIXES = (
    ".c", ".css", ".h", ".html", ".js", ".json", ".md", ".mjs", ".pm", ".py", ".rst", ".sh", ".toml", ".ts", ".txt", ".yaml",
)  # fmt: skip
CODE_CHARS = 8_000
TARGET = Path(__file__).parents[2] / "transforms" / "redaction" / "judge_weights.py"
_VALUE_WORD = re.compile(r"[^\s\"'`<>\\,;()\[\]{}|]{3,60}")
"""Texts in which the table counts letters."""


@dataclass(frozen=True, slots=True)
class Example:
    """A value in its place: features, whether it is a secret, the case or owner, and the words."""

    features: tuple[float, ...]
    is_secret: bool
    origin: str
    value: str


def main() -> None:
    """Print a line for each left-out writer; with `--write` train on everything and write the weights."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("bank", type=Path, nargs="?")
    parser.add_argument("--adapt", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--sessions", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    texts = list(_read_sessions(arguments.sessions))
    if arguments.adapt:
        adapted = _adapt_to_code(arguments.adapt, texts)
        if arguments.write:
            TARGET.write_text(_format_module("".join(PACKED_TABLE), adapted), encoding="utf-8")
        return
    packed = _pack_table(_count_letters([text for _, text in texts]))
    pairs = unpack_table(packed)
    real = list(_list_real(texts, pairs))
    made = [example for seed in range(8) for example in _list_examples(secret_cases, seed, pairs)]
    writers = {module.__name__: [example for seed in range(SEEDS) for example in _list_examples(module, seed, pairs)]
               for module in load_bank(arguments.bank)}  # fmt: skip
    owners = sorted({example.origin for example in real})
    seen, kept = set(owners[::2]), set(owners[1::2])
    for left_out, tests in writers.items():
        others = [example for name, examples in writers.items() if name != left_out for example in examples]
        weights = fit([*others, *made, *(example for example in real if example.origin in seen)])
        for odds in (0.0, 1.0, 2.0, 3.0):
            print(json.dumps({"left_out": left_out, "odds": odds, **_count(weights, odds, tests, real, kept)}))
    if arguments.write:
        weights = fit([*(example for examples in writers.values() for example in examples), *made, *real])
        TARGET.write_text(_format_module(packed, weights), encoding="utf-8")


def _count(weights: Numbers, odds: float, tests: Sequence[Example], real: Sequence[Example], owners: set[str]) -> dict[str, int]:
    """Return the secrets and the innocent texts of a writer, those judged as secrets, and the alarms in the owners' sessions."""
    best: dict[tuple[bool, str], float] = {}
    for example in tests:
        if example.is_secret or "/" not in example.origin:
            key = (example.is_secret, example.origin)
            best[key] = max(best.get(key, -99.0), _score(example, weights))
    alarms = {example.value for example in real if example.origin in owners and _score(example, weights) > odds}
    return {
        "named_secrets": sum(is_secret for is_secret, _ in best),
        "found": sum(score > odds for (is_secret, _), score in best.items() if is_secret),
        "innocent": sum(not is_secret for is_secret, _ in best),
        "changed": sum(score > odds for (is_secret, _), score in best.items() if not is_secret),
        "alarms": len(alarms),
    }


def fit(examples: Sequence[Example], rounds: int = 40) -> Numbers:
    """Return the weights of a logistic regression by Newton's method; the same examples give the same weights."""
    features = np.asarray([example.features for example in examples])
    targets = np.asarray([example.is_secret for example in examples], np.float64)
    mean, spread = features.mean(0), features.std(0) + 1e-3
    mean[0], spread[0] = 0, 1
    scaled, weights = (features - mean) / spread, np.zeros(features.shape[1])
    penalty = np.full(len(weights), PENALTY)
    penalty[0] = 1e-6
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (odds - targets) + penalty * weights
        curve = (scaled * (odds * (1 - odds) + 1e-9)[:, None]).T @ scaled + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-4:
            break
    final = weights / spread
    final[0] -= float((mean * weights / spread).sum())
    return final


def _adapt_to_code(folders: Sequence[Path], texts: Sequence[tuple[str, str]]) -> Numbers:
    """Print how the values of left-out packages are judged, and return the weights."""
    start = np.asarray(VALUE_WEIGHTS)
    code = list(_list_real([text for folder in folders for text in _read_code(folder)]))
    packages = sorted({example.origin for example in code})
    seen = set(packages[::2])
    made = [example for seed in range(SEEDS) for example in _list_examples(secret_cases, seed)]
    known = [*made, *_list_real(texts), *(example for example in code if example.origin in seen)]
    adapted = adapt(known, start)
    left_out = [example for example in code if example.origin not in seen]
    for name, weights in (("before", start), ("after", adapted)):
        alarms = [example for example in left_out if _score(example, weights) > LEAST_ODDS]
        found = {example.origin for example in made if example.is_secret and _score(example, weights) > LEAST_ODDS}
        counts = {"packages": len(packages) - len(seen), "values": len(left_out), "alarms": len(alarms), "made_found": len(found)}
        print(json.dumps({"weights": name, **counts}))
    return adapted


def adapt(examples: Sequence[Example], start: Numbers, rounds: int = 40) -> Numbers:
    """Return the weights of greatest posterior, with a normal prior around `start`; Newton's method, as in `fit`."""
    features = np.asarray([example.features for example in examples])
    targets = np.asarray([example.is_secret for example in examples], np.float64)
    counts = np.where(targets > 0, SECRET_COUNT, 1.0)
    spread = features.std(0) + 1e-3
    spread[0] = 1
    penalty = np.where(start == 0, PENALTY, STAY_PENALTY) * spread**2
    weights = start.copy()
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (counts * (odds - targets)) + penalty * (weights - start)
        curve = (features * (counts * odds * (1 - odds) + 1e-9)[:, None]).T @ features + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, MOST_CHANGE / float(np.abs(features @ step).max()))  # a full step may overshoot where all odds are sure
        weights -= step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def _read_code(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the package and a piece of each source file, as long as a tool prints, of a folder with a folder per package."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in CODE_SUFFIXES and path.is_file():
            text = path.read_text(encoding="utf-8", errors="ignore")
            start = zlib.crc32(str(path.relative_to(folder)).encode()) % max(1, len(text) - CODE_CHARS)
            yield f"{folder.name}/{path.relative_to(folder).parts[0]}", text[start : start + CODE_CHARS]


def _score(example: Example, weights: Numbers) -> float:
    return float(np.dot(example.features, weights))


def _list_examples(module: Any, seed: int, pairs: Pairs | None = None) -> Iterator[Example]:
    for case in module.cases(seed):
        for text in _list_strings(case["text"]):
            for near in list_named_values(text, lower_keeping_length(text)):
                value = text[near.start : near.end]
                covers = [secret for secret in case["secret"] if secret in value]
                is_secret = any(2 * len(secret) >= len(value) for secret in covers) or any(
                    value in secret for secret in case["secret"]
                )
                if is_secret or not covers:
                    yield Example(tuple(describe_place(text, near, pairs)), is_secret, f"{case['id']}/{seed}", value)
    for case in module.innocent(seed):
        for near in list_named_values(case["text"], lower_keeping_length(case["text"])):
            yield Example(
                tuple(describe_place(case["text"], near, pairs)), False, case["id"], case["text"][near.start : near.end]
            )


def _list_real(texts: Sequence[tuple[str, str]], pairs: Pairs | None = None) -> Iterator[Example]:
    known: set[tuple[str, str, int, str]] = set()
    for owner, whole in texts:
        text = whole[:LONGEST_TEXT]
        for near in list_named_values(text, lower_keeping_length(text)):
            value = text[near.start : near.end]
            key = (value, near.name, near.rank, text[near.name_end : near.start][:12])
            if key not in known and "redacted" not in value:
                known.add(key)
                yield Example(tuple(describe_place(text, near, pairs)), False, owner, value)


def _read_sessions(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the owner and the text of every different string of the sessions; the owner is the beginning of the file's name."""
    known: set[str] = set()
    for path in sorted(folder.rglob("*.jsonl")):
        owner = path.name.split("__")[0] if "__" in path.name else path.parent.name
        for line in path.read_bytes().splitlines():
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            for text in _list_strings(value):
                if len(text) >= 12 and text not in known:
                    known.add(text)
                    yield owner, text


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            if "ignature" not in key and key not in ("encrypted_content", "data"):
                yield from _list_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _list_strings(item)


def describe_place(text: str, near: NamedValue, pairs: Pairs | None = None) -> list[float]:
    """Return the features of a value in its place: form, name, the text between, and crosses of these."""
    form = describe_form(text[near.start : near.end], pairs)
    kinds = [float(near.name == kind) for kind in CLASSES]
    place = describe_surroundings(text, near)
    marks = [0.0] * MARK_FEATURES
    for mark in find_marks(text, near):
        marks[mark] = 1.0
    mixed, random, strange = form[IS_MIXED], form[RANDOMNESS], form[TOP_SURPRISE]
    crosses = [
        value
        for kind in kinds
        for value in (kind * mixed, kind * random, kind * strange, kind * form[IS_MANIFOLD], kind * place[BETWEEN],
                      kind * place[IS_NEAREST], kind * place[RIGHT_BEHIND], kind * place[RIGHT_BELOW], kind * form[HAS_EXTENSION],
                      kind * form[IS_NAME], kind * form[IS_HEX], kind * form[HAS_MARK])
    ]  # fmt: skip
    more = [
        place[IS_NEAREST] * random, place[RIGHT_BEHIND] * mixed, place[RIGHT_BELOW] * mixed, place[RIGHT_BELOW] * strange,
        place[RIGHT_BEHIND] * strange, place[SOME_WORDS] * random, place[SOME_WORDS] * strange, place[HAS_VERB] * strange,
        place[HAS_VERB] * mixed, place[SAME_LINE] * strange, place[MANY_WORDS] * strange,
    ]  # fmt: skip
    return [1.0, *map(float, form), *kinds, *map(float, place), *marks, *crosses, *more]


def _pack_table(table: npt.NDArray[np.float32]) -> str:
    """Return a table of bits as text: a sixteenth of a bit each."""
    return base64.b85encode(np.clip(np.round(table * 16), 0, 255).astype(np.uint8).tobytes()).decode()


def _encode_letters(word: str) -> npt.NDArray[np.int64]:
    """Return the letters of a word as rows of the table, after the sign for its beginning."""
    codes = np.frombuffer(("\x1f" + word).encode("latin-1", "replace"), np.uint8).astype(np.int64) - 31
    return np.where((codes < 0) | (codes > 95), 95, codes)


def _count_letters(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return the bits by which each letter surprises behind another, over the different words of the texts."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(set(_VALUE_WORD.findall(text[:20_000])))
    counts = np.full((96, 96), 0.05)
    for word, number in sorted(words.items()):
        codes = _encode_letters(word)
        np.add.at(counts, (codes[:-1], codes[1:]), 1 + np.log(number))
    return (-np.log2(counts / counts.sum(1, keepdims=True))).astype(np.float32)


def _format_module(packed: str, weights: Numbers) -> str:
    rows = [packed[at : at + 110] for at in range(0, len(packed), 110)]
    numbers = [f"{weight:.3f}" for weight in weights]
    lines = ['"""Weights of `transforms/redaction/value_judge.py`; `benchmarks/learning/secrets.py` writes this module."""', ""]
    lines += ["# fmt: off", "PACKED_TABLE: tuple[str, ...] = (", *(f"    {row!r}," for row in rows), ")"]
    lines += ["VALUE_WEIGHTS: tuple[float, ...] = ("]
    lines += ["    " + ", ".join(numbers[at : at + 12]) + "," for at in range(0, len(numbers), 12)]
    return "\n".join([*lines, ")", ""])


if __name__ == "__main__":
    main()
