"""Finds what a parent agent sends into the session of its sub-agent while the owner types there as well.

The extension that passes it on names the sender first ("Parent: status?"). In a session that another one opened, a label that
begins several messages is such a sender; elsewhere it may be a topic of the owner's ("Bug: …").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from transforms.attribution.relayed_messages import SENDER

MIN_MESSAGES = 2
"""Messages that begin with a label before it is a sender's."""


def find_parent_messages(texts: Mapping[int, str]) -> set[int]:
    """Return the ordinals of the messages that a parent sent, of all user messages of a session that another one opened."""
    labels = {ordinal: match["name"] for ordinal, text in texts.items() if (match := SENDER.match(text.lstrip()))}
    times = Counter(label for label in labels.values() if not label[0].islower())
    return {ordinal for ordinal, label in labels.items() if times[label] >= MIN_MESSAGES}
