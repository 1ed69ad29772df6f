"""Train the classifiers of turns, or measure them with the owner left out.

    python -m benchmarks.learning.train [--bench FOLDER] [--write]

Classifiers read an entry and the agent's text before it: `act` (what the typed words do) and, per paragraph, `typed` (whether
the owner wrote it). `keep` (whether any of it is worth keeping beyond the session) is measured as well, but not stored: it does
not beat the length of the text. Each real owner is left out in turn and judged by weights that never saw an owner of that name;
voices that writers made up are only fitted on, and paragraphs also on the made-up people (`benchmarks.distil.people`).
Beside each figure stand the majority label, the length of the text, and the rules of the offline engine. Prints one JSON line;
`--write` stores weights fitted on everything.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.learning.fit import fit_model
from benchmarks.learning.labels import LabelledTurn, read_labelled_turns, read_people_turns
from effects.distil.stored_weights import WEIGHTS_FILE
from transforms.attribution.writing_habits import add_habits, count_habits
from transforms.classify.features import BITS, SparseVector, extract_features, hash_features
from transforms.classify.linear_model import LinearModel, pack_models
from transforms.classify.paragraphs import list_paragraph_features, split_paragraphs
from transforms.classify.turn_classifier import JUDGED_CHARS, USUAL_RATES, select_typed

ROOT = Path(__file__).resolve().parents[2]

REAL_OWNERS = ("soph", "paul", "raq", "pin", "herdr", "auth", "mario", "ext")
ACTS = {"rule": "guidance", "preference": "guidance", "convention": "guidance", "answer": "report", "chat": "none"}
"""Acts that are too rare alone, under one label; what they have in common decides how a turn is treated."""
LEAST_OCCASIONS = 10
"""Times that an owner must have had the choice for the rate of a habit to count."""


def act_of(turn: LabelledTurn) -> str:
    """Return the label of the act classifier."""
    return ACTS.get(turn.act, turn.act)


def typed_part(turn: LabelledTurn) -> str:
    """Return the words that the owner typed, the whole text where nobody marked them."""
    return turn.text if turn.typed is None else "\n".join(turn.typed)


def left_out_groups(turns: Sequence[LabelledTurn]) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield (owner, rows to fit on, rows to judge) for every real owner; made-up voices are only fitted on."""
    for owner in sorted({turn.owner for turn in turns} & set(REAL_OWNERS)):
        judged = [row for row, turn in enumerate(turns) if turn.owner == owner]
        yield owner, [row for row, turn in enumerate(turns) if turn.owner != owner], judged


def cross_validate(
    turns: Sequence[LabelledTurn], vectors: Sequence[SparseVector], target: Callable[[LabelledTurn], str]
) -> list[dict[str, float]]:
    """Return for each turn the probabilities of its labels, by a model that never saw its owner."""
    labels = sorted({target(turn) for turn in turns})
    probabilities: list[dict[str, float]] = [{} for _ in turns]
    for _, fitted, judged in left_out_groups(turns):
        model = fit_model([vectors[row] for row in fitted], [target(turns[row]) for row in fitted], labels, size=1 << BITS)
        for row in judged:
            probabilities[row] = model.predict(vectors[row])
    return probabilities


def area_under_curve(scores: Sequence[float], is_positive: Sequence[bool]) -> float:
    """Return the probability that a positive scores above a negative (Mann-Whitney U); ties count half."""
    values, positive = np.asarray(scores), np.asarray(is_positive)
    ranks = np.array([np.mean(values < value) + np.mean(values == value) / 2 for value in values]) * len(values)
    count = int(positive.sum())
    if not count or count == len(values):
        return float("nan")
    return round(float((ranks[positive].sum() - count * count / 2) / (count * (len(values) - count))), 3)


def measure_acts(turns: Sequence[LabelledTurn], vectors: Sequence[SparseVector], rule_acts: Sequence[str]) -> dict[str, object]:
    """Return accuracy and macro F1 on real owners left out, beside the majority label and the rules."""
    probabilities = cross_validate(turns, vectors, act_of)
    rows = [row for row, turn in enumerate(turns) if turn.owner in REAL_OWNERS]
    truth = [act_of(turns[row]) for row in rows]
    learned = [max(probabilities[row], key=probabilities[row].__getitem__) for row in rows]
    majority = Counter(truth).most_common(1)[0][0]
    named = {"learned": learned, "majority": [majority] * len(rows), "rules": [rule_acts[row] for row in rows]}
    return {name: _agreement(answers, truth) for name, answers in named.items()} | {"turns": len(rows)}


def measure_keep(
    turns: Sequence[LabelledTurn], vectors: Sequence[SparseVector], rule_scores: Sequence[float]
) -> dict[str, object]:
    """Return areas under the curve on real owners left out, beside length and the rules' strength."""
    judged = [row for row, turn in enumerate(turns) if turn.keep is not None]
    turns, vectors, rule_scores = ([values[row] for row in judged] for values in (turns, vectors, rule_scores))
    kept = cross_validate(turns, vectors, lambda turn: str(turn.keep != "no"))
    rows = [row for row, turn in enumerate(turns) if turn.owner in REAL_OWNERS]
    truth = [turns[row].keep != "no" for row in rows]
    return {
        "learned": area_under_curve([kept[row]["True"] for row in rows], truth),
        "length": area_under_curve([float(len(turns[row].text)) for row in rows], truth),
        "rules": area_under_curve([rule_scores[row] for row in rows], truth),
        "turns": len(rows),
    }


