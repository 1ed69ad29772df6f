"""Fit the models that name the kind of a row which quotes a person, or measure them with the person left out.

    python -m benchmarks.distil.row_kinds [SHARED] [--write]

`benchmarks/learning/row_labels.jsonl` has the kinds that readers named, of the sessions in SHARED and of twelve made-up people
(`people.py`); writers labelled the clauses of voices (`sayings.py`). A kind counts as right when its family is
(`transforms.classify.row_kinds`), in a voice's row the family of any clause in it. Voices and people are left out in GROUPS.
Keys: `rows`; for `voices`, `people` and `owners` (rows that readers find worth keeping), each for `learned` (weights that never
saw the person), `rules` and `majority`: `right`, the share of right kinds, and `told`: by family how many rows are told as such,
and the share that is. `--write` fits on all labels and stores the weights. Needs scikit-learn
(`pip install 'recollect[learning]'`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from benchmarks.arguments import SHARED, add_shared, make_parser, read_jsonl, report_missing
from benchmarks.distil.people import unpack_people
from benchmarks.distil.reach import read_pairs
from benchmarks.distil.sayings import Saying, read_sayings, write_sessions
from benchmarks.learning.labels import read_labelled_turns
from benchmarks.learning.row_windows import Window, read_windows
from benchmarks.learning.rows import LABELS, hash_row, name_owner
from benchmarks.learning.train import typed_part
from effects.distil.stored_weights import load_turn_classifier
from effects.judging.kind_models import KINDS_FILE
from transforms.classify.clause_kinds import LASTS, ONCE, hash_clause
from transforms.classify.features import BITS, SparseVector, hash_features
from transforms.classify.linear_model import LinearModel, pack_models
from transforms.classify.row_kinds import (
    FAMILIES,
    KindModels,
    NamedKind,
    QuotedRow,
    choose_row_kind,
    find_family,
    judge_clauses,
    list_row_features,
    measure_structure,
)
from transforms.language.sentences import split_sentences
from transforms.offline.engine import OfflineEngine, describe_row
from transforms.offline.usefulness import compute_features

GROUPS = 6
WRITERS = "abcdefg"
"""Writers of whose voices rows are read: those of h, i and j, added, named kinds of three people left out worse (162 → 157 of 279
in whole nights) and wishes no better. What lasts is learned from all."""
STRENGTH, CLAUSE_STRENGTH, WORD_STRENGTH = 0.05, 10.0, 3.0
"""Inverse strengths of the regularisation: of structure, where .02 to .1 are the same for ten people left out, of clauses and of
words, where 3 to 30 and 1 to 10 are."""
VOICE_WEIGHT = 0.5
"""Weight of a voice's row against one that a reader judged: with 1 real owners' rows are named worse, with .25 people's."""
LEAST_SPREAD, LEAST_WEIGHT = 1e-3, 0.03
STRONGEST = ("rule", "decision", "correction", "error", "request", "question", "status")
"""The family of a row with several clauses is the first of these."""
STANDING = ("rule", "preference", "convention")
WORTH_KEEPING = 2
MOST_CHARS = 600
"""Longest turn whose only sentence, or marked span, is a clause."""
FAMILY_OF_ACT = {
    "rule": "rule", "preference": "rule", "convention": "rule", "decision": "decision", "correction": "correction",
    "request": "request", "question": "question", "chat": "status", "report": "status",
}  # fmt: skip


Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of a person, and the families of what stands in it, the strongest first; `worth` is a reader's (0 to 3)."""

    person: str
    row: QuotedRow
    families: tuple[str, ...]
    set_name: str
    worth: int = WORTH_KEEPING


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a person's message, and its family."""

    person: str
    text: str
    message: str
    before: str
    family: str


def list_clauses_of(sayings: Sequence[Saying]) -> list[Clause]:
    """Return the clauses that writers labelled, and the labelled turns of one clause, or with a marked span."""
    clauses = [Clause(s.voice, span, s.text, s.before, find_family(kind)) for s in sayings for span, kind, _ in s.parts]  # type: ignore[arg-type]
    for turn in read_labelled_turns(SHARED / "bench"):
        typed = typed_part(turn).strip()
        if not turn.is_owner or turn.act not in FAMILY_OF_ACT or not 0 < len(typed) <= MOST_CHARS:
            continue
        span = turn.span if turn.span and turn.span in typed else typed if len(split_sentences(typed)) == 1 else ""
        clauses += [Clause(f"turns.{turn.owner}", span, typed, turn.before, FAMILY_OF_ACT[turn.act])] if span else []
    return clauses


def list_quoted_rows(windows: Sequence[Window]) -> list[tuple[Window, str, QuotedRow]]:
    """Return the window, the text and the description of each row that the engine makes of a person's words."""
    classifier, rows = load_turn_classifier(), []
    for window in windows:
        read = OfflineEngine(classifier=classifier, mode=window.mode).read_window(window.entries, window.summarised)
        for item, form in zip(read.sourced, compute_features(read.sourced, len(read.exchanges)), strict=True):
            row = describe_row(item, form, read.exchanges, classifier) if item.source == "words" else None
            rows += [(window, item.candidate.text, row)] if row else []
    return rows


