"""Split a conversation into exchanges: a typed message and everything the agent said and did until the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.entries import Entry, ToolCall
from transforms.exchanges.actions import Action, find_actions, find_touched_paths
from transforms.exchanges.denials import Denial, find_denials, is_refuted, is_taken_back, join_denied_words
from transforms.language import cue_phrases
from transforms.language.dialogue_acts import Message, analyse_message
from transforms.language.sentences import QUESTION_MARKS, has_question_mark, join_lines
from transforms.language.statement import parse_statement
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import PERSONAL_KINDS


@dataclass(frozen=True)
class Exchange:
    """One exchange. `user` is None for actions before anyone typed; `previous_reply` is the agent's last text before it.

    `is_rejected`: the next message objects to the outcome; `is_undone`: it asks to undo it; `previous_typed`: the typed text
    before; `is_first`: nothing was said before in the session; `is_direct`: the agent spoke since the previous typed text;
    `is_final`: nothing follows in the window; `follows_debugging`: the exchange before it looked for an error, and this one asks
    nothing else; `acts`: the learned probability of each act of the typed text, empty without a classifier; `denied`: words of
    which the next exchanges say that something is not this; `used_before`: words of the commands that ran just before;
    `has_published`: the last push or release of the window up to here ran; `is_unread`: the person types a language that no rule
    reads; `is_chat`: in its window the agent hardly worked, and not here; `is_doubted`: what the agent said last may fall with
    the next message; `taken_back`: what that message, or the agent's answer to it, says is not so; `disputes`: this message may
    refute what the agent said before it; `quoted`: of a part of a message, the words that its owner quoted right above it, and
    `quoted_source` the entry that says these.
    """

    user: Entry | None
    typed: str
    pasted: str
    replies: tuple[Entry, ...]
    previous_reply: Entry | None
    is_rejected: bool = False
    is_undone: bool = False
    previous_typed: str = ""
    index: int = 0
    is_first: bool = False
    is_direct: bool = True
    is_final: bool = False
    follows_debugging: bool = False
    acts: Mapping[str, float] = field(default_factory=dict)
    denied: frozenset[str] = frozenset()
    used_before: frozenset[str] = frozenset()
    is_unread: bool = False
    is_chat: bool = False
    has_published: bool = False
    is_doubted: bool = False
    taken_back: tuple[Denial, ...] = ()
    disputes: bool = False
    quoted: str = ""
    quoted_source: Entry | None = None

    @cached_property
    def message(self) -> Message:
        """The typed words with their sentences and dialogue acts, read against the agent's words before them."""
        before = "" if self.is_first else join_lines(self.previous_reply.text) if self.previous_reply else "(earlier words)"
        return analyse_message(self.typed, before, self._read_echo() if self.is_unread else None)

    def _read_echo(self) -> str:
        """Return the agent's words around the message: those before it, and those behind it when it acted. Greetings come back,
        too, but nobody acts on them."""
        texts = [self.previous_reply.text] if self.previous_reply and not self.is_first else []
        if self.actions or self.has_commands:
            texts += [entry.text for entry in self.agent_messages]
        return " ".join(texts)

    @cached_property
    def agent_messages(self) -> tuple[Entry, ...]:
        """The agent's messages with text, in order, without aborted or failed ones."""
        return tuple(entry for entry in self.replies if entry.role == "assistant" and entry.text.strip() and _is_complete(entry))

    @cached_property
    def final_reply(self) -> Entry | None:
        """The agent's last message when no tool call follows it."""
        last = self.agent_messages[-1] if self.agent_messages else None
        return last if last and not last.tool_calls else None

    @cached_property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The agent's tool calls, in order."""
        return tuple(call for entry in self.replies for call in entry.tool_calls)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The agent's actions, in order."""
        return tuple(find_actions(list(self.replies)))

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files that the agent created or edited."""
        return tuple(find_touched_paths(list(self.actions)))

    @cached_property
    def concession(self) -> Entry | None:
        """The agent's first message when it concedes that the person was right."""
        first = self.agent_messages[0] if self.agent_messages else None
        return first if first and cue_phrases.CONCESSION.match(first.text.strip()) else None

    @cached_property
    def is_debugging(self) -> bool:
        """Whether the agent looks for an error: trouble was reported or its reason asked, here or in the message before."""
        words = self.message.informative or ()
        text = " ".join(sentence.text for sentence in words)
        if any(sentence.assertion == "problem" for sentence in words) or cue_phrases.DEBUGGING.search(
            f"{text} {self.previous_typed}"
        ):
            return True
        return self.follows_debugging and len(text) < SHORT_MESSAGE_CHARS  # "go on looking"

    @cached_property
    def asks(self) -> bool:
        """Whether the message asks something."""
        return any(sentence.is_question for sentence in self.message.informative)

    @cached_property
    def ends_in_failure(self) -> bool:
        """Whether the last check of the exchange failed."""
        checks = [action for action in self.actions if action.kind == "check" and action.is_known]
        return bool(checks) and not checks[-1].is_ok

    @cached_property
    def has_trouble(self) -> bool:
        """Whether something went wrong: the agent looks for an error or repaired, a tool failed, an error is pasted."""
        failed = any(entry.role == "toolResult" and entry.is_error for entry in self.replies)
        repaired = bool(self.files) and any(action.kind == "check" for action in self.actions)
        return self.is_debugging or failed or repaired or bool(self.pasted.strip())

    @cached_property
    def has_commands(self) -> bool:
        """Whether the agent ran a command that does more than read."""
        commands = (str(call.arguments.get("command") or "") for call in self.tool_calls)
        return any(command and not READ_ONLY_COMMAND.match(command) for command in commands)

    def objects_to_used(self, quote: str) -> bool:
        """Whether short words deny something that the agent's last commands used: "use uv, not pip" behind `pip install`."""
        if not self.used_before or len(quote) > DENIAL_CHARS or quote.endswith(QUESTION_MARKS):
            return False
        return any(signs == "-" and word in self.used_before for word, signs in parse_statement(quote).signs.items())

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        """What the message, or the agent's answer to it, says is not so."""
        answer = self.agent_messages[0].text if self.agent_messages else ""
        questions = (part.text for part in self.message.sentences if part.act != "request" and has_question_mark(part.text))
        return (*find_denials(self.typed), *find_denials(answer, asked=" ".join(questions)))

    def is_refuted(self, claim: str) -> bool:
        """Whether what is said behind the exchange denies a claim of it: the cause that it names, or what it says was done."""
        return is_refuted(claim, self.denied) or is_taken_back(claim, self.taken_back)

    @property
    def is_fallen(self) -> bool:
        """Whether the agent's words of the exchange must not stand behind those that they answer."""
        return self.is_rejected or self.is_doubted

    @property
    def ordinals(self) -> tuple[int, int]:
        """First and last ordinal."""
        members = [*([self.user] if self.user else []), *self.replies]
        return members[0].ordinal, members[-1].ordinal


