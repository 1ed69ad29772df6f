"""Normalises the claims of an observation: one claim per line, without its occasion, that can stand in MEMORY.md for years.

Observations quote people (`Joel wants: "use rgb values, no indices!"`) or state findings (`The issue is that …`). The lead, the
occasion and the curses go. A claim that cannot be understood alone is not a line.
"""

from __future__ import annotations

import re
from itertools import pairwise

from transforms.exchanges.chosen_option import (
    asks_for_choice,
    capitalise,
    drop_asides,
    names_chosen,
    names_subject,
    word_answered,
    word_chosen,
    word_named,
)
from transforms.language.clauses import points_away
from transforms.language.lexicon import ALTERNATIVES
from transforms.language.sentences import (
    CLAUSE_BREAK,
    QUESTION_MARKS,
    count_words,
    find_content_words,
    split_sentences,
    split_words,
)
from transforms.language.statement import profile_words, split_claim
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.tables.fact_notes import drop_recommendation
from transforms.words.word_classes import MODALS, POSSESSIVES_OF_OTHERS

LEAST_WORDS = 4
OPEN_ENDS = (*QUESTION_MARKS, "…", ":", ",", "：", "、")
"""Marks at the end of a line that asks or is not whole."""
MAX_CLAIM_CHARS = 280
MAX_WORDED_CHARS = 360
"""Longest line of a model, which is asked for 280: what takes the place of a line of several facts must have room for all."""
MIN_ANSWER_WORDS, MIN_QUESTION_WORDS = 2, 3
"""Content words of an answer and of its question from which both together are a line."""
MAX_FRAGMENT_WORDS = 8
"""Most words of a fragment; a longer one is a sentence."""
LAYOUT_PREFIX = "**Layout** — "