def name_read_rows(quoted: Sequence[tuple[Window, str, QuotedRow]]) -> list[NamedRow]:
    """Return the rows that a reader judged."""
    kinds = {(label["session"], label["first"], label["row"]): label for label in read_jsonl(LABELS)}
    rows = list[NamedRow]()
    for window, text, row in quoted:
        label = kinds.get((window.session, window.entries[0].ordinal, hash_row(text)))
        if label:
            owner = name_owner(window.file)
            rows.append(NamedRow(owner, row, (find_family(label["kind"][0]),), "read", label["worth"][0]))
    return rows


def name_voice_rows(sayings: Sequence[Saying], quoted: Sequence[tuple[Window, str, QuotedRow]]) -> list[NamedRow]:
    """Return the rows of voices whose parts a writer labelled; of two wordings of one quotation the longer one."""
    messages = {(saying.voice, _flatten(saying.text)): saying for saying in sayings}
    longest = dict[tuple[str, str, str], tuple[str, QuotedRow]]()
    for window, text, row in quoted:
        key = (window.file.rpartition("-")[0], row.message, row.quote)
        longest[key] = max(longest.get(key, ("", row)), (text, row), key=lambda wording: len(wording[0]))
    rows = list[NamedRow]()
    for (voice, message, quote), (_, row) in longest.items():
        saying = messages.get((voice, _flatten(message)))
        families = {find_family(kind) for _, kind, _ in saying.list_quoted(quote)} if saying else set()  # type: ignore[arg-type]
        if families:
            rows.append(NamedRow(voice, row, tuple(sorted(families, key=STRONGEST.index)), "voices"))
    return rows


