"""Summaries as witnesses: lasting statements are facts, with the turns that bear them out."""

from __future__ import annotations

from dataclasses import replace

from tests.transforms.conversations import agent, conversation, edited, user
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_budget import MOST_TALK_TOKENS, SMALLEST_BUDGET
from transforms.distil.window_evidence import WindowEvidence
from transforms.offline.candidates import Candidate
from transforms.offline.engine import OfflineEngine
from transforms.offline.summary_facts import find_summary_facts
from transforms.tables.tokens import count_tokens

BEFORE = conversation(
    user("put generated reports into `build/reports`, the source folder stays clean"),
    agent("Generated reports now go to `build/reports`."),
    user("and what about the parser? B"),
    agent("I took option B: the streaming parser replaces the recursive one."),
)
SUMMARY = """## Goal
- Ship the generated reports of the parser to everybody

## Constraints & Preferences
- Generated reports go to `build/reports`, and the source folder stays clean.
- `build/reports`
- The nightly invoices are printed on yellow paper by the accountants

## Progress
- [x] Generated reports moved into the folder `build/reports`

## Key Decisions
- **Streaming parser**: option B replaces the recursive parser
1. [ ] Delete the recursive parser and its generated reports

## Next Steps
1. Clean the source folder of generated reports again
"""


def make_summary(text: str = SUMMARY, first: int = len(BEFORE)) -> list[Entry]:
    entries = conversation(user("placeholder"), user("go on"), first=first)
    return [replace(entries[0], entry_type="compaction", role=None, turn_kind=None, text=text), entries[1]]


def find(text: str = SUMMARY, before: list[Entry] = BEFORE) -> list[Candidate]:
    return list(find_summary_facts(make_summary(text), before))


def test_only_lasting_sections_are_taken_and_only_what_turns_bear_out() -> None:
    """Goals, progress, open steps, bare paths and statements that no turn knows are left out."""
    assert [(statement.kind, statement.text) for statement in find()] == [
        ("convention", "Generated reports go to `build/reports`, and the source folder stays clean."),
        ("decision", "Streaming parser: option B replaces the recursive parser"),
    ]


def test_how_something_was_is_no_convention() -> None:
    """What a relative clause tells of the past is no report."""
    said = ("Generated reports of the parser were unavailable", "Keep generated reports that were not in `build/reports` clean")
    found = find("## Constraints & Preferences\n" + "\n".join(f"- {statement}" for statement in said))
    assert [statement.text for statement in found] == [said[1]]


def test_a_statement_cites_its_turns_before_the_summary() -> None:
    """It is as old as its first turn, so that whatever was said later wins; the summary is the last citation."""
    assert [statement.ordinals for statement in find()] == [(0, 1, 4), (3, 4)]
    assert {statement.topic_ordinal for statement in find()} == {4}


def test_what_the_owner_holds_to_needs_fewer_words_of_a_turn_than_a_decision() -> None:
    """It is told in general words; three of them have to be known, and a quarter of them in one turn."""
    statement = "Clean folder first, then parser output, printing, invoices, stamps"
    before = [*BEFORE, *conversation(user("stamps"), agent("printing"), user("invoices"), agent("output"), first=4)]
    texts = {
        heading: [fact.text for fact in find_summary_facts(make_summary(f"## {heading}\n- {statement}\n", 8), before)]
        for heading in ("Constraints & Preferences", "Key Decisions")
    }
    assert texts == {"Constraints & Preferences": [statement], "Key Decisions": []}
    unknown = "## Constraints & Preferences\n- Gulls, lanterns and parser ropes\n"
    assert list(find_summary_facts(make_summary(unknown, 8), before)) == []


