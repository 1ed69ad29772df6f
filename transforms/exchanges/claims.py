"""Split an agent's text into claims: statements about the work, without announcements, offers and interjections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from transforms.language import cue_phrases, entities
from transforms.language.markdown.blocks import Block, parse_blocks
from transforms.language.sentences import (
    QUESTION_MARKS,
    capitalise,
    find_content_words,
    shorten,
    split_sentences,
    split_words,
)
from transforms.patterns.late_pattern import compile_late
from transforms.words.word_classes import FIRST_PERSONS

_POINTS_BACK = compile_late(
    r"^(?:it|this|that|these|those|they|which|so|then|also|but|however|both|either|neither|all (?:three|of (?:them|these"
    r"|those)))\b",
    re.I,
)
_TO_READER = compile_late(
    r"^(?:(?:now |then |you can |please |to )?(?:run|try|test|check|compare|open|restart|send|look|use|see|note|click"
    r"|search|set|press|type|verify)\b"
    r"|(?:for example|e\.g|here'?s|here is|here are|this will|you(?:'ll|'d| will| can| could| should| need| may| typed"
    r"| said| asked| want(?:ed)?| are| were| have| see)|can you"
    r"|could you|let me know|feel free))",
    re.I,
)
_ASKS = compile_late(
    r"(?:did|do|does|is|are|was|were|have|has|can|could|should|would|will) (?:we|i|you|it|they|this|that|the|there)\b", re.I
)
_TALLY = compile_late(
    r"(?:,(?: and| also)?| and) (?:updat|adjust|correct|bump)\w+ (?:the )?"
    r"(?:total|count|tally|number of [\w -]{2,30}?)(?: count)? from \d+ to \d+(?: [a-z]+){0,2}$",
    re.I,
)
"""A count corrected in passing: it follows from the change before it, and the next change makes it wrong."""
_FRAGMENT = compile_late(
    r"(?:in|on|at|by|with|without|for|from|after|before|during|via|but|and|or|because|since|only|unless|except|as|to|not)\b"
)
"""The beginning of a phrase, in lower case: it continues the text before it."""
CLAIM_CHARS = 330
MAX_LABEL_WORDS = 5
"""Words behind the one that names what is open that still belong to its label: "Left for the week after next: …"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement and the heading above it. `is_item` marks list items, `is_continued` the later items of a long list."""

    text: str
    heading: str
    is_item: bool
    position: int
    is_continued: bool = False


@lru_cache(maxsize=1024)
def split_claims(text: str) -> tuple[Claim, ...]:
    """Return the claims of a message, in order; items of one list form claims of at most CLAIM_CHARS."""
    split: list[Claim] = []
    heading, lead, group, continued = "", "", list[Block](), False

    def flush(*, is_full: bool = False) -> None:
        """Close the group of list items as one claim; `is_full` says that its list goes on in the next one."""
        nonlocal continued
        if group:
            split.append(Claim(_join_items(lead or heading, group), heading, True, len(split), continued))
            group.clear()
        continued = is_full

    for block in parse_blocks(text):
        if block.kind == "item":
            text = _TALLY.sub("", block.text if block.text.endswith((*QUESTION_MARKS, "!")) else block.text.rstrip(".:"))
            item = replace(block, text=text)
            if group and len(_join_items(lead or heading, [*group, item])) > CLAIM_CHARS:
                parents = [above for above in group if not _is_point(above, group)][-1:] if _is_point(item, group) else []
                flush(is_full=True)
                group += parents  # what the points are of stands with them, too
            group.append(item)
            continue
        flush()
        if block.kind == "heading":
            heading, lead = block.text, ""
        else:
            lead = _add_paragraph(block, heading, split)
    flush()
    return tuple(claim for claim in split if not cue_phrases.INJECTION.search(claim.text))


def _add_paragraph(block: Block, heading: str, split: list[Claim]) -> str:
    """Append the statements of a paragraph; return its last words when they introduce a list."""
    lead = ""
    pending = ""
    for sentence in map(make_declarative, split_sentences(make_declarative(block.text))):
        if sentence.endswith(":"):
            lead = sentence.rstrip(":")
        elif not is_talk(sentence):
            if (
                pending
                and not cue_phrases.UNFINISHED_CUE.match(sentence)
                and (len(pending) + len(sentence) < CLAIM_CHARS and (_POINTS_BACK.match(sentence) or len(pending) < 60))
            ):
                pending = f"{pending} {sentence}"
                continue
            if pending:
                split.append(Claim(pending, heading, False, len(split)))
            pending = "" if _has_dangling_reference(sentence) and not split and not pending else sentence
    if pending:
        split.append(Claim(pending, heading, False, len(split)))
    return "" if is_talk(lead) and not cue_phrases.CHANGE.search(lead) else make_declarative(lead)


def _has_dangling_reference(sentence: str) -> bool:
    """Whether a sentence points back to something absent; a cause with a name is complete ("This is because `x` …")."""
    if not _POINTS_BACK.match(sentence):
        return False
    _, colon, rest = sentence.partition(": ")
    if colon and len(split_words(rest)) >= 4 and cue_phrases.FAILED_ATTEMPT_CUE.search(sentence):
        return False  # "That did not work: a longer timeout …" names its subject
    return not (cue_phrases.EXPLICIT_CAUSE.search(sentence) and entities.count_specifics(sentence))


INDENTED_COLUMNS = 2
"""Columns from which an item is a point of the one above it; one column more is a slip."""


def _is_point(item: Block, group: list[Block]) -> bool:
    """Whether an item is a point of one above it in its list."""
    return bool(group) and item.depth >= group[0].depth + INDENTED_COLUMNS


def _join_items(lead: str, items: list[Block]) -> str:
    """Return a list as a sentence; the points of an item stand in brackets behind it: "helper (60 lines; no links); tests"."""
    spelled = list[list[str]]()
    for item in items:
        if _is_point(item, items):
            spelled[-1].append(item.text)
        else:
            spelled.append([item.text])
    body = "; ".join(f"{item} ({'; '.join(points)})" if points else item for item, *points in spelled)
    return f"{lead}: {body}" if lead else body


_LEADING_OUTCRY = compile_late(r"^(?:[^\W\d_]+[ ,]+){0,2}[^\W\d_]+!\s+(?=\S)")
"""Up to three words that end with an exclamation mark, before more text: praise of the owner or of the agent itself."""


def make_declarative(text: str) -> str:
    """Return the text without interjections ("Done!") and without the agent's "I've": "Ported a.ts …"."""
    spelled = spell_apostrophe(text)
    bare = cue_phrases.INTERJECTION.sub("", _LEADING_OUTCRY.sub("", spelled)).strip()
    if bare != spelled and _FRAGMENT.match(bare):
        return text  # "Yes, in a temporary folder": without the yes nobody knows its purpose
    bare = cue_phrases.FIRST_PERSON.sub("", bare)
    bare = text if bare == spelled else bare  # what nothing was taken from stays letter by letter
    return capitalise(bare) if bare.split(" ", 1)[0].isalpha() else bare