def _flatten(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def fit_kinds(rows: Sequence[NamedRow], clauses: Sequence[Clause], lasting: LinearModel) -> KindModels:
    """Return the models fitted on these rows and clauses. Structure learns from clause models that never saw the voice."""
    groups = _group_people([row.person for row in rows], [clause.person for clause in clauses])
    vectors = [hash_clause(clause.text, clause.message, clause.before) for clause in clauses]
    judged = dict[int, npt.NDArray[np.float32]]()
    for group in range(GROUPS):
        others = [place for place, clause in enumerate(clauses) if groups[clause.person] != group]
        model = fit_linear([vectors[place] for place in others], [clauses[place].family for place in others], CLAUSE_STRENGTH)
        for place, named in enumerate(rows):
            if groups[named.person] == group:
                judged[place] = measure_structure(named.row, judge_clauses(named.row, model))
    columns = np.array([judged[place] for place in range(len(rows))], np.float64)
    families = [named.families[0] for named in rows]
    weights = np.array([VOICE_WEIGHT if named.set_name == "voices" else 1.0 for named in rows])
    words = fit_linear([hash_features(list_row_features(named.row)) for named in rows], families, WORD_STRENGTH, weights=weights)
    every = fit_linear(vectors, [clause.family for clause in clauses], CLAUSE_STRENGTH)
    return KindModels(words, _fit_structure(columns, families, weights), every, lasting)


def fit_linear(
    vectors: Sequence[SparseVector],
    families: Sequence[str],
    strength: float,
    labels: tuple[str, ...] = FAMILIES,
    weights: npt.NDArray[np.float64] | None = None,
) -> LinearModel:
    """Return a logistic regression of each label against all others; their log-odds are the scores of one model."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *(len(slots) for slots, _ in vectors)])
    slots, values = (np.concatenate(part) for part in zip(*vectors, strict=True))
    examples, truth = csr_matrix((values, slots, ends), shape=(len(vectors), 1 << BITS)), np.array(families)
    fitted = [
        LogisticRegression(C=strength, solver="liblinear", dual=True, tol=0.01, random_state=0).fit(
            examples, truth == family, sample_weight=weights
        )
        for family in labels
    ]
    learned = np.stack([model.coef_[0] for model in fitted], axis=1).astype(np.float32)
    learned[np.abs(learned) < LEAST_WEIGHT] = 0
    return LinearModel(labels, learned, np.array([model.intercept_[0] for model in fitted], np.float32))


def fit_lasting(sayings: Sequence[Saying]) -> LinearModel:
    """Return the model of clauses that are a rule, a preference or a convention for good, of what the writers labelled and of
    the pairs of one grammar (`reach.py`): writers leave out the plainest words."""
    parts = [(span, kind in STANDING and keep == "lasting") for saying in sayings for span, kind, keep in saying.parts]
    parts += [(pair.text, pair.lasts) for pair in read_pairs()]
    vectors = [hash_clause(span, "", "") for span, _ in parts]
    both = fit_linear(vectors, [LASTS if lasts else ONCE for _, lasts in parts], CLAUSE_STRENGTH, (LASTS, ONCE))
    return LinearModel(both.labels, both.weights / 2, both.bias / 2)  # scores of two labels are opposites, which count twice


def _fit_structure(
    columns: npt.NDArray[np.float64], families: Sequence[str], row_weights: npt.NDArray[np.float64]
) -> LinearModel:
    """Return a regularised logistic regression; its weights hold the scale of each column, so that no caller has to."""
    mean, scale = columns.mean(axis=0), columns.std(axis=0) + LEAST_SPREAD
    fitted = LogisticRegression(C=STRENGTH, max_iter=400).fit((columns - mean) / scale, families, sample_weight=row_weights)
    order = [list(fitted.classes_).index(family) for family in FAMILIES]
    weights = fitted.coef_[order].T / scale[:, None]
    return LinearModel(FAMILIES, weights.astype(np.float32), (fitted.intercept_[order] - mean @ weights).astype(np.float32))


def _group_people(*lists: Sequence[str]) -> dict[str, int]:
    """Return the group of each person; who has the same name in two sets is one."""
    names = sorted({name.rpartition(".")[2] for people in lists for name in people})
    return {name: names.index(name.rpartition(".")[2]) % GROUPS for people in lists for name in people}


def predict_left_out(
    rows: Sequence[NamedRow], clauses: Sequence[Clause], lasting: LinearModel
) -> tuple[list[NamedKind], list[str]]:
    """Return the kind of each row by weights that never saw its person, and the most frequent family of the others."""
    groups = _group_people([row.person for row in rows], [clause.person for clause in clauses])
    named, usual = dict[int, NamedKind](), dict[int, str]()
    for group in sorted({groups[row.person] for row in rows}):
        fitted = [row for row in rows if groups[row.person] != group]
        models = fit_kinds(fitted, [clause for clause in clauses if groups[clause.person] != group], lasting)
        majority = Counter(row.families[0] for row in fitted).most_common(1)[0][0]
        for place, row in enumerate(rows):
            if groups[row.person] == group:
                named[place], usual[place] = choose_row_kind(row.row, models), majority
    return [named[place] for place in range(len(rows))], [usual[place] for place in range(len(rows))]


def measure(
    rows: Sequence[NamedRow], clauses: Sequence[Clause], lasting: LinearModel, people: frozenset[str]
) -> dict[str, dict[str, Figures]]:
    """Return the figures of voices, of made-up people and of real owners."""
    named, usual = predict_left_out(rows, clauses, lasting)
    sets = ["voices" if row.set_name == "voices" else "people" if row.person in people else "owners" for row in rows]
    figures = dict[str, dict[str, Figures]]()
    for name in ("voices", "people", "owners"):
        places = [place for place, own in enumerate(sets) if own == name and rows[place].worth >= WORTH_KEEPING]
        truth = [rows[place].families for place in places]
        figures[name] = {
            "learned": _score(
                truth, [find_family(named[place].kind) for place in places], [named[place].is_sure for place in places]
            ),
            "rules": _score(truth, [find_family(rows[place].row.kind) for place in places], [True] * len(places)),
            "majority": _score(truth, [usual[place] for place in places], [True] * len(places)),
        }
    return figures


def _score(truth: Sequence[Sequence[str]], families: Sequence[str], sure: Sequence[bool]) -> Figures:
    right = [told in true for true, told in zip(truth, families, strict=True)]
    told = {
        family: [told in true for true, told, is_sure in zip(truth, families, sure, strict=True) if told == family and is_sure]
        for family in FAMILIES
    }
    shares = {family: [len(own), round(float(np.mean(own)), 3)] for family, own in told.items() if own}
    return {"rows": len(truth), "right": round(float(np.mean(right)), 3), "told": shares}


def main() -> int:
    """Print the figures, or store the weights."""
    parser = make_parser(__doc__)
    add_shared(parser)
    parser.add_argument("--write", action="store_true", help="fit on everything and store the weights")
    arguments = parser.parse_args()
    if report_missing([arguments.shared / "sessions" / name for name in ("owners", "real", "claude", "codex")]):
        return 1
    every = read_sayings()
    sayings = [saying for saying in every if saying.writer in WRITERS]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        windows = read_windows(arguments.shared / "sessions", home)
        people = unpack_people(home)
        for name, place in people.items():
            windows += read_windows(place / "sessions", home / name, ["owners"])
        spoken = [
            window
            for voice, place in write_sessions(sayings, home / "voices").items()
            for window in read_windows(place, home / "lakes" / voice, ["owners"], 1)
        ]
    rows = [*name_read_rows(list_quoted_rows(windows)), *name_voice_rows(sayings, list_quoted_rows(spoken))]
    clauses, lasting = list_clauses_of(sayings), fit_lasting(every)
    if arguments.write:
        write_kinds(fit_kinds(rows, clauses, lasting))
    print(json.dumps({"rows": len(rows), **({} if arguments.write else measure(rows, clauses, lasting, frozenset(people)))}))
    return 0


def write_kinds(models: KindModels) -> None:
    """Store the weights."""
    arrays = pack_models(
        {"words": models.words, "structure": models.structure, "clauses": models.clauses, "lasting": models.lasting}
    )
    np.savez_compressed(KINDS_FILE, **arrays)


if __name__ == "__main__":
    sys.exit(main())
