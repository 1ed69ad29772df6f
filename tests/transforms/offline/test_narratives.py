"""A narrative quotes what was written; its paraphrases and titles may name a file by its last part."""

from __future__ import annotations

import re

from tests.each_case import each_case
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


@each_case("saying", SAYINGS, path=PATHS)
def test_what_stands_between_quotation_marks_was_written_so(saying: str, path: str) -> None:
    """In titles and narratives, up to the ellipsis of a cut; the marks inside of a quotation are single ones."""
    typed = saying.format(path=path)
    entries = conversation(user(typed), edited("src/app.py", "1", "2"), agent("I moved the value and ran the tests."))
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    source = join_lines(" ".join(entry.text for entry in entries)).replace('"', "'")
    for segment in window.segments:
        for quotation in re.findall(r'"([^"]+)"', f"{segment.title}\n{segment.narrative}"):
            assert all(part.strip(" .") in source for part in quotation.split("…")), quotation


@each_case("room", range(21, 60, 7))
def test_a_title_ends_with_no_part_of_a_path(room: int) -> None:
    """A part names another file; behind some words the title ends before it, and shows that it was cut."""
    path = "/srv/harbour/installations/skills/search-the-harbour/scripts/read-the-page.sh"
    words = " ".join(["the", "search", "skill", "of", "this", "harbour", "stands", "since", "monday", "in", "the", "folder"])
    saying = f"I see {words[:room].rpartition(' ')[0]} at {path} and it reads the pages of all of the depots"
    entries = conversation(agent(saying + "."))
    title = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments[0].title
    last = title.removesuffix("…").split()[-1]
    assert "/" not in last or last == path


def test_a_name_that_begins_with_a_dot_keeps_its_folder() -> None:
    """`.env` is the name of many files, `rules.yaml` says enough."""
    entries = conversation(user("Please move the depot keys of the importer to ~/.keys-demo/.env and deploy/conf/rules.yaml"))
    segment = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments[0]
    assert "~/.keys-demo/.env and rules.yaml" in segment.narrative


def test_a_branch_is_named_whole() -> None:
    """`release/2.4` has the form of a path, and `2.4` names nothing."""
    entries = conversation(agent("Until Wednesday nobody touches the branch release/2.4, and rules stand in deploy/rules.yaml."))
    title = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments[0].title
    assert "release/2.4" in title
    assert "deploy/rules.yaml" not in title


@each_case(
    ("saying", "is_order"),
    [
        ("port 4040 clashes with my new grafana proxy, put dev on 4100", False),
        ("test server 3 rejects the uploads of the depot", False),
        ("port src/core/reader.ts to python with its tests", True),
        ("update the docs of the importer with the new port", True),
    ],
)
def test_an_account_says_asked_to_only_of_an_order(saying: str, is_order: bool) -> None:
    """The same word may be a verb or a noun."""
    entries = conversation(user(saying), edited("config/dev.exs", "4040", "4100"), agent("Dev runs on 4100 now, in `dev.exs`."))
    (segment,) = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments
    assert ("User asked to " in segment.narrative) == is_order


def test_an_order_that_speaks_of_its_speaker_is_quoted() -> None:
    """ "User asked to write the list, I print it" leaves open who prints; the news before a sentence stand with it."""
    entries = conversation(
        user("write the list of the loaves for Monday, I print it"), edited("list.md", "a", "b"), agent("Done.")
    )
    (segment,) = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments
    assert '"write the list of the loaves for Monday, I print it"' in segment.narrative
    entries = conversation(
        user("flour ordered! 25 kilos of rye from the mill at 40 euros"), edited("list.md", "a", "b"), agent("Done.")
    )
    (segment,) = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments
    assert '"flour ordered! 25 kilos' in segment.narrative


@each_case(
    "closing, title",
    [
        ("README says 500 GB; `last.pt` remains.", "README says 500 GB; `last.pt` remains"),
        ("The lists go to `build/lists` now.", "The lists go to `build/lists` now"),
        ("I'm looking at `README.md` now.", "Work on README.md"),
        ("It might be `README.md`.", "Work on README.md"),
        ("Done.", "Work on README.md"),
    ],
)
def test_a_topic_of_changed_files_is_named_by_what_they_came_to(closing: str, title: str) -> None:
    """Where the agent said it in one clause; "Work on README.md" names nothing."""
    entries = conversation(user("hm, and the other one?"), edited("README.md", "1", "2"), agent(closing))
    (segment,) = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments
    assert segment.title == title