def spell_apostrophe(text: str) -> str:
    """Return a text of which the first words have the apostrophe of ASCII: "I’ll" announces as much as "I'll"."""
    return text[:OPENING_CHARS].replace("’", "'") + text[OPENING_CHARS:] if "’" in text[:OPENING_CHARS] else text


def announces_work(sentence: str) -> bool:
    """Whether an agent says what it is doing or will do: "I'm adding a fallback: …". Who says what they see, what was wrong or
    what they hold on to ("I'm keeping …") tells a state, and what "we" do is what the software does: "We're leaking …"."""
    words = split_words(spell_apostrophe(sentence[: 2 * OPENING_CHARS]).casefold())
    start = next((place for place, word in enumerate(words[:MAX_ADVERBS]) if word in _ITSELF), None)
    if start is None or cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub("", sentence)):
        return False
    is_progressive = words[start] == _PROGRESSIVE or words[start + 1 : start + 2] == ["am"]
    rest = words[start + 1 :] if words[start] == _PROGRESSIVE else words[start + 2 :]
    verb = next((word for word in rest if not word.endswith("ly") and word not in _ADVERBS), "")
    return is_progressive and verb.endswith("ing") and verb not in _STATES


def is_talk(sentence: str) -> bool:
    """Whether a sentence is an announcement, an offer, a question or an instruction, and no finding or result."""
    return announces_work(sentence) or addresses_reader(sentence)


def addresses_reader(sentence: str) -> bool:
    """Whether a sentence is talk whatever its agent is doing now: an offer, a question, an instruction, or what it will do."""
    sentence = spell_apostrophe(sentence)
    if find_open_list(sentence):
        return False  # "Open for next week: …" is no order to open something
    return bool(
        not sentence
        or _ASKS.match(sentence)
        or re.match(r"you\b|if (?:the|you|it|both|all|that|they|this)\b", sentence, re.I)
        or cue_phrases.ANNOUNCEMENT.match(sentence)
        or cue_phrases.OFFER.match(sentence)
        or sentence.endswith(QUESTION_MARKS)
        or _TO_READER.match(sentence)
    )


_UNTIL = frozenset({"for", "until", "after", "before", "from"})
"""Words behind which a label says for when something is left: "Open for next week: …"; "Open in the browser: …" is an order."""


def find_open_list(sentence: str) -> str:
    """Return what a sentence lists as still to do behind a label: "Open for next week: the mail to County; the deploy"; else
    empty. Behind the word that names it a label has nothing, or for when it is ("Left for later"), and no object."""
    parts = sentence.split("; ")
    for place, part in enumerate(parts):
        cue, (head, colon, _) = cue_phrases.UNFINISHED_CUE.match(part), part.partition(": ")
        behind = split_words(head[cue.end() :].casefold()) if cue else []
        if cue and colon and len(behind) <= MAX_LABEL_WORDS and (not behind or behind[0] in _UNTIL):
            listed = "; ".join(parts[place:]).partition(": ")[2]
            is_empty = listed.rstrip(".!").casefold() in ("nothing", "none")
            return "" if is_empty or is_list_of_names(listed) else listed
    return ""