def test_what_the_owner_holds_to_is_a_row_beside_the_words_that_it_sums_up() -> None:
    """They may be of any language, and stand in no line."""
    statement = "Reports of the harbour always count whole buoys"
    said = "Never forget: reports of the harbour always count whole buoys, whole buoys only"
    done = "\n".join(f"- [x] Moved berth {berth} of the old harbour into the new table" for berth in range(12))
    summary = make_summary(f"## Constraints & Preferences\n- {statement}\n\n## Progress\n{done}\n", 2)
    window = [*summary, *conversation(user(said), agent("Yes."), first=4)]
    facts = OfflineEngine().distil(window, [], [], 300, conversation(user(said), agent("Yes."))).segments[0].facts
    assert {statement} < {fact.text for fact in facts}


def test_a_summary_in_another_language_is_matched_by_the_words_that_both_know() -> None:
    """Names survive translation; the words of the summary that no turn has do not count against it."""
    text = "## Key Decisions\n- Der recursive parser wird ersetzt durch den streaming parser (option B), weil er schneller ist\n"
    assert [statement.ordinals for statement in find(text)] == [(3, 4)]


def test_the_list_of_files_behind_a_summary_is_no_statement() -> None:
    """It stands behind the last section, and its paths are words of the turns."""
    assert find("## Key Decisions\n\n<modified-files>\nsrc/streaming/parser.py\n</modified-files>\n") == []


def test_entries_before_the_window_count_only_beside_their_summary() -> None:
    """A fact that cites them alone is discarded, and a name that only the summary has is grounded for no decision."""
    window = make_summary(SUMMARY + "- The streaming parser (option B) replaces the recursive `FooParser`\n")
    topics = [(window[0].ordinal, window[-1].ordinal)]
    facts = OfflineEngine().distil(window, topics, [], 1000, BEFORE).segments[0].facts
    evidence = WindowEvidence(tuple(window), summarised=tuple(BEFORE))
    witnessed = next(fact for fact in facts if fact.kind == "convention")
    assert check_fact(witnessed, evidence) == ("allow", "")
    alone = witnessed.model_copy(update={"ordinals": (0, 1)})
    assert check_fact(alone, evidence) == ("discard", "cites an entry outside of its window")
    invented = witnessed.model_copy(update={"text": "The streaming parser replaces `FooParser`.", "kind": "decision"})
    assert check_fact(invented, evidence)[0] == "hold"


def test_a_constraint_may_name_what_only_its_summary_names_but_no_number_of_it() -> None:
    """It was said in an earlier session; a number may have changed since, and another name is the engine's."""
    window = make_summary(f"{SUMMARY}- The `FooParser` stays frozen at 4711 reports, see docs/parser.md\n")
    evidence = WindowEvidence(tuple(window), summarised=tuple(BEFORE))

    def check(text: str) -> str:
        fact = Fact(text=text, ordinals=(0, 1, 4), kind="convention", priority="medium", category="rules")
        return check_fact(fact, evidence)[0]

    assert check("The `FooParser` stays frozen, see docs/parser.md") == "allow"
    assert check("The `BarParser` stays frozen, see docs/parser.md") == "hold"
    assert check("The `FooParser` stays frozen at 4711 reports") == "hold"


def test_statements_of_a_summary_exceed_the_share_only_up_to_the_floor_of_such_windows() -> None:
    """A long summary of many rules does not make a large budget larger."""
    rules = [f"Reports of depot {at} go to `build/depot_{at}` and their source folder stays clean" for at in range(60)]
    before = conversation(*[part for rule in rules for part in (user(rule), agent(f"{rule}, as you said."))])
    summary = make_summary("## Constraints & Preferences\n" + "\n".join(f"- {rule}." for rule in rules), len(before))
    for budget, most in ((SMALLEST_BUDGET, MOST_TALK_TOKENS), (MOST_TALK_TOKENS + 60, MOST_TALK_TOKENS + 60)):
        answer = OfflineEngine().distil(summary, [], [], budget, before)
        used = sum(count_tokens(f"{segment.title}\n{segment.narrative}") for segment in answer.segments)
        used += sum(count_tokens(fact.text) for segment in answer.segments for fact in segment.facts)
        assert budget < used <= most if budget < most else used <= most


