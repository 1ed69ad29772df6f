"""Train the model that judges whether words hold for good (`transforms.classify.reach`), or measure it with people left out.

    python -m benchmarks.distil.reach [--bench FOLDER] [--write]

A sentence lasts where a reader called its turn a rule, a preference or a convention and it is the turn's span or its only
sentence, and where it holds all keys of such a fact of a made-up person; sentences beside these have no label. To them come the
pairs of `reach_sentences.txt`, in which the same grammar holds for good and once. Sentences of which only a stretch lasts teach
by that stretch: the model judges all stretches of an earlier fit, and learns again from the likeliest of each. Prints areas under
the curve per person left out, within bands of length (long sentences last more often), beside the rules of language and length.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.distil.people import unpack_people
from benchmarks.learning.fit import fit_model
from benchmarks.learning.labels import LabelledTurn, read_labelled_turns
from benchmarks.learning.train import area_under_curve, typed_part
from effects.distil.stored_weights import REACH_FILE
from transforms.classify.features import BITS
from transforms.classify.linear_model import LinearModel, pack_models
from transforms.classify.reach import LASTS, ONCE, hash_reach, judge_reach
from transforms.language.dialogue_acts import analyse_message, classify_sentence

ROOT = Path(__file__).resolve().parents[2]
PAIRS = Path(__file__).with_name("reach_sentences.txt")
STANDING = ("rule", "preference", "convention")
UNREAD = ("bastien", "dae", "tove")
"""People whose language no rule reads: their rows are "said"."""
PAIR_COPIES, MOST_ONCE, ROUNDS = 5, 1800, 2
"""Times that a pair counts against a real sentence, real sentences that hold once, and fits behind the first."""
BANDS = (0, 60, 100, 160, 300, 10_000)
ENGINEER = "pairs"


@dataclass(frozen=True, slots=True)
class ReachSentence:
    """A sentence of a person, and whether it holds for good."""

    person: str
    text: str
    lasts: bool


def read_sentences(bench: Path) -> list[ReachSentence]:
    """Return the labelled sentences of all people but the pairs."""
    sentences = [sentence for turn in read_labelled_turns(bench) if turn.is_owner for sentence in _label_turn(turn)]
    with tempfile.TemporaryDirectory() as folder:
        for name, home in unpack_people(Path(folder)).items():
            if name not in UNREAD:
                sentences += _read_person(name, home / "bench" / "gold_owners")
    return [sentence for sentence in sentences if len(sentence.text.split()) >= 3]


def read_pairs() -> list[ReachSentence]:
    """Return the sentences that were made up in pairs."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [ReachSentence(ENGINEER, line[2:], line[0] == "+") for line in lines if line[:2] in ("+ ", "- ")]


def _split(typed: str) -> list[str]:
    return [sentence.text for sentence in analyse_message(typed, "").sentences] if typed.strip() else []


def _label_turn(turn: LabelledTurn) -> Iterator[ReachSentence]:
    sentences = _split(typed_part(turn))
    for text in sentences:
        if turn.act not in STANDING:
            yield ReachSentence(turn.owner, text, False)
        elif (turn.span and (text.lower()[:25] in turn.span.lower() or turn.span.lower()[:25] in text.lower())) or (
            not turn.span and len(sentences) == 1
        ):
            yield ReachSentence(turn.owner, text, True)


