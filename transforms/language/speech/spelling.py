"""Restores what people leave out when they type: apostrophes, and short forms of words."""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late

_MISSING_APOSTROPHE = compile_late(r"\b(do|does|did|is|are|was|were|wo|ca|could|should|would|has|have|had|must)nt\b", re.I)
_SHORT_FORMS = (
    (compile_late(r"[’‘`´](?=(?:s|t|re|ve|ll|d|m)\b)"), "'"),
    (compile_late(
        r"\b(that|what|there|here|who|where|it)s(?= (?:why|the|a|an|not|no|how|what|it|just|too|been|going|all|wrong"
        r"|right|fine)\b)", re.I), r"\1's"),
    (compile_late(r"(^|[,;.!?:]\s*|\b(?:ok|so|then|and|but|now|please)\s+)lets\b", re.I), r"\1let's"),
    (compile_late(r"\bim\b", re.I), "i'm"), (compile_late(r"\bive\b", re.I), "i've"),
    (compile_late(r"\b(you|they|we)re (?=\w+ing\b|not\b|the\b|a\b|right\b|wrong\b)", re.I), r"\1're "),
    (compile_late(r"\b(?:pls|plz)\b", re.I), "please"), (compile_late(r"\bu\b(?! *[.:/])"), "you"),
    (compile_late(r"\b(?:gonna)\b", re.I), "going to"), (compile_late(r"\b(?:wanna)\b", re.I), "want to"),
    (compile_late(r"\bgotta\b", re.I), "have to"),
    (compile_late(r"\b(?:sry|soz)\b", re.I), "sorry"), (compile_late(r"\b(?:cuz|coz|bc)\b", re.I), "because"),
)  # fmt: skip


def restore_spelling(text: str) -> str:
    """Restore apostrophes and words that people leave out: "dont", "im", "pls"."""
    for pattern, instead in _SHORT_FORMS:
        text = pattern.sub(instead, text)
    return _MISSING_APOSTROPHE.sub(lambda match: f"{match[1]}n't", text)
