"""Shows a person's words whole: the adverb that begins them and the short news beside them, which no judge of sentences needs."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.language import cue_phrases, entities
from transforms.language.dialogue_acts import ClassifiedSentence, Message
from transforms.language.lexicon import CHANGE_WORDS, GENERIC, VAGUE_WORDS, WISHING_FORMS, parse_set
from transforms.language.sentences import ends_asking, find_content_words, split_words
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import stem
from transforms.words.order_verbs import VERBS
from transforms.words.units import MEASURE_OF
from transforms.words.word_classes import COPULAS, FIRST_PERSONS, MODALS

NEWS_WORDS, SHORTEST_PARTICIPLE = 2, 5
"""Words of a short sentence that tells something ("tent ordered!"), and letters of its participle."""
_PREDICATES = parse_set(
    """
    paid sent done gone bought sold made found lost built broken written taken given won signed set cut left shut hung drawn
    ready over open
    """
)
"""Participles without "-ed", and adjectives that stand behind their noun: what became of a thing."""
_LIMITING = parse_set("just still again now")
"""Adverbs that say when, how often or how far what stands behind them holds ("just this once"). Before an order that names
its verb they are only a beginning ("now run the tests")."""
_LASTING = frozenset({"still", "again"})
"""Of these, what says something before an order, too."""
_QUALITIES = parse_set("great cool nice good perfect fine right well sure sorry man thanks thank you")
"""Fillers that are a part of what they stand before, unless a clause begins there ("nice to have", "right after")."""
_MEASURING = {"so": parse_set("far that much many long little few"), "wait": parse_set("for until till")}
"""Words that are a beginning unless they measure what stands behind them: a number or these."""
_AUXILIARIES = COPULAS | (MODALS - {"may", "might", "must"}) | parse_set("do does did don't isn't shouldn't can't couldn't")
"""First words of a question: "now" before one is a beginning."""
_CLAUSE_OPENINGS = parse_set(
    """
    i i'm i'd i'll i've you u we it it's its this that that's these those the they he she there here can could would will should
    do don't does did is are was were has have what when where why how which who if let's lets my your our but or
    """
)
"""Words with which a clause of its own begins, so that a word of comfort before it is no part of it."""
_GAPS = ",.!:;–—-"
"""What may stand behind a filler, beside blanks."""
_WANTED = WISHING_FORMS | parse_set("needed required expected")
"""Participles that tell what somebody wishes to become of a thing, not what became of it ("Tests needed!")."""
_SPEAKERS = FIRST_PERSONS | parse_set("i'm i've i'd i'll im me my mine myself us our ours you your")

MOST_KEPT, NEAR_CHARS = 3, 80
"""Fillers right before what they limit that stay, and characters around them that are looked at."""


def drop_fillers(text: str) -> str:
    """Return words without the fillers that begin them and say nothing ("ok, so"); what limits them or is a part of them stays.

    Judges of sentences leave out more: they need the verb.
    """
    match = cue_phrases.FILLER.match(text)
    start = match.end() if match else 0
    for _ in range(MOST_KEPT):
        head = text[max(0, start - NEAR_CHARS) : start]
        bare = _cut_gap(head)
        words = bare.split()
        if not words:
            break
        word, gap = words[-1].rpartition("-")[2], head[len(bare) :]
        if not _belongs(word.lower(), gap, text[start : start + NEAR_CHARS]):
            break
        start -= len(gap) + len(word)
    return text[start:].strip()


def _cut_gap(text: str) -> str:
    """Return a text without the marks and blanks at its end, whatever blanks a keyboard writes (a no-break space before "!")."""
    end = len(text)
    while end and (text[end - 1] in _GAPS or text[end - 1].isspace()):
        end -= 1
    return text[:end]


def _belongs(word: str, gap: str, rest: str) -> bool:
    """Whether a filler belongs to the words behind it: only a space, or the hyphen of a compound, parts them."""
    if gap == "-" and rest[:1].isalnum():
        return True
    if not rest or gap.strip() or "\n" in gap:
        return False
    following = _cut_gap(rest.split(maxsplit=1)[0].lower().replace("’", "'"))
    if word in _MEASURING:
        return following in _MEASURING[word] or (word == "wait" and following[:1].isdigit())
    if word in _LIMITING:
        return word in _LASTING or not (following in _AUXILIARIES or cue_phrases.IMPERATIVE.match(rest))
    return word in _QUALITIES and following not in _CLAUSE_OPENINGS and not cue_phrases.IMPERATIVE.match(rest)


def find_news(message: Message, quoted: Sequence[ClassifiedSentence]) -> tuple[str, str]:
    """Return the short sentences right before and right behind quoted ones that tell something and are in no row.

    What stands between two rows belongs to the later one; only behind the last one does it belong to the earlier.
    """
    places = sorted(place for sentence in quoted if (place := message.places.get(id(sentence))) is not None)
    if not places:
        return "", ""
    before = message.sentences[places[0] - 1] if places[0] else None
    rest = message.sentences[places[-1] + 1 : places[-1] + 2]
    is_end = not message.informative or places[-1] >= message.places[id(message.informative[-1])]
    behind = rest[0] if rest and is_end else None
    if quoted[-1].is_question:
        behind = None  # it is the question's own answer, which is quoted with it
    first, last = (item.text if item and item.act == "chatter" and tells_news(item.text) else "" for item in (before, behind))
    return first, last


def tells_news(text: str) -> bool:
    """Whether a sentence of two words says of a thing what became of it: no greeting, praise, assent, label or question."""
    signals = (cue_phrases.FILLER, cue_phrases.AGREEMENT, cue_phrases.CHATTER, cue_phrases.PUSHBACK)
    if text.endswith(":") or ends_asking(text) or any(signal.match(text) for signal in signals):
        return False
    words = split_words(text)
    return len(words) == NEWS_WORDS and bool(find_content_words(words[0])) and _ends_as_predicate(words[-1])


def _ends_as_predicate(word: str) -> bool:
    return word in _PREDICATES or (word.endswith("ed") and len(word) >= SHORTEST_PARTICIPLE and word not in _WANTED)


def is_bare_value(text: str) -> bool:
    """Whether words have a value and none that may name whose it is ("keep 30 days rather"): verbs, units and words that fit
    anything do not."""
    bare = cue_phrases.FILLER.sub("", text)
    if not entities.find_values(bare) or entities.find_names(bare) or entities.find_paths(bare):
        return False
    verb = frozenset(VERBS).intersection(split_words(bare)[:1])
    words = {word for word in find_content_words(bare) - verb if not word[0].isdigit()}
    return not {*map(stem, words)} - VAGUE_WORDS - GENERIC - CHANGE_WORDS


def shares_measure(value: str, text: str) -> bool:
    """Whether a text has a value of the measure of a bare value ("5 h", "1 min"): another text does not say what it is a value
    of."""
    measures, others = ({MEASURE_OF.get(unit, unit) for _, unit in parse_statement(words).numbers} for words in (value, text))
    return bool(measures & others)


def names_speakers(text: str) -> bool:
    """Whether words speak of who says them or whom they are said to: told as somebody's wish, nobody knows who that is."""
    return not _SPEAKERS.isdisjoint(word.lower().replace("’", "'") for word in split_words(text))
