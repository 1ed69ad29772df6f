"""What a sentence lays down for the time to come: rules, lasting wishes, forms, choices, moves, open points, corrections.

A rule or a preference is about how to work; a requirement on the thing being built ("it must not happen", "I want to see
them each morning") is a request, however strongly it is worded.
"""

from __future__ import annotations

import re
from typing import Literal

from transforms.offline import specifics

Norm = Literal["rule", "taste", "form", "choice", "move", "open", "correction", "trouble", "wish"]

OPEN = re.compile(
    r"\bno (?:clue|idea) (?:yet )?(?:how|whether|if|what)\b|"
    r"\bopen questions?\b|\b(?:leave|keep|left|leaving)\b[^.;]{0,20}\bopen\b|\bnoted? (?:\w+ )?as open\b"
    r"|\b(?:is|are|remains?|stays?|still) (?:still )?(?:open\b(?! (?:to|for|in|source|file|socket|connection|port|the"
    r"|a))|undecided"
    r"|unclear|unresolved|tbd)|\bundecided\b|^open\s*:|\bto be (?:decided|discussed|clarified|determined)\b|\btbd\b"
    r"|\bpark(?:ing|ed)? (?:this|that|it)\b"
    r"|\b(?:have|has|had)(?:n'?t| not)(?: yet)? (?:decided|agreed|settled|made up)\b|\bno (?:answer|decision) yet\b"
    r"|^unclear\b"
    r"|\b(?:don'?t|do not) (?:yet )?know(?: yet)? (?!how (?:often|many times|much)\b)(?:whether|if|how|what|who|which"
    r"|when|where|from)\b"
    r"|\bi (?:still )?have to ask (?!you\b)\w+|\bnot sure yet (?:whether|if|how|what|who|which)\b",
    re.I,
)
CLOSES = re.compile(
    r"\b(?:closes?|closed|answers (?:that|this|the|my|our|it)|answered|settles?|settled|resolves?|resolved)\b", re.I
)
TROUBLE = re.compile(
    r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?:\s+(?:in|with|on|at) [^.;:,]{2,40})?\s*[:,-]\s"
    r"|\b(?:complain(?:s|ed)?|complaints?)\b(?! about\W*$)"
    r"|\bsomething(?:'s| is) (?:off|wrong|broken|fishy)\b|\b(?:is|are) broken\b(?=\s*[:,-])",
    re.I,
)
_GUESS = re.compile(
    r"\b(?:must|has to|have to) (?:be (?:in|somewhere|because|due|caused|related|an?|the|some)\b|have (?:been|had)\b)", re.I
)
_THING_MUST = re.compile(
    r"\b(?:it|this|that|they|these|those|there|whatever [\w ]{2,24}|what [\w ]{2,24})\s+(?:\w+ly )?(?:must|should|may"
    r"|can|shall|has to|have to|needs? to|never|always)\b"
    r"(?:\s+(?:never|always|not|only)\b)*",
    re.I,
)
_RULE = re.compile(
    r"\b(?:must(?:n'?t| not| never)?|never|always|under no circumstances|no matter (?:what|how)|not allowed|forbidden"
    r"|prohibited"
    r"|(?:ground|hard|house|golden) rules?|whatever happens|whatever you do|from (?:now|today) on|in (?:the )?future"
    r"|for the future|at all times|only ever|may not"
    r"|no exceptions?|without exceptions?|mandatory|off[- ]limits|no[- ]go\b|taboo|compulsory|(?:should|shall|can"
    r"|may) (?:only|never)"
    r"|make it a habit|every (?:single )?time|required to|invariant)\b"
    r"|\brules?\b(?: (?:for|from|of|about) [^.:]{1,30})?\s*(?:[:—-]\s|, )(?=[a-z`]*\s?(?:no|never|always|every|all"
    r"|only|put|we|you|use|secrets?)\b|\w+ \w+)"
    r"|\b(?:don'?t|do not|no|not)\b.*\b(?:ever|again|not even once)\b(?!\s+to\b)"
    r"|\bwe (?:do not|don'?t) \w+.*\b(?:here|in (?:this|our|any|all)\b)|\b(?:nobody|no one|no-one"
    r"|none of us)\b[^.]{0,20}\b(?:may|can|should|must)\b"
    r"|\bin (?:this|our|my|all|any)(?: of (?:our|my|the))? (?:repo|repos|repository|repositories|project|projects|team|house"
    r"|codebase)\b[^.]{0,12}\b(?:we|you|i)\b|\bin (?:any|all) (?:of )?(?:our|my|the) (?:repos|repositories|projects)\b"
    r"|\bwithout\b.+\b(?:nothing|no (?:merge|commit|release|deploy\w*|review))\b|\bhow (?:often|many times) (?:do|did) i\b"
    r"|\b(?:second|third|fourth|fifth|last|\d+(?:nd|rd|th)) time\b(?=.*\b(?:don'?t|stop|use|no|never|not)\b"
    r"|\s*(?:this|today|now|[!.,:]))",
    re.I | re.S,
)
_HABIT = re.compile(
    r"[,.;:] ?(?:period|full stop|i mean it)\W*$|^(?:every|each|any|anything|everything|nothing|all)\b[^.;?]{2,60}"
    r"\b(?:needs?|gets?|goes|belongs?|has to|have to|stays?)\b|^all\b[^.;?]{2,40}\bare\b[^.;?]*\beverywhere\b"
    r"|^keep\b[^.;?]{2,40}\bout of\b|\bask me (?:first|before)\b|\b(?:talk|speak|come) to me (?:first|before)\b"
    r"|\byou don'?t \w+, i \w+|\bfrom here on\b|^[\w-]+s (?:go|belong|live) (?:in|into|next to|under|beside|on)\b"
    r"|^no [\w-]+(?: [\w-]+)? in (?:code|commits?|tests?|docs|comments|production|the repo)\b",
    re.I,
)
_FORM = re.compile(
    r"\b(?:conventions?\b(?=\s*(?:for|is|:|,|-))|naming\b|follow(?:s|ing)? the (?:pattern|format|scheme|style|form)"
    r"|(?:format|pattern|scheme|form) (?:of|for) [^.:]{3,40} (?:is|are)\b|(?:is|are|get|gets) (?:always )?(?:named"
    r"|called|spelled|prefixed"
    r"|formatted|numbered)\b|we (?:write|name|call|spell|number|prefix) (?!a\b|the\b|it\b|this\b)[^.]{3,40} (?:as"
    r"|with|like|in)\b"
    r"|looks? like (?=`|'|\")|as everywhere\b|named after\b|starts? with (?:the|a|an) )",
    re.I,
)
_TASTE = re.compile(
    # Restricting a whole kind of thing lasts, wanting one thing now does not: "I would only want e2e tests", "I want a button".
    r"\bi(?:'d| would)? only (?:ever )?(?:want|accept|like|trust|use)\b"
    r"|\bi(?:'d| would)? (?:really |much |generally |usually |always |strongly )*prefer\b|\bi (?:really "
    r"|just )?(?:like|love)\b.*\b(?:better|more) than\b"
    r"|\bi(?:'d| would) (?:\w+ )?(?:rather|sooner)\b(?! (?:you|we|not (?:do|have|touch)) )|\bmy (?:preference|taste"
    r"|favou?rite|style)\b|\bmatter of taste\b"
    r"|\bwhen in doubt\b|\bin general\b.*\b(?:instead of|rather than|over|please)\b|\bgenerally\b.*\b(?:instead of"
    r"|rather than|over)\b"
    r"|\bfor me\b.*\b(?:better|easier|nicer|best)\b|\bi (?:can'?t|cannot) stand\b|\bi (?:really |absolutely )?(?:hate"
    r"|dislike)\b"
    r"|\bi'?m (?:more of|(?:not )?an? (?:big |huge )?fan|used to)\b|\byou know me\b|\bwhat (?:helps"
    r"|works)\b.{0,12}\b(?:me|best|most)\b"
    r"|\bi (?:really )?(?:like|love|want|expect) (?:my|your|all)\b.*\b(?:short|brief|answers|code|commits|diffs|names"
    r"|tests|comments)\b"
    r"|\b(?:keep|make) (?:your|all|the) (?:answers|replies|messages|commits|comments|diffs|explanations)\b"
    r"|\bplease (?:in general|generally)\b|\bmore (?:pleasant|readable) for me\b",
    re.I,
)
_STYLE = re.compile(
    r"\bi find\b.*\b(?:easier|better|nicer|cleaner|clearer|readable)\b|\b(?:shorter|smaller|simpler|less) is (?:better|more)\b"
    r"|\bi tend to (?:like|prefer|want)\b|\bi(?:'d| would) appreciate (?:it )?if you\b|^(?:just )?give me\b[^.;?]*, not\b"
    r"|\bplease be (?:brief|short|concise|terse|precise)\b|^be (?:brief|short|concise|terse|precise)\b|\bi (?:only )?skim\b",
    re.I,
)
_VERDICT = re.compile(
    r"^(?:right, )?[\w.-]+(?: [\w-]+)? (?:stays|won|wins)\b\W*$|^[\w.-]+(?: [\w-]+)? it is\W*$|\bthe answer is\b"
    r"|\bnot worth (?:it|the)\b|\bwe won'?t (?:support|do|use|have|need|build|offer)\b|\bwe(?:'re| are) going with\b",
    re.I,
)
_DITCHED = re.compile(
    r"\bwe (?:have |'ve )?(?:ditched|dropped|killed|abandoned|retired|got rid of)\b|\b(?:is|are|runs?) on\b[^.;]{1,30}\bsince\b",
    re.I,
)
_CHOICE = re.compile(
    r"\bdecision\s*:|\b(?:i|we)(?:'ve| have)? (?:decided|chose|choose|picked|agreed|settled)\b|\bsettle (?:on|for)\b"
    r"|\b(?:made|make) up my mind\b"
    r"|\bmy (?:call|choice|verdict|decision)\b|\b(?:team|we|they) (?:agreed|decided|settled)\b|^final(?:ly)?\s*:"
    r"|\bit is\b(?=,? (?:for|then)\b)"
    r"|\bwe(?:'ll| will| shall)? (?:keep|use|take|go (?:with|for)|stay with|stick (?:with|to)|drop)\b|\b(?:let'?s"
    r"|let us) (?:go (?:with|for)|use|take|keep|stick (?:with|to)|stay (?:with|on)|drop)\b"
    r"|\b(?:stays?|remains?) (?:at|on|with|as)\b|^(?:no|not) [\w.-]+(?: [\w-]+){0,2} (?:for|in|on|at|here|either"
    r"|before|after|today|tonight)\b"
    r"|\bdecided\s*:|^(?:and )?i want (?:zero|no|only)\b|\b(?:closes|answers|settles) (?:that|the|this|my"
    r"|our)\b[^.;]*\bquestion|^(?:forget|scrap) (?:the|about)\b|^(?!on |in |at |by |until |tomorrow|later|monday"
    r"|next )[\w.-]+(?: [\w-]+){0,2} then\b(?: for\b| in\b|\s*[,.]|$)"
    r"|\bkeep (?:those|these|the|this|that|it)\b.*\b(?:as a promise|as (?:they|it) (?:are|is)|stable)\b"
    r"|\bdefault\b.*\bis\b(?=.*[,;])",
    re.I,
)
_MOVE = re.compile(
    r"\b(?:moved|switched|migrated|changed|went) (?:\w+[ ,]+){0,6}?from\b.+\bto\b|\b(?:has|have|was|were"
    r"|is) (?:been )?replaced\b|\b(?:has|have) replaced\b|\breplaces\b"
    r"|\bno longer (?:use|in|on|at|the|need|run|a|have)\b|\b(?:is|are|was|were) (?:shut down|gone|retired"
    r"|switched off|decommissioned)\b"
    r"|\b(?:lives?|runs?|is|are) (?:in|on|at) [^.;]{2,50} (?:now|since)\b|\bnow (?:lives?|runs?|is) (?:in|on|at)\b"
    r"|\bchange the \w+[^.;]* from\b.+\bto\b|\bwe (?:move|switch|migrate|change)\b.+\b(?:to|from)\b",
    re.I,
)
_CORRECTION = re.compile(
    r"\b(?:looking|were) (?:at|in) the wrong\b|^read (?:it |that )?again\b|^no no\b|"
    r"^(?:no|nope|nah|hm+,? no|wrong)(?:\s*[,.!:;–—-]|\s+(?:it|that|this|you|i|the|we)\b|$)|^wrong \w+"
    r"|^not (?:[\w.`/-]+ ?){1,4}[!,.]"
    r"|\b(?:that'?s|this is|that is|it'?s) (?:wrong|incorrect|not (?:right|true|correct|what i))"
    r"|\byou (?:mixed|misread|misunderstood|confused|got (?:it|that|this) wrong|assumed|used (?!to\b)|ignored|overlooked)\b"
    r"|^i (?:said|told you|meant|asked for)\b|\bi said\b.*\bnot\b|\bnot what i (?:asked|meant|said|wanted)\b"
    r"|^actually\b.*\b(?:is|are|not)\b",
    re.I,
)
_ORDERS = re.compile(r"\b(?:always|from now on)\b|\bnever\b(?! (?:was|were|is|has|had)\b)", re.I)
_WISH = re.compile(
    r"\bi(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish|miss|expect)\b|\bwe could use\b"
    r"|\bwould be (?:great|nice|good|cool)\b"
    r"|\bshould (?:also )?have\b|\bwhat i miss\b|\basking for\b|\bgive me\b|\bi'?d like\b|\bneeds? to\b|\bshould\b",
    re.I,
)


