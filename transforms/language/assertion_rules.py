"""Weighted patterns of assertions: rules, preferences, decisions, state changes and corrections.

The weights of all matching patterns add up (`transforms.language.assertions`): a weight of 2 decides alone, a lower one needs
support. The patterns are composed of the word classes of `clauses`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from transforms.language.assertion_patterns import ACTION_VERB, BINDING, LASTING
from transforms.language.clauses import CHANGE_VERBS, CHOICE_VERBS, PAST_CHOICE_VERBS, REPLY_NOUNS, TIME_PHRASES, WORK_NOUNS
from transforms.patterns.late_pattern import compile_late

AssertionKind = Literal[
    "rule", "preference", "convention", "decision", "state_change", "open_question", "correction", "problem", "completion",
    "root_cause", "failed_attempt", "fix",
]  # fmt: skip
"""The kinds of assertion, named like the kinds of fact where there is one."""


@dataclass(frozen=True, slots=True)
class PatternRule:
    """A pattern that adds `weight` to an assertion kind where it matches. It matches `example`, not `counterexample`."""

    rule_id: str
    kind: AssertionKind
    weight: float
    example: str
    counterexample: str
    pattern: re.Pattern[str]


def _make_rules(kind: AssertionKind, *rows: tuple[str, float, str, str, str]) -> tuple[PatternRule, ...]:
    return tuple(
        PatternRule(f"{kind}.{name}", kind, weight, example, counterexample, compile_late(pattern, re.I, by_words=True))
        for name, weight, example, counterexample, pattern in rows
    )


def sum_weights(rules: tuple[PatternRule, ...], text: str) -> float:
    """Return the sum of the weights of the rules that match a text."""
    return sum(rule.weight for rule in rules if rule.pattern.search(text))


COMPARATIVES = (
    r"(?:better|easier|nicer|cleaner|clearer|sooner|rather|more|best|easiest|nicest|most|less|worse|shorter|simpler|smaller)"
)
RULE = _make_rules(
    "rule",
    ("binding", 3, "force pushes are forbidden", "I pushed it",
        BINDING.pattern),
    ("lasting", 2, "from now on use tabs", "use tabs today",
        LASTING.pattern),
    ("must", 1, "it must be signed", "it may be signed",
        r"\b(?:must|has to|have to)\b"),
    ("should", 0.5, "tests should be short", "tests are short",
        r"\b(?:should|needs? to|ought to)\b"),
    ("we_never", 2, "we never deploy on fridays", "we know it well",
        rf"\b(?:we|i) (?:do not|don'?t|never) {ACTION_VERB}\w+.*\b(?:here|in (?:this|our|any|all)|on \w+days?|without|before"
        rf"|after|by hand|in (?:code|commits?|tests?|prod\w*))\b"),
    ("in_all_repos", 2, "in all our repos we use make", "in this file",
        r"\bin (?:this|our|my|all|any)(?: of (?:our|my|the))? (?:repos?|repository|repositories|projects?|team|house"
        r"|codebase)\b[^.]{0,12}\b(?:we|you|i)\b|\bin (?:any|all) (?:of )?(?:our|my|the) (?:repos|repositories"
        r"|projects)\b"),
    ("not_done_without", 2, "without a test it is not finished", "without a test",
        r"\bwithout\b.+\b(?:nothing|no (?:merge|commit|release|deploy\w*|review)|not (?:finished|done|complete|accepted"
        r"|merged))\b|\b(?:is|are) not (?:finished|done|complete)\b(?=.*\bwithout\b)"),
    ("ask_first", 2.5, "ask me before you touch the schema", "ask him later",
        r"\b(?:ask|talk to|speak to|come to|check with|tell) me (?:first|before)\b|^(?:before|when|if|whenever) (?:you "
        r"|adding|touching|changing|\w+ing)\b.*[,:]\s*(?:ask|talk|come|you|tell|backup|first|always|never|make sure)\b"),
    ("division_of_work", 2, "you don't deploy, I do", "you don't need it",
        r"\byou don'?t \w+, i \w+"),
    ("place", 2, "migrations go into the db folder", "it went into the db folder",
        r"^[\w-]+s (?:go|belong|live) (?:in|into|next to|under|beside|on)\b|\b(?:nowhere else|in one place only)\b"
        r"|^keep\b[^.;?]{2,40}\bout of\b"),
    ("everywhere", 1.5, "use UTC everywhere", "everywhere now",
        r"\beverywhere\b(?! (?:now|since))"),
    ("no_in_work", 2, "no secrets in commits", "no secrets today",
        r"^no [\w-]+(?: [\w-]+)? in (?:code|commits?|tests?|docs|comments|production|the repo)\b"),
    ("dont_work", 1, "don't merge the branch", "don't mind the colour",
        rf"^(?:please )?(?:don'?t|do not) {ACTION_VERB}(?!\w+ (?:this|that|it|them)\b)[^,;]*\b{WORK_NOUNS}\b"),
    ("remember", 1, "remember that CI is slow", "I remember it",
        r"\bremember(?: that\b| to\b|:| for)|\bplease (?:remember(?! the\b)|note|always)\b"),
    ("by_hand", 1, "nothing is deployed by hand", "I held his hand",
        r"\bnobody else\b|\bnothing else\b|\bby hand\b|\botherwise (?:it|they|we|you|nothing)\b"),
)  # fmt: skip
PREFERENCE_RULES = _make_rules(
    "preference",
    ("prefer", 2.5, "I prefer tabs", "he preferred tabs",
        r"\bi(?:'d| would)? only (?:ever )?(?:want|accept|like|trust|use)\b|\bi (?:(?:really|much|generally|usually"
        r"|always|strongly|just|would|'d)\s+)*prefer\b|\bi'd (?:\w+ )?prefer\b"),
    ("like_more", 2.5, "I like tabs more than spaces", "I like tabs",
        rf"\bi (?:\w+ )?(?:like|love|enjoy|hate|dislike|want|trust)\b.*\b{COMPARATIVES} than\b|\bi (?:can'?t|cannot"
        rf"|couldn't) (?:stand|bear|stomach)\b|\bi (?:really |absolutely |truly )?(?:hate|dislike|loathe|detest"
        rf"|despise)\b"),
    ("rather", 2.5, "I'd rather keep it small", "I would keep it small",
        r"\bi(?:'d| would) (?:\w+ )?(?:rather|sooner)\b"
        r"(?! (?:you|we|not (?:do|touch|have (?:this|that|it|the|to|an?|another))) )"),
    ("my_taste", 2.5, "too noisy for my taste", "too noisy for me to see",
        r"\b(?:not )?(?:to|for) my (?:taste|liking|eyes)\b|\bmy (?:personal )?(?:preference|taste|favou?rite|style|thing"
        r"|cup of tea)\b|\bwhen in doubt\b"),
    ("matter_of_taste", 4, "that is a matter of taste", "that matters",
        r"\bmatter of taste\b|\byou know me\b|\bmy taste\b"),
    ("kind_of_person", 2.5, "I am a fan of small diffs", "the fan is loud",
        r"\bi(?:'m| am) (?:(?:more of|(?:not )?(?:really )?an?|the) (?:[\w-]+ )*(?:fan|guy|girl|man|woman|person|type"
        r"|kind|dev|friend|believer)|used to|old[- ]school|picky|allergic)\b|\bold[- ]school here\b|\b(?:more of a"
        r"|not a) [\w-]+ person\b"),
    ("better_for_me", 2, "shorter names are easier for me", "shorter names are easy",
        rf"\b(?:easier|easiest|better|best|nicer|cleaner|clearer|readable|digest|comfortable|pleasant|enough|fine|works?"
        rf"|natural)\b(?: \w+)? (?:for|to) me\b|\bfor me\b.*\b{COMPARATIVES}\b"),
    ("affects_me", 3, "long lines slow me down", "this helps the team",
        r"\b(?:makes?|suits?|(?<!^)(?<!you )(?<!please )(?<!can )gives?|drives?|slows?|annoys?|bothers?|bugs|confuses?"
        r"|distracts?|helps?|feels?|looks?)\b(?! (?:to )?me (?:to|with|find|see|un\w+|fix|out|a"
        r"|the)\b)[^.;,]{0,24}?\b(?:me(?! (?:to|an?|the|this|no|\d\w*|errors?)\b)|(?:clean|cleaner|nicer|better|ugly"
        r"|wrong|java)\w* to me)\b"),
    ("less_is_more", 2, "less is more", "less is fine",
        r"\bi find\b.*\b(?:easier|better|nicer|cleaner|clearer|readable)\b|\b(?:shorter|smaller|simpler"
        r"|less) is (?:better|more)\b|\bi tend to (?:like|prefer|want)\b"),
    ("appreciate", 2, "I'd really appreciate short answers", "thanks",
        r"\bi(?:'d| would) (?:really |be )?(?:most |very |so )?(?:appreciate|grateful|thankful)\b(?! if you (?:could"
        r"|would) (?:look|check|fix|add)\b)"),
    ("your_answers", 2.5, "keep your answers short", "keep your hat",
        r"\b(?:can |could |would )?(?:please )?(?:you )?(?:keep|make) (?:your|all|the) (?:answers|replies|messages"
        r"|commits|comments|diffs|explanations)\b|\bplease be (?:brief|short|concise|terse|precise)\b|^be (?:brief|short"
        r"|concise|terse|precise)\b|\bi (?:only )?skim\b"),
    ("no_talk", 2.5, "no more emojis", "no more errors",
        rf"^(?:please )?(?:and )?(?:spare me|skip|cut|drop|stop|leave out|no more|no(?! answer)|less|fewer|without"
        rf"|enough with|save)\b[^.;]{{0,24}}\b{REPLY_NOUNS}\b|\b{REPLY_NOUNS} (?:is|are) (?:fine|ok|not|too|enough|annoying)\b"
        rf"|\byour {REPLY_NOUNS} (?:is|are)\b"),
    ("no_explaining", 2, "you don't have to explain it", "you have to explain it",
        r"\byou (?:don't|do not) (?:need|have) to (?:explain|tell|show|teach|remind)\b|^no need to (?:explain|tell|show"
        r"|teach|apologi)"),
    ("in_general", 2, "generally small functions instead of classes", "small functions instead of classes",
        r"\bgenerally\b.*\b(?:instead of|rather than|over)\b|\bin general\b.*\b(?:instead of|rather than|over|please)\b"
        r"|\bplease (?:in general|generally)\b|\bfor me\b.*\b(?:better|easier|nicer|best)\b"),
    ("any_day", 2, "I'll take a monolith any day", "on the last day",
        r"\bany (?:day|time)\b(?: of the week)?\W*$|\b\w+ beats? (?:any|every|all|a)\b|\bi(?:'ll| will|'d"
        r"| would) take\b.*\bany\b"),
    ("what_helps", 2.5, "what helps me most is a summary", "what is a summary",
        r"\b(?:what|that way) (?:helps|works|i)\b.{0,16}\b(?:me|best|most|better|easier)\b"
        r"|^(?:just )?give me\b[^.;?]*, not\b|\bi (?:really )?(?:like|love|want|expect) (?:my|your|all)\b.*\b(?:short"
        r"|brief|answers|code|commits|diffs|names|tests|comments)\b|\bmore (?:pleasant|readable) for me\b"),
    ("habit", 1.5, "I usually use the terminal", "I used the terminal",
        r"\bi (?:always|usually|generally|normally|mostly|tend to) (?:work|use|write|read|go|keep|type|run|start)\b"),
    ("polite", 1, "if you don't mind", "if you can",
        r"\bif you (?:don't|do not) mind\b|\bplease\b.*\baccordingly\b|\bthat way i\b|\bmy eyes\b"),
)  # fmt: skip
DECISION_RULES = _make_rules(
    "decision",
    ("decided", 3, "we decided to drop Windows", "we drop it",
        rf"\b(?:decision|decided|final(?:ly)?|verdict)\s*:|\b(?:i|we|they|team|\w+ and i)(?:'ve| have|'m| am|'re"
        rf"| are)? (?:now |finally |all )?{PAST_CHOICE_VERBS}\b|\b(?:has|have) been (?:decided|agreed|settled)\b|\b(?:settle"
        rf"|settling) (?:on|for)\b|\bmake up my mind\b"),
    ("final_word", 3, "that's settled", "that was the question",
        r"\bmy (?:call|choice|verdict|decision)\b|\bend of (?:the )?(?:discussion|debate|story)\b|\bthe answer is\b"
        r"|\bagreed with\b|\bthat's (?:what we're doing|the plan|settled|decided)\b|[.,;] (?:settled|decided|agreed"
        r"|final)\W*$"),
    ("we_choose", 2, "we'll use SQLite", "we saw SQLite",
        rf"\b(?:i|we)(?:'ll| will| shall|'re| are|'m| am)? (?:now |just |then |simply |really |going to "
        rf"|not )*{CHOICE_VERBS}\b|\bwe(?:'ll| will| shall)? not \w+|\bwe won'?t (?:support|do|use|have|need|build|offer)\b"),
    ("lets_choose", 2, "let's go with SQLite", "let's see",
        rf"\b(?:let'?s|let us) (?:just |simply |rather |then )?{CHOICE_VERBS}\b|\bwe(?:'re| are) going with\b"
        rf"|\bnot worth (?:it|the)\b"),
    ("it_is", 2, "Postgres it is", "Postgres runs",
        r"^(?:so |ok |then |right, )*[\w./ -]{2,32}\b(?: then)?\b (?:it is|stays?|won|wins|remains?|lost|is out|is in"
        r"|'s out|'s in)\b(?! (?:in|on|at|the|a|an|to|that|with(?!out)|because it)\b)|\w's (?:out|in)\b\W*(?:$|[.,;])"
        r"|\b(?:wins|won) (?:over|against)\b|\b(?:monorepo|option|variant|proposal|\w+) (?:won|wins|lost)\b"),
    ("stays", 2, "the limit stays at 10", "the limit was 10",
        r"\bit is\b(?=,? (?:for|then)\b)|\b(?:stays?|remains?) (?:at|on|with|as)\b|^(?:no"
        r"|not) [\w.-]+(?: [\w-]+){0,2} (?:for|in|on|at|here|either|before|after|today|tonight)\b"),
    ("zero", 2, "I want zero dependencies", "I want it",
        r"^(?:and )?i want (?:zero|no|only)\b|\b(?:closes|answers|settles) (?:that|the|this|my|our)\b[^.;]*\bquestion"
        r"|^(?:forget|scrap|screw) (?:the|about|that)\b|\bkeep (?:those|these|the|this|that|it)\b.*\b(?:as a promise"
        r"|as (?:they|it) (?:are|is)|stable)\b|\bdefault\b.*\bis\b(?=.*[,;])"),
    ("then", 2, "SQLite then", "on Monday then",
        r"^(?!on |in |at |by |until |tomorrow|later|monday|next )[\w.-]+(?: [\w-]+){0,2} then\b(?: for\b| in\b|\s*[,.]"
        r"|$)|^(?:ok |so |then )*[\w.-]+ and not [\w.-]+"),
    ("team_agreed", 1, "the team agreed", "the team left",
        rf"\b(?:team|we|they|boss|lawyer|legal|customer|sina|marketing)\b[^.]{{0,20}}\b(?:agreed|want(?:s|ed)?|clear"
        rf"|said)\b|\b{PAST_CHOICE_VERBS}\b"),
    ("will_be", 1.5, "the API will be versioned", "it will be fine",
        r"^(?!it\b|this\b|that\b|there\b|they\b|he\b|she\b|i\b|we\b|you\b)[\w ./-]{3,40} (?:will|shall) be (?!fine\b"
        r"|ok\b|good\b|done\b|ready\b|back\b|great\b)|\bis postponed\b|\bmoves? to (?:phase|v\d|the next)\b"
        r"|\bgoes (?:down|up) to\b"),
    ("for_now", 1.5, "for now SQLite", "from Monday SQLite",
        r"\bfor now\b|\bfirst version\b|\bversion one\b|\b(?:do|comes?|happens?) later\b|\bnot (?:now|yet), (?:later"
        r"|because)\b|\bwe do later\b|, (?:correctness|simplicity|safety|speed) first\b"),
    ("reason", 0.5, "because it is fast", "it is fast",
        r"\bbecause\b|\bsince\b|\bas (?:it|we|they|the)\b|\bso that\b|\bdue to\b|\bon account of\b|\bseeing that\b"
        r"|\bgiven that\b|: (?:too|it|they|less|cheaper|no)\b"),
)  # fmt: skip
STATE_CHANGE = _make_rules(
    "state_change",
    ("was_changed", 2, "we migrated the database", "the database is large",
        rf"\b(?:has|have|had|was|were|is|are|got|been|being|'s|i|we|they|he|she|team|all|\w+ and i)\s+(?:now |just |all "
        rf"|finally |already |been )?{CHANGE_VERBS}\b"),
    ("changed_to", 2, "CI moved to Forgejo", "CI runs on Forgejo",
        rf"^(?:[\w./'-]+\s+){{1,5}}?{CHANGE_VERBS} (?!by\b)(?:\w+\s+){{0,6}}?(?:from|to|over to|into|over)\b"),
    ("no_longer", 2, "we no longer use Redis", "we use Redis",
        r"\bno longer (?:use|in|on|at|the|need|run|a|have|exist)\b|\b(?:is|are|was|were)(?:n't"
        r"| not)\b[^.;]{0,40}\b(?:any ?more|any longer)\b|\bused to (?:be|have|live|run|use)\b"),
    ("is_now", 2, "the docs live in the wiki now", "the docs are good",
        r"\b(?:lives?|runs?|is|are|works?|ends? up|goes|sits?) (?:in|on|at|under|off|behind"
        r"|with) [^.;]{2,50}\b(?:now(?:adays)?|since|these days)\b|\bnow (?:lives?|runs?|is|uses?) (?:in|on|at|\w+)\b"
        r"|\bsince\b[^.;]*\b(?:we are|we're|it's|it is) (?:on|off|in)\b"),
    ("gone", 2, "the old server is gone", "the old server is slow",
        r"\b(?:is|are|runs?) on\b[^.;]{1,30}\bsince\b|\b(?:\w+ )(?:runs?|uses?) [^.;,]{2,24} (?:nowadays|these days"
        r"|now)\b|\b(?:is|are|'s) (?:gone|dead|retired|history)\b(?! (?:slow|wrong)\b)"),
    ("replaces", 2, "Valkey replaces Redis", "Valkey is like Redis",
        r"\breplaces\b|\bchange the \w+[^.;]* from\b.+\bto\b|\bwe (?:move|switch|migrate|change)\b.+\b(?:to|from)\b"),
    ("time", 1, "since yesterday", "for a while",
        rf"\b{TIME_PHRASES}\b"),
    ("change_verb", 0.5, "renamed the table", "named the table",
        rf"\b{CHANGE_VERBS}\b"),
)  # fmt: skip
CORRECTION = _make_rules(
    "correction",
    ("no", 2.5, "no, the other file", "now the other file",
        r"^(?:no|nope|nah|hm+,? no|wrong|um+|ehm+|sorry but no|sorry,? no)(?:\s*(?:[,.!:;–—-]|\.\.\.)|\s+(?:it|that|this"
        r"|you|i|the|we)\b|$)|^no no\b|^wrong \w+|^not (?:[\w.`/-]+ ?){1,4}[!,.]|^(?:left|right|up|down|above|below)!"),
    ("verdict", 2.5, "that's wrong", "that's right",
        r"\b(?:that'?s|this is|that is|it'?s) (?:wrong|incorrect|not (?:right|true|correct|what i|quite))"
        r"|\blooking (?:at|in) the wrong\b|\bwere (?:at|in) the wrong\b|\bmiss(?:es|ed|ing) the point\b|\b(?:is|was"
        r"|are) (?:a )?misunderstanding\b|\b(?:backwards|upside down|the other way (?:a?round))\b"
        r"|\b(?:the )?other (?:left|one|way)\b|\bby design\b"),
    ("misread", 2.5, "you misread the log", "you read the log",
        r"\byou (?:mixed|misread|misunderstood|confused|got (?:it|that|this) wrong|assumed|ignored|overlooked"
        r"|have (?:this|that|it) (?:backwards|wrong))\b|\bnot what i (?:asked|meant|said|wanted)\b|^read (?:it "
        r"|that )?again\b|\bread the \w+ again\b|\b(?:who|did (?:i|anyone)) (?:told|tell|asked?) you to\b"),
    ("i_said", 2, "I said tabs", "you said tabs",
        r"^(?:but )?i (?:said|told you|meant|asked for|wanted|was talking about)\b|\bi (?:said|meant|wanted"
        r"|was talking about|asked for)\b.*\b(?:not|instead)\b|\b(?:was|were) the (?:task|request|question|idea|order)\b"
        r"|\bwas talking about\b|\bi wanted (?:them|it|that|this)\b"),
    ("your_deed", 1.5, "you removed the test", "you can remove the test",
        r"\byou(?:'ve| have)? (?:\w+ly )?(?:used|changed|removed|deleted|made|wrote|put|added|broke|forgot|missed|gave"
        r"|give|moved|set|took|picked)\b(?! to\b)"),
    ("actually", 1.5, "actually the port is 80", "the port is 80",
        r"^actually\b.*\b(?:is|are|not)\b|\bis not what is happening\b|^sorry\b.*\bno\b|\bi'm afraid\b"),
    ("should_be", 1, "it should be 80", "it is 80",
        r"\b(?:it|that|there|this) (?:should|has to|have to|was supposed to|needs to) (?:be|have|go|say)\b"
        r"|\bshould(?:'ve| have) been\b|\binstead\b|\balthough\b"),
)  # fmt: skip
