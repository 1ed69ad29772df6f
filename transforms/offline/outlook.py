"""How a window ends: what was being worked on, and how an agent would go on."""

from __future__ import annotations

from transforms.offline import claims, cues
from transforms.offline.actions import named_files
from transforms.offline.exchanges import Exchange
from transforms.offline.prose import one_line, sentences, shorten
from transforms.offline.speech import Speech


def current_task(exchanges: list[Exchange]) -> str:
    """The last thing that was asked for, with the files it touched; empty when nobody asked for anything."""
    for exchange in reversed(exchanges):
        if asked := _asked(exchange.speech):
            files = named_files(list(exchange.files)) if exchange.files else ""
            return shorten(f"{asked}{f' ({files})' if files else ''}", 240)
    return ""


def suggested_response(exchanges: list[Exchange], owner: str) -> str:
    """What comes next: an open offer of the agent, unanswered words, a failure to look at; else that the work was finished."""
    if not exchanges:
        return ""
    last = exchanges[-1]
    if last.user and last.closing is None and last.actions and (asked := _asked(last.speech)):
        return shorten(f'Go on with: "{asked}"', 240)
    if last.user and last.closing is None and last.speech.kept:
        return shorten(f'Answer {owner}: "{one_line(last.typed)}"', 240)
    closing = last.closing.text if last.closing else ""
    offers = [one for one in sentences(closing) if cues.OFFER.match(one) or one.endswith("?")]
    if offers:
        return shorten(f'Waiting for an answer to: "{one_line(offers[-1])}"', 240)
    failed = [action for action in last.actions if action.kind in ("check", "publish", "commit")]
    if failed and not failed[-1].is_ok:
        return shorten(f"`{failed[-1].detail}` failed last; look at its output before going on.", 240)
    done = claims.headline(closing, 160)
    return f"Nothing is open: {done}" if done else "Session completed normally."


def _asked(speech: Speech) -> str:
    kept = [
        one for one in speech.kept if one.act in ("request", "decision", "correction", "preference", "rule", "report", "question")
    ]
    return cues.FILLER.sub("", one_line(" ".join(one.text for one in kept))).strip()
