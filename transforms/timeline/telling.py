"""Tells facts in sentences that a person would write: who said what, what came of it, and what was found.

A stored fact is a line: `User asked: "…" (about: "…") Outcome: …`. Words stay as they were said, in quotation marks. What would
begin in the middle of a thought is quoted too, as the words of the agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from transforms.calendars.day_names import MONTH_NAMES
from transforms.condensing.period_selection import FILES_AT_END
from transforms.language.lexicon import SYNONYMS
from transforms.language.sentences import OTHER_FULL_STOPS, count_words, has_question_mark, split_prose
from transforms.language.statement import parse_statement, split_clauses
from transforms.language.tokenizer import stem
from transforms.memory.normalise_claim import is_standalone
from transforms.patterns.late_pattern import compile_late
from transforms.words.word_classes import ARTICLES, PRESENT_COPULAS

MIN_WORDS_ALONE = 5
"""Words from which a saying is understood without what it answers."""
NOTED = "The agent noted: "
_FILLING = PRESENT_COPULAS | ARTICLES | {"be", "of", "for", "now", "then", "rather", "please"}
"""Words without which a clause says the same: articles, the copula of the present, "of" and "for", and what softens an order."""
MAX_NOTE_WORDS = 30
"""Words from which a note of an agent that begins in the middle is left to the lists of tier 0."""
_VERBS = {
    "set a rule": "said", "rule": "set a rule", "set a convention": "said", "convention": "set a convention",
    "wants": "wanted", "decided": "decided", "objected": "objected", "asked": "asked", "reported": "reported", "said": "said",
    "left open": "left open",
}  # fmt: skip
"""Of the lead that a rule gave a saying, what is sure: of a stranger's "rules" a third were some."""
_BINDING_VERBS = frozenset({"set a rule", "set a convention", "rule", "convention", "wants", "decided", "objected"})
_SETTLING_VERBS = frozenset({*(_VERBS[lead] for lead in _BINDING_VERBS), "said"})
"""Of words that settle something it is no news that it was settled so; of a request it is that it was done."""
_SAYING = compile_late(
    r"^(?:\S+ )?(?P<verb>set a rule|set a convention|wants|decided|objected|asked|reported|said|left open|rule|convention)"
    r'(?: \(a question\))?: "(?P<words>.+?)"(?P<rest>\.?|\.?\s+(?:\(|\[|Outcome:|Answer:|Reply:|Cause:).*)$',
    2,
)
_ABOUT = compile_late(r'\(about: (?P<earlier>the [a-z]+ )?"(?P<words>.*?)"\)')
_CHOICE = compile_late(
    r"\((?:asked: (?P<asked>.+?))?(?:(?:(?<=\()|; )chosen: (?P<chosen>.+?))?(?:; not: (?P<left>.+?))?(?:; meaning: .+?)?\)"
    r"(?=\s+(?:Reply|Outcome):|\s*\[|\.?\s*$)"
)
_EARLIER = compile_late(r"\s*\(earlier: (?P<claim>.*?)\)$")
_RESULT = compile_late(r"(?P<label>Outcome|Answer|Reply|Cause): (?P<words>.+)$")
_OWNER = compile_late(r"^(?:The )?[Uu]ser (?=[a-z])")
_ERROR = compile_late(r"^\S+ hit an error: (?P<error>.+?)(?: Cause: (?P<cause>.+?))?(?: Outcome: (?P<outcome>.+))?$")
_CURE = compile_late(r"^(?P<failed>`.+?`) failed(?P<how> \(.*\))?; (?P<cure>`.+`) works? instead(?: \(exit 0\))?$")
_FIRST_PERSON = compile_late(r"\b(?:I|[Mm]e|[Mm]y|[Ww]e|[Uu]s|[Oo]ur)\b")
_WORD = compile_late(r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,;:]?(?=\s|$)")
_LIST_HEAD = compile_late(r"^[^.!?`\"]{3,60}: .+;")


@dataclass(frozen=True, slots=True)
class Telling:
    """A fact as sentences. `is_binding` facts hold from then on; `bare` are words of which nothing is known to have come."""

    sentences: str
    is_binding: bool
    is_saying: bool
    bare: str = ""


def tell_fact(text: str, day: date, name: str, is_first_of_day: bool, *, is_worded: bool = False) -> Telling:
    """Return a stored fact as sentences. `name` is whom the sayings are of; the day is named once; lines that a model worded
    (`is_worded`) are sentences already.
    """
    earlier = _EARLIER.search(text)
    body = _EARLIER.sub("", text) if earlier else text
    before = f" Before, it was: {quote(earlier['claim'])}." if earlier and _tells_value(earlier["claim"]) else ""
    if match := _SAYING.match(body):
        verb = _VERBS[match["verb"].lower()]
        when = f"On {format_day(day)} " if is_first_of_day else ""
        sentences, has_result = _tell_saying(verb, match["words"], match["rest"], name, when)
        is_binding = match["verb"].lower() in _BINDING_VERBS
        bare = "" if has_result or is_binding or before else quote(match["words"])
        return Telling(sentences + before, is_binding, True, bare)
    if match := _ERROR.match(body):
        cause = f" The cause: {finish(match['cause'])}" if match["cause"] else ""
        outcome = f" {finish(match['outcome'])}" if match["outcome"] else ""
        return Telling(f"{name} ran into an error, {quote(match['error'])}.{cause}{outcome}{before}", False, False)
    if match := _CURE.match(body):
        return Telling(f"{match['failed']} failed{match['how'] or ''}, and {match['cure']} worked instead.{before}", False, False)
    statement = _OWNER.sub(f"{name} ", FILES_AT_END.sub("", body))
    sentences = finish(capitalise(statement)) if is_worded else tell_statement(statement)
    return Telling(sentences + before if sentences else "", False, False)


