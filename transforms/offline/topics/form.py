"""Writes a title of one clause that fits into a line."""

from __future__ import annotations

import re

from transforms.language import cue_phrases, entities
from transforms.language.sentences import capitalise, join_lines, shorten, split_sentences
from transforms.offline.topics.ordered_task import find_imperative
from transforms.patterns.late_pattern import compile_late

DANGLING_END = compile_late(
    r"[\s,;:–—-]+(?:and|or|but|then|so|to|the|a|an|of|for|with|in|on|at|by|that|which|is|as|it|you|we|i|my|your|our|its"
    r"|into|from|if|when|was|are|be|were|all|any|other|this|these|there|one|not|can|should|because|via)?$",
    re.I,
)
"""The end of a title that a cut left open."""
TITLE_WORDS, TITLE_CHARS = 8, 72
TITLE_CLAUSE_WORDS, TITLE_CLAUSE_CHARS = 3, 20
"""A shorter first clause is not a title of its own."""
MIN_TITLE_CHARS = 24
"""A shorter title keeps its last word, even a preposition."""
PATH_CHARS = 4_000
"""Characters of a sentence in which paths are shortened; what is written of it has 170."""


def format_title(text: str, limit: int = TITLE_CHARS) -> str:
    """Return the first clause, capitalised, without politeness and full stop; a cut ends with an ellipsis."""
    first = (split_sentences(join_lines(text)) or [text])[0]
    first = cue_phrases.FILLER.sub("", cue_phrases.EXPLETIVE.sub("", first).strip()).strip() or first
    first = shorten_paths(first)
    bare = find_imperative(first) or cue_phrases.FILLER.sub("", first).strip() or first
    bare = re.sub(r"\s*\([^()]*(?:\)|$)", "", bare) or bare
    if len(bare.split()) > TITLE_WORDS or len(bare) > limit:
        clause, *rest = re.split(r"(?<=\w)[,;] |: | because | so that | instead of | which | – | - ", bare, maxsplit=1)
        is_side = re.match(r"(?:if|when|as|since|for|in|on|with|after|before)\b", clause, re.I)
        is_clause = rest and len(clause.split()) >= TITLE_CLAUSE_WORDS and len(clause) >= TITLE_CLAUSE_CHARS and not is_side
        bare = clause if is_clause else bare
    if len(bare) <= limit:
        bare = bare.rstrip("….!?: ")
    else:  # a cut shows
        bare = shorten(bare, limit - 1).rstrip("….!? ")
        while len(bare) > MIN_TITLE_CHARS and (cut := DANGLING_END.sub("", bare)) != bare:
            bare = cut
        bare += "…"
    return capitalise(bare) or "Conversation"


def shorten_paths(text: str) -> str:
    """Return the text with file names instead of paths, except of a name that begins with a dot: many files are `.env`.

    A path that stands between quotation marks is somebody's words and stays, and so does what a title or a quotation cuts off.
    """
    quoted, text = "\n".join(entities.find_quotations(text)), text[:PATH_CHARS]
    for path in entities.find_paths(text):
        name = entities.take_base_name(path)
        is_file = "." in name.removeprefix(".") and not name.rpartition(".")[2].isdigit()  # the branch release/2.4 is none
        if is_file and "/" in path.strip("/") and path not in quoted:
            text = text.replace(f"@{path}", name).replace(path, name)
    return text
