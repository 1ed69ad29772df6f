"""What says that words are meant for good, in four classes of English that share no word; patterns are made of them."""

from __future__ import annotations

SPANS = r"from (?:now|today|here) on|in (?:the )?future|for (?:the|all) future"
"""For how long something holds: from now until it is said otherwise."""
FREQUENCIES = (
    r"under no circumstances|on no account|no matter (?:what|how)|whatever (?:happens|you do)|at all times|only ever"
    r"|(?:don'?t|do not) ever|every (?:single )?time(?! (?:i|it|he|she|they|the)\b)"
)
"""How often it holds, without an exception; "never" and "always" have each their own surroundings."""
OBLIGATIONS = r"not allowed|forbidden|prohibited|banned|mandatory|compulsory|non[- ]?negotiable|off[- ]limits|required to|may not"
"""How binding it is, in words that nobody uses of a wish. "Out of bounds" and "no exceptions" tell of programs more often."""
NAMES_OF_RULES = r"(?:ground|hard|house|golden) rules?|invariant"
"""What such words are called, which no line of memory begins with."""
