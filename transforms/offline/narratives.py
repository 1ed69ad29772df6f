"""A topic as a careful note: a title of a few words, one to three sentences on what was asked, done and what came of it."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from transforms.language import cues, entities
from transforms.language.dialogue_acts import Sentence
from transforms.language.sentences import content_words, one_line, sentences, shorten
from transforms.offline import claims
from transforms.offline.actions import Action, named_files, touched
from transforms.offline.current_values import Settled, assignments
from transforms.offline.exchanges import Exchange
from transforms.offline.tasks import imperative, task_of
from transforms.offline.user_facts import outcome_of
from transforms.offline.work_facts import stretches

_DANGLING = re.compile(
    r"[\s,;:–—-]+(?:and|or|but|then|so|to|the|a|an|of|for|with|in|on|at|by|that|which|is|as|it|you|we|i|my|your|our|its"
    r"|into|from|if|when|was|are|be|were|all|any|other|this|these|there|one|not|can|should|because|via)?$",
    re.I,
)
_DEICTIC = re.compile(r"\b(?:it|that|this|these|those|them|they)\b", re.I)
_READS = re.compile(r"(?:read|look|check|see|continue|wait|go on|open|say|write some|think)\b", re.I)
_ACT_WEIGHT: dict[str, float] = {
    "rule": 0.7, "decision": 0.6, "preference": 0.6, "request": 0.6, "correction": 0.5, "report": 0.5,
    "question": 0.35, "statement": 0.3, "agreement": 0.05, "chatter": 0.0,
}  # fmt: skip


ROOMY = 150
"""With less room the title stands for the request and the narrative says what came of it."""


CLEAR = 0.6
"""A sentence that names its topic less clearly gives way to the message of a commit."""


TITLE_WORDS = 8
TOLD = 60
"""An outcome of so many characters says what happened without the person's words."""


def title_of(exchanges: list[Exchange]) -> str:
    """At most eight words that name the subject: a clear task as an imperative, else a commit's subject, what was laid down,
    the files worked on, the question. A person's remark is no title.
    """
    asked = _leading(exchanges)
    task = task_of(asked) if asked and not asked.asks else ""
    if asked and task and _weight(asked) >= CLEAR and not _DEICTIC.search(task[:40]):
        return _title(task.removeprefix("Find out why: "))
    commits = [commit.detail for exchange in exchanges for _, commit in stretches(exchange)]
    if commits:
        return _title(commits[0])
    if asked and asked.norm in ("rule", "taste", "form", "choice", "move", "correction", "trouble"):
        return _title(asked.text)
    if files := list(dict.fromkeys(path for exchange in exchanges for path in exchange.files)):
        return f"Work on {named_files(files, 2)}"
    if asked and (task or asked.asks):
        return _title(task or asked.text)
    for exchange in exchanges:
        if text := claims.headline(exchange.closing.text if exchange.closing else "", 80):
            return _title(text)
    return _title(asked.text) if asked else "Conversation"


def narrative_of(exchanges: list[Exchange], owner: str, known: Settled, limit: int) -> tuple[str, tuple[int, ...]]:
    """What happened, within `limit` characters, and the entries that say so."""
    ordinals: list[int] = []
    parts: list[str] = []
    outcome, at = _outcome(exchanges, known)
    if asked := _leading(exchanges):
        is_titled = content_words(title_of(exchanges)) <= content_words(asked.text)
        is_quote = not imperative(one_line(asked.text)) and asked.norm is None and sum(map(len, outcome)) > TOLD
        parts += [request_of(asked, owner)] if (limit > ROOMY or not is_titled) and not is_quote else []
        ordinals += [exchange.user.ordinal for exchange in exchanges if exchange.user and asked in exchange.speech.sentences][:1]
    parts += outcome
    refusals = [later for one, later in itertools.pairwise(exchanges) if one.is_rejected and later.user]
    if refusals and refusals[0].user and asked not in refusals[0].speech.sentences:
        words = shorten(one_line(refusals[0].typed).replace('"', "'"), 80)
        parts.append(f'{owner} refused the first result ("{words}").')
        ordinals.append(refusals[0].user.ordinal)
    ordinals += at
    text = ""
    for part in parts:
        room = limit - len(text) - 1
        if room < min(40, len(part)):
            break
        text = f"{text} {_closed(shorten(part, room))}".strip()
    if not text and asked:
        text = shorten(request_of(asked, owner), limit)
    if not text:
        text, extra = _work_only(exchanges, limit)
        ordinals += extra
    return text, tuple(dict.fromkeys(ordinals)) or exchanges[0].ordinals[:1]


def _closed(text: str) -> str:
    """The text with quotation marks and brackets closed that a cut left open."""
    text += '"' if text.count('"') % 2 else ""
    return text + (")" if text.count("(") > text.count(")") else "")


def request_of(asked: Sentence, owner: str) -> str:
    """`User asked to port a.ts …` for an imperative, else the words themselves."""
    text = shorten(_short_paths(one_line(asked.text)), 170).rstrip(".!")
    bare = imperative(text)
    if bare and (len(content_words(bare)) > 2 or entities.count(bare)):
        return f"{owner} asked to {cues.EXPLETIVE.sub('', bare[:1].lower() + bare[1:])}."
    verb = (
        "asked"
        if asked.asks or asked.act == "request"
        else {
            "correction": "objected",
            "report": "reported",
            "decision": "decided",
            "rule": "laid down",
            "preference": "wants",
        }.get(asked.act, "said")
    )
    return f'{owner} {verb}: "{cues.FILLER.sub("", text).strip().replace(chr(34), chr(39)) or text}".'


