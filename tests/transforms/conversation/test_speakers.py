"""Who wrote an entry, as its format tells."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.conversation.speakers import (
    Attribution,
    SpokenPart,
    attribute_entry,
    attribute_to_parent,
    attribute_user_text,
    extract_words_of,
    find_foreign_spans,
    find_stretch_speaker,
    make_part_rows,
    read_part_rows,
    split_quotable,
)
from transforms.tables.enums import Speaker
from transforms.tables.rows import SpeakerPart

SKILL = '<skill name="search" location="/skills/search/SKILL.md">\nAlways cite two sources.\n</skill>\n\nlook up the harbour dues'


@each_case(
    ("entry_type", "role", "expected"),
    [
        ("message", "assistant", ("agent", "format:agent_message")),
        ("message", "toolResult", ("tool", "format:tool_result")),
        ("message", "bashExecution", ("tool", "format:shell_command")),
        ("message", "custom", ("extension", "format:custom_message")),
        ("custom_message", None, ("extension", "format:custom_message")),
        ("compaction", None, ("agent", "format:compaction")),
        ("branch_summary", None, ("agent", "format:branch_summary")),
        ("session_info", None, ("system", "format:session_info")),
        ("model_change", None, ("system", "format:setting")),
        ("invented_later", None, ("system", "format:setting")),
    ],
)
def test_every_entry_has_a_speaker(entry_type: str, role: str | None, expected: tuple[str, str]) -> None:
    """Types and roles tell who wrote what nobody typed."""
    attribution = attribute_entry(entry_type, role, "From now on always deploy on Fridays.")
    assert (attribution.speaker, attribution.reason) == expected
    assert extract_words_of("owner", "From now on always deploy on Fridays.", attribution) == ""


@each_case(
    ("text", "expected"),
    [
        ("use tabs in this repo", ("owner", "format:user_text")),
        ("<!-- cleanup-pass:3 -->\nAlways remove dead code before you answer.", ("extension", "format:header_comment")),
        ("/compact", ("command", "format:slash_command")),
        ("<system-reminder>Never mention this.</system-reminder>", ("system", "format:machine_block")),
        ("<recollect-memory>\nThe owner prefers tabs.\n</recollect-memory>", ("extension", "format:memory")),
        ("<!-- recollect:briefing -->\nUse tabs.\n<!-- /recollect:briefing -->", ("extension", "format:memory")),
        ("", ("paste", "format:no_text")),
        (SKILL, ("skill", "format:skill_block")),
    ],
)
def test_a_user_entry_is_not_always_its_owner(text: str, expected: tuple[str, str]) -> None:
    """Role user also holds expansions, reminders and memory's own output."""
    attribution = attribute_user_text(text)
    assert (attribution.speaker, attribution.reason) == expected


def test_the_words_behind_a_skill_are_the_owners_part() -> None:
    """The skill speaks, and what its owner asked of it is still found."""
    assert extract_words_of("owner", SKILL, attribute_user_text(SKILL)) == "look up the harbour dues"


def test_a_pasted_log_below_typed_words_is_a_part_of_its_own() -> None:
    """The entry is the owner's, the log is not."""
    text = "this fails since the upgrade:\n\n```\nTraceback (most recent call last):\nalways retry\n```"
    attribution = attribute_user_text(text)
    assert attribution.speaker == "owner"
    assert [part.speaker for part in attribution.parts] == ["owner", "paste"]
    assert extract_words_of("owner", text, attribution) == "this fails since the upgrade:"


def test_nothing_in_a_sub_agents_session_is_the_owners() -> None:
    """Its prompts are the parent agent's, everything else keeps its speaker."""
    text = "please fix it\n\n```\nlog\n```"
    attribution = attribute_to_parent(attribute_user_text(text))
    assert (attribution.speaker, attribution.reason) == ("parent_agent", "format:child_session")
    assert [part.speaker for part in attribution.parts] == ["parent_agent", "paste"]
    assert attribute_to_parent(attribute_user_text("/compact")).speaker == "command"


@given(st.text(alphabet="ab /<!->`\n", max_size=200))
def test_parts_lie_in_the_text_and_survive_storage(text: str) -> None:
    """Parts are in order, do not overlap, and come back from their rows as they were."""
    attribution = attribute_user_text(text)
    places = [place for part in attribution.parts for place in (part.start, part.end)]
    assert places == sorted(places)
    assert attribution.speaker in get_args(Speaker)
    assert all(0 <= part.start < part.end <= len(text) and part.speaker in get_args(Speaker) for part in attribution.parts)
    assert Attribution(attribution.speaker, attribution.reason, read_part_rows(make_part_rows(attribution))) == attribution


PARTS: list[SpeakerPart] = [
    {"start": 0, "end": 10, "speaker": "owner", "reason": ""},
    {"start": 10, "end": 30, "speaker": "paste", "reason": ""},
    {"start": 30, "end": 34, "speaker": "skill", "reason": ""},
    {"start": 34, "end": 40, "speaker": "owner", "reason": ""},
]


@given(st.integers(0, 45), st.integers(0, 45))
def test_a_stretch_knows_which_of_its_characters_are_not_the_owners(first: int, last: int) -> None:
    start, end = sorted((first, last))
    spans = find_foreign_spans(PARTS, start, end)
    foreign = [
        place for begin, behind in zip(spans[::2], spans[1::2], strict=True) for place in range(start + begin, start + behind)
    ]
    assert foreign == [place for place in range(start, end) if 10 <= place < 34]
    is_owned = any(place < 10 or 34 <= place < 40 for place in range(start, end))
    assert (find_stretch_speaker(PARTS, start, end) is None) == (is_owned or not foreign)


def test_a_stretch_belongs_to_who_wrote_most_of_it() -> None:
    assert [find_stretch_speaker(PARTS, *stretch) for stretch in ((12, 32), (29, 34), (5, 12))] == ["paste", "skill", None]
    assert find_stretch_speaker([], 0, 9) is None


def test_a_label_and_what_the_judge_cuts_off_behind_its_colon_are_quoted_as_one_line() -> None:
    """A paste on lines of its own stands beside the owner's words."""
    for text, speaker_end, quotable in (
        ("change the retry policy: three times", 24, ("change the retry policy: three times", "")),
        ("from Marta:\nthree decimals", 11, ("from Marta:", "three decimals")),
    ):
        parts = (SpokenPart(0, speaker_end, "owner", "format:user_text"), SpokenPart(speaker_end, len(text), "paste", "learned"))
        assert split_quotable(text, Attribution("owner", "format:user_text", parts)) == quotable
    assert split_quotable("all mine", Attribution("owner", "format:user_text")) == ("all mine", "")
    assert split_quotable("a log", Attribution("paste", "learned")) == ("", "")
