"""Trains the judge of values that no name tells (`transforms/redaction/bare/bare_judge.py`).

    python -m benchmarks.learning.bare_secrets CASES.jsonl… --sessions FOLDER [--write]

Positive are the secrets of made texts (`bare_cases.py`, `secret_cases.py`) and of files of cases, negative every other value
in them and all values of real sessions. Each file in turn is left out, with half of the owners: lines say for each threshold how
many of its cases have a secret that the judge finds, in how many of its innocent texts it finds one, and how many values of the
left-out owners it takes for secrets, in what a person typed and what an agent wrote. `--write` trains on everything and writes
the weights.
"""

from __future__ import annotations

import base64
import json
import random
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from benchmarks.learning import secret_cases
from benchmarks.learning.bare_cases import make_texts
from benchmarks.safety.case_bank import list_texts, read_cases
from transforms.reading.redact_entries import is_agent_message, is_user_message
from transforms.redaction.bare.bare_judge import describe_bare, list_bare_values
from transforms.redaction.bare.value_tokens import SLOTS
from transforms.redaction.known_secrets import KEPT_KEYS
from transforms.redaction.value_judge import compute_surprise, describe_value

Numbers = npt.NDArray[np.float64]
DRAWS, LONGEST_TEXT = 6, 60_000
THRESHOLDS = (2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
PLAIN_SURPRISE, PLAIN_SHARE = 5.2, 0.3
"""Values of real sessions that surprise less are taken at this share: nearly all are words and names."""
EPOCHS, RATE, PENALTY, SECRET_WEIGHT = 240, 0.05, 3e-5, 3.0
IDS = KEPT_KEYS | {
    "uuid", "parentUuid", "sessionId", "requestId", "promptId", "signature", "encrypted_content", "data", "messageId", "leafUuid",
    "sourceToolAssistantUUID", "tool_use_id", "thoughtSignature", "textSignature", "thinkingSignature", "call_id",
    "cwd", "version",
}  # fmt: skip
"""Members that hold no text of anybody."""
TARGET = Path(__file__).parents[2] / "transforms" / "redaction" / "bare" / "bare_weights.py"


@dataclass(frozen=True, slots=True)
class Example:
    """A value in its place: features, whether a secret, who wrote it, its case or owner, the value, whether its text has none."""

    form: tuple[float, ...]
    slots: frozenset[int]
    is_secret: bool
    place: str
    origin: str
    value: str
    is_innocent: bool

    @property
    def is_user(self) -> bool:
        """Whether a person typed it."""
        return self.place == "typed"


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the form, further ones in words that a person typed, weights of the slots, and the constants of both."""

    form: Numbers
    typed: Numbers
    slots: Numbers
    constant: float
    typed_constant: float


def main() -> None:
    """Print the figures of the folds; with `--write` train on everything and write the weights."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--sessions", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    written = {path: list(_list_written(path)) for path in arguments.cases}
    real = list(_list_real(arguments.sessions))
    made = list(_list_made())
    owners = sorted({example.origin for example in real})
    for left_out in () if arguments.write else arguments.cases:
        others = [example for path in arguments.cases if path != left_out for example in written[path]]
        for half in (set(owners[::2]), set(owners[1::2])):
            weights = fit([*others, *made, *(example for example in real if example.origin in half)])
            kept = [example for example in real if example.origin not in half]
            print(json.dumps({"left_out": left_out.parent.name, **_count(weights, written[left_out], kept)}), flush=True)
    if arguments.write:
        every = [example for path in arguments.cases for example in written[path]]
        TARGET.write_text(_format_module(fit([*every, *made, *real])), encoding="utf-8")


def fit(examples: Sequence[Example]) -> Weights:
    """Return the weights of a logistic regression by Adam over all examples; the same examples give the same weights."""
    form = np.asarray([example.form for example in examples])
    typed = np.asarray([example.is_user for example in examples], np.float64)
    rows = np.repeat(np.arange(len(examples)), [len(example.slots) for example in examples])
    columns = np.concatenate([np.fromiter(sorted(example.slots), np.int64) for example in examples])
    targets = np.asarray([example.is_secret for example in examples], np.float64)
    importance = np.where(targets > 0, SECRET_WEIGHT, 1.0)
    mean, spread = form.mean(0), form.std(0) + 1e-2
    scaled = (form - mean) / spread
    dense = np.hstack([scaled, scaled * typed[:, None], typed[:, None], np.ones((len(examples), 1))])
    weights, slots = np.zeros(dense.shape[1]), np.zeros(SLOTS)
    weights[-1] = -4.0
    moments = [(np.zeros_like(each), np.zeros_like(each)) for each in (weights, slots)]
    for step in range(1, EPOCHS + 1):
        odds = dense @ weights + np.bincount(rows, slots[columns], len(examples))
        error = (1 / (1 + np.exp(-np.clip(odds, -30, 30))) - targets) * importance
        slopes = (
            dense.T @ error / len(examples) + PENALTY * weights,
            np.bincount(columns, error[rows], SLOTS) / len(examples) + PENALTY * slots,
        )
        for each, slope, moment in zip((weights, slots), slopes, moments, strict=True):
            step_down(each, slope, moment, step)
    size = form.shape[1]
    own, more = weights[:size] / spread, weights[size : 2 * size] / spread
    return Weights(own, more, slots, float(weights[-1] - mean @ own), float(weights[-2] - mean @ more))


def step_down(weights: Numbers, slope: Numbers, moment: tuple[Numbers, Numbers], step: int) -> None:
    """Change weights in place against their slope, by Adam (Kingma & Ba 2015)."""
    mean, square = moment
    mean += 0.1 * (slope - mean)
    square += 0.01 * (slope * slope - square)
    weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)