def _short_paths(text: str) -> str:
    """The text with file names instead of paths, for lines that are read and not followed."""
    for path in entities.paths(text):
        if "/" in path.strip("/") and "." in entities.base_name(path):
            text = text.replace(f"@{path}", entities.base_name(path)).replace(path, entities.base_name(path))
    return text


def _leading(exchanges: list[Exchange]) -> Sentence | None:
    """The sentence that the topic is about: an early one that asks or decides, and whose words come back later."""
    best, best_score = None, 0.0
    for position, exchange in enumerate(exchanges[:5]):
        rest = content_words(
            " ".join(one.typed + " " + (one.closing.text if one.closing else "") for one in exchanges[position:])
        )
        seen = Counter(rest)
        for one in exchange.speech.kept:
            score = _weight(one) - 0.15 * min(position, 3) + 0.05 * min(len([w for w in content_words(one.text) if w in seen]), 6)
            score *= 0.4 if exchange.is_undone else 1.0
            if score > best_score + 1e-9:
                best, best_score = one, score
    return best


def _weight(one: Sentence) -> float:
    """How well a sentence names what a topic is about."""
    if len(one.text) <= 8 or (one.asks and cues.STATUS_CHECK.match(cues.FILLER.sub("", one.text))):
        return 0.05
    reads = 0.35 if _READS.match(imperative(one.text)) else 0.0
    return _ACT_WEIGHT[one.act] + 0.08 * min(entities.count(one.text), 3) + 0.03 * min(len(content_words(one.text)), 8) - reads


def _outcome(exchanges: list[Exchange], known: Settled) -> tuple[list[str], list[int]]:
    """The last result that stood; then commits or the files; then what failed last."""
    parts: list[str] = []
    ordinals: list[int] = []
    for exchange in sorted(exchanges, key=lambda one: (not one.files, -one.at)):  # what was changed before what was said
        text, at = outcome_of(exchange, known, 170, asks=exchange.speech.act == "question")
        if text and not (assignments(text) and exchange.files):  # a value may change again: it is a row, the work is told
            parts.append(text if text.endswith((".", "…", "!", "。", "！")) else f"{text}.")
            ordinals += at
            break
    actions = [action for exchange in exchanges for action in exchange.actions]
    told = " ".join(parts)
    commits = [commit for exchange in exchanges for _, commit in stretches(exchange) if commit.detail not in told]
    if commits:
        shown = "; ".join(f'"{shorten(commit.detail, 70)}"' for commit in commits[:2])
        more = f" and {len(commits) - 2} more" if len(commits) > 2 else ""
        parts.append(f"Committed {shown}{more}.")
        ordinals += [commit.ordinal for commit in commits[:2]]
    elif files := touched(actions):
        parts.append(f"Changed {named_files(files)}.")
        ordinals += [action.ordinal for action in actions if action.path in files and action.kind in ("create", "edit")][:2]
    if problem := _failed(actions):
        parts.append(f"The last `{problem.detail}` failed.")
        ordinals.append(problem.ordinal)
    return parts, ordinals


def _failed(actions: list[Action]) -> Action | None:
    checks = [action for action in actions if action.kind in ("check", "publish") and action.is_known]
    return checks[-1] if checks and not checks[-1].is_ok else None


def _work_only(exchanges: list[Exchange], limit: int) -> tuple[str, list[int]]:
    for exchange in exchanges:
        for entry in exchange.said:
            if text := claims.headline(entry.text, limit):
                return text, [entry.ordinal]
        if exchange.user and exchange.typed.strip():
            said = shorten(one_line(exchange.typed), limit - 12)
            return f'Said: "{said}".', [exchange.user.ordinal]
    return "Nothing was said or done beyond settings.", []


def _title(text: str, limit: int = 72) -> str:
    """The first clause, short, capitalised, without politeness and a full stop."""
    first = (sentences(one_line(text)) or [text])[0]
    first = cues.OPINION.sub("", cues.FILLER.sub("", cues.EXPLETIVE.sub("", first).strip())).strip() or first
    first = _short_paths(first)
    bare = imperative(first) or cues.FILLER.sub("", first).strip() or first
    bare = re.sub(r"\s*\([^()]*(?:\)|$)", "", bare) or bare
    if len(bare.split()) > TITLE_WORDS:
        clause = re.split(r"(?<=\w)[,;] | because | so that | instead of | which | – | - ", bare, maxsplit=1)[0]
        bare = " ".join((clause if len(clause.split()) >= 3 else bare).split()[:TITLE_WORDS])
    if len(bare) > limit:
        clause = re.split(r"(?<=\w)[,;] |: | because | so that | - ", bare, maxsplit=1)[0]
        is_side = re.match(r"(?:if|when|as|since|for|in|on|with|after|before)\b", clause, re.I)
        bare = clause if len(clause) >= 20 and not is_side else bare
    bare = shorten(bare, limit).rstrip("….!? ")
    while len(bare) > 24 and (cut := _DANGLING.sub("", bare)) != bare:
        bare = cut
    return bare[:1].upper() + bare[1:] if bare else "Conversation"
