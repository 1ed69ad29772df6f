"""Fit the head that tells lines of one project from lines of all, or measure it with whole people left out.

    python -m benchmarks.learning.scopes.fit_scopes [--write] [--without NAME …] [--file FILE]

`line_scopes.jsonl.xz` has 597 lines of nineteen made people (source `lines`), 1,830 rule clauses of the sixty-six voices of
`sayings.py` (`clauses`), each labelled `everywhere` or `project` by a reader who knew no rule, and 700 everyday rules that one
writer wrote for one label or the other in ten voices (`plain`): who is asked for hard cases leaves out the plainest. All of it is
invented. The head is a logistic regression of the summary of the clause encoder. Clauses and plain rules join with a small weight
and an intercept of their own: more of them hold everywhere. Six times a sixth of the people is left out. Keys, of lines:

    majority           share right of "always the project"
    words              `is_about_work`; `words_and_kinds`: what decided before, with preferences everywhere, and with decisions
                       and conventions in their project
    head               from the bound that ships; `bars`: from others; `area` under the curve
    ships              the head, and `words_and_kinds` for the lines that it does not read (`unread`, in other languages)
    persons            per person, lines and the share right of `words_and_kinds` and of `ships`

Of each: lines said to hold everywhere, share of them right (`right`), share found, and accuracy. `--write` fits on everything
(but the people of `--without`) and stores the head, in FILE if one is named; after each change of `clause_updates.npz` it has to
be fitted again. Needs `pip install 'recollect[learning]'`.
"""

from __future__ import annotations

import json
import lzma
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.arguments import make_parser
from effects.judging.clause_encoder import UPDATES_FILE, load_clause_encoder
from effects.judging.line_scopes import SCOPES_FILE, weigh_line_scope
from transforms.memory.lasting.line_scope import MIN_EVERYWHERE
from transforms.memory.said_for_good import is_about_work
from transforms.tables.enums import PERSONAL_KINDS

ARCHIVE = Path(__file__).with_name("line_scopes.jsonl.xz")
LINES, JOINED = "lines", ("clauses", "plain")
STRENGTH, JOINED_WEIGHT, SOURCE_MARK, FOLDS = 0.1, 0.3, 2.0, 6
"""Inverse of the penalty; weight of a joined clause or rule beside a line; the feature that only those of one source have, whose
weight is the difference of the intercepts; groups of people."""
BARS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)

Matrix = npt.NDArray[np.float32]
Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A line of a person; `kind` is that of the row that has its words."""

    text: str
    person: str
    scope: str
    source: str
    kind: str


def read_lines(archive: Path = ARCHIVE) -> list[LabelledLine]:
    """Return the labelled lines, then the clauses and plain rules."""
    with lzma.open(archive, "rt", encoding="utf-8") as lines:
        return [LabelledLine(**json.loads(line)) for line in lines]


def summarise_lines(lines: Sequence[LabelledLine]) -> Matrix:
    """Return the summary of each line by the clause encoder."""
    encoder = load_clause_encoder()
    assert encoder is not None, "the bundled model is installed"
    return np.array([encoder.summarise(line.text, "", "") for line in lines], np.float32)


def fit_head(lines: Sequence[LabelledLine], summaries: Matrix) -> tuple[Matrix, float]:
    """Return weights and intercept of lines."""
    is_of = np.array([[line.source == source for source in JOINED] for line in lines])
    marked = np.hstack([summaries, SOURCE_MARK * is_of])
    truth = np.array([line.scope == "everywhere" for line in lines])
    fitted = LogisticRegression(C=STRENGTH, max_iter=3000).fit(
        marked, truth, sample_weight=np.where(is_of.any(axis=1), JOINED_WEIGHT, 1.0)
    )
    return fitted.coef_[0][: -len(JOINED)].astype(np.float32), float(fitted.intercept_[0])


def weigh_left_out(lines: Sequence[LabelledLine], summaries: Matrix) -> npt.NDArray[np.float64]:
    """Return how likely each line holds everywhere, by a head that saw no line of its person; 0 for what joins."""
    people = sorted({line.person for line in lines if line.source == LINES})
    likely = np.zeros(len(lines))
    for fold in range(FOLDS):
        is_out = np.array([line.source == LINES and line.person in people[fold::FOLDS] for line in lines])
        weights, bias = fit_head([line for line, out in zip(lines, is_out, strict=True) if not out], summaries[~is_out])
        likely[is_out] = 1 / (1 + np.exp(-(summaries[is_out] @ weights + bias)))
    return likely


def score(truth: Truths, told: Truths) -> dict[str, float]:
    """Return how many lines are said to hold everywhere, the shares of them right and found, and the accuracy."""
    right = int((truth & told).sum())
    shares = (right / max(int(told.sum()), 1), right / int(truth.sum()), float((told == truth).mean()))
    names = ("right", "found", "accuracy")
    return {"everywhere": int(told.sum())} | {name: round(share, 3) for name, share in zip(names, shares, strict=True)}


def measure(lines: Sequence[LabelledLine], likely: npt.NDArray[np.float64]) -> dict[str, object]:
    """Return the figures of lines."""
    truth = np.array([line.scope == "everywhere" for line in lines])
    words = np.array([is_about_work(line.text) for line in lines])
    is_wish = np.array([line.kind == "preference" for line in lines])
    told = is_wish | (words & np.array([line.kind in PERSONAL_KINDS for line in lines]))
    is_unread = np.array([weigh_line_scope(line.text) is None for line in lines])
    ships = np.where(is_unread, told, likely >= MIN_EVERYWHERE)
    person_of = np.array([line.person for line in lines])
    persons = {
        name: [int(own.sum()), *(round(float((by[own] == truth[own]).mean()), 3) for by in (told, ships))]
        for name in sorted(set(person_of))
        for own in [person_of == name]
    }
    return {
        "lines": len(lines),
        "majority": round(max(float(truth.mean()), 1 - float(truth.mean())), 3),
        "words": score(truth, words),
        "words_and_kinds": score(truth, told),
        "head": score(truth, likely >= MIN_EVERYWHERE),
        "area": round(float(roc_auc_score(truth, likely)), 3),
        "bars": {str(bar): score(truth, likely >= bar) for bar in BARS},
        "ships": score(truth, ships),
        "unread": int(is_unread.sum()),
        "persons": persons,
    }


def write_head(weights: Matrix, bias: float, file: Path) -> None:
    """Store the head as float16, with the checksum of the updates of the encoder that it reads."""
    updates = np.array(zlib.crc32(UPDATES_FILE.read_bytes()))
    head = {"weights": np.stack([-weights / 2, weights / 2], axis=1), "bias": np.array([-bias / 2, bias / 2])}
    np.savez_compressed(file, updates=updates, **{name: array.astype(np.float16) for name, array in head.items()})  # type: ignore[arg-type]


def main() -> int:
    """Print the figures, or store the head."""
    parser = make_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="fit on everything and store the head")
    parser.add_argument("--without", nargs="*", default=[], help="people of whom nothing is learned")
    parser.add_argument("--file", type=Path, default=SCOPES_FILE, help="where to store the head")
    arguments = parser.parse_args()
    lines = [line for line in read_lines() if line.person not in arguments.without]
    summaries = summarise_lines(lines)
    if arguments.write:
        write_head(*fit_head(lines, summaries), arguments.file)
        return 0
    likely = weigh_left_out(lines, summaries)
    own = [place for place, line in enumerate(lines) if line.source == LINES]
    print(json.dumps({"benchmark": "scopes", **measure([lines[place] for place in own], likely[own])}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
