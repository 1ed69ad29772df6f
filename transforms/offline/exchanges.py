"""A conversation as exchanges: what a person typed, and everything the agent said and did until the next typed words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import spans, typed_text
from transforms.language import cues
from transforms.language.dialogue_acts import Speech, speech_of
from transforms.language.sentences import one_line
from transforms.offline.actions import Action, actions_of, touched


@dataclass(frozen=True)
class Exchange:
    """`user` is null for what an agent does before anyone typed; `before` is the agent's last words before it.

    `is_rejected`: the next words push back on the outcome; `is_undone`: they take it back; `asked_before`: the words
    before; `at`: its index; `is_first`: nothing was said before it in the session; `is_direct`: the agent spoke since
    the words before; `is_final`: nothing follows in the window.
    """

    user: Entry | None
    typed: str
    pasted: str
    replies: tuple[Entry, ...]
    before: Entry | None
    is_rejected: bool = False
    is_undone: bool = False
    asked_before: str = ""
    at: int = 0
    is_first: bool = False
    is_direct: bool = True
    is_final: bool = False
    follows_hunt: bool = False

    @cached_property
    def speech(self) -> Speech:
        """What the person did with these words. What the agent grants at once ("You're right, …") was a correction."""
        speech = speech_of(self.typed, "" if self.is_first else one_line(self.before.text) if self.before else "(earlier words)")
        if self.acceptance and self.before and self.files:
            if speech.act == "statement" and not cues.HEDGE.search(self.typed):
                return replace(speech, act="decision")
            if speech.act in ("question", "report"):
                return replace(speech, act="correction")
        return speech

    @cached_property
    def said(self) -> tuple[Entry, ...]:
        """The agent's messages with words, in order; none that were aborted or ended in an error."""
        return tuple(entry for entry in self.replies if entry.role == "assistant" and entry.text.strip() and _is_whole(entry))

    @cached_property
    def closing(self) -> Entry | None:
        """The agent's last words, when it stopped by itself after them (no tool call)."""
        last = self.said[-1] if self.said else None
        return last if last and not last.tool_calls else None

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What the agent did, in order."""
        return tuple(actions_of(list(self.replies)))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files it created or edited."""
        return tuple(touched(list(self.actions)))

    @cached_property
    def acceptance(self) -> Entry | None:
        """The agent's first words, when they grant that the person was right."""
        first = self.said[0] if self.said else None
        return first if first and cues.GRANTS.match(first.text.strip()) else None

    @cached_property
    def is_hunt(self) -> bool:
        """Whether it looks for what is wrong: somebody reported trouble or asked why, here or in the words before."""
        words = self.speech.kept or ()
        asked = " ".join(one.text for one in words)
        if any(one.norm == "trouble" for one in words) or cues.HUNTS.search(f"{asked} {self.asked_before}"):
            return True
        return self.follows_hunt and len(asked) < 60  # "go on looking"

    @cached_property
    def has_commands(self) -> bool:
        """Whether it ran a command that does more than look around."""
        commands = (str(call.arguments.get("command") or "") for entry in self.replies for call in entry.tool_calls)
        return any(command and not _LOOKS.match(command) for command in commands)

    @property
    def ordinals(self) -> tuple[int, int]:
        """First and last position."""
        members = [*([self.user] if self.user else []), *self.replies]
        return members[0].ordinal, members[-1].ordinal


_LOOKS = re.compile(
    r"\s*(?:cd [^&;|]+&&\s*)?(?:ls|cat|head|tail|less|rg|grep|find|fd|wc|sed -n|awk|tree|stat|file|which|echo|pwd|env"
    r"|printenv|ps|du|df"
    r"|git (?:log|status|diff|show|branch|blame|grep))\b"
)


def _is_whole(entry: Entry) -> bool:
    return not entry.is_error and entry.stop_reason not in ("aborted", "error")


_BEGINS = ("typed", "pasted", "skill", "file", "command")


def exchanges_of(entries: list[Entry]) -> list[Exchange]:
    """The entries as exchanges, in order. Entries that carry no words or work (model changes, summaries) belong to none."""
    found: list[Exchange] = []
    user: Entry | None = None
    replies: list[Entry] = []
    before: Entry | None = None
    is_direct = True

    def close() -> None:
        nonlocal before, is_direct
        if user or replies:
            one = _exchange(user, replies, before, is_first=not found and entries[0].ordinal < 8)
            found.append(replace(one, is_direct=is_direct))
            is_direct = bool(one.said)
            before = one.said[-1] if one.said else before

    for entry in entries:
        if entry.role == "user" and entry.turn_kind in _BEGINS:
            close()
            user, replies = entry, []
        elif entry.role in ("assistant", "toolResult", "bashExecution"):
            replies.append(entry)
    close()
    return _with_rejections(found)


def _exchange(user: Entry | None, replies: list[Entry], before: Entry | None, *, is_first: bool) -> Exchange:
    text = user.text if user else ""
    pasted = "\n".join(text[span.start : span.end] for span in spans(text) if span.kind == "pasted")
    return Exchange(user, typed_text(text), pasted, tuple(replies), before, is_first=is_first)


def _with_rejections(found: list[Exchange]) -> list[Exchange]:
    """Marks the exchanges whose outcome the next words of the person refuse or repeal."""
    marked: list[Exchange] = []
    asked = ""
    for at, one in enumerate(found):
        later = found[at + 1] if at + 1 < len(found) else None
        is_undone = later is not None and bool(cues.UNDO.search(later.typed))
        is_rejected = is_undone or (later is not None and _refuses(later))
        follows = bool(marked) and marked[-1].is_hunt
        marked.append(
            replace(
                one, is_rejected=is_rejected, is_undone=is_undone, asked_before=asked, at=at, is_final=later is None,
                follows_hunt=follows,
            )
        )  # fmt: skip
        if one.speech.act not in ("chatter", "agreement"):
            asked = one.typed
    return marked


def _refuses(later: Exchange) -> bool:
    is_pushback = later.speech.act in ("correction", "rule", "preference") and bool(cues.PUSHBACK.search(later.typed))
    return is_pushback and not cues.AGREEMENT.match(later.typed)
