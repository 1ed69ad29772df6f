"""A narrative quotes what was written; its paraphrases and titles may name a file by its last part."""

from __future__ import annotations

import re

import pytest

from tests.transforms.conversations import agent, conversation, edited, user
from transforms.language.sentences import join_lines
from transforms.offline.engine import OfflineEngine

PATHS = ["~/.keys-demo/.env", "/srv/depot/app/rules.yaml", "@src/core/reader.ts"]
SAYINGS = [
    "From now on always store API keys in {path} and never in models.json.",
    "We decided to keep the token in {path}, not in the database.",
    "I prefer that everything about the harbour stands in {path}.",
    "No, that is wrong: the address belongs in {path} and nowhere else.",
    "Why does {path} hold two values for the port?",
    'Write "read {path} first" above the list of the depots.',
    "The upload fails because {path} is read before the login.",
]


@pytest.mark.parametrize("saying", SAYINGS)
@pytest.mark.parametrize("path", PATHS)
def test_what_stands_between_quotation_marks_was_written_so(saying: str, path: str) -> None:
    """In titles and narratives, up to the ellipsis of a cut; the marks inside of a quotation are single ones."""
    typed = saying.format(path=path)
    entries = conversation(user(typed), edited("src/app.py", "1", "2"), agent("I moved the value and ran the tests."))
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    source = join_lines(" ".join(entry.text for entry in entries)).replace('"', "'")
    for segment in window.segments:
        for quotation in re.findall(r'"([^"]+)"', f"{segment.title}\n{segment.narrative}"):
            assert all(part.strip(" .") in source for part in quotation.split("…")), quotation


def test_a_name_that_begins_with_a_dot_keeps_its_folder() -> None:
    """`.env` is the name of many files, `rules.yaml` says enough."""
    entries = conversation(user("Please move the depot keys of the importer to ~/.keys-demo/.env and deploy/conf/rules.yaml"))
    segment = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments[0]
    assert "~/.keys-demo/.env and rules.yaml" in segment.narrative