def labelled_paragraphs(turn: LabelledTurn) -> list[tuple[str, bool, SparseVector]]:
    """Return the paragraphs of a turn with whether the owner typed them; none where nobody marked a mixed turn."""
    if turn.typed is None:
        return []
    parts = split_paragraphs(turn.text)
    rows = []
    for number, part in enumerate(parts):
        text = turn.text[part.start : part.end]
        typed = sum(len(words) for words in turn.typed if words.strip() and words.strip() in text)
        inside = any(text.strip() in words for words in turn.typed)
        vector = hash_features(list_paragraph_features(turn.text, parts, number, turn.before))
        rows.append((text, inside or typed > len(text) / 2, vector))
    return rows


def fit_typed(turns: Sequence[LabelledTurn]) -> LinearModel:
    """Fit the classifier of paragraphs: `typed` or `other`."""
    rows = [row for turn in turns for row in labelled_paragraphs(turn)]
    targets = ["typed" if is_typed else "other" for _, is_typed, _ in rows]
    return fit_model([vector for _, _, vector in rows], targets, ("other", "typed"), size=1 << BITS)


def measure_usual_rates(turns: Sequence[LabelledTurn]) -> dict[str, float]:
    """Return the mean rate of each habit of writing over the owners, by their different messages of one line."""
    rates: dict[str, list[float]] = {habit: [] for habit in USUAL_RATES}
    for owner in sorted({turn.owner for turn in turns}):
        lines = {turn.text for turn in turns if turn.owner == owner and turn.speaker == "owner" and "\n" not in turn.text.strip()}
        for habit, (yes, no) in add_habits(map(count_habits, sorted(lines))).items():
            if yes + no >= LEAST_OCCASIONS:
                rates[habit].append(yes / (yes + no))
    return {habit: round(float(np.mean(shares)), 3) for habit, shares in rates.items()}


def predict_typed(turns: Sequence[LabelledTurn], people: Sequence[LabelledTurn] = ()) -> dict[int, list[float]]:
    """Return the probabilities of the paragraphs of every turn of a real owner, by a model that never saw this owner; `people`
    are only fitted on."""
    odds: dict[int, list[float]] = {}
    for _, fitted, judged in left_out_groups(turns):
        model = fit_typed([*(turns[row] for row in fitted), *people])
        for row in judged:
            text, parts = turns[row].text, split_paragraphs(turns[row].text)
            features = [list_paragraph_features(text, parts, number, turns[row].before) for number in range(len(parts))]
            odds[row] = [model.predict(hash_features(named))["typed"] for named in features]
    return odds


def measure_typed(turns: Sequence[LabelledTurn], people: Sequence[LabelledTurn], turn_kinds: Sequence[str]) -> dict[str, object]:
    """Return, on real owners left out, entries of others that were caught and entries of owners that were lost."""
    odds = predict_typed(turns, people)
    others = [row for row in odds if not turns[row].is_owner]
    owners = [row for row in odds if turns[row].is_owner]
    result: dict[str, object] = {"others": len(others), "owners": len(owners)}
    best = {row: max(probabilities, default=0.0) for row, probabilities in odds.items()}
    result["auc"] = area_under_curve(list(best.values()), [turns[row].is_owner for row in best])
    caught, lost = (
        sum(len(turns[row].text.strip()) >= JUDGED_CHARS and not any(select_typed(odds[row])) for row in group)
        for group in (others, owners)
    )
    result["learned"] = {"caught": caught, "lost": lost}
    result["turn kinds"] = {
        "caught": sum(turn_kinds[row] != "typed" for row in others), "lost": sum(turn_kinds[row] != "typed" for row in owners)
    }  # fmt: skip
    return result


def _agreement(answers: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    scores = []
    for label in sorted(set(truth)):
        hits = sum(a == label and t == label for a, t in zip(answers, truth, strict=True))
        scores.append(2 * hits / max(1, answers.count(label) + truth.count(label)))
    right = sum(a == t for a, t in zip(answers, truth, strict=True))
    return {"accuracy": round(right / len(truth), 3), "macro_f1": round(float(np.mean(scores)), 3)}


def main() -> None:
    """Measure, and with --write fit on everything and store the weights."""
    from benchmarks.learning.rules import rule_act, rule_strength
    from transforms.conversation.message_spans import classify_turn

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=ROOT.parent / "shared" / "bench")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    turns, people = read_labelled_turns(arguments.bench), read_people_turns()
    owned = [turn for turn in turns if turn.is_owner]
    vectors = [hash_features(extract_features(typed_part(turn), turn.before)) for turn in owned]
    rules = [rule_act(turn) for turn in owned]
    figures = {
        "turns": dict(Counter(turn.owner for turn in turns)),
        "act": measure_acts(owned, vectors, rules),
        "keep": measure_keep(owned, vectors, [rule_strength(act) for act in rules]),
        "typed": measure_typed(turns, people, [classify_turn(turn.text) for turn in turns]),
        "usual_rates": measure_usual_rates([*turns, *people]),
    }
    if arguments.write:
        models = {
            "act": fit_model(vectors, [act_of(turn) for turn in owned], sorted({act_of(turn) for turn in owned}), size=1 << BITS),
            "typed": fit_typed([*turns, *people]),
        }
        np.savez_compressed(WEIGHTS_FILE, **pack_models(models))
        figures["written"] = WEIGHTS_FILE.stat().st_size
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
