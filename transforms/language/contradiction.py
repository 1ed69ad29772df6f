"""Decide whether two texts contradict each other even when they differ in length and wording.

`transforms.language.similarity.is_opposite` compares facts in nearly the same words and takes more true lines for opposites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.language.sentences import CLAUSE_BREAK, split_sentences, split_words
from transforms.language.similarity import is_opposite
from transforms.language.statement import parse_statement, select_content_words
from transforms.language.tokenizer import STOP_WORDS
from transforms.patterns.late_pattern import compile_late

COVERED, COVERING = 0.5, 0.4
"""Shares of the content words of the denial and of the affirmation that the other sentence must hold."""
NEARLY_EQUAL = 0.75
CONTRASTED = 0.7
"""Share of the words before ", not …" that the other text must assert, so that both say the same and only rule something out."""

_ASIDE = compile_late(r"\([^()]*\)|\[[^\[\]]*\]|[\"“][^\"“”\n]*[\"”]")
_CLAUSE_END = compile_late(rf"{CLAUSE_BREAK.pattern}|\bOutcome:|\(about:")
_DENIES = compile_late(
    r"\b(?:never|must not|do not|does not|cannot|may not|should not|forbidden|not|no|avoid"
    r"|(?:do|does|must|should|can|is|are)n['’]?t)\b",
    re.I,
)
_NEGATIVE_CUE = compile_late(
    r"\b(?:never|not|nor|no|nobody|none|without|cannot|avoid\w*|forb[aio]d\w*|refus\w*|against|instead of|rather than|over|off"
    r"|gone|stop\w*|disabl\w*|disallow\w*|remov\w*|replac\w*|drop\w*|delet\w*|revert\w*|undo\w*|skip\w*|exclud\w*|reject\w*|ban\w*"
    r"|prohibit\w*|hid\w*|except|unless"
    r"|(?:do|does|did|is|are|was|were|must|should|can|could|wo|would|need|has|have)n['’]?t)\b",
    re.I,
)
"""Any word that may deny: a sentence without one affirms."""
_EMPHASISED = frozenset("NEVER NO NOT NOR NONE NOBODY CANNOT WITHOUT UNLESS EXCEPT AVOID".split())  # noqa: SIM905
"""Denials that are written in capitals for their weight."""
_DUTY = compile_late(r"\b(?:never|not|don['’]?t)\b.{2,80}?\b(?:without|unless)\b", re.I)
""" "Never commit without running the tests" demands the tests."""
_PASSIVE = compile_late(r"(?:allow|permi|accep|fine|used|done|want|need|requi|possi)\w*")
_BOUND = compile_late(r"\b(?:not?|never)\s+(?:\w+er|less|more)\s+than\b", re.I)
""" "No fewer than thirty" and "not later than the tenth" give a bound and deny nothing."""
_REASON = compile_late(r",?\s+\b(?:because|since|so that|until|unless|although|while|when|if)\b", re.I)
_LIMB = compile_late(r"[,;:]|\b(?:and|but|or|because|since|so that|until|although|while|when|if|as|instead of)\b", re.I)
LONG_WORDS = 11
"""Two sentences of more content words each are not compared by one direction of all of it: an aside would turn it round."""
SCOPED = 0.5
"""More than this share of the words that a denial applies to must be affirmed by the other text."""


def is_contradiction(text: str, source: str) -> bool:
    """Whether a sentence of one text denies a sentence of the other, or both say nearly the same in opposite
    directions. Quotations and parentheses do not count: they report, and name replaced or rejected values."""
    text, source = _drop_asides(text), _drop_asides(source)
    if _denies_affirmation(text, source) or _denies_affirmation(source, text):
        return True
    return any(_is_reversed(first, second) for first in split_sentences(text) for second in split_sentences(source))


def _is_reversed(text: str, source: str) -> bool:
    first_statement, second_statement = parse_statement(text), parse_statement(source)
    first_words, second_words = select_content_words(first_statement), select_content_words(second_statement)
    is_near = (
        0 < min(len(first_words), len(second_words)) <= LONG_WORDS
        and len(first_words & second_words) >= NEARLY_EQUAL * max(len(first_words), len(second_words)) - 0.5
    )
    return (
        is_near and is_opposite(first_statement, second_statement) and not _find_denied_stems(text) & _find_denied_stems(source)
    )


def _drop_asides(text: str) -> str:
    """Return a text without parentheses and double quotations, unless nothing else is left. A flag is a name: `--no-rt` denies
    nothing. So is a state or keyword in capitals (OFF, DROP), while NEVER and NOT are only emphasised."""
    is_loud = text.isupper()
    text = " ".join(word if is_loud else _mask_name(word) for word in text.split(" "))
    plain = _BOUND.sub("", _ASIDE.sub(" ", text))
    return plain if len(select_content_words(parse_statement(plain))) > 1 else text


def _mask_name(word: str) -> str:
    """Return a flag or a name in capitals so that nothing in it denies; other words as they are."""
    if word.lstrip("`'(").startswith("--"):
        return word.replace("-", "")
    name = word.strip("`'\"().,:;!?")
    is_name = len(name) > 1 and name.isupper() and name not in _EMPHASISED and _NEGATIVE_CUE.fullmatch(name)
    return word.replace(name, f"{name}x") if is_name else word


def _denies_affirmation(affirming: str, denying: str) -> bool:
    plain = [
        (select_content_words(parse_statement(sentence)), _cut_stems(split_words(sentence)))
        for sentence in _split_parts(affirming)
        if not _NEGATIVE_CUE.search(sentence)
    ]
    for sentence in _split_parts(denying):
        if not _DENIES.search(sentence) or _DUTY.search(sentence) or _is_contrast(sentence, affirming):
            continue
        scopes = _list_scopes(sentence)
        denied, about = select_content_words(parse_statement(_cut_reason(sentence))), _find_denied_stems(sentence)
        for affirmed, stems in plain:
            shared = len(denied & affirmed)
            is_met = about & stems and any(len(scope & stems) > SCOPED * len(scope) for scope in scopes)
            if is_met and shared >= COVERED * len(denied) and shared >= COVERING * len(affirmed):
                return True
    return False


def _cut_reason(sentence: str) -> str:
    """Return the clause of a sentence that denies: in "the reports gave none because the package drops events" the reason says
    something else."""
    return next((clause for clause in _REASON.split(sentence) if _DENIES.search(clause)), sentence)


def _list_scopes(sentence: str) -> list[set[str]]:
    """Return the stems of the words that each denial applies to: those after it as far as its limb of the sentence goes, or those
    before it in "force-pushing is never allowed"."""
    scopes = []
    for match in _DENIES.finditer(sentence):
        after = _cut_stems(split_words(_LIMB.split(sentence[match.end() :])[0]))
        before = _cut_stems(split_words(_LIMB.split(sentence[: match.start()])[-1])[-5:])
        following = [word for word in split_words(sentence[match.end() :]) if len(word) > 2][:1]
        is_passive = not after or bool(following and _PASSIVE.fullmatch(following[0]))
        scopes.append((before if is_passive else after) or after)
    return [scope for scope in scopes if scope]


def _is_contrast(sentence: str, other: str) -> bool:
    """Whether a sentence asserts the same as the other text before that rules something out: "read it as UTC, not as local time"
    beside a report that it was read as local time by mistake."""
    heads = [sentence[: denial.start()].rstrip() for denial in _DENIES.finditer(sentence)]
    head = next((head for head in heads if head.endswith((",", ", and"))), "")
    asserted = select_content_words(parse_statement(head))
    other_asserted = {
        word for part in _split_parts(other) for word in select_content_words(parse_statement(_NEGATIVE_CUE.split(part)[0]))
    }
    return len(asserted) > 1 and len(asserted & other_asserted) >= CONTRASTED * len(asserted)


def _split_parts(text: str) -> list[str]:
    return [sentence for sentence in _CLAUSE_END.split(text) if sentence and sentence.strip()]


def _find_denied_stems(text: str) -> set[str]:
    """Return stems of the words that negations apply to: those after them, or before them in "force-pushing is never allowed"."""
    stems: set[str] = set()
    for match in _NEGATIVE_CUE.finditer(text):
        following = [word for word in split_words(text[match.end() :]) if len(word) > 2][:3]
        preceding = [word for word in split_words(text[: match.start()]) if len(word) > 2][-5:]
        stems |= _cut_stems(preceding if not following or _PASSIVE.fullmatch(following[0]) else following)
    return stems


def _cut_stems(tokens: Sequence[str]) -> set[str]:
    """Return the beginnings of the words that mean something: "the" in both texts denies nothing."""
    return {word[:5] for word in tokens if len(word) > 2 and word.lower() not in STOP_WORDS}
