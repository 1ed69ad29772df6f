"""What an exchange reads of the agent's replies is read once, also when other fields of it change."""

from __future__ import annotations

import pytest

from tests.transforms.conversations import conversation, edited, ran, user
from transforms.exchanges import exchange as module
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import change_exchange, split_exchanges
from transforms.exchanges.find_mode import find_mode


def make() -> list[module.Exchange]:
    """Return two exchanges with work."""
    work = [edited("src/a.py", "old = 1", "new = 2"), ran("git commit -qam 'mend it'", "[main 1234567] mend it")]
    parts = [part for group in work for part in group]
    return split_exchanges(conversation(user("Mend the export"), *parts, user("No, undo that"), *parts))


def test_the_actions_of_a_reply_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = module.find_actions
    monkeypatch.setattr(module, "find_actions", lambda entries: read.append(len(entries)) or whole(entries))
    exchanges = [change_exchange(exchange, is_chat=True, is_unread=True) for exchange in make()]
    find_mode(exchanges)
    collect_values(exchanges)
    assert len(read) == len(exchanges) == 2


def test_with_other_replies_everything_is_read_anew() -> None:
    exchange = make()[0]
    assert exchange.actions
    assert exchange.files
    changed = change_exchange(exchange, replies=())
    assert (changed.actions, changed.files, changed.agent_messages, changed.final_reply) == ((), (), (), None)
    assert not changed.has_commands
    assert change_exchange(exchange, typed="other words").message.sentences != exchange.message.sentences