_READ_OF_REPLIES = (
    "agent_messages", "final_reply", "tool_calls", "actions", "files", "concession", "ends_in_failure", "has_commands",
)  # fmt: skip
"""What an exchange reads of the agent's replies alone, and keeps."""


def change_exchange(exchange: Exchange, **fields: Any) -> Exchange:
    """Return the exchange with other values of some fields; what was read of the same replies is not read again."""
    changed, read = replace(exchange, **fields), vars(exchange)
    if changed.replies is exchange.replies:
        vars(changed).update({name: read[name] for name in _READ_OF_REPLIES if name in read})
    return changed


READ_ONLY_COMMAND = compile_late(
    r"\s*(?:cd [^&;|]+&&\s*)?(?:ls|cat|head|tail|less|rg|grep|find|fd|wc|sed -n|awk|tree|stat|file|which|echo|pwd|env"
    r"|printenv|ps|du|df"
    r"|git (?:log|status|diff|show|branch|blame|grep))\b"
)


_COMMAND_WORD = compile_late(r"(?<![\w/.-])[A-Za-z][\w+-]+(?![\w/])")
"""A word of a command line that is no path and no option: a program, its subcommand, a package."""
MOST_COMMAND_CHARS = 400
DENIAL_CHARS = 120
"""Longest words that object to what an agent just used, and say nothing else."""
_BRACKETED_NOTE = compile_late(r"\s*\[[^\[\]]*\]\s*")


def _is_complete(entry: Entry) -> bool:
    """Whether a message was said to its end: no failed or aborted one, and no note of the client in square brackets."""
    return not entry.is_error and entry.stop_reason not in ("aborted", "error") and not _BRACKETED_NOTE.fullmatch(entry.text)


FIRST_ENTRIES = 8
"""A session opens with a few settings: an exchange after so many entries is not its first."""
DENYING_EXCHANGES = 3
"""Exchanges in which a guess about a cause is refuted."""
SHORT_MESSAGE_CHARS = 60
"""A shorter message continues the debugging before it."""