def _read_person(name: str, folder: Path) -> Iterator[ReachSentence]:
    for path in sorted(folder.glob("*.gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        lasting: dict[int, list[Sequence[Sequence[str]]]] = {}
        other: dict[int, list[Sequence[Sequence[str]]]] = {}
        for fact in [*gold["facts"], *(gold.get("memory") or [])]:
            for line in fact.get("evidence", []):
                (lasting if fact.get("kind") in STANDING else other).setdefault(line, []).append(fact["keys"])
        for turn in gold["turns"]:
            if turn["speaker"] in ("owner", "mixed") and turn["owner_text"]:
                line, sentences = turn["line"], _split(turn["owner_text"].replace("[…]", "\n"))
                for text in sentences:
                    label = _judge(text, turn["act"], len(sentences), lasting.get(line, []), other.get(line, []))
                    if label is not None:
                        yield ReachSentence(name, text, label)


def _judge(
    text: str, act: str | None, count: int, lasting: list[Sequence[Sequence[str]]], other: list[Sequence[Sequence[str]]]
) -> bool | None:
    """Whether a sentence lasts; None where the facts do not tell."""
    shares = [_hold(text, keys) for keys in lasting]
    if max(shares, default=0.0) == 1 or (count == 1 and (lasting or act in STANDING)):
        return True
    if any(shares) or act in STANDING or max((_hold(text, keys) for keys in other), default=0.0) >= 0.6:
        return None
    return False


def _hold(text: str, keys: Sequence[Sequence[str]]) -> float:
    lowered = text.lower()
    return sum(any(word.lower() in lowered for word in group) for group in keys) / max(1, len(keys))


def fit_reach(sentences: Sequence[ReachSentence]) -> LinearModel:
    """Return a model fitted on these sentences; of real ones that hold once a sample that does not depend on their order."""
    once = [s for s in sentences if not s.lasts and s.person != ENGINEER]
    kept = {id(once[row]) for row in np.random.default_rng(1).permutation(len(once))[:MOST_ONCE]}
    chosen = [s for s in sentences if s.lasts or s.person == ENGINEER or id(s) in kept]
    model = _fit([(s.text, s) for s in chosen for _ in range(_copies(s))])
    for _ in range(ROUNDS):
        likely = [(_cut(s.text, model), s) for s in chosen]
        model = _fit([pair for text, s in likely for pair in (*[(text, s)] * _copies(s), (s.text, s))])
    return model


def _copies(sentence: ReachSentence) -> int:
    return PAIR_COPIES if sentence.person == ENGINEER else 1


def _cut(text: str, model: LinearModel) -> str:
    stretch = judge_reach(text, model)
    return text[stretch.start : stretch.end]


def _fit(examples: Sequence[tuple[str, ReachSentence]]) -> LinearModel:
    vectors = [hash_reach(text) for text, _ in examples]
    return fit_model(vectors, [LASTS if s.lasts else ONCE for _, s in examples], (LASTS, ONCE), size=1 << BITS)


def measure(sentences: Sequence[ReachSentence], fitted: Sequence[ReachSentence]) -> dict[str, dict[str, float]]:
    """Return areas under the curve of `sentences` per band of length, by models of `fitted` that never saw their person."""
    models = {person: fit_reach([s for s in fitted if s.person != person]) for person in {s.person for s in sentences}}
    judges: Mapping[str, Callable[[ReachSentence], float]] = {
        "learned": lambda s: judge_reach(s.text, models[s.person]).odds,
        "rules": lambda s: float(classify_sentence(s.text, "-").act in ("rule", "preference")),
        "length": lambda s: float(len(s.text)),
    }
    figures: dict[str, dict[str, float]] = {}
    for least, most in pairwise(BANDS):
        band = [s for s in sentences if least <= len(s.text) < most]
        truth = [s.lasts for s in band]
        figures[f"{least}-{most}"] = {
            "sentences": len(band), "lasting": sum(truth),
            **{name: area_under_curve([judge(s) for s in band], truth) for name, judge in judges.items()},
        }  # fmt: skip
    return figures


def main() -> None:
    """Print the figures of the made-up people, each left out, or store the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=ROOT.parent / "shared" / "bench")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sentences = [*read_sentences(arguments.bench), *read_pairs()]
    if arguments.write:
        np.savez_compressed(REACH_FILE, **pack_models({"reach": fit_reach(sentences)}))
        print(json.dumps({"sentences": len(sentences), "written": REACH_FILE.stat().st_size}))
        return
    people = {"geraint", "oksana", "noor", "kofi", "ines", "rafa", "harriet", "walt", "marek"}
    print(json.dumps(measure([s for s in sentences if s.person in people], sentences)))


if __name__ == "__main__":
    main()