def _is_open_list(sentence: str) -> bool:
    """Whether a sentence says nothing but what is still to do: "The tree is clean; open for Monday: branch z42" says more."""
    return bool(cue_phrases.UNFINISHED_CUE.match(sentence) and find_open_list(sentence))


_NAME_OR_PATH = compile_late(r"`[^`\n]*`|https?://\S+|(?:(?<!\S)|(?<=`))(?:\S*[/\\]\S+|\S+\.\w{1,5}(?::[\d-]+)?(?!\S))")
"""A code span, an address, a path or a file. What is no path from its first sign is none from the next one either."""


@lru_cache(maxsize=4096)
def is_list_of_names(text: str) -> bool:
    """Whether a statement says nothing but names: code spans, paths and addresses, also behind a lead such as "Locations:"."""
    _, colon, rest = text.partition(": ")
    return not find_content_words(_NAME_OR_PATH.sub(" ", rest if colon else text))


def find_findings(text: str) -> Iterator[str]:
    """Yield the statements of a working message that explain something, with the sentence they point back to."""
    for claim in split_claims(text):
        if (
            not cue_phrases.HEDGE.search(claim.text)
            and not cue_phrases.PLAN_HEADING.search(claim.heading)
            and _is_finding(claim.text)
        ):
            yield claim.text.rstrip(":")


def _is_finding(sentence: str) -> bool:
    if (
        cue_phrases.CAUSE.search(sentence)
        or cue_phrases.EXPLICIT_CAUSE.search(sentence)
        or cue_phrases.FAILED_ATTEMPT_CUE.search(cue_phrases.CODE_SPAN.sub("", sentence))
    ):
        return True
    return bool(
        (cue_phrases.COMPLETION.search(sentence) or cue_phrases.CHANGE.search(sentence)) and entities.count_specifics(sentence)
    )


OPENING_CHARS = 24
"""Characters of the first words of a sentence."""
MAX_ADVERBS = 3
"""Words before "I'm" that still begin a sentence: "so now I'm …"."""
_PROGRESSIVE = "i'm"
_ITSELF = frozenset({_PROGRESSIVE, "i"})
_ADVERBS = frozenset({"now", "also", "just", "then", "still", "first", "next"})
_STATES = (
    frozenset({"seeing", "getting", "hitting", "missing", "being"})  # what was found
    | frozenset({"keeping", "leaving", "using", "assuming", "relying", "treating"})  # what holds behind it
    | frozenset({"nothing", "something", "anything", "everything"})
)
"""Words in -ing behind "I'm" that begin no work."""
_CONDITIONAL = frozenset({"would", "could", "might"})
_SHORT_CONDITIONAL = frozenset({"i'd", "we'd"})
_DENIALS = frozenset({"not", "nothing", "never"})


def is_intended(sentence: str) -> bool:
    """Whether its speaker says what they would or could do: "I'd use `parse`", "we could also move it". Nobody did that."""
    words = [word.lower().replace("’", "'") for word in split_words(sentence)]
    pairs = pairwise([*words, ""])
    return any(word in _SHORT_CONDITIONAL or (word in FIRST_PERSONS and behind in _CONDITIONAL) for word, behind in pairs)


def drop_intended(text: str) -> str:
    """Return the text without the sentences in which its speaker says what they would do."""
    return " ".join(sentence for sentence in split_sentences(text) if not is_intended(sentence))


def drop_pushes(text: str) -> str:
    """Return the text without the sentences that claim a push and nothing else of a list: of one that ran there is a command."""
    return " ".join(sentence for sentence in split_sentences(text) if not _claims_push(sentence))


def _claims_push(sentence: str) -> bool:
    words = frozenset(word.lower() for word in split_words(sentence))
    return "pushed" in words and not words & _DENIALS and ";" not in sentence


def choose_headline(text: str, limit: int = 200) -> str:
    """Return the claim that states the outcome: the first statement, with its items when it introduces a list; none that only
    lists what is still to do."""
    text_so_far = ""
    split = [claim for claim in split_claims(text) if not _is_open_list(claim.text)]
    substantial = next((index for index, claim in enumerate(split[:5]) if entities.count_specifics(claim.text)), 0)
    for claim in split[substantial:]:
        if cue_phrases.PLAN_HEADING.search(claim.heading) or cue_phrases.HEDGE.search(claim.text) or is_list_of_names(claim.text):
            continue
        done = drop_intended(claim.text)
        if not done:
            continue
        if len(text_so_far) > 70 or (text_so_far and len(text_so_far) + len(done) >= limit):
            break
        text_so_far = f"{text_so_far} {done}".strip()
        if not text_so_far.endswith((".", "!", "…")):
            break
    return shorten(text_so_far, limit)