def split_exchanges(entries: list[Entry], classifier: TurnClassifier | None = None) -> list[Exchange]:
    """Return the exchanges, in order. Entries without words or work (model changes, summaries) belong to none.

    With a classifier, exchanges know the probability of each act of the typed text.
    """
    exchanges: list[Exchange] = []
    user: Entry | None = None
    replies: list[Entry] = []
    previous_reply: Entry | None = None
    is_direct = True

    def end_exchange() -> None:
        """Append the exchange of the entries so far, if there are any, and begin the next."""
        nonlocal previous_reply, is_direct
        if user or replies:
            exchange = _make_exchange(
                user, replies, previous_reply, classifier, is_first=not exchanges and entries[0].ordinal < FIRST_ENTRIES
            )
            exchanges.append(change_exchange(exchange, is_direct=is_direct))
            is_direct = bool(exchange.agent_messages)
            previous_reply = exchange.agent_messages[-1] if exchange.agent_messages else previous_reply

    for entry in entries:
        if entry.role == "user" and not entry.is_client_text:
            end_exchange()
            user, replies = entry, []
        elif entry.role in ("assistant", "toolResult", "bashExecution"):
            replies.append(entry)
    end_exchange()
    return _mark_rejections(exchanges)


def _make_exchange(
    user: Entry | None, replies: list[Entry], before: Entry | None, classifier: TurnClassifier | None, *, is_first: bool
) -> Exchange:
    typed, pasted = (user.owner_words, user.find_words_of("paste")) if user else ("", "")
    acts = classifier.predict_act(typed, before.text if before else "") if classifier and typed else {}
    return Exchange(user, typed, pasted, tuple(replies), before, is_first=is_first, acts=acts)


def _mark_rejections(exchanges: list[Exchange]) -> list[Exchange]:
    """Mark the exchanges whose outcome the next message rejects or undoes."""
    marked: list[Exchange] = []
    previous_typed, has_published = "", False
    for index, exchange in enumerate(exchanges):
        pushes = [action.is_ok or not action.is_known for action in exchange.actions if action.kind == "publish"]
        has_published = pushes[-1] if pushes else has_published
        later = exchanges[index + 1] if index + 1 < len(exchanges) else None
        is_undone = later is not None and bool(cue_phrases.UNDO_REQUEST.search(later.typed))
        is_rejected = is_undone or (later is not None and _is_refusal(later))
        follows = bool(marked) and marked[-1].is_debugging and (not exchange.asks or marked[-1].ends_in_failure)
        marked.append(
            change_exchange(
                exchange,
                is_rejected=is_rejected,
                is_undone=is_undone,
                previous_typed=previous_typed,
                index=index,
                is_final=later is None,
                follows_debugging=follows,
                denied=_find_denied(exchanges[index + 1 : index + 1 + DENYING_EXCHANGES]),
                taken_back=later.denials if later else (),
                used_before=_list_command_words(exchanges[index - 1]) if index else frozenset(),
                has_published=has_published,
            )
        )
        if exchange.message.act not in ("chatter", "agreement"):
            previous_typed = exchange.typed
    return marked


def _list_command_words(exchange: Exchange) -> frozenset[str]:
    commands = (str(call.arguments.get("command") or "") for call in exchange.tool_calls)
    return frozenset(word.lower() for command in commands for word in _COMMAND_WORD.findall(command[:MOST_COMMAND_CHARS]))


def _find_denied(later: Sequence[Exchange]) -> frozenset[str]:
    said = ([exchange.typed, *(entry.text for entry in exchange.agent_messages)] for exchange in later)
    return join_denied_words(text for texts in said for text in texts)


def _is_refusal(later: Exchange) -> bool:
    is_pushback = later.message.act in PERSONAL_KINDS and bool(cue_phrases.PUSHBACK.search(later.typed))
    return is_pushback and not cue_phrases.AGREEMENT.match(later.typed)


def select_exchanges(exchanges: list[Exchange], first: int, last: int) -> list[Exchange]:
    """Return the exchanges that begin in a topic, and the parts of others inside of it without their typed text."""
    selected = []
    for exchange in exchanges:
        begin, end = exchange.ordinals
        if first <= begin and end <= last:
            selected.append(exchange)
        elif begin <= last and end >= first:
            replies = tuple(entry for entry in exchange.replies if first <= entry.ordinal <= last)
            if begin >= first:
                selected.append(replace(exchange, replies=replies))
            elif replies:
                selected.append(replace(exchange, user=None, typed="", pasted="", replies=replies))
    return selected