def _tell_saying(verb: str, words: str, rest: str, name: str, when: str) -> tuple[str, bool]:
    about = _ABOUT.search(rest)
    result = _RESULT.search(FILES_AT_END.sub("", rest))
    said = f"{when}{name} {verb}: {quote(words)}"
    if about and not about["earlier"] and len(words.split()) < MIN_WORDS_ALONE:
        said = f"{when or ''}{'the' if when else 'The'} agent had said {quote(about['words'])}, and {name} {verb}: {quote(words)}"
    elif about and len(words.split()) < MIN_WORDS_ALONE:
        said = f"{when}{name}, about {quote(about['words'])}, {verb}: {quote(words)}"
    choice = _CHOICE.search(rest)
    if choice and choice["asked"] and not choice["chosen"]:
        said = f"{when}{name}, asked {quote(choice['asked'].rstrip(' ,;:'))}, {verb}: {quote(words)}"
    said = finish(said)
    if choice and choice["chosen"]:
        said = f"{said} {_tell_choice(choice['asked'], choice['chosen'], choice['left'])}"
    if not result:
        return said, bool(choice and (choice["asked"] or choice["chosen"]))
    if verb in _SETTLING_VERBS and adds_nothing(result["words"], words):
        return said, True
    sentences = tell_statement(result["words"]) if result["label"] != "Reply" else ""
    sentences = sentences or f"The agent replied: {finish(quote(result['words']))}"
    return f"{said} {sentences}", True


def adds_nothing(result: str, words: str) -> bool:
    """Whether an outcome is a clause of the words before it again: the same words in the same order, but for what fills a
    sentence. Another verb, number, order or scope is news, and so is the answer to a question."""
    outcome = _list_bearing_words(result)
    sentences = [sentence for sentence in split_clauses(words) if not has_question_mark(sentence)]
    clauses = [clause for sentence in sentences for clause in sentence.split(", ") if not _asks(clause)]
    return bool(outcome) and outcome in map(_list_bearing_words, clauses)


def _list_bearing_words(clause: str) -> list[str]:
    roots = [stem(word) for word in parse_statement(clause).sequence if word not in _FILLING]
    return [SYNONYMS.get(root, root) for root in roots]


def _asks(clause: str) -> bool:
    return not PRESENT_COPULAS.isdisjoint(clause.lower().split(maxsplit=1)[:1])


def _tell_choice(asked: str | None, chosen: str, left: str | None) -> str:
    """Return what a "2" means: the option in the words of the agent, what it was asked about, and what was left."""
    of = f" of what was offered ({quote(asked)})" if asked else " of what was offered"
    if chosen == "none":
        return f"None{of} was taken."
    return f"Chosen{of}: {quote(chosen)}{f', not {quote(left)}' if left else ''}."


def tell_statement(text: str) -> str:
    """Return a statement of an agent as a sentence, or, when it begins in the middle, as its quoted words."""
    clean = text.strip()
    if not clean:
        return ""
    if stands_alone(clean):
        return finish(clean)
    return NOTED + finish(quote(clean)) if count_words(clean) <= MAX_NOTE_WORDS else ""


def stands_alone(text: str) -> bool:
    """Whether a sentence is whole, is understood without the one before it, and has no "I" that a page would have to explain."""
    first = next(iter(split_prose(text)), "")
    is_whole = not (first[:1].islower() or "…" in text or _LIST_HEAD.match(text) or _FIRST_PERSON.search(text))
    return is_whole and count_words(first) >= MIN_WORDS_ALONE and is_standalone(first, is_worded=True)


def capitalise(sentence: str) -> str:
    """Return a sentence that begins with a capital letter; a name of code (`tests/hand/`, `renv::restore()`) stays as it is."""
    return sentence[:1].upper() + sentence[1:] if _WORD.match(sentence) else sentence


def _tells_value(claim: str) -> bool:
    """Whether a former claim says what was so: it is whole, and has a value or more than two words."""
    return not claim.endswith("…") and (len(claim.split()) > 2 or any(character.isdigit() for character in claim))


def quote(words: str) -> str:
    """Return words in quotation marks; those inside become single ones."""
    return "“" + words.strip().replace("“", "‘").replace("”", "’").replace('"', "'") + "”"


def finish(sentence: str) -> str:
    """Return a sentence with a full stop."""
    clean = sentence.rstrip(" ;,:")
    tail = clean.rstrip("”'’`)")[-1:]
    return clean if tail in (".", "!", "?", "…", *OTHER_FULL_STOPS) and clean[-1] != "`" else clean + "."


def format_day(day: date) -> str:
    """Return `7 March`."""
    return f"{day.day} {MONTH_NAMES[day.month - 1].capitalize()}"


def enumerate_words(words: list[str]) -> str:
    """Return `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
