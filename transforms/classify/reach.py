"""Judges how far a person's words reach: whether a stretch of a sentence holds beyond the work at hand.

"Fix the sum, and we say basket all over this shop" orders once and rules for good in one breath. What tells the two apart is
grammar: words for every case, habits, conditions and persons on one side, words for this time on the other. So features are the
grammatical words with gaps where names stand, and every stretch between two joints of a sentence is judged for itself.
`benchmarks/distil/reach.py` trains the weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from transforms.classify.features import SparseVector, hash_features
from transforms.classify.linear_model import LinearModel
from transforms.patterns.late_pattern import compile_late
from transforms.words.function_words import FUNCTION_WORDS

LASTS, ONCE = "lasts", "once"
"""The labels of the model."""
MIN_REACH = 0.9
"""From this probability on words hold for good, whatever the rules of language say of their sentence."""
MIN_REACH_BESIDE = 0.45
"""The same for a sentence that these rules take for a wish of that kind, which they doubt."""
MIN_REACH_OBJECTING = 0.8
"""The same for a sentence that objects to something."""
LEAST_WORDS, MOST_WORDS = 3, 24
"""Words of a stretch that is judged."""
JUDGED_CHARS = 1200
"""The beginning of a text that is judged: a stretch is judged with each end, so a text costs the square of its length."""
WORD_WEIGHT = 0.5
"""Weight of a word against a sequence of grammatical words."""
LENGTH_STEP, LONGEST = 5, 6
_GRAMMAR = (FUNCTION_WORDS - {"doing", "got", "having"}) | frozenset(
    re.findall(
        r"\S+",
        """
    after again all already always anybody anyone anything anywhere arent around ask because before both cant couldnt didnt
    doesnt dont each either else ever every everybody everyone everything everywhere few first future general gets go goes hate
    id ill im instead isnt last later lets like longer love many may mine more most much must myself need needs neither never
    next nobody none nor normally nothing now nowhere once one other otherwise ours out over own please prefer rather rule same
    shouldnt since somebody something stay stays still such tell thats theres though through time today tomorrow tonight under
    unless until us use usual usually want wasnt way well whatever whenever wherever whether while whoever whom without wont
    wouldnt yet yours
    """,
    )
)
"""Words of English grammar, and of wishing, without their apostrophes. Others are a gap."""
_MARKS = frozenset("?!.,:;")
_JOINT = compile_late(
    r"(?P<mark>[,;:.!?()–—]+\s+|\n+)|\s+(?=(?:and|but|so|then|because|since|though|although|while|also|or|otherwise|plus|i|we"
    r"|you|it|they|he|she|our|my|that|this|those|dont|don't|never|always|no|keep|only|ask|please|every|all|nobody|nothing"
    r"|unless|before|when|whenever|if)\s)"
)
"""Where a clause may begin: behind a mark, before a conjunction, and before a word that opens clauses of who writes no marks."""
_EDGES = " ,;:–—-"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text, and how likely it holds for good."""

    start: int
    end: int
    odds: float


def list_stretches(text: str) -> list[tuple[int, int]]:
    """Return the ends of the stretches between two joints of a text; the whole text where it has none long enough."""
    judged = text[:JUDGED_CHARS]
    cuts = sorted({0, *(joint.end() for joint in _JOINT.finditer(judged.lower())), len(judged)})
    stretches = dict.fromkeys(_pair_cuts(judged, cuts))
    return [*stretches] or [(0, len(text))]


def _pair_cuts(text: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
    for place, start in enumerate(cuts):
        for end in cuts[place + 1 :]:
            words = len(text[start:end].split())
            if words > MOST_WORDS and (start, end) != (0, len(text)):
                break
            if words >= LEAST_WORDS:
                yield start, start + len(text[start:end].rstrip(_EDGES))


def hash_reach(text: str) -> SparseVector:
    """Return the hashed features of a stretch."""
    tokens = _list_tokens(text)
    skeleton = [_cover_name(token) for token in tokens]
    features = {f"word:{token}": WORD_WEIGHT for token in tokens}
    for size in (1, 2, 3):
        for place in range(len(skeleton) - size + 1):
            sequence = skeleton[place : place + size]
            if any(token != "*" for token in sequence):
                features[f"{size}:{' '.join(sequence)}"] = 1.0
    features[f"first:{skeleton[0] if skeleton else ''}"] = 1.0
    features[f"length:{min(LONGEST, len(tokens) // LENGTH_STEP)}"] = 1.0
    return hash_features(features)


def list_skeleton(text: str) -> list[str]:
    """Return the grammatical words and the marks of a text in order; "*" stands for other words, "#" for numbers."""
    return [_cover_name(token) for token in _list_tokens(text)]


def _list_tokens(text: str) -> list[str]:
    return _split_tokens(text.lower().replace("'", "").replace("’", ""))


def _split_tokens(text: str) -> list[str]:
    """Return the runs of Latin letters and of digits, and each mark of a sentence."""
    runs = groupby(text, lambda sign: sign if sign in _MARKS else "9" if sign.isdecimal() else "a" if "a" <= sign <= "z" else "")
    return [token for kind, run in runs if kind for token in (run if kind in _MARKS else ["".join(run)])]


def _cover_name(token: str) -> str:
    if token[0].isdigit():
        return "#"
    return token if token in _GRAMMAR or not token[0].isalpha() else "*"


def judge_reach(text: str, model: LinearModel) -> Stretch:
    """Return the stretch of a text that most likely holds for good."""
    judged = [Stretch(start, end, model.predict(hash_reach(text[start:end]))[LASTS]) for start, end in list_stretches(text)]
    return max(judged, key=lambda stretch: (stretch.odds, stretch.end - stretch.start))
