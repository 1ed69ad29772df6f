"""Tells of a line, by its words and its kind, whether it would still be true, and worth knowing, next month."""

from __future__ import annotations

import re

from transforms.language.assertion_patterns import ORDER
from transforms.language.cue_phrases import CODE_SPAN
from transforms.memory.normalise_claim import LAYOUT_PREFIX, answers_question
from transforms.memory.passing_line import asks_by_order, is_passing, orders_work, tells_past
from transforms.memory.said_for_good import ABSOLUTE, GENERAL, forbids_twice
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import STANDING_KINDS
from transforms.words.order_verbs import ONE_OFF_VERBS

_ONE_OFF = compile_late(
    rf"^(?:{'|'.join(ONE_OFF_VERBS)}|let'?s|let us|wants? (?:to|you|a|an|the|me)\b|keep the"
    r"|we (?:need|should|want|could|can|have to|also|have)\b)\b",
    re.I,
)
CHOICE = compile_late(
    r"\b(?:instead of|rather than|replac(?:es|ed|ing)|over\b|because|so that|stays?|keeps?|lives? in|belongs? (?:in|to)"
    r"|runs? (?:on|in|as|from|at)|stored? in|uses?|is (?:the|a|an|kept|built|stored|never|always|only)|are (?:the|kept|built"
    r"|stored|never|always|only)|go(?:es)? (?:to|in|into)|migrat\w+|switch\w+|standardi[sz]e\w*|default)\b|→",
    re.I,
)
_OPERATIONS = compile_late(
    r"\b(?:re-?buil[dt]|builds?|built|dist|publish\w*|install\w*|uninstall\w*|version|terminal|environment|env|docker"
    r"|container|ports?|cache\w*|config\w*|permission\w*|sandbox|rate.?limit\w*|timeouts?|time zone|timezone|utc|deploy\w*"
    r"|migrat\w*|lock(?:s|ed|file)?|launchd|systemd|cron|network|proxy|certificate|tls|dns|registry|api (?:requires?"
    r"|returns?|rejects?|expects?)|encoding|memory|disk|race|deadlock|concurren\w*|order(?:ing)?|silent(?:ly)?|stale|worker"
    r"|queue|database|postgres\w*|nfd|nfc|unicode|normali[sz]\w*|line ends?|crlf|windows|macos|linux|autocommit"
    r"|transaction\w*|redis|sqlite|schema|index|ci\b|pipeline|hook|daemon|restart\w*|upstream|dependency|package"
    r"|node_modules|venv|path|webhook|signing|token|expir\w*|ttl|retry|retries)\b",
    re.I,
)
_BUG_TRIVIA = compile_late(
    r"\b(?:is now\b|signature (?:is|has|changed)|missing (?:\w+ )?import|unused|never used|typo|type annotation"
    r"|sed (?:command|didn)|the (?:sed|grep|regex) |syntax error|off by one|undefined variable|(?:doesn'?t|does not|hasn'?t"
    r"|has not) (?:implement|export|exist)\w*|lint|indentation)\b",
    re.I,
)
_LIMIT = compile_late(r"\b(?:only|not|no|without|unless|because)\b|[(]", re.I)
"""What limits an order, or gives its reason: "Keep rusqlite (sqlx builds for two minutes)"."""


def is_vouched_for(line: str, source: str, kind: str) -> bool:
    """Whether a line lasts by its place and its grammar: the answer to a question, or a sentence of a summary.

    What a summary lists as preferences and constraints is what the owner holds to, in whatever language; in the past it tells
    what happened, and an order without a limit or a reason ("Keep …", "Rename …") is the task's. Its decisions are written in
    the middle of the work: only those whose head states a fact last.
    """
    is_agreed = source == "summary" and kind == "convention"
    if is_passing(CODE_SPAN.sub("`x`", line), is_worded=is_agreed):
        return False
    if source == "answer":
        return answers_question(line) or not _ONE_OFF.match(line)
    if is_agreed:
        is_order = bool(_ONE_OFF.match(line) or ORDER.match(line))
        is_limited = any(sign.search(line) for sign in (ABSOLUTE, GENERAL, _LIMIT))
        return not tells_past(line) and (is_limited or not is_order)
    head = line.replace("**", "").partition(": ")[0].partition(" - ")[0].partition(" — ")[0]
    return source == "summary" and not tells_past(line) and not {"is", "are"}.isdisjoint(head.split())


def is_durable(line: str, kind: str, *, is_quote: bool, is_lasting: bool) -> bool:
    """Whether a line would still be true, and worth knowing, next month. `is_lasting`: repeated, or said to last."""
    is_absolute = bool(ABSOLUTE.search(line))
    if is_passing(line) or (is_quote and not is_absolute and (asks_by_order(line) or orders_work(line))):
        return False
    if _ONE_OFF.match(line) and not (is_absolute or GENERAL.search(line)):
        return False
    if kind in ("root_cause", "fix"):
        return is_lasting or (kind == "root_cause" and bool(_OPERATIONS.search(line)) and not _BUG_TRIVIA.search(line))
    if kind in STANDING_KINDS:
        is_general = GENERAL.search(line) or (kind == "rule" and forbids_twice(line))
        return is_absolute or bool(is_general) or not is_quote or is_lasting
    if kind == "state_change":
        return bool(_OPERATIONS.search(line) or CHOICE.search(line)) and not re.match(r"\*\*In [\w.-]+\*\* —", line)
    if is_quote:  # decisions and corrections in a person's own words: most are steps of a task
        is_reasoned = kind == "decision" and bool(re.search(r"\b(?:because|so that)\b", line))
        return line.startswith(LAYOUT_PREFIX) or is_absolute or bool(GENERAL.search(line)) or is_reasoned or kind == "convention"
    return kind == "convention" or bool(CHOICE.search(line) or is_absolute)
