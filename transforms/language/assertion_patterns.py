"""Patterns of single properties of an assertion, used by themselves and without weight."""

from __future__ import annotations

import re

from transforms.language.clauses import CHANGE_VERBS
from transforms.patterns.late_pattern import compile_late
from transforms.words.lasting_words import FREQUENCIES, NAMES_OF_RULES, OBLIGATIONS, SPANS

OPEN_QUESTION = compile_late(
    r"\bno (?:clue|idea) (?:yet )?(?:how|whether|if|what)\b|\bopen (?:questions?|points?|issues?)\b"
    r"|\b(?:leave|keep|left|leaving)\b[^.;]{0,20}\bopen\b|\bnoted? (?:\w+ )?as open\b"
    r"|\b(?:is|are|remains?|stays?|still) (?:still )?(?:open\b(?! (?:to|for|in|source|file|socket|connection|port|the"
    r"|a))|undecided"
    r"|unclear|unresolved|tbd|up in the air)|\bundecided\b|^open\s*:|\btbd\b|^unclear\b"
    r"|\b(?:to be|(?:has|have|needs?) to be) (?:decided|discussed|clarified|determined)\b|\bpark(?:ing|ed)? (?:this|that|it)\b"
    r"|\b(?:have|has|had)(?:n'?t| not)(?: yet)? (?:decided|agreed|settled|made up)\b|\bno (?:answer|decision) yet\b"
    r"|\b(?:don'?t|do not|doesn't|can(?:'t|not)) (?:yet )?(?:know|tell|say)(?: yet)? (?!how (?:often|many times|much)\b)"
    r"(?:whether|if|how|what|who|which|when|where|from)\b|^(?:whether|if|what|who|how|which)\b.*\b(?:nobody|no one"
    r"|can(?:'t|not)|don'?t) (?:knows?|tell|say)\b"
    r"|\b(?:i|we) (?:still )?(?:have|need) to (?:ask (?!you\b)\w+|find out)|\bneed to find out\b"
    r"|\bnot sure (?:yet |about |on )(?:whether|if|how|what|who|which|the|this|that|it)\b|\bask me again\b",
    re.I,
)
CLOSED_QUESTION = compile_late(
    r"\b(?:closes?|closed|answers (?:that|this|the|my|our|it)|answered|settles?|settled|resolves?|resolved)\b", re.I
)
PROBLEM = compile_late(
    r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?:\s+(?:in|with|on|at) [^.;:,]{2,40})?\s*[:,-]\s"
    r"|\b(?<!no )(?:complain(?:s|ed)?|complaints?)\b(?! about\W*$)"
    r"|\bdo(?:n'?t| not) (?:th?ink|believe|feel like)\b(?! (?:we|you|i|they|he|she|that)\b)[^.;,?]{2,60}?"
    r"\b(?:work(?:s|ing|ed)?|correctly|properly|as (?:expected|intended|it should))\b(?! (?:on|with|for|from|in|towards?)\b)"
    r"|\bsomething(?:'s| is) (?:off|wrong|broken|fishy)\b|\b(?:is|are) (?:broken|flaky)\b(?=\s*[:,-])",
    re.I,
)
GUESS = compile_late(
    r"\b(?:must|has to|have to) (?:be (?:in|somewhere|because|due|caused|related|an?|the|some)\b|have (?:been|had)\b)", re.I
)
PRODUCT_REQUIREMENT = compile_late(
    r"\b(?:it|this(?: \w+)?|that|they|these(?: \w+)?|those|there|whatever [\w ]{2,24}"
    r"|what [\w ]{2,24})\s+(?:\w+ly )?(?:must|should|may"
    r"|can|shall|has to|have to|needs? to|never|always)\b(?:\s+(?:never|always|not|only)\b)*",
    re.I,
)
ACTION_VERB = r"(?!know\b|have\b|need\b|want\b|care\b|see\b|get\b|think\b|understand\b|mind\b|like\b|seem\b)"
LASTING = compile_late(
    r"\b(?:(?<!was )(?<!were )(?<!has )(?<!had )never(?! (?:mind|was|were|is|been|has|had|did|could|ran|got|came|tells?"
    rf"|told)\b)|(?<!like )(?<!as )always(?! (?:been|was|were|is|had|did)\b)|{SPANS}|{FREQUENCIES}"
    r"|(?:without|no) exceptions?|make it a habit|whenever)\b"
    r"|\b(?:don'?t|do not|no|not|stop)\b(?:(?!\b(?:don'?t|no|not|stop)\b).)*\b(?:ever|again|not even once)\b(?!\s+to\b)",
    re.I,
)
BINDING = compile_late(
    rf"\b(?:{OBLIGATIONS}|{NAMES_OF_RULES}|(?:don't|do not|never|won't) (?:allow|tolerate|accept)|out of bounds|no[- ]go|taboo"
    r"|(?:firing|hanging) offen[cs]e|must(?:n'?t| not| never)"
    r"|(?:should|shall|can|may|must) (?:only|never|always)|(?:are|is) (?:not |never |only )?to (?:be \w+(?:ed|en|ten|wn)"
    r"|keep|use|stay)\b"
    r"|hands off)\b"
    r"|\b(?:nobody|no one|no-one|none of us|nothing)\b[^.]{0,20}\b(?:may|can|should|must)\b"
    r"|\brules?\b(?: (?:for|from|of|about) [^.:]{1,30})?\s*(?:[:—-]\s|, )(?=[a-z`]*\s?(?:no|never|always|every|all|only"
    r"|put|we|you|use|secrets?)\b|\w+ \S+)"
    r"|\bhow (?:often|many times) (?:do|did) i\b|[,.;:] ?(?:period|full stop|i mean it|is that clear)\W*$"
    r"|\b(?:second|third|fourth|fifth|last|\d+(?:nd|rd|th)) time\b(?=.*\b(?:don'?t|stop|use|no|never|not)\b|\s*(?:this"
    r"|today|now|[!.,:]))"
    r"|\b(?:goes|applies|counts|holds|valid) for (?:the (?:whole|entire)|all|every|any|everything|each)\b"
    r"|\bthat's how we (?:roll|do|work)\b",
    re.I | re.S,
)
PRESENT_TENSE = compile_late(  # after a universal subject: "every migration needs a way back", "all SQL goes through …"
    r"\b(?:needs?|gets?|goes?|belongs?|stays?|lives?|sits?|writes?|touches|has to|have to|must|should|is to|are to"
    r"|requires?|passes through|comes? with|(?:is|are) \w+(?:ed|en))\b",
    re.I,
)
CONVENTION = compile_late(
    r"\b(?:naming )?conventions?\b|\b(?:is|are|get|gets) (?:named|called|written|formatted|spelled|spelt)\b"
    r"|\bwe write\b.+\bas\b|\bour naming\b"
    r"|\bthe format of\b|\bfollows? the (?:pattern|form|scheme)\b|\blooks? like (?=`|'|\")|as everywhere\b|named after\b"
    r"|starts? with (?:the|a|an) ",
    re.I,
)
COMPARISON = compile_late(
    r"^(?!\w+(?:e|ed|ing)? (?:it|this|that|them)\b)[^.;:?]{3,60}\b(?:rather than|over|instead of|, not|not)\b [^.;:?]{2,40}", re.I
)
CONTRAST = compile_late(r"\b(?:not|never|n't|no|wrong|dead|only|left|instead|should be|should have|but)\b|n't\b", re.I)
FEELING = compile_late(
    r"\bi(?:'m| am)? (?:hope|wonder|guess|feel|sorry|glad|happy|afraid|tired|curious|bet)\b|\b(?:lol|haha\w*|sigh|phew)\b", re.I
)
PAST_TENSE = compile_late(r"\b(?:was|were|had|did|got|went|came|made|took|said|[a-z]{3,}ed)\b", re.I)
VAGUE_OBJECT = compile_late(rf"\b{CHANGE_VERBS} (?:it|this|that|them|those|these|all|some|everything|stuff)\b", re.I)
REASON_CLAUSE = compile_late(r"\b(?:although|though|because|if|unless)\b.*", re.I | re.S)
ORDER = compile_late(r"(?:please |just )?(?:use|take|keep|put|set|make|add|remove|don'?t|do not|never|always)\b", re.I)
COMPLETED = compile_late(
    r"\b(?:ran|went|got|came) through\b|\bwent live\b|\b(?:is|are|'s) (?:now )?(?:signed|live|shipped|released|published"
    r"|merged|approved|paid|out(?= (?:on|in|now|since))"
    r"|with the customer)\b|\b(?:we|i|they) (?:\w+ )?(?:passed|shipped|released|launched|finished|signed|published"
    r"|deployed|merged|won|closed|completed)\b|^(?:shipped|released|launched|done|finished|deployed|signed)\b"
    r"|\bpassed the\b",
    re.I,
)
ROOT_CAUSE = compile_late(
    r"\b(?:turn(?:s|ed) out|root cause (?:is|was|turned|:)|culprit|(?:was|were|is|came) down to|that'?s why|which is why"
    r"|the (?:reason|cause) (?:is|was)|caused by"
    r"|goes back to|stems? from)\b",
    re.I,
)
CURED = compile_late(
    r"\b(?:did the trick|(?:fixed|solved|cured|helped with) (?:it|that|the)|made it work|no more \w+.*\bsince\b)", re.I
)
FAILED_ATTEMPT = compile_late(
    r"\b(?:tried|restarted|reverted|cleared|had a go|gave|attempted|rebooted|reinstalled)\b.*\b(?:same (?:thing|error"
    r"|result|again)|gave up|given up|no (?:luck|effect|difference|change)"
    r"|nothing (?:changed|happened)|did(?:n't| not) (?:help|work|change)|still (?:the same|broken|fails))\b|\b(?:doesn't"
    r"|does not|didn't|did not) (?:do anything|change (?:a thing|anything)|help|make a difference)\b"
    r"|\bgave up\b",
    re.I,
)
WISH = compile_late(
    r"\bi(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish|miss|expect)\b|\bwe could (?:use|do with)\b"
    r"|\bwould be (?:great|nice|good|cool)\b"
    r"|\bshould (?:also )?(?:have|be|carry|contain|show)\b|\bwhat i(?:'d| would)? (?:miss|love|like|want)\b|\bask(?:s"
    r"|ing)? for\b|\bgive me\b|\bi'?d like\b|\bneeds? (?!not\b)\w|\bshould\b"
    r"|\bwants? (?:a|an|some|\w+)\b|\bmust\b|\bremind me\b|\btomorrow we\b",
    re.I,
)
ORDER_FOR_GOOD = compile_late(r"(?:(?:and|but|so) )?(?:please )?(?:never|always|from now on)\b", re.I)
"""An imperative that begins with its frequency."""
STANDING_ORDER = compile_late(r"^(?:(?:in|on|at|for)\b[^,]{2,30},\s*)?(?:please )?(?:never|always|don'?t|do not)\b", re.I)