_ASKED = compile_late(r" \(asked: (?P<question>.+?)(?:; not: .+?)?(?:; meaning: (?P<meaning>.+))?\)$", re.DOTALL)
_MODALS = (MODALS - {"will", "might"}) | {"do"}
_NAME = compile_late(r"\w*[a-z][A-Z]\w*|[A-Z]{2}\w*|(?=\w*[^\W\d_])\w*\d\w*")
"""One word that is a name by its spelling: "SQLDelight", "TOML", "utf8"."""
_TAIL = compile_late(r"\s+(?:Outcome:.*|\[[^\]]*\]|\(about: .*)$", re.DOTALL)
_LEADING_MARKS = compile_late(r"^(?:[-*+•]\s+|[🔴🟡🟢✅❌⚠️]+\s*|\(?\d{4}-\d{2}-\d{2}\)?:?\s+|\(?\d{1,2}:\d{2}\)?\s+)+")
_OWNER_SAID = compile_late(
    r"^(?:the )?(?:user|owner|developer|maintainer)(?:'s)?\s+(?:has\s+|had\s+)?(?:also\s+|explicitly\s+|clearly\s+)?"
    r"(?:stated|said|says|explained|noted|confirmed|established|decided|clarified|pointed out|specified|ruled|insists?"
    r"|insisted|mentioned)"
    r"(?:\s*:|\s+that)?\s+",
    re.I,
)
_SUBJECT = compile_late(
    r"^(?:the )?(?:user|owner|developer)\s+(?:also |always |explicitly )?(?=(?:wants?|prefers?|likes?|dislikes?|hates?"
    r"|requires?|demands?|expects?|uses?|wanted|required|demanded)\b)",
    re.I,
)
_FINDING = compile_late(
    r"^(?:(?:so|ah|ok|okay|found it|aha)[,:!.]?\s+)*(?:the )?(?:root cause|(?:real |actual |main |underlying "
    r"|key )?(?:issue|problem|cause|reason|bug|pattern|key insight|culprit))"
    r"(?:\s+(?:here|of [^:,]{3,60}?))?\s*(?:is|was|:|lies in)\s*:?\s*(?:that\s+|because\s+)?",
    re.I,
)
_INVARIANT = compile_late(
    r"\b(?:invariant|rule|constraint|convention|requirement)\s*(?:is\s+|says\s+)?(?:that\s+|:\s*)(?P<claim>\S.{15,})", re.I
)
_CURSES = compile_late(
    r"\b(?:f+u+c+k+(?:in['g]?g?)?|goddamn(?:ed)?|god damn(?:ed)?|damn(?:ed)?|bloody|freaking"
    r"|frigging)\s+",
    re.I,
)
_CRUDE = compile_late(r"\b(?:shit\w*|f+u+c+k\w*|crap\w*|bullshit|idiot\w*|stupid)\b", re.I)
_OPENERS = compile_late(  # "no console logs" must not become "console logs": a few words open only in front of a comma
    r"^(?:(?:(?:no|nope|well|right|yes|yeah|great|cool|agreed|exactly|look|listen|again|alright|man|bro|hey|dude)(?=\s*[,:;!.-])"
    r"|ok(?:ay)?|so|my dude|btw|also|and|but|then|now|please"
    r"|pls|actually|i think|i guess|i feel like|imo|imho|remember(?: that)?|note that|from now on)[\s,:;!.-]+)+",
    re.I,
)
_PREAMBLE = compile_late(
    r"^(?:(?![^:—–]*\bfor\b)(?=[^:—–]*\b(?:rules?|conventions?|preferences?|wish|remember|note|reminder|deci(?:sion|ded)"
    r"|important)\b)"
    r"[^:—–]{3,90}?(?::|\s[-–—])\s+"
    r"|(?:(?:one|another|something)\b|(?:for|on|about)\s)[^:—–]{0,85}?(?::|\s[-–—])\s+"
    r"(?=i(?:'d| would)? (?:always |never )?(?:prefer|want|like|hate|rather)\b))",
    re.I,
)
"""A preface: a head that calls what follows a rule, or before a wish one of quantity or topic ("One more thing: I prefer …").

A head that is somebody's ("Tom's rule"), or any other, stays: it may be who said it ("Lena in the standup: I never want …").
"""
_CONTRACTIONS = frozenset({"it's", "that's", "let's", "here's", "what's"})
_KEEPS_MEANING = compile_late(
    r"^(?:unless|except|only|if|when|but|without|until|and|or|nor|not|never|always|because|as"
    r"|than)\b",
    re.I,
)
_THIS_PROJECT = compile_late(r"\b(?:for|in|on) (?:this|the (?:whole|entire)) (?:project|repo(?:sitory)?|code ?base)\b", re.I)
_SPEAKER = compile_late(r"(?P<condition>\b(?:without|before|unless|until)\b[^,;.]*\s)me\b", re.I)
"""The person who speaks, in a condition of what they say: in a line that stands alone it is the owner ("without asking me")."""
_FIRST_PERSON_REWRITES = (
    (compile_late(r"^i prefer that you ", re.I), "Prefers that agents "),
    (compile_late(r"^you (?:must|should|have to|need to|can|may|shall) (?=(?:never|always|only)\b)", re.I), ""),
    (compile_late(r"^you (?:must|should|can|may|shall)(?: ?not|n'?t) (?:ever )?", re.I), "Never "),
    (compile_late(r"^you (?:must|have to) ", re.I), "Always "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?only (?:want|like|accept) ", re.I), "Only wants "),
    (compile_late(r"^i only want ", re.I), "Only wants "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?rather ", re.I), "Would rather "),
    (compile_late(r"^i(?:'d| would) (?:really |much )?(?:prefer|like) ", re.I), "Prefers "),
    (compile_late(r"^i (?:do not|don'?t) (?:really )?(?=(?:like|want|need|use|care|trust)\b)", re.I), "Does not "),
    (
        compile_late(
            r"^i (?:really |much |generally |usually )?(prefer|want|like|love|hate|dislike|need|expect|use"
            r"|trust) (?!you\b|to\b)",
            re.I,
        ),
        r"\1s ",
    ),
    (
        compile_late(
            r"^i (always|never|usually) (use|want|prefer|need|write|run|keep|read|test|commit"
            r"|check) ",
            re.I,
        ),
        r"\1 \2s ",
    ),
    (compile_late(r"^my (?:preference|preferred \w+|favou?rite \w+) is ", re.I), "Prefers "),
)
_CLAUSE_OR_ELLIPSIS = compile_late(rf"{CLAUSE_BREAK.pattern}|\.{{3,}}\s*|…\s*")
_LEANS = compile_late(
    r"^(?:it|its|it's|that|that's|this|these|those|they|them|he|she|there|here|then|which|who|because|since|so|and|but"
    r"|or|to|for that"
    r"|needs?|has|have|is|are|was|were|does|did|should|must|can|could|would|will|same|both|one|another|either|only if"
    r"|otherwise)\b",
    re.I,
)
_POINTS = compile_late(
    r"\b(?:(?:(?<!\w )that|(?:and|but|so|if|when|because) that|this|it)"
    r" (?:is|was|isn'?t|wasn'?t|does|did|should|must|can|could|will|would|needs?|has|had"
    r"|works?)\b|(?:do|undo|revert|use|fix|keep|like|want|see|of|with|for|about|in|to) (?:that|this|it|them|these"
    r"|those)\b(?! \w)"
    r"|(?:run|call|send|write|read|build|make|start|stop|leave|put|take|add|remove|test|check|ship|mark|say) (?:it"
    r"|them|this|that(?! (?:an?|the|no|each|every|all|any|some|there|nothing|nobody)\b))\b"  # "say that a thing is done"
    r"|this (?:session|plan|file|branch|task|time|one|way|approach|change|commit|pr|line|part|thing|shit|step)\b"
    r"|that (?:one|way|thing|shit|part)\b|the (?:above|former|latter)\b|(?:main|old|new) one\b)",
    re.I,
)
NAMING_WORDS = 4
"""A pronoun after so many words refers to something that the line itself has named."""
_OWN = compile_late(r"\b(?:i|i'm|i've|i'd|i'll|me|you|your|u)\b", re.I)
_WORDED_LEANS = compile_late(
    r"^(?:it|its|it's|that|that's|this|these|those|they|them|he|she|here|then|so|and|but|or|same|another|otherwise)\b", re.I
)
"""A model begins a line with "One boat …", "Who changed …" or "Since …" and names the subject there."""
_CITED_WORDS = compile_late(r"`[^`\n]*`|[\"“][^\"“”\n]*[\"”]|(?<!\w)\S*\w[./-]\w\S*")
"""Code, quotations, hosts and paths: words that a line shows and does not say."""
_SUBJECT_FIRST = compile_late(r"^(?P<subject>[\w`][\w`./ -]{2,40}?)(?::\s+| [—–] )(?P<rest>\S.{12,})$")
_NO_SUBJECT = compile_late(
    r"^(?:(?:\S+\s+){3,}|(?:wants?|prefers?|only|always|never|use|keep|no|does|would|hates?|likes?|every"
    r"|release process|decided|updated|user)\b)",
    re.I,
)
_INSISTS = compile_late(r"\b(?:always|never|only|not?)\b", re.I)
_SPOKEN = frozenset({"never", "not", "only", "second", "third", "time"})
_RIGHT_NOW = compile_late(r"^`[^`]+`,?\s+and\s+(?=(?:never|always|only)\b)", re.I)
_CHANGED = compile_late(r"^we (?:change|changed) (?:the )?(?P<what>[^,]{3,60}?) from (?P<old>[^,]{1,40}?) to (?P<new>.+)$", re.I)
_ARROWS = compile_late(r"(?:^|(?<=[.;]\s)|(?<=[;\n]))\s*[\w./*, -]{2,120}?\s*(?:->|→|=>)\s*[\w./*-]*/?[\w/*-]+")


def find_quote(text: str) -> str | None:
    """Return the person's words, when the observation quotes them; None for a plain statement."""
    parts = split_claim(text)
    return parts.claim if parts.is_quote else None


def identify_wording(text: str) -> str:
    """Return the words of an observation's quotation, or of a plain statement: equal for words that were only sent again."""
    return " ".join(split_words((find_quote(text) or text).casefold()))


def names_answer(text: str) -> bool:
    """Whether an observation tells what a person chose of the options or the alternatives that were offered."""
    quote, asked = find_quote(text), _ASKED.search(text)
    return names_chosen(text) or (quote is not None and asked is not None and word_named(quote, asked["question"]) is not None)


def extract_claims(text: str, project: str = "") -> list[str]:
    """Return the claims of an observation, each as a clean line that stands alone.

    `project` is the short name that takes the place of "this project".
    """
    quote = find_quote(text)
    if quote is not None and names_chosen(text):
        line = word_chosen(text)
        return [whole for whole in (line, _drop_address(line)) if whole and _is_whole_answer(whole)][:1]
    if quote is not None and (asked := _ASKED.search(text)):
        alternative = word_named(quote, " ".join(asked["question"].split()))
        if alternative is not None:
            return [alternative] if alternative and _is_whole_answer(alternative) else []
        return _word_answer(
            " ".join(quote.split()), " ".join(asked["question"].split()), " ".join((asked["meaning"] or "").split())
        )
    if quote is not None and len(_ARROWS.findall(quote)) >= 2 and "/" in quote:
        is_suggested = quote.rstrip().endswith(QUESTION_MARKS)  # the owner asks for the agent's opinion
        return [] if is_suggested else [_format_layout(quote)]
    body = _LEADING_MARKS.sub("", _TAIL.sub("", quote if quote is not None else text).strip())
    parts = _CLAUSE_OR_ELLIPSIS.split(body) if quote is not None else _split_rules(_strip_reporting(body))
    named = [_THIS_PROJECT.sub(f"in {project}", part) for part in parts] if project else parts
    lines = [clean_claim(part, is_quote=quote is not None) for part in named]
    if quote is not None:
        lines = [_drop_trailing_talk(line) for line in lines]
    return [line for line in lines if line and is_standalone(line)]


def _split_rules(body: str) -> list[str]:
    """Return the sentences of an item that states several rules, where each of them stands alone; else the item."""
    sentences = split_sentences(body)
    are_whole = all(is_standalone(drop_end_stops(sentence)) and not sentence[:1].islower() for sentence in sentences)
    return sentences if are_whole else [body]


def _word_answer(answer: str, question: str, meaning: str) -> list[str]:
    """Return the line of an answer: the choice, its description where the option has one, and the question as its subject.

    A bare yes to a step of the work says nothing; who breaks off thinks aloud, and the sentence behind may say the opposite
    ("A and B… no, only A").
    """
    sentences = split_sentences(answer)
    if any(sentence.endswith(("…", "...")) for sentence in sentences[:-1]):
        return []
    whole = sentences[:-1] if len(sentences) > 1 and answer.endswith("…") else sentences  # the row cut off the last one
    said = [sentence for sentence in whole[1:] if not _OWN.search(sentence)]  # talk about the choice ("I don't want …")
    chosen = " ".join([*whole[:1], *said]).rstrip(" .")
    is_said = len(find_content_words(answer)) >= MIN_ANSWER_WORDS or _NAME.fullmatch(chosen)
    if not is_said or len(find_content_words(question)) < MIN_QUESTION_WORDS:
        return []
    described = next(iter(split_sentences(drop_recommendation(meaning))), "").rstrip(" .")  # prices and states stand behind it
    subject = drop_asides(question)
    asks_for_step = any(second == "I" and first.casefold() in _MODALS for first, second in pairwise(subject.split()))
    if not names_subject(subject) or asks_for_step or not asks_for_choice(subject):  # "How should I …?" is the agent's work
        return []
    wordings = word_answered(subject, drop_recommendation(chosen), "" if described.endswith("…") else described)
    return [capitalise(wording) for wording in wordings if len(wording) <= MAX_CLAIM_CHARS][:1]


def answers_question(line: str) -> bool:
    """Whether a line is a question with its answer behind it."""
    return any(f"{mark} " in line for mark in QUESTION_MARKS)


def extract_fragments(text: str) -> list[str]:
    """Return the points that a person insisted on in a few words ("Third time!! NEVER pip."). They are not lines, but support
    a line with that claim.

    A single word that carries the meaning must name an alternative of which a project has one, or it fits too many lines.
    """
    quote = find_quote(text)
    if quote is None:
        return []
    parts = [part for sentence in _CLAUSE_OR_ELLIPSIS.split(quote) for part in (sentence, *re.split(r",\s+", sentence))]
    fragments = [" ".join(_THIS_PROJECT.sub("", part).split()).strip(" ,.!") for part in parts if _INSISTS.search(part)]
    return [part for part in dict.fromkeys(fragments) if len(part.split()) <= MAX_FRAGMENT_WORDS and _is_specific(part)]


def _is_specific(part: str) -> bool:
    words = profile_words(part).content - _SPOKEN
    return len(words) > 1 or any(word in ALTERNATIVES for word in words)


def is_standalone(line: str, *, is_worded: bool = False, is_spoken: bool = False) -> bool:
    """Whether a reader understands the line years later: it has a subject, refers to no former words, and asks nothing.

    The pronouns of a line that a model worded (`is_worded`) mean what it has named before them; those of typed words may mean
    what was said before. What it quotes may say "I": somebody else said it. A rule that was spoken may say it, too (`is_spoken`).
    """
    plain = line.replace("**", "")
    longest = MAX_WORDED_CHARS if is_worded else MAX_CLAIM_CHARS
    if count_words(plain) < LEAST_WORDS or len(plain) > longest or plain.rstrip().endswith(OPEN_ENDS):
        return False
    if plain[:1].isdigit():
        return False
    if "[redacted" in plain.casefold():
        return False
    if not is_worded:
        is_own = not is_spoken and _OWN.search(plain)
        return not (_LEANS.match(plain) or _POINTS.search(plain) or is_own or points_away(plain))
    said = _CITED_WORDS.sub("x", plain)
    words = said.split()
    said, naming_end = " ".join(words), len(" ".join(words[:NAMING_WORDS]))
    points = any(match.end() <= naming_end for match in _POINTS.finditer(said))
    return not (_WORDED_LEANS.match(said) or points or _OWN.search(said))


def _is_whole_answer(line: str) -> bool:
    """Whether the line of an answer stands alone; what its question names, its pronouns may point at."""
    return len(line) <= MAX_CLAIM_CHARS and is_standalone(f"Of {line}" if answers_question(line) else line, is_worded=True)


def _drop_address(line: str) -> str:
    """Return the line of an option without its last clauses that speak to the owner ("…, you host the files")."""
    clauses = _split_at_commas(line)
    while len(clauses) > 1 and _OWN.search(clauses[-1]) and not answers_question(clauses[-1]):
        clauses.pop()
    return " ".join(clauses).rstrip(",")


def _is_somebodys(head: str) -> bool:
    """Whether the head of a sentence says that a third person's rule or wish follows ("Tom's rule: …")."""
    words = head.casefold().replace("’", "'").split()
    return any(word in POSSESSIVES_OF_OTHERS or (word.rstrip(":").endswith("'s") and word not in _CONTRACTIONS) for word in words)


def _strip_reporting(body: str) -> str:
    first, _, rest = body.partition(" ")
    if first.lower() in ("must", "should"):  # the items of a list of constraints leave their subject out
        body = f"Agents {first.lower()} {rest}"
    body = _OWNER_SAID.sub("", body)
    body = _SUBJECT.sub("", body)
    return _FINDING.sub("", body)


def clean_claim(part: str, *, is_quote: bool = False) -> str:
    """Return a sentence, or a part of one, without what opens it: "and", "yes", "no", a preface."""
    text = " ".join(part.split()).rstrip(" -–—,;")
    text = text if text.startswith("--") and text[2:3].isalpha() else text.lstrip(" -–—,;")  # the option of a command stays
    invariant = _INVARIANT.search(text)
    if invariant and not _is_somebodys(text[: invariant.start("claim")]):
        text = invariant["claim"]
    text = _OPENERS.sub("", text)
    preface = _PREAMBLE.match(text)
    if preface and not _is_somebodys(preface[0]):
        text = text[preface.end() :]
    text = _RIGHT_NOW.sub("", _OPENERS.sub("", text))
    text = _CHANGED.sub(r"The \g<what> is \g<new>, no longer \g<old>", drop_end_stops(text))
    text = re.sub(r",? whatever (?:it|that) is$", "", drop_end_stops(_CURSES.sub("", text)))
    if is_quote:
        for pattern, replacement in _FIRST_PERSON_REWRITES:
            text, count = pattern.subn(replacement, text, count=1)
            if count:
                break
    if is_quote:
        text = _SPEAKER.sub(r"\g<condition>the owner", text)
    text = drop_end_stops(re.sub(r"\s*!+$", "", _drop_crude_clauses(text)))
    text = re.sub(r"\b(NEVER|ALWAYS|MUST|NOT|ONLY)\b", lambda word: word[0].lower(), text)
    return _emphasise_subject(capitalise(text))


def _drop_trailing_talk(line: str) -> str:
    """Drop later clauses that refer to the conversation (", just tell me the command"), unless they limit the claim."""
    clauses = _split_at_commas(line)
    while len(clauses) > 1 and not is_standalone(" ".join(clauses).rstrip(",")) and not _KEEPS_MEANING.match(clauses[-1]):
        clauses.pop()
    return " ".join(clauses).rstrip(",")


def _split_at_commas(text: str) -> list[str]:
    """Return the parts of a text that end with a comma; a comma in quotation marks, code or brackets ends none."""
    parts = list[str]()
    for piece in re.split(r"(?<=,)\s+", text):
        if parts and _is_open(parts[-1]):
            parts[-1] += f" {piece}"
        else:
            parts.append(piece)
    return parts


def _is_open(text: str) -> bool:
    opened, closed = len(re.findall(r"(?<!\w)'(?=\S)", text)), len(re.findall(r"(?<=\S)'(?!\w)", text))
    is_bracketed = any(text.count(first) > text.count(last) for first, last in ("()", "[]", "{}", "“”"))
    return opened > closed or is_bracketed or text.count('"') % 2 == 1 or text.count("`") % 2 == 1


def _drop_crude_clauses(text: str) -> str:
    """Return the clauses before the first crude one; empty when the first one is crude."""
    clauses = _split_at_commas(text)
    clean_clauses = clauses[: next((position for position, clause in enumerate(clauses) if _CRUDE.search(clause)), len(clauses))]
    return " ".join(clean_clauses).rstrip(",")


def _emphasise_subject(text: str) -> str:
    """`Redis: runs in Docker` → `**Redis** — runs in Docker`; a line without such a head stays as it is."""
    match = _SUBJECT_FIRST.match(text)
    if match is None or "**" in text or match["subject"].count("`") % 2 or _NO_SUBJECT.match(match["subject"]):
        return text
    return f"**{match['subject']}** — {match['rest']}"


def _format_layout(quote: str) -> str:
    pairs = [" ".join(re.sub(r"\s*(?:->|=>|→)\s*", " → ", pair).split()).strip(" ,-") for pair in _ARROWS.findall(quote)]
    line = LAYOUT_PREFIX + "; ".join(pairs)
    return line if len(line) <= MAX_CLAIM_CHARS else line[:MAX_CLAIM_CHARS].rsplit(";", 1)[0]