def leaves_open(text: str) -> bool:
    """Whether a sentence says that something is not decided yet."""
    return bool(OPEN.search(text)) and not CLOSES.search(text) and not _TASTE.search(text)


def is_lasting_wish(text: str) -> bool:
    """Whether a wish is about how to work from now on, and not about the thing being built."""
    return bool(_TASTE.search(text)) or (bool(_RULE.search(text)) and not is_requirement(text))


def is_requirement(text: str) -> bool:
    """Whether the "must" is one of a thing ("it must not happen") or a guess ("it must be in the cache")."""
    bare = _THING_MUST.sub(" ", _GUESS.sub(" ", text))
    return not _RULE.search(bare)


def norm_of(bare: str, main: str, *, has_before: bool) -> Norm | None:
    """What an assertion lays down; `main` is it without subordinate clauses, `bare` without fillers."""
    if leaves_open(bare) and not _TASTE.search(bare):
        return "open"
    if TROUBLE.search(bare) and not re.match(r"(?:fix|solve)\b", bare, re.I):
        return "trouble"
    is_form = bool(_FORM.search(bare)) and bool(specifics.count(bare) or re.search(r"\bconventions?\b", bare, re.I))
    if is_form:
        return "form"
    if has_before and _CORRECTION.search(bare) and not _ORDERS.search(main):
        return "correction"
    if _TASTE.search(bare) and not re.match(r"(?:please )?(?:never|always|don'?t)\b", bare, re.I):
        return "taste"
    if _STYLE.search(bare):
        return "taste"
    if _HABIT.search(bare) or (_RULE.search(main) and not is_requirement(main)):
        return "rule"
    if _MOVE.search(bare) or _DITCHED.search(bare):
        return "move"
    if _CHOICE.search(main) or _VERDICT.search(bare):
        return "choice"
    return None


def is_wish(text: str) -> bool:
    """Whether a sentence wishes for something now."""
    return bool(_WISH.search(text))
