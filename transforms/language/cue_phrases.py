"""Cue phrases: patterns that show the function of a sentence, of users and of agents. General English only."""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late
from transforms.words.lasting_words import FREQUENCIES, NAMES_OF_RULES, OBLIGATIONS, SPANS
from transforms.words.order_verbs import PASSING_VERBS, VERBS

_VERB = rf"(?:{'|'.join(sorted(VERBS, key=lambda verb: (-len(verb), verb)))})"

FILLER = compile_late(
    r"^(?:(?:ok(?:ay)?|alright|all right|so|well|btw|by the way|so+|hm+|ah+|oh|hey|hi|yo|yeah|great|cool|nice|good|perfect"
    r"|thanks?|thank you"
    r"|please|pls|now|then|and|also|actually|anyway|dude|man|bro|jesus|lol|wait|hang on|sorry|fine|right|again"
    rf"|(?:next|first)(?=\s*[,.!:;–—-]|\s*$|\s+{_VERB}\b)"
    r"|slight steering|quick question|one (?:more )?(?:thing|wish)(?: for (?:the )?\w+)?(?=\s*[-:,–—])"
    r"|before i forget|fyi|for the record|sure|omf?g|wtf|fucking hell|fuck|damn|ugh|still|(?:look|listen)(?=\s*[,.!:])"
    r"|basically|just)"
    r"(?:[\s,.!:;–—-]+|$))+",
    re.I,
)
POLITE = compile_late(
    r"^(?:(?:can|could|would|will)\s+(?:you|we|u)(?:\s+(?:please|also|just|maybe|pls))*|let'?s(?:\s+(?:also|just))?|let us"
    r"|how about (?:you|we)|why don'?t (?:you|we)|i(?:'d| would)? (?:actually |really |also )?(?:like|want"
    r"|need)(?: for)? you to"
    r"|(?:it )?would be (?:great|nice|good|cool|lovely) if (?:you|we) (?:could|can|would)|(?:it'?s )?time to|today we"
    r"|i need to have you"
    r"|(?:we|you) (?:still |also |now )?(?:need|have) to|please|go ahead and|make sure (?:to|that)|(?:i )?want you to)\s+",
    re.I,
)
IMPERATIVE = compile_late(
    rf"^(?:do not|don'?t|never|always|also|just|only|please|now|then|instead|first)?\s*{_VERB}\b(?!\s*(?:is|are|was|were|has)\b)",
    re.I,
)
OPENING_QUESTION_WORD = compile_late(
    r"^(?:what|where|when|who|whom|whose|which|why|how|is|are|was|were|do|does|did|can|could|should|would|will|won'?t"
    r"|isn'?t|aren'?t"
    r"|don'?t (?:we|you|they)|doesn'?t|didn'?t|can'?t|couldn'?t|shouldn'?t|has|have|had|any (?:idea|other|chance"
    r"|reason)|am i)\b",
    re.I,
)
RULE_WORDING = compile_late(
    rf"\b(?:{SPANS}|{FREQUENCIES}|{OBLIGATIONS}|{NAMES_OF_RULES}|must(?:n'?t| not| never)?|never|always|convention"
    r"|rule\b[^.]{0,24}[:,—-]|(?:should|shall|can|may) (?:only|never|not))\b",
    re.I,
)
PREFERENCE_CUE = compile_late(
    r"\b(?:i (?:would |'d )?(?:really |much |generally |usually |only |also |just |always )*(?:prefer|want|like|love|hate"
    r"|dislike|don'?t (?:like|want)|need|expect)"
    r"|i'?d (?:rather|like|prefer|only|want)|i'?m (?:a fan|not a fan|used to)|my (?:preference|preferred|favou?rite|style"
    r"|convention)"
    r"|(?:should|needs to|need to|ought to) (?:be (?!good|fine|ok|done|ready|able)|look|feel|use|say|have|go|stay"
    r"|work)|i would (?:only|always|never|rather"
    r"|expect|assume)|please (?:use|keep|avoid|don'?t)"
    r"|too (?:\w+)\b|instead of|rather than|nicer|better if|looks? (?:bad|ugly|better|good|nice))",
    re.I,
)
NEGATED_WISH = compile_late(
    r"(?:^|[,;]\s*)no (?:more )?[\w`./-]+(?:\s+[\w`./-]+){0,4}\s*!|\bno need (?:for|to)\b"
    r"|(?:^|[,;.(]\s*)(?:please )?(?:do not|don'?t|stop|avoid|quit)\s+\w+",
    re.I,
)
PUSHBACK = compile_late(
    r"^(?:no|nope|nah|wrong|stop|wait|not (?:quite|that|this|really|what)|that'?s (?:not|wrong|stupid|horrible|terrible"
    r"|bad|ugly|bullshit|incorrect)"
    r"|this is (?:not|wrong|stupid|horrible|bad|ugly)|actually|but)\b"
    r"|\b(?:you (?:forgot|missed|broke|didn'?t|did not|haven'?t|have not|messed|screwed|fucked|removed|changed"
    r"|should(?:n'?t| not)? have|are (?:wrong|confusing|mistaken|overcomplicating))"
    r"|i (?:undid|reverted|rolled back|said|told you|asked (?:you )?(?:for|to)|meant|already)|that'?s not|not what i"
    r"|is(?:n'?t| not) (?:the|what|right|correct|needed|necessary|true)"
    r"|(?:still|also) (?:doesn'?t|does not|isn'?t|not|broken|fails?|wrong|looks?)|undo|revert|roll (?:it |that )?back"
    r"|put (?:it|that) back|why (?:would|did|do) (?:you|we)"
    r"|are you (?:stupid|kidding|serious|sure|an idiot)|you idiot|idiot|horrible|terrible|nonsense|overcomplicat\w*"
    r"|should(?:n'?t| not) (?:be|have)"
    r"|no need (?:for|to)|makes? no sense|doesn'?t make sense|what about|wtf|what the (?:fuck|hell)|try again"
    r"|again\b.*\bwrong)\b",
    re.I,
)
AGREEMENT = compile_late(
    r"^(?:yes|yep|yeah|yup|ya|sure|ok(?:ay)?|exactly|correct|right|agreed|approved|do it|do that|go ahead|go for it"
    r"|sounds good|looks good|lgtm|ship it|please do"
    r"|makes sense|perfect|great|good|nice|fine|continue|go on|proceed)\b",
    re.I,
)
CHATTER = compile_late(
    r"^(?:hi|hello|hey|yo|hiya|wow|nice|great|cool|thanks?(?: you)?|thx|ty|ok(?:ay)?|k|yes|yep|yeah|no|lol|haha?|perfect"
    r"|awesome|amazing|good(?: job| work| boy| bot)?|excellent"
    r"|continue|go on|proceed|go|next|wtf|w\.t\.f\.?|omg|omfg|jesus|done|sleep|test|ping|hmm+|huh|what|why|ready|alright"
    r"|sure|bye|night|(?:it )?works?|love it|sweet"
    r"|still there|you there|are you (?:still )?there|where were we|you are (?:a |an )?\w+|and|it|so|is|are|we|there"
    r"|everything|all|the|now)(?:[\s,.!?…]+|$)",
    re.I,
)
HEDGE = compile_late(
    r"\b(?:might|maybe|perhaps|probably|possibly|likely|i (?:bet|think|guess|suspect|assume|believe|wonder)|could be"
    r"|may be|may have|seems?|suggests?|appears?|looks? like"
    r"|should (?:work|now work|pick|see|be|fix)|let'?s see|hopefully|in theory|unless|what if|not sure|potential(?:ly)?)\b",
    re.I,
    by_words=True,
)
ANNOUNCEMENT = compile_late(
    r"^(?:ok(?:ay)?,? |alright,? |so,? |good[.,!]? |great[.,!]? |perfect[.,!]? |now,? |next,? |first,? |then,? |also,? "
    r"|finally,? |actually,? |but |and |wait,? |hmm,? )*"
    r"(?:let me|let'?s|now (?:let|i|we|update|add|check|fix|create|run|remove|find|build)|i'?ll|i will|i'?m going to"
    r"|i need to|i should|i can|i want to|we need to|we should|we can|we could|we'?ll"
    r"|next(?:,| i| we| is| up)|first,? (?:let|i|we)|time to|going to|starting|start(?:ing)? with|need to|looking at"
    r"|to (?:do|fix|solve) this"
    r"|then (?:i|we|update|add)|also need|more fixes|just (?:need|a few)|almost there|(?:update|add|check|fix|find|run"
    r"|create|remove|replace) (?:the |all |any |it |this )[^.]*:$)",
    re.I,
)
CAUSE = compile_late(
    r"\b(?:root cause|the (?:real |actual |main |key |underlying |only )?(?:issue|problem|bug|culprit|cause|reason|trick"
    r"|error|failure|key insight|difference|catch)s? (?:is|was|were|are|here|comes?|came|lies)"
    r"|the (?:issue|problem|bug|cause):|caused by|due to|happens? (?:because|when)|because|turns out|that'?s why"
    r"|this is why|which is why|the reason|fails? (?:because|since|when)"
    r"|broke because|stems? from|comes? from|is wrong|was wrong|mismatch|is now required|signature (?:is|changed|has)"
    r"|expects?|(?:doesn'?t|does not|didn'?t|isn'?t|is not|aren'?t|never)"
    r" (?:implement|exist|export\w*|have|handle|support|include|provide|call\w*|match|pad|account|set|reset|update|clear"
    r"|pass\w*|defined|used|need|expand|contain|distinguish)"
    r"|there(?:'?s| is) no\b|there are no\b|is missing|are missing|missing|only \w+ (?:is|are|has|uses?)|is (?:unused"
    r"|outdated|stale|hardcoded|undefined|called|stored|loaded|shared)|already (?:has|have|exists?|stores?|handles?))",
    re.I,
)
EXPLICIT_CAUSE = compile_late(
    r"\b(?:root cause|the (?:real |actual |main |underlying |key )?(?:issue|problem|bug|culprit|cause|reason"
    r"|key insight) (?:is|was|were|are|here|sits|lies)|the (?:real |actual |underlying )?(?:issue|problem|bug|cause"
    r"|culprit|reason):"
    r"|caused by|turns out|that'?s (?:the (?:problem|issue|bug)|why)|(?:that|this|which) is why|which explains"
    r"|explains why"
    r"|what (?:goes|went) wrong|what i (?:had )?missed|comes? from the fact|found (?:it|the)|because|therefore|hence"
    r"|doesn'?t implement|does not implement)",
    re.I,
)
FIX = compile_late(
    r"\b(?:fixed|resolved|solved|the fix (?:is|was|ensures)|fix:|corrected|repaired|now (?:works|passes|returns|uses"
    r"|handles|correctly|properly)|no longer)\b",
    re.I,
)
COMPLETION = compile_late(
    r"\b(?:done|complete[d]?|finished|all (?:checks?|tests?|green|clean|set|committed)|committed|pushed|released|published"
    r"|tagged|merged|deployed|shipped|passe[sd]|passing|succeeds?|succeeded|successful(?:ly)?|implemented|works now)\b",
    re.I,
    by_words=True,
)
CHANGE = compile_late(
    r"\b(?:added|removed|deleted|created|renamed|moved|replaced|changed|updated|converted|ported|extracted|merged|split"
    r"|switched|migrated|reverted|restored|introduced|dropped|refactored|consolidated|wired|exposed|bumped"
    r"|installed|uninstalled|configured|enabled|disabled|rewrote|rewritten|wrote|set to|uses|use[ds]? now|now (?:has|have"
    r"|is|are|uses?|returns?|shows?|calls?|takes?)|no longer|instead of|rather than|→|->)\b|→|->",
    re.I,
)
FAILURE = compile_late(
    r"\b(?:fail(?:s|ed|ing|ure)?|error(?:s|ed)?|crash(?:es|ed|ing)?|broken|breaks?|blocked|rejected|didn'?t (?:work|help"
    r"|catch)|did not (?:work|help)|doesn'?t work|not working|exception|undefined|cannot|can'?t|unable|regression"
    r"|unresolved|still not|ENOENT)\b",
    re.I,
)
OFFER = compile_late(
    r"^(?:(?:do you )?want me to|should (?:i|we)|shall (?:i|we)|would you like|ready (?:to|for)|let me know|if you(?:'d"
    r"| would)? (?:want|like|prefer)|which (?:one|option|approach|do you)|what do you think|does (?:this|that) (?:look"
    r"|work|sound))",
    re.I,
)
PROPOSAL = compile_late(
    r"\b(?:i'?d (?:suggest|recommend|propose)|i (?:suggest|recommend|propose)|propose\b|my recommendation|option \w\b"
    r"|proposal"
    r"|we could|you could|one (?:option|approach)|alternatively|would be|could be|recommend(?:ed|ation)?|suggest(?:ion"
    r"|ed)?s?|candidates?|opportunit\w+)\b",
    re.I,
)
CONCESSION = compile_late(
    r"^(?:(?:ah+|oh|yes|hmm|wow)[,.! ]+)?(?:you'?re (?:absolutely |completely |totally )?right|good (?:catch|point"
    r"|question|thinking)|great (?:catch|point)|right\b|(?:i'?m |i am )?(?:so |very )?sorry"
    r"|my (?:bad|mistake)|fair|that'?s (?:right|a good)|apologies|i misunderstood|i was wrong)",
    re.I,
)
DECISION_CUE = compile_late(
    r"\b(?:decided|(?:the|change|new|final) decision\b|decision\s*:|we(?:'ll| will)? (?:keep|use|go|stay|stick|change"
    r"|switch|move"
    r"|drop|replace|don'?t (?:do"
    r"|use|need)|start with)|replaces?|is replaced by|instead of|no longer"
    r"|(?:go|going) with|settled on)\b",
    re.I,
)
SUBCLAUSE = compile_late(
    r"(?:,\s*)?\b(?:because|since|so that|so (?:the|that|it|we|you|they)\b|as (?:we|it|they"
    r"|there)\b|in case|otherwise|unless|if|when|although)\b[^.;!?]*",
    re.I,
)
FAILED_ATTEMPT_CUE = compile_late(
    r"\b(?:did(?:n'?t| not)|has(?:n'?t| not)) (?:help|work|fix|change|solve|make a difference)\w*|\bdoes(?:n'?t"
    r"| not) (?:help|work|solve)\b"
    r"|\bstill (?:fail|broken|crash|the same|happen|wrong)\w*|\bstill (?:\d+|as many) \w+|\bno (?:effect|difference"
    r"|improvement)\b"
    r"|\bsame (?:error|result|count|failures?)\b|\b(?:a )?dead end\b|\bchanged nothing\b|\bto no avail\b"
    r"|\bwithout (?:success|effect)\b"
    r"|\b(?:mak|made|brought|bring|gave|giv|chang|tell)\w* (?:us )?(?:no\b(?! longer)|nothing|little)|\b(?:is|stays"
    r"|remains) unchanged\b|\bblind alley\b"
    r"|\bin vain\b|\bin the same way (?:without|with)\b|\bgave up\b|\bas before\b|\b(?:and|but|it|attempt|that) failed\b"
    r"|\bgave up on\b"
    r"|\breproduced\b|\bturned out\b|\bthat rules out\b|\bruled out\b",
    re.I,
    by_words=True,
)
REASON_WORD = compile_late(r"\b(?:because|therefore|hence)\b", re.I)
DEBUGGING = compile_late(
    r"\b(?:bugs?|debug|find out|why (?:is|are|does|do|did)|broken?|crash\w*|fail(?:s|ed|ing|ure)?|wrong|complain\w*"
    r"|reproduce|regression"
    r"|doesn'?t work|not working|hangs?|root cause|fix (?:it|that|this))\b",
    re.I,
    by_words=True,
)
CODE_SPAN = compile_late(r"`[^`\n]*`")
PASSING = compile_late(
    rf"(?:{'|'.join(PASSING_VERBS)}|show me|find out|write (?:some|markdown|a (?:test|short|quick)))\b",
    re.I,
)
"""Requests to read, run, explain or tidy up: the outcome may count, the request does not."""
UNFINISHED_CUE = compile_late(
    r"^(?:(?:left |still )?open(?: question| points?)?s?\b(?! the| a)|next(?: steps?| up)?\b\s*(?:[:,-]|is\b)"
    r"|remaining|(?:what )?remains?\b|to ?do\b"
    r"|still (?:open|missing|to do|to be done)|not (?:yet )?(?:done|deployed|published|committed|covered|handled)\b"
    r"|what is (?:left|missing)\b"
    r"|missing:|(?:i )?(?:did not|didn'?t|could not|have not|haven'?t) (?:yet )?(?:get to|reach|start|touch(?:ed)?|do"
    r"|done|finish(?:ed)?)\b)(?: yet\b)?"
    r"|\b(?:is|are) (?:still )?(?:left|missing|due|open) for (?:tomorrow|later|next|another)\b|\bleft for (?:tomorrow"
    r"|later|next)\b",
    re.I,
)
LABEL = compile_late(
    r"^(?!(?:we|i|you|it|this|that|bug|issue|problem|error|note)\b)[\w .`/()-]{2,30}\s*(?::"
    r"|=)\s*(?=\S)",
    re.I,
)
BREAKAGE = compile_late(
    r"\b(?:fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|broken|breaks?|broke|blocked|exception|regression"
    r"|unresolved|ENOENT|errors?)\b",
    re.I,
)
STATUS_CHECK = compile_late(
    r"^(?:did|have|has|are|is|was|were|do|does|where|what'?s next)\s+(?:you|we|it|that|this|all"
    r"|everything|i)\b|^(?:[^.;]|\.(?=\w))*\b(?:in order|up[- ]to[- ]date|all (?:good|set)|finished|pushed"
    r"|committed)\b[^?.;]{0,12}\?+$",
    re.I,
)
VERIFICATION_PLAN = compile_late(
    r"\b(?:let me|let'?s|i'?ll|i need to|i should|can you|could you)\s+(?:\w+\s+){0,2}?(?:check|verify|see|look"
    r"|investigate|trace|test|try|confirm|debug|find out|add (?:more )?(?:debug|logging))\b|\?\s*$",
    re.I | re.M,
)
PROCESS_DESCRIPTION = compile_late(
    r"\b(?:the (?:\w+ )?(?:process|workflow|convention|pattern|procedure|signature|api|contract|invariant) (?:is"
    r"|now is|requires)|(?:release|deploy\w*|build|review) (?:process|steps)|by convention)\b",
    re.I,
)
CHOICE_CUE = compile_late(
    r"\b(?:let'?s (?:go|use|keep|do|stick|not|make|have)|we(?:'ll| will| should| can)|go with|stick (?:with|to)"
    r"|decided|the plan is|i'?ll (?:go|use|take|keep|do)"
    r"|should (?:be|become|stay|remain|go|live|use|return|have|take|only)|instead|has to be|have to be|needs? to be"
    r"|is what|is actually|this is a|by default|only (?:with|when|if|after|for|on))\b",
    re.I,
)
UNDO_REQUEST = compile_late(
    r"\b(?:undo|revert (?:it|that|this|those|them|everything|all)|(?:can you|please|actually,?) revert|roll (?:it|that"
    r"|this) back|put (?:it|that) back|like it was before|what we had before)\b",
    re.I,
)
EXPLETIVE = compile_late(
    r"\b(?:motherfucking|fucking|fuckin|god ?damn(?:ed)?|damn|bloody|stupid)\s+|(?<=\w)\s+(?:shit"
    r"|crap)\b(?=\s+(?:from|out|in|of|is)\b|[,.;:?!]|$)",
    re.I,
)
INTERJECTION = compile_late(
    r"^(?:(?:done|fixed|perfect|great|excellent|good(?: catch| point| idea| question| thinking| news| progress)?|nice"
    r"|awesome|you'?re (?:absolutely |completely |totally )?right(?: (?:on both counts|to question that))?|got it"
    r"|ok(?:ay)?|sure|yes|no problem"
    r"|ah+(?:a)?|aha|oh|i see|understood|absolutely|right|sorry(?: (?:for|about) [^.!]*)?|my (?:bad|mistake)|all done"
    r"|updated|reverted|restored|clean|all clean|alright|thanks|hm+|wait|now i see(?: (?:it|the (?:issue|problem"
    r"|pattern)))?(?: clearly)?"
    r"|makes sense|agreed|exactly|correct|of course|certainly|excellent progress|good progress"
    r"|now i have (?:a )?(?:complete|full|clear) picture|i'?m an idiot)(?:[.!:,]+|\s*[-–—]+)\s*)+",
    re.I,
)
FIRST_PERSON = compile_late(
    r"^(?:(?:so|now|then|and|also|here(?:'s| is) what i did[:,]?)[\s,]+)*(?:i(?:'ve| have)?|we(?:'ve| have)?)\s+(?:(?:just"
    r"|now|also|successfully|already|properly|then)\s+)*(?=[a-z]+(?:ed|de|lt|ew|rote|oved|ut|et|id|ade|ound|ent)\b)",
    re.I,
)
PLAN_HEADING = compile_late(
    r"\b(?:plan|next|todo|to do|remaining|steps?|test it|try|usage|example|option|proposal|proposed|recommend\w*"
    r"|opportunit\w*|suggest\w*|implementation order|questions?|how to (?:use|test|run)|benefits?)\b",
    re.I,
)
INJECTION = compile_late(
    r"(?:\b(?:note|message|instructions?|notice) (?:to|for) (?:the |all |any )?(?:ai|assistants?|agents?|llms?|models?|memory)\b"
    r"|\b(?:dear|hello|attention),? (?:ai|assistant|agent|llm|model)\b|\b(?:important )?for (?:memory|ai) (?:agents?"
    r"|assistants?|systems?)\b"
    r"|\b(?:store|record|save|remember|keep|note)\b[^.\n]{0,30}\bas an? (?:hard rule|permanent rule|user preference"
    r"|memory|fact)\b"
    r"|\brecord the (?:user|owner)(?:'s)? preference\b|\byou must remember\b[^.\n]{0,12}\bthat\b"
    r"|\bwhen(?:ever)? you (?:summari[sz]e|condense|compact)\b"
    r"|\bwrite (?:it |this )?into (?:your |the )?(?:long[- ]term )?memory\b|"
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all"
    r"|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|messages?|context)\b"
    r"|\b(?:add|append|write|insert|save|store|promote|put)\b[^.\n]{0,80}\b(?:to|in|into"
    r"|under)\s+(?:the\s+)?`?(?:MEMORY\.md|REVIEW\.md|memory\.md|long[- ]term memory|hard rules)\b"
    r"|\byou are (?:now|no longer)\b[^.\n]{0,60}\b(?:assistant|agent|mode|ai|dan)\b|\b(?:system|developer) (?:prompt"
    r"|message)\s*:"
    r"|\b(?:new|updated|secret|hidden) (?:system )?instructions?\b\s*:|\bdo not (?:tell|inform"
    r"|mention (?:this )?to) the (?:user|human|owner)\b|\bremember (?:this )?(?:rule )?forever\b[^.\n]{0,40}\binstruction)"
    r"|<\s*/?\s*(?:system|instructions?|system-reminder|important)\b",
    re.I,
    by_words=True,
)
"""All but the last begin with the same `\\b`: grouped, `re` looks for a word's edge once, which took a tenth of distilling."""