def score(weights: Weights, example: Example) -> float:
    """Return the log-odds that a value is a secret."""
    odds = weights.constant + float(np.dot(example.form, weights.form)) + float(weights.slots[list(example.slots)].sum())
    return odds + (weights.typed_constant + float(np.dot(example.form, weights.typed)) if example.is_user else 0.0)


def _count(weights: Weights, tests: Sequence[Example], real: Sequence[Example]) -> dict[str, object]:
    found: dict[str, object] = {}
    scores = [(score(weights, example), example) for example in tests]
    alarms = [(score(weights, example), example) for example in real]
    for place in ("typed", "agent"):
        here = [(odds, example) for odds, example in scores if example.place == place]
        for least in THRESHOLDS:
            taken = [example for odds, example in here if odds > least]
            values = {example.value for odds, example in alarms if odds > least and example.place == place}
            found[f"{place} {least}"] = {
                "found": len({example.origin for example in taken if example.is_secret}),
                "innocent": len({example.origin for example in taken if example.is_innocent}), "alarms": sorted(values),
            }  # fmt: skip
    return found


def _list_written(path: Path) -> Iterator[Example]:
    for case in read_cases(path):
        for text in list_texts(case["text"]):
            place = {"typed": "typed", "agent": "agent", "tool_arguments": "agent"}.get(case["place"], "shown")
            yield from _list_examples(text, case["secrets"], place, case["id"], case["kind"] == "innocent")


def _list_made() -> Iterator[Example]:
    for seed in range(DRAWS):
        for made in make_texts(seed):
            yield from _list_examples(made.text, made.secrets, "typed" if made.is_user else "agent", made.name)
        for case in (*secret_cases.cases(seed)[::2], *secret_cases.innocent(seed)[::2]):
            secrets = [str(secret) for secret in _as_list(case.get("secret"))]
            yield from _list_examples(str(case["text"]), secrets, "shown", str(case["id"]))


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _list_examples(text: str, secrets: Sequence[str], place: str, origin: str, is_innocent: bool = False) -> Iterator[Example]:
    is_user = place == "typed"
    for value in list_bare_values(text):
        word = text[value.start : value.end]
        covered = [secret for secret in secrets if secret in word]
        is_secret = any(2 * len(secret) >= len(word) for secret in covered) or any(
            word in secret and (len(word) >= 6 or 2 * len(word) >= len(secret)) for secret in secrets
        )
        if is_secret or not covered:
            around, slots = describe_bare(text, value, is_user)
            yield Example((*describe_value(word), *around), frozenset(slots), is_secret, place, origin, word, is_innocent)


def _list_real(folder: Path) -> Iterator[Example]:
    draw, known, done = random.Random(1), set(), set()
    for owner, text, place in read_texts(folder):
        if (text, place) in done:
            continue
        done.add((text, place))
        is_user = place == "typed"
        for value in list_bare_values(text[:LONGEST_TEXT]):
            word = text[value.start : value.end]
            key = (word, value.key, place, text[max(0, value.start - 6) : value.start])
            if key in known:
                continue
            known.add(key)
            if place != "shown" or compute_surprise(word)[0] >= PLAIN_SURPRISE or draw.random() < PLAIN_SHARE:
                around, slots = describe_bare(text, value, is_user)
                yield Example((*describe_value(word), *around), frozenset(slots), False, place, owner, word, False)


def read_texts(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the owner, the text and the place of every text of real sessions."""
    for path in sorted(folder.rglob("*.jsonl")):
        owner = path.name.split("__")[0] if "__" in path.name else path.parent.name
        for line in path.read_bytes().splitlines():
            try:
                entry = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(entry, dict):
                place = "typed" if is_user_message(entry) else "agent" if is_agent_message(entry) else "shown"
                yield from ((owner, text, place) for text in _list_strings(entry) if len(text) >= 6)


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in IDS:
                yield from _list_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _list_strings(item)


def _format_module(weights: Weights) -> str:
    scale = float(np.abs(weights.slots).max()) / 127
    packed = base64.b85encode((np.round(weights.slots / scale) + 128).astype(np.uint8).tobytes()).decode()
    rows = [packed[at : at + 120] for at in range(0, len(packed), 120)]
    lines = [
        '"""Weights of `transforms/redaction/bare/bare_judge.py`; `benchmarks/learning/bare_secrets.py` writes this module."""',
        "",
        "# fmt: off",
    ]
    lines += [f"CONSTANTS = ({weights.constant:.3f}, {weights.typed_constant:.3f})", f"SLOT_SCALE = {scale:.6f}"]
    for name, numbers in (("FORM_WEIGHTS", weights.form), ("TYPED_WEIGHTS", weights.typed)):
        texts = [f"{number:.3f}" for number in numbers]
        lines += [
            f"{name}: tuple[float, ...] = (",
            *("    " + ", ".join(texts[at : at + 12]) + "," for at in range(0, len(texts), 12)),
            ")",
        ]
    return "\n".join([*lines, "PACKED_SLOTS: tuple[str, ...] = (", *(f"    {row!r}," for row in rows), ")", ""])


if __name__ == "__main__":
    main()
