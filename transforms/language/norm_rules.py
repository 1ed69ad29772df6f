"""Evidence for what a sentence lays down: patterns with weights that add up, composed of the classes of `clause`.

A weight of 2 lays something down by itself, less needs company; `norms` adds what grammar and discourse say.
"""

from __future__ import annotations

import re

from transforms.language.clause import CHANGED, CHOOSES, CHOSE, TALK, WHEN, WORKSHOP

Evidence = tuple[tuple[float, re.Pattern[str]], ...]


def _table(*rows: tuple[float, str]) -> Evidence:
    return tuple((weight, re.compile(pattern, re.I)) for weight, pattern in rows)


OPEN = re.compile(
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
CLOSES = re.compile(
    r"\b(?:closes?|closed|answers (?:that|this|the|my|our|it)|answered|settles?|settled|resolves?|resolved)\b", re.I
)
TROUBLE = re.compile(
    r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?:\s+(?:in|with|on|at) [^.;:,]{2,40})?\s*[:,-]\s"
    r"|\b(?<!no )(?:complain(?:s|ed)?|complaints?)\b(?! about\W*$)"
    r"|\bdo(?:n'?t| not) (?:th?ink|believe|feel like)\b(?! (?:we|you|i|they|he|she|that)\b)[^.;,?]{2,60}?"
    r"\b(?:work(?:s|ing|ed)?|correctly|properly|as (?:expected|intended|it should))\b(?! (?:on|with|for|from|in|towards?)\b)"
    r"|\bsomething(?:'s| is) (?:off|wrong|broken|fishy)\b|\b(?:is|are) (?:broken|flaky)\b(?=\s*[:,-])",
    re.I,
)
GUESS = re.compile(
    r"\b(?:must|has to|have to) (?:be (?:in|somewhere|because|due|caused|related|an?|the|some)\b|have (?:been|had)\b)", re.I
)
THING_MUST = re.compile(
    r"\b(?:it|this(?: \w+)?|that|they|these(?: \w+)?|those|there|whatever [\w ]{2,24}"
    r"|what [\w ]{2,24})\s+(?:\w+ly )?(?:must|should|may"
    r"|can|shall|has to|have to|needs? to|never|always)\b(?:\s+(?:never|always|not|only)\b)*",
    re.I,
)
DEED = r"(?!know\b|have\b|need\b|want\b|care\b|see\b|get\b|think\b|understand\b|mind\b|like\b|seem\b)"
EVER = re.compile(
    r"\b(?:(?<!was )(?<!were )(?<!has )(?<!had )never(?! (?:mind|was|were|is|been|has|had|did|could|ran|got|came|tells?"
    r"|told)\b)|always(?! (?:been|was|were|is|had|did)\b)|under no circumstances"
    r"|no matter (?:what|how)|whatever (?:happens|you do)|from (?:now|today|here) on|in (?:the )?future|for (?:the"
    r"|all) future|at all times|only ever"
    r"|(?:without|no) exceptions?|make it a habit|every (?:single )?time(?! (?:i|it|he|she|they|the)\b)|whenever)\b"
    r"|\b(?:don'?t|do not|no|not|stop)\b.*\b(?:ever|again|not even once)\b(?!\s+to\b)",
    re.I,
)
BINDS = re.compile(
    r"\b(?:not allowed|(?:don't|do not|never|won't) (?:allow|tolerate|accept)|forbidden|prohibited|banned|mandatory"
    r"|off[- ]limits|out of bounds"
    r"|no[- ]go|taboo|compulsory|non[- ]?negotiable|(?:firing|hanging) offen[cs]e|required to|invariant|may not"
    r"|must(?:n'?t| not| never)"
    r"|(?:should|shall|can|may|must) (?:only|never|always)|(?:are|is) (?:not |never |only )?to (?:be \w+(?:ed|en|ten|wn)"
    r"|keep|use|stay)\b"
    r"|hands off|(?:ground|hard|house|golden) rules?)\b"
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
RULE = _table(
    (3, BINDS.pattern),
    (2, EVER.pattern),
    (1, r"\b(?:must|has to|have to)\b"),
    (0.5, r"\b(?:should|needs? to|ought to)\b"),
    (2,
        rf"\b(?:we|i) (?:do not|don'?t|never) {DEED}\w+.*\b(?:here|in (?:this|our|any|all)|on \w+days?|without|before"
        rf"|after|by hand|in (?:code|commits?|tests?|prod\w*))\b"),
    (2,
        r"\bin (?:this|our|my|all|any)(?: of (?:our|my|the))? (?:repos?|repository|repositories|projects?|team|house"
        r"|codebase)\b[^.]{0,12}\b(?:we|you|i)\b|\bin (?:any|all) (?:of )?(?:our|my|the) (?:repos|repositories"
        r"|projects)\b"),
    (2,
        r"\bwithout\b.+\b(?:nothing|no (?:merge|commit|release|deploy\w*|review)|not (?:finished|done|complete|accepted"
        r"|merged))\b|\b(?:is|are) not (?:finished|done|complete)\b(?=.*\bwithout\b)"),
    (2.5,
        r"\b(?:ask|talk to|speak to|come to|check with|tell) me (?:first|before)\b|^(?:before|when|if|whenever) (?:you "
        r"|adding|touching|changing|\w+ing)\b.*[,:]\s*(?:ask|talk|come|you|tell|backup|first|always|never|make sure)\b"),
    (2, r"\byou don'?t \w+, i \w+"),
    (2,
        r"^[\w-]+s (?:go|belong|live) (?:in|into|next to|under|beside|on)\b|\b(?:nowhere else|in one place only)\b"
        r"|^keep\b[^.;?]{2,40}\bout of\b"),
    (1.5, r"\beverywhere\b(?! (?:now|since))"),
    (2, r"^no [\w-]+(?: [\w-]+)? in (?:code|commits?|tests?|docs|comments|production|the repo)\b"),
    (1, rf"^(?:please )?(?:don'?t|do not) {DEED}(?!\w+ (?:this|that|it|them)\b)[^,;]*\b{WORKSHOP}\b"),
    (1, r"\bremember(?: that\b| to\b|:| for)|\bplease (?:remember(?! the\b)|note|always)\b"),
    (1, r"\bnobody else\b|\bnothing else\b|\bby hand\b|\botherwise (?:it|they|we|you|nothing)\b"),
)  # fmt: skip
ONGOING = re.compile(  # a universal subject in the present tense: "every migration needs a way back", "all SQL goes through …"
    r"\b(?:needs?|gets?|goes?|belongs?|stays?|lives?|sits?|writes?|touches|has to|have to|must|should|is to|are to"
    r"|requires?|passes through|comes? with|(?:is|are) \w+(?:ed|en))\b",
    re.I,
)
FORM = re.compile(
    r"\b(?:naming )?conventions?\b|\b(?:is|are|get|gets) (?:named|called|written|formatted|spelled|spelt)\b"
    r"|\bwe write\b.+\bas\b|\bour naming\b"
    r"|\bthe format of\b|\bfollows? the (?:pattern|form|scheme)\b|\blooks? like (?=`|'|\")|as everywhere\b|named after\b"
    r"|starts? with (?:the|a|an) ",
    re.I,
)
COMPARES = (
    r"(?:better|easier|nicer|cleaner|clearer|sooner|rather|more|best|easiest|nicest|most|less|worse|shorter|simpler|smaller)"
)
TASTE = _table(
    (2.5,
        r"\bi(?:'d| would)? only (?:ever )?(?:want|accept|like|trust|use)\b|\bi (?:(?:really|much|generally|usually"
        r"|always|strongly|just|would|'d)\s+)*prefer\b|\bi'd (?:\w+ )?prefer\b"),
    (2.5,
        rf"\bi (?:\w+ )?(?:like|love|enjoy|hate|dislike|want|trust)\b.*\b{COMPARES} than\b|\bi (?:can'?t|cannot"
        rf"|couldn't) (?:stand|bear|stomach)\b|\bi (?:really |absolutely |truly )?(?:hate|dislike|loathe|detest"
        rf"|despise)\b"),
    (2.5,
        r"\bi(?:'d| would) (?:\w+ )?(?:rather|sooner)\b"
        r"(?! (?:you|we|not (?:do|touch|have (?:this|that|it|the|to|an?|another))) )"),
    (2.5,
        r"\b(?:not )?(?:to|for) my (?:taste|liking|eyes)\b|\bmy (?:personal )?(?:preference|taste|favou?rite|style|thing"
        r"|cup of tea)\b|\bwhen in doubt\b"),
    (4, r"\bmatter of taste\b|\byou know me\b|\bmy taste\b"),
    (2.5,
        r"\bi(?:'m| am) (?:(?:more of|(?:not )?(?:really )?an?|the) (?:[\w-]+ )*(?:fan|guy|girl|man|woman|person|type"
        r"|kind|dev|friend|believer)|used to|old[- ]school|picky|allergic)\b|\bold[- ]school here\b|\b(?:more of a"
        r"|not a) [\w-]+ person\b"),
    (2,
        rf"\b(?:easier|easiest|better|best|nicer|cleaner|clearer|readable|digest|comfortable|pleasant|enough|fine|works?"
        rf"|natural)\b(?: \w+)? (?:for|to) me\b|\bfor me\b.*\b{COMPARES}\b"),
    (3,
        r"\b(?:makes?|suits?|(?<!^)(?<!you )(?<!please )(?<!can )gives?|drives?|slows?|annoys?|bothers?|bugs|confuses?"
        r"|distracts?|helps?|feels?|looks?)\b(?! (?:to )?me (?:to|with|find|see|un\w+|fix|out|a"
        r"|the)\b)[^.;,]{0,24}?\b(?:me(?! (?:to|an?|the|this|no|\d\w*|errors?)\b)|(?:clean|cleaner|nicer|better|ugly"
        r"|wrong|java)\w* to me)\b"),
    (2,
        r"\bi find\b.*\b(?:easier|better|nicer|cleaner|clearer|readable)\b|\b(?:shorter|smaller|simpler"
        r"|less) is (?:better|more)\b|\bi tend to (?:like|prefer|want)\b"),
    (2,
        r"\bi(?:'d| would) (?:really |be )?(?:most |very |so )?(?:appreciate|grateful|thankful)\b(?! if you (?:could"
        r"|would) (?:look|check|fix|add)\b)"),
    (2.5,
        r"\b(?:can |could |would )?(?:please )?(?:you )?(?:keep|make) (?:your|all|the) (?:answers|replies|messages"
        r"|commits|comments|diffs|explanations)\b|\bplease be (?:brief|short|concise|terse|precise)\b|^be (?:brief|short"
        r"|concise|terse|precise)\b|\bi (?:only )?skim\b"),
    (2.5,
        rf"^(?:please )?(?:and )?(?:spare me|skip|cut|drop|stop|leave out|no more|no(?! answer)|less|fewer|without"
        rf"|enough with|save)\b[^.;]{{0,24}}\b{TALK}\b|\b{TALK} (?:is|are) (?:fine|ok|not|too|enough|annoying)\b"
        rf"|\byour {TALK} (?:is|are)\b"),
    (2,
        r"\byou (?:don't|do not) (?:need|have) to (?:explain|tell|show|teach|remind)\b|^no need to (?:explain|tell|show"
        r"|teach|apologi)"),
    (2,
        r"\bgenerally\b.*\b(?:instead of|rather than|over)\b|\bin general\b.*\b(?:instead of|rather than|over|please)\b"
        r"|\bplease (?:in general|generally)\b|\bfor me\b.*\b(?:better|easier|nicer|best)\b"),
    (2,
        r"\bany (?:day|time)\b(?: of the week)?\W*$|\b\w+ beats? (?:any|every|all|a)\b|\bi(?:'ll| will|'d"
        r"| would) take\b.*\bany\b"),
    (2.5,
        r"\b(?:what|that way) (?:helps|works|i)\b.{0,16}\b(?:me|best|most|better|easier)\b"
        r"|^(?:just )?give me\b[^.;?]*, not\b|\bi (?:really )?(?:like|love|want|expect) (?:my|your|all)\b.*\b(?:short"
        r"|brief|answers|code|commits|diffs|names|tests|comments)\b|\bmore (?:pleasant|readable) for me\b"),
    (1.5, r"\bi (?:always|usually|generally|normally|mostly|tend to) (?:work|use|write|read|go|keep|type|run|start)\b"),
    (1, r"\bif you (?:don't|do not) mind\b|\bplease\b.*\baccordingly\b|\bthat way i\b|\bmy eyes\b"),
)  # fmt: skip
RATHER = re.compile(
    r"^(?!\w+(?:e|ed|ing)? (?:it|this|that|them)\b)[^.;:?]{3,60}\b(?:rather than|over|instead of|, not|not)\b [^.;:?]{2,40}", re.I
)
CHOICE = _table(
    (3,
        rf"\b(?:decision|decided|final(?:ly)?|verdict)\s*:|\b(?:i|we|they|team|\w+ and i)(?:'ve| have|'m| am|'re"
        rf"| are)? (?:now |finally |all )?{CHOSE}\b|\b(?:has|have) been (?:decided|agreed|settled)\b|\b(?:settle"
        rf"|settling) (?:on|for)\b|\bmake up my mind\b"),
    (3,
        r"\bmy (?:call|choice|verdict|decision)\b|\bend of (?:the )?(?:discussion|debate|story)\b|\bthe answer is\b"
        r"|\bagreed with\b|\bthat's (?:what we're doing|the plan|settled|decided)\b|[.,;] (?:settled|decided|agreed"
        r"|final)\W*$"),
    (2,
        rf"\b(?:i|we)(?:'ll| will| shall|'re| are|'m| am)? (?:now |just |then |simply |really |going to "
        rf"|not )*{CHOOSES}\b|\bwe(?:'ll| will| shall)? not \w+|\bwe won'?t (?:support|do|use|have|need|build|offer)\b"),
    (2,
        rf"\b(?:let'?s|let us) (?:just |simply |rather |then )?{CHOOSES}\b|\bwe(?:'re| are) going with\b"
        rf"|\bnot worth (?:it|the)\b"),
    (2,
        r"^(?:so |ok |then |right, )*[\w./ -]{2,32}\b(?: then)?\b (?:it is|stays?|won|wins|remains?|lost|is out|is in"
        r"|'s out|'s in)\b(?! (?:in|on|at|the|a|an|to|that|with(?!out)|because it)\b)|\w's (?:out|in)\b\W*(?:$|[.,;])"
        r"|\b(?:wins|won) (?:over|against)\b|\b(?:monorepo|option|variant|proposal|\w+) (?:won|wins|lost)\b"),
    (2,
        r"\bit is\b(?=,? (?:for|then)\b)|\b(?:stays?|remains?) (?:at|on|with|as)\b|^(?:no"
        r"|not) [\w.-]+(?: [\w-]+){0,2} (?:for|in|on|at|here|either|before|after|today|tonight)\b"),
    (2,
        r"^(?:and )?i want (?:zero|no|only)\b|\b(?:closes|answers|settles) (?:that|the|this|my|our)\b[^.;]*\bquestion"
        r"|^(?:forget|scrap|screw) (?:the|about|that)\b|\bkeep (?:those|these|the|this|that|it)\b.*\b(?:as a promise"
        r"|as (?:they|it) (?:are|is)|stable)\b|\bdefault\b.*\bis\b(?=.*[,;])"),
    (2,
        r"^(?!on |in |at |by |until |tomorrow|later|monday|next )[\w.-]+(?: [\w-]+){0,2} then\b(?: for\b| in\b|\s*[,.]"
        r"|$)|^(?:ok |so |then )*[\w.-]+ and not [\w.-]+"),
    (1,
        rf"\b(?:team|we|they|boss|lawyer|legal|customer|sina|marketing)\b[^.]{{0,20}}\b(?:agreed|want(?:s|ed)?|clear"
        rf"|said)\b|\b{CHOSE}\b"),
    (1.5,
        r"^(?!it\b|this\b|that\b|there\b|they\b|he\b|she\b|i\b|we\b|you\b)[\w ./-]{3,40} (?:will|shall) be (?!fine\b"
        r"|ok\b|good\b|done\b|ready\b|back\b|great\b)|\bis postponed\b|\bmoves? to (?:phase|v\d|the next)\b"
        r"|\bgoes (?:down|up) to\b"),
    (1.5,
        r"\bfor now\b|\bfirst version\b|\bversion one\b|\b(?:do|comes?|happens?) later\b|\bnot (?:now|yet), (?:later"
        r"|because)\b|\bwe do later\b|, (?:correctness|simplicity|safety|speed) first\b"),
    (0.5,
        r"\bbecause\b|\bsince\b|\bas (?:it|we|they|the)\b|\bso that\b|\bdue to\b|\bon account of\b|\bseeing that\b"
        r"|\bgiven that\b|: (?:too|it|they|less|cheaper|no)\b"),
)  # fmt: skip
MOVE = _table(
    (2,
        rf"\b(?:has|have|had|was|were|is|are|got|been|being|'s|i|we|they|he|she|team|all|\w+ and i)\s+(?:now |just |all "
        rf"|finally |already |been )?{CHANGED}\b"),
    (2, rf"^(?:[\w./'-]+\s+){{1,5}}?{CHANGED} (?!by\b)(?:\w+\s+){{0,6}}?(?:from|to|over to|into|over)\b"),
    (2,
        r"\bno longer (?:use|in|on|at|the|need|run|a|have|exist)\b|\b(?:is|are|was|were)(?:n't"
        r"| not)\b[^.;]{0,40}\b(?:any ?more|any longer)\b|\bused to (?:be|have|live|run|use)\b"),
    (2,
        r"\b(?:lives?|runs?|is|are|works?|ends? up|goes|sits?) (?:in|on|at|under|off|behind"
        r"|with) [^.;]{2,50}\b(?:now(?:adays)?|since|these days)\b|\bnow (?:lives?|runs?|is|uses?) (?:in|on|at|\w+)\b"
        r"|\bsince\b[^.;]*\b(?:we are|we're|it's|it is) (?:on|off|in)\b"),
    (2,
        r"\b(?:is|are|runs?) on\b[^.;]{1,30}\bsince\b|\b(?:\w+ )(?:runs?|uses?) [^.;,]{2,24} (?:nowadays|these days"
        r"|now)\b|\b(?:is|are|'s) (?:gone|dead|retired|history)\b(?! (?:slow|wrong)\b)"),
    (2, r"\breplaces\b|\bchange the \w+[^.;]* from\b.+\bto\b|\bwe (?:move|switch|migrate|change)\b.+\b(?:to|from)\b"),
    (1, rf"\b{WHEN}\b"),
    (0.5, rf"\b{CHANGED}\b"),
)  # fmt: skip
CORRECTION = _table(
    (2.5,
        r"^(?:no|nope|nah|hm+,? no|wrong|um+|ehm+|sorry but no|sorry,? no)(?:\s*(?:[,.!:;–—-]|\.\.\.)|\s+(?:it|that|this"
        r"|you|i|the|we)\b|$)|^no no\b|^wrong \w+|^not (?:[\w.`/-]+ ?){1,4}[!,.]|^(?:left|right|up|down|above|below)!"),
    (2.5,
        r"\b(?:that'?s|this is|that is|it'?s) (?:wrong|incorrect|not (?:right|true|correct|what i|quite))"
        r"|\blooking (?:at|in) the wrong\b|\bwere (?:at|in) the wrong\b|\bmiss(?:es|ed|ing) the point\b|\b(?:is|was"
        r"|are) (?:a )?misunderstanding\b|\b(?:backwards|upside down|the other way (?:a?round))\b"
        r"|\b(?:the )?other (?:left|one|way)\b|\bby design\b"),
    (2.5,
        r"\byou (?:mixed|misread|misunderstood|confused|got (?:it|that|this) wrong|assumed|ignored|overlooked"
        r"|have (?:this|that|it) (?:backwards|wrong))\b|\bnot what i (?:asked|meant|said|wanted)\b|^read (?:it "
        r"|that )?again\b|\bread the \w+ again\b|\b(?:who|did (?:i|anyone)) (?:told|tell|asked?) you to\b"),
    (2,
        r"^(?:but )?i (?:said|told you|meant|asked for|wanted|was talking about)\b|\bi (?:said|meant|wanted"
        r"|was talking about|asked for)\b.*\b(?:not|instead)\b|\b(?:was|were) the (?:task|request|question|idea|order)\b"
        r"|\bwas talking about\b|\bi wanted (?:them|it|that|this)\b"),
    (1.5,
        r"\byou(?:'ve| have)? (?:\w+ly )?(?:used|changed|removed|deleted|made|wrote|put|added|broke|forgot|missed|gave"
        r"|give|moved|set|took|picked)\b(?! to\b)"),
    (1.5, r"^actually\b.*\b(?:is|are|not)\b|\bis not what is happening\b|^sorry\b.*\bno\b|\bi'm afraid\b"),
    (1,
        r"\b(?:it|that|there|this) (?:should|has to|have to|was supposed to|needs to) (?:be|have|go|say)\b"
        r"|\bshould(?:'ve| have) been\b|\binstead\b|\balthough\b"),
)  # fmt: skip
CONTRASTS = re.compile(r"\b(?:not|never|n't|no|wrong|dead|only|left|instead|should be|should have|but)\b|n't\b", re.I)
FEELS = re.compile(
    r"\bi(?:'m| am)? (?:hope|wonder|guess|feel|sorry|glad|happy|afraid|tired|curious|bet)\b|\b(?:lol|haha\w*|sigh|phew)\b", re.I
)
PAST = re.compile(r"\b(?:was|were|had|did|got|went|came|made|took|said|[a-z]{3,}ed)\b", re.I)
VAGUE_OBJECT = re.compile(rf"\b{CHANGED} (?:it|this|that|them|those|these|all|some|everything|stuff)\b", re.I)
COMMANDS = re.compile(
    r"(?:please |now |then |and |just |continue |go on )*(?:split|merge|move|change|switch|replace|rename|remove|delete"
    r"|drop|convert|close|swap|bump|rotate|fix|solve|check|find|give|show|explain"
    r"|investigate|write|make|add|create|build|run|tell|look|read|continue|test|try|debug|update|implement|port|let)\b(?!\w)",
    re.I,
)
WHY = re.compile(r"\b(?:although|though|because|if|unless)\b.*", re.I | re.S)
ORDERS = re.compile(r"(?:please |just )?(?:use|take|keep|put|set|make|add|remove|don'?t|do not|never|always)\b", re.I)
DONE = re.compile(
    r"\b(?:ran|went|got|came) through\b|\bwent live\b|\b(?:is|are|'s) (?:now )?(?:signed|live|shipped|released|published"
    r"|merged|approved|paid|out(?= (?:on|in|now|since))"
    r"|with the customer)\b|\b(?:we|i|they) (?:\w+ )?(?:passed|shipped|released|launched|finished|signed|published"
    r"|deployed|merged|won|closed|completed)\b|^(?:shipped|released|launched|done|finished|deployed|signed)\b"
    r"|\bpassed the\b",
    re.I,
)
CAUSE = re.compile(
    r"\b(?:turn(?:s|ed) out|root cause (?:is|was|turned|:)|culprit|(?:was|were|is|came) down to|that'?s why|which is why"
    r"|the (?:reason|cause) (?:is|was)|caused by"
    r"|goes back to|stems? from)\b",
    re.I,
)
CURE = re.compile(
    r"\b(?:did the trick|(?:fixed|solved|cured|helped with) (?:it|that|the)|made it work|no more \w+.*\bsince\b)", re.I
)
FAILED = re.compile(
    r"\b(?:tried|restarted|reverted|cleared|had a go|gave|attempted|rebooted|reinstalled)\b.*\b(?:same (?:thing|error"
    r"|result|again)|gave up|given up|no (?:luck|effect|difference|change)"
    r"|nothing (?:changed|happened)|did(?:n't| not) (?:help|work|change)|still (?:the same|broken|fails))\b|\b(?:doesn't"
    r"|does not|didn't|did not) (?:do anything|change (?:a thing|anything)|help|make a difference)\b"
    r"|\bgave up\b",
    re.I,
)
ASKS_FOR = re.compile(
    r"\bi(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish|miss|expect)\b|\bwe could (?:use|do with)\b"
    r"|\bwould be (?:great|nice|good|cool)\b"
    r"|\bshould (?:also )?(?:have|be|carry|contain|show)\b|\bwhat i(?:'d| would)? (?:miss|love|like|want)\b|\bask(?:s"
    r"|ing)? for\b|\bgive me\b|\bi'?d like\b|\bneeds? (?!not\b)\w|\bshould\b"
    r"|\bwants? (?:a|an|some|\w+)\b|\bmust\b|\bremind me\b|\btomorrow we\b",
    re.I,
)
SETTING_UP = re.compile(r"^(?:(?:in|on|at|for)\b[^,]{2,30},\s*)?(?:please )?(?:never|always|don'?t|do not)\b", re.I)
