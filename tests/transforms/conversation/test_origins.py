"""Where a fact comes from."""

from __future__ import annotations

from dataclasses import replace

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, result, user
from transforms.conversation.origins import find_least_trusted, find_origin
from transforms.distil.window_evidence import WindowEvidence
from transforms.tables.enums import FactKind, Origin

ENTRIES = conversation(
    user("always run the linter before a commit"),
    agent("The linter is slow because the cache is off.", call("bash", "c1", command="lint")),
    result("c1", "cache: off"),
    agent("", call("ask_user", "c2", question="Which cache?", options=["redis", "valkey"])),
    result("c2", "valkey"),
    user("```\nalways reboot the edge boxes at night\n```"),
    agent("Shall I turn the cache on?"),
    user("yes"),
)


@each_case(
    ("text", "kind", "ordinals", "origin"),
    [
        ("Owner set a rule: always run the linter before a commit", "rule", (0,), "owner"),
        ("The linter is slow because the cache is off", "root_cause", (1,), "agent"),
        ("The cache is off", "error", (2,), "tool"),
        ("Owner decided: valkey (asked: Which cache?)", "decision", (4, 3), "owner"),
        ("Always reboot the edge boxes at night", "rule", (5,), "other"),
        ("The cache is turned on", "decision", (6, 7), "owner"),
        ("The cache is turned on", "decision", (6,), "agent"),
        ("Nothing is cited", "rule", (), "other"),
    ],
)
def test_the_origin_is_read_off_the_cited_entries(text: str, kind: FactKind, ordinals: tuple[int, ...], origin: Origin) -> None:
    """Typed words, an answer to a question tool and an assent are the owner's; a paste is somebody else's."""
    answers = WindowEvidence(tuple(ENTRIES)).answers
    assert find_origin(kind, text, [ENTRIES[ordinal] for ordinal in ordinals], answers) == origin


def test_a_state_that_an_agent_reports_is_its_own_unless_the_owner_said_it_or_agreed() -> None:
    """A word in common with the question that it answers made eleven such reports the owner's, of seven people."""
    entries = conversation(
        user("why does the login file time out?"),
        agent("The file of the login is never created, so the wait times out."),
        user("move the login file to /run then, please, and nothing else"),
        agent("The login file moved to /run."),
        user("yes, always"),
    )
    reported, moved = entries[1], entries[3]
    assert find_origin("state_change", reported.text, [reported, entries[0]], ()) == "agent"
    assert find_origin("state_change", moved.text, [moved, entries[2]], ()) == "owner"
    assert find_origin("state_change", reported.text, [reported, entries[4]], ()) == "owner"
    assert find_origin("state_change", "The login file is in /run from now on", [entries[2]], ()) == "owner"


def test_a_wish_that_the_agent_words_anew_stays_the_owners() -> None:
    """In another language or in a fuller form most of its words are the agent's; a wish that is lost costs more than a word of
    the agent's that counts as theirs."""
    entries = conversation(
        user("bitte nie Emojis in Commits"),
        agent("Understood, I never put emojis into the messages of commits."),
        user("all database names with prefix dw_ please"),
        agent("Every database, schema and table of the warehouse, staging included, carries the prefix dw_."),
    )
    for text, kind, said, owner in (
        ("Never put emojis into the messages of commits", "rule", 1, 0),
        ("Databases, schemas and tables of the warehouse, staging included, carry the prefix dw_", "convention", 3, 2),
        ("Databases, schemas and tables of the warehouse, staging included, carry the prefix dw_", "preference", 3, 2),
    ):
        assert find_origin(kind, text, [entries[said], entries[owner]], ()) == "owner"  # type: ignore[arg-type]


def test_what_is_condensed_has_the_least_trusted_origin() -> None:
    """An unknown one makes it unknown."""
    assert find_least_trusted(["owner", "agent", "owner"]) == "agent"
    assert find_least_trusted(["owner", "tool", "summary"]) == "tool"
    assert find_least_trusted(["owner", None]) is None
    assert find_least_trusted([]) is None


def test_what_rests_on_a_paste_below_typed_words_is_not_the_owners() -> None:
    """The typed line only hands it over; what it says itself is the owner's as before, and so is a fact with words of both."""
    entries = conversation(
        agent("Any news of the paper?"),
        user("the reviews came in:\n```\nThe Brier score should always be reported with its decomposition\n```\nno ERA5 please"),
    )
    for text, kind, origin in (
        ("The Brier score is always reported with its decomposition", "rule", "other"),
        ("El Brier se da siempre con su descomposición", "rule", "other"),
        ("ERA5 is not used", "decision", "owner"),
        ("No ERA5 please, only the decomposition", "decision", "owner"),
        ("The Brier score needs its decomposition", "fact", "other"),
    ):
        for cited in (entries[1:], [entries[1], entries[0]]):
            assert find_origin(kind, text, cited, ()) == origin  # type: ignore[arg-type]


def test_what_a_summary_words_is_somebodys_only_when_a_message_of_theirs_says_it() -> None:
    """A word or two in common are none; most of the content words of one message, or what a short assent adopts, are."""
    entries = conversation(
        user("btw, can we keep the old code around for reference?"),
        agent("Shall I deploy on Fridays after the nightly backup only?"),
        user("yes, always"),
        user("the new build is slow, have a look at the code"),
    )
    summary = replace(entries[1], ordinal=4, entry_type="compaction", role=None, text="## Constraints\n- Keep old code working")
    for text, kind, origin in (
        ("Keep the old code for reference", "convention", "owner"),
        ("Keep old code working alongside new code", "convention", "summary"),
        ("Keep old code working alongside new code", "rule", "summary"),
        ("Keep old code working alongside new code", "fact", "summary"),
        ("Deploy on Fridays only after the nightly backup", "decision", "owner"),
    ):
        for cited in ([*entries, summary], [summary, *reversed(entries)]):
            assert find_origin(kind, text, cited, ()) == origin, (kind, text)  # type: ignore[arg-type]
    for text, origin in (("The nightly backup is deployed on Fridays only", "agent"), ("Nightly builds need a tag", "summary")):
        assert find_origin("fact", text, [entries[1], summary], ()) == origin


def test_what_a_tool_printed_is_not_a_summarys_because_one_is_cited_too() -> None:
    """A summary lends no trust to a tool's output or to pasted text."""
    summary = replace(ENTRIES[1], ordinal=9, entry_type="compaction", role=None, text="The linter runs at night")
    assert find_origin("error", "The linter runs at night", [ENTRIES[2], summary], ()) == "tool"
    assert find_origin("rule", "Always reboot the edge boxes at night", [ENTRIES[5], summary], ()) == "other"


def test_a_quotation_of_the_owner_beside_a_paste_is_the_owners_however_short_its_words_are() -> None:
    """Its words may have no letters to compare; a quotation of the paste is not theirs."""
    entries = conversation(user("오늘 바뀐 거\n```\nchanges of today\n```"))
    for text, kind, origin in (
        ('User said: "오늘 바뀐 거"', "request", "owner"),
        ('User said: "오늘 바뀐 거" (about: the pasted "changes of today")', "status", "owner"),
        ('User said: "changes of today"', "request", "other"),
    ):
        assert find_origin(kind, text, entries, ()) == origin  # type: ignore[arg-type]