def test_turns_with_the_same_words_of_a_statement_are_cited_in_their_order() -> None:
    """A set of words has no order of its own, and the last bit of a sum must not choose between turns that bear it out alike."""
    names = ("parser", "folder", "report", "invoice", "harbour", "lantern")
    for number, name in enumerate(names):
        shared = [f"{name}{letter}word" for letter in "abcdefghijklmnopqr"]
        rarer = [user(" ".join(shared[:size])) for size in range(3, 18)]
        alike = [user(" ".join([*shared[turn:], *shared[:turn]])) for turn in range(18)]
        before = conversation(*alike, *rarer)
        statement = f"- {' '.join(shared)} {name}unsaid"
        (fact,) = find(f"## Constraints & Preferences\n{statement}", before)
        first = [entry.ordinal for entry in before[:3]]
        assert fact.ordinals[:-1] == (*first,), f"statement {number}"


def test_a_statement_of_which_the_work_of_the_session_took_the_value_out_is_none() -> None:
    """A summary repeats what held when the session began; work behind it counts as well as work before it."""
    before = conversation(
        user("the uplink interval of 15 min is too short for the battery"),
        agent("The uplink interval has three options: 15, 20 or 30 min."),
        user("the second then"),
        edited("Kconfig", "uplink interval\n default 15", "uplink interval\n default 20"),
        agent("The uplink interval is longer now."),
    )
    text = "## Constraints & Preferences\n- Uplink interval {} min, the battery must last\n"
    assert find(text.format(15), before) == []
    assert [statement.text for statement in find(text.format(20), before)] == ["Uplink interval 20 min, the battery must last"]
    later = conversation(
        user("placeholder"), user("make it longer again"), edited("Kconfig", "uplink interval\n 20", "uplink interval\n 25"),
        agent("The uplink interval is longer."), first=len(before),
    )  # fmt: skip
    later[0] = replace(later[0], entry_type="compaction", role=None, turn_kind=None, text=text.format(20))
    assert list(find_summary_facts(later, before)) == []


def test_a_statement_that_no_turn_says_is_as_old_as_its_summary() -> None:
    """A long turn has most of its words somewhere, and words in the code of a statement are no word about it."""
    steps = [f"Step {number} renders part {number} of the page." for number in range(30)]
    talk = [
        "The commit is read by the bot.",
        *steps[:10],
        "The page must be valid.",
        *steps[10:20],
        "Then we follow the links.",
        *steps[20:],
        "Mind the template.",
    ]
    before = conversation(
        user("render the page"), agent("\n\n".join(talk)), user("요약 대답해줘"), agent("페이지 요약 대답입니다.")
    )
    (fact,) = find("## Constraints & Preferences\n- Must follow Conventional Commits of the template", before)
    assert len(fact.ordinals) == 1
    (fact,) = find("## Constraints & Preferences\n- Style of a commit read there: `<type>: <요약 대답>`", before)
    assert 2 not in fact.ordinals
    (fact,) = find("## Constraints & Preferences\n- A commit is read by the bot alone", before)
    assert 1 in fact.ordinals


def test_a_number_that_no_turn_says_is_looked_for_in_the_turns_that_bear_the_statement_out() -> None:
    """A stale number was kept as soon as its line cited nothing but the summary, which has it."""
    steps = [f"Step {number} renders part {number} of the page." for number in range(30)]
    talk = [
        "The shelf is full.",
        *steps[:10],
        "The sync works.",
        *steps[10:20],
        "The buffer is gone.",
        *steps[20:],
        "Minutes follow.",
    ]
    before = conversation(user("render the page"), agent("\n\n".join(talk)))
    for number, cited in (("15", (1,)), ("few", ())):
        (fact,) = find(f"## Constraints & Preferences\n- sync shelf {number} minutes with Anna Brown Clark Davis, buffer", before)
        assert fact.ordinals[:-1] == cited
