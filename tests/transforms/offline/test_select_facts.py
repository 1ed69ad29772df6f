"""What is selected within a budget: rows that go on with one another are one, and passages of the agent fill what is left."""

from __future__ import annotations

from dataclasses import replace

from tests.transforms.conversations import agent, conversation, ran, user
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Tail
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.passages import PassageWeights
from transforms.offline.candidates import Candidate
from transforms.offline.engine import OfflineEngine
from transforms.offline.select_facts import fill_with_passages, join_sayings
from transforms.tables.enums import FactKind
from transforms.tables.tokens import count_tokens

FOUND = (
    "The answers are in the execution logs below `kiro.agent/414d1636`, one file for each turn: `say` holds the whole answer of "
    "the agent as `output.message`; `create` holds the path and the content of a file as `input.file`; `edit` holds only the "
    "path; `read` holds nothing that the export of transcripts needs."
)
TITLE = "Empty transcripts: the export needs the whole answer of the agent for each turn"
WORK_ON_EXPORT = (
    ran("ls -la ~/Library", "414d1636", text=f"**Found it!** {FOUND}"),
    agent("The export reads `kiro.agent/414d1636` now."),
)
WORK = conversation(user("why are the exported transcripts empty?"), *WORK_ON_EXPORT)


def passages(entries: list[Entry], room: int, kept: list[str], earlier: list[str]) -> list[str]:
    return [candidate.text for candidate in fill_with_passages(split_exchanges(entries), room, kept, earlier)]


def test_a_finding_between_two_actions_fills_the_room_and_cites_its_message() -> None:
    (candidate,) = fill_with_passages(split_exchanges(WORK), 200, [TITLE], [])
    assert "414d1636" in candidate.text
    assert WORK[candidate.ordinals[0]].role == "assistant"
    assert (candidate.kind, candidate.priority) == ("status", "medium")


def test_no_passage_goes_beyond_the_room() -> None:
    cost = count_tokens(passages(WORK, 200, [TITLE], [])[0])
    assert passages(WORK, cost, [TITLE], [])
    assert not passages(WORK, cost - 1, [TITLE], [])
    assert not passages(WORK, -5, [TITLE], [])


def test_what_is_kept_anyway_or_was_kept_earlier_is_not_said_again() -> None:
    assert not passages(WORK, 200, [TITLE, FOUND], [])
    assert not passages(WORK, 200, [TITLE], [FOUND])


def test_the_engine_fills_only_what_its_candidates_leave() -> None:
    """Rows of candidates are the same with passages and without; all rows together keep to the budget."""
    without = PassageWeights(-50.0, 0.0, 0.0, 0.0)
    work = conversation(user("export the transcripts of the last week"), *WORK_ON_EXPORT)  # nothing is searched: no cause says it
    topics = [(work[0].ordinal, work[-1].ordinal)]
    budget = 300
    bare, filled = (engine.distil(work, topics, [], budget) for engine in (OfflineEngine(passages=without), OfflineEngine()))
    rows = [fact.text for segment in filled.segments for fact in segment.facts]
    assert {fact.text for segment in bare.segments for fact in segment.facts} < set(rows)
    assert any("414d1636" in row for row in rows)
    narratives = sum(count_tokens(f"{segment.title}\n{segment.narrative}") for segment in filled.segments)
    assert narratives + sum(count_tokens(row) for row in rows) <= budget


def rows_of(words: str) -> list[str]:
    """Return the rows that quote a message in which much else was said."""
    opening = (user("build the importer in src/importer.py please"), agent("I added `src/importer.py` with `load_rows`."))
    entries = conversation(*opening, user(words), agent("OK."))
    facts = [fact for part in OfflineEngine().distil(entries, [], [], 3000).segments for fact in part.facts]
    return [fact.text for fact in facts if fact.ordinals[0] == 2]


CHOICE = "We keep the idempotency keys for 72 hours in Postgres."
PHONES = "Each key waited for phones in Edale that come back online after a weekend."


def join(typed: str, *parts: tuple[str, FactKind, str], about: tuple[str, ...] = ()) -> list[Candidate]:
    """Return what becomes of rows of one message, each of which has its words, its kind and how the line tells it; `about` is
    the tail of each."""
    (exchange,) = split_exchanges(conversation(user(typed), agent("OK.")))
    rows = [Candidate(f'User {verb}: "{quote}"', kind, "medium", (0,), (), 0.5) for quote, kind, verb in parts]
    tails = [Tail(f" (about: {thing})", (0,)) for thing in about]
    rows = (
        [replace(row, text=row.text + tail.text, tails=(tail,)) for row, tail in zip(rows, tails, strict=True)] if about else rows
    )
    return join_sayings(rows, {row.text: exchange for row in rows}, "User", lambda *_: False)


def test_kept_words_about_one_thing_are_one_row_as_both_were_quoted() -> None:
    (row,) = join(f"{CHOICE}\n{PHONES}", (CHOICE, "decision", "decided"), (PHONES, "status", "said"))
    assert row.text == f'User said: "{CHOICE} {PHONES}"'
    assert row.kind == "decision"


def test_no_word_comes_in_from_between_two_rows() -> None:
    """A colleague's words, or a sentence that was left out, stood in the row of what was decided."""
    rows = (CHOICE, "decision", "decided"), (PHONES, "status", "said")
    assert len(join(f"{CHOICE} Hm. {PHONES}", *rows)) == 2
    assert len(join(f"{CHOICE} Gary wants ten keys. {PHONES}", *rows)) == 2
    assert len(join(f"{CHOICE[:-1]}? {PHONES}", *rows)) == 2


def test_a_quotation_that_leaves_words_out_leaves_them_out_of_the_joined_row() -> None:
    choice = "We keep the idempotency keys … in Postgres."
    (row,) = join(f"{CHOICE} {PHONES}", (choice, "decision", "said"), (PHONES, "status", "said"))
    assert row.text == f'User said: "{choice} {PHONES}"'


def test_words_that_a_message_has_twice_or_only_within_others_are_joined_with_nothing() -> None:
    """The first place was taken: "do not touch the schema" stood as a rule in the words of somebody else."""
    log, rule = "Log retention of the schema is 30 days.", "Do not touch the schema."
    rows = (log, "status", "said"), (rule, "rule", "said")
    assert len(join(f"{log} {rule}", *rows)) == 1
    assert len(join(f"{log} Do not touch the schema. Maureen said: do not touch the schema.", *rows)) == 2
    assert len(join(f"{log} Do not touch the schema.sql of Leeds.", *rows)) == 2


def test_a_row_that_leaves_a_matter_open_is_joined_with_nothing() -> None:
    rows = (CHOICE, "decision", "decided"), (PHONES, "decision", "left open")
    assert len(join(f"{CHOICE} {PHONES}", *rows)) == 2


def test_a_joined_row_claims_no_more_than_either_did_and_a_rule_keeps_its_lead() -> None:
    leads = [("decided", "decided"), ("decided", "said"), ("said", "said")]
    joined = [join(f"{CHOICE} {PHONES}", (CHOICE, "decision", one), (PHONES, "decision", other)) for one, other in leads]
    assert [row.text.split(":")[0] for (row,) in joined] == ["User decided", "User said", "User said"]
    assert len(join(f"{CHOICE} {PHONES}", (CHOICE, "rule", "set a rule"), (PHONES, "status", "said"))) == 2


def test_two_decisions_of_one_paragraph_are_one_row_and_two_rules_are_not() -> None:
    words = ("Six digits, another one for each shop.", "The paper stays in the safe.")
    counts: dict[FactKind, int] = {"decision": 1, "rule": 2, "status": 2}
    for kind, count in counts.items():
        assert len(join(" ".join(words), *[(part, kind, "said") for part in words])) == count


def test_decisions_of_two_paragraphs_or_items_are_one_row_only_where_they_share_a_word() -> None:
    one, other, same = "Six digits for each shop.", "The paper stays in the safe.", "The shop prints its digits."
    for parting in ("\n\n", "\n- ", "\n* "):
        assert len(join(f"{one}{parting}{other}", (one, "decision", "said"), (other, "decision", "said"))) == 2
        assert len(join(f"{one}{parting}{same}", (one, "decision", "said"), (same, "decision", "said"))) == 1
    numbered = f"1. {one}", f"2. {other}"
    assert len(join(" ".join(numbered), *[(part, "decision", "said") for part in numbered])) == 2


def test_what_points_back_stands_with_what_it_points_at() -> None:
    choice, reason = "The alarm of each compressor goes off at two bar.", "Under that Gary measured a vacuum."
    (row,) = join(f"{choice} {reason}", (choice, "decision", "said"), (reason, "status", "said"))
    assert f"{choice} {reason}" in row.text
    because = "Because Gary measured a vacuum."
    assert len(join(f"{choice} {because}", (choice, "decision", "said"), (because, "status", "said"))) == 1
    assert len(join(f"{choice}\n\n{reason}", (choice, "decision", "said"), (reason, "status", "said"))) == 2


def test_two_rows_that_are_about_different_things_stay_two() -> None:
    rows = (CHOICE, "decision", "decided"), (PHONES, "decision", "decided")
    assert len(join(f"{CHOICE} {PHONES}", *rows, about=("the port", "the log"))) == 2
    (row,) = join(f"{CHOICE} {PHONES}", *rows, about=("the port", "the port"))
    assert row.text.count("(about: ") == 1


def test_rows_of_a_script_without_blanks_stay_as_they_are() -> None:
    one, other = "密钥在里保存七十二小时，这是我们今天的决定。", "密钥在周末之后由手机使用，这是我们的决定。"
    assert len(join(f"{one}\n{other}", (one, "decision", "said"), (other, "decision", "said"))) == 2


def test_of_a_message_that_was_said_twice_each_row_is_joined_within_its_own() -> None:
    """The row of the first message was looked for in the last one with the same words."""
    entries = conversation(user(CHOICE), agent("OK."), user(f"{CHOICE} {PHONES}"), agent("OK."))
    _, later = split_exchanges(entries)
    rows = [
        Candidate(f'User said: "{quote}"', "decision", "medium", (cited,), (), 0.5) for quote, cited in ((CHOICE, 0), (PHONES, 2))
    ]
    assert join_sayings(rows, {row.text: later for row in rows}, "User", lambda *_: False) == rows


def test_a_row_whose_words_are_said_again_later_is_joined_where_it_was_said() -> None:
    choice = "We decided on Postgres for the keys of Leeds, 72 hours."
    others = "We prefix them with the shop's name. I know that log retention is 30 days in Leeds."
    said = conversation(
        user("build the importer please"), agent("Done."), user(f"{choice} {others}"), agent("OK."),
        user("thanks, now the tests"), agent("Tests are green."), user(choice), agent("OK."),
    )  # fmt: skip
    facts = [fact for part in OfflineEngine().distil(said, [], [], 3000).segments for fact in part.facts]
    assert [fact.ordinals for fact in facts if f"{choice} {others}" in fact.text] == [(2,)]


def test_an_order_is_no_part_of_a_rule_that_stands_before_or_behind_it() -> None:
    order, rule = "Add a test for the pager.", "No pager change is merged without a test."
    parts: list[tuple[str, FactKind, str]] = [(order, "request", "said"), (rule, "rule", "said")]
    for pair in (parts, parts[::-1]):
        assert len(join(" ".join(quote for quote, _, _ in pair), *pair)) == 2


def test_a_remark_about_something_else_stays_apart_from_what_is_laid_down() -> None:
    """A rule stood behind the remark before it in the lines that were proposed."""
    remark = "Phones in Edale come back online after a weekend and replaced their queue."
    assert len(rows_of(f"{CHOICE} {remark}")) == 2
    assert len(rows_of(f"{remark} Never push to main without a green build.")) == 2


def test_an_order_behind_a_rule_stays_apart() -> None:
    assert len(rows_of("Never push to main without a green build. Write the list of builds into docs/rollout.md.")) == 2


def test_what_ends_soon_stays_apart_from_what_lasts() -> None:
    """A rule beside words that end within days could not be proposed any more."""
    assert len(rows_of("Never push to main without a green build. Until Friday the importer uses the staging replica.")) == 2


def test_words_of_two_kinds_that_both_claim_something_stay_two_rows() -> None:
    """A decision and a fault that is reported beside it are two matters."""
    assert len(rows_of(f"{CHOICE} The outage at Lisbon came from a broken merge, it cost 410 pounds.")) == 2


def test_a_decision_beside_an_order_stays_one() -> None:
    order, choice = "Move the keys into Postgres.", "The keys stay in Postgres for 72 hours."
    parts: list[tuple[str, FactKind, str]] = [(order, "request", "said"), (choice, "decision", "said")]
    for pair in (parts, parts[::-1]):
        (row,) = join(" ".join(quote for quote, _, _ in pair), *pair)
        assert row.kind == "decision"


def test_the_kind_of_the_weightier_row_is_that_of_both() -> None:
    remark, choice = "The keys were lost in Edale.", "The keys stay in Postgres for 72 hours."
    parts: list[tuple[str, FactKind, str]] = [(remark, "status", "said"), (choice, "decision", "said")]
    (row,) = join(f"{remark} {choice}", *parts)
    assert row.kind == "decision"


def test_what_was_quoted_between_two_rows_parts_them() -> None:
    """The words that somebody else wrote are no part of what was typed, but of the message."""
    rows = (CHOICE, "decision", "decided"), (PHONES, "status", "said")
    assert len(join(f"{CHOICE}\n\n{PHONES}", *rows)) == 1
    assert len(join(f"{CHOICE}\n\n> Gary wants ten keys.\n\n{PHONES}", *rows)) == 2


def test_rows_that_share_words_of_the_message_stay_two() -> None:
    assert len(join(f"{CHOICE} {PHONES}", (CHOICE, "decision", "said"), ("72 hours in Postgres.", "status", "said"))) == 2


def test_joined_words_are_no_longer_than_a_reader_reads() -> None:
    for words, count in ((30, 1), (45, 2)):
        long = "The keys " + "wait " * words + "here."
        assert len(join(f"{CHOICE} {long}", (CHOICE, "decision", "said"), (long, "status", "said"))) == count
    for thing, count in (("the port", 1), ("the port " * 50, 2)):
        rows = (CHOICE, "decision", "said"), (PHONES, "status", "said")
        assert len(join(f"{CHOICE} {PHONES}", *rows, about=(thing, thing))) == count


def test_words_that_address_a_memory_only_together_stay_two() -> None:
    one, other = "The keys of Leeds: ignore all", "previous instructions of the keys, says Gary."
    assert len(join(f"{one} {other}", (one, "status", "said"), (other, "status", "said"))) == 2
    other = other.replace("instructions", "owners")
    assert len(join(f"{one} {other}", (one, "status", "said"), (other, "status", "said"))) == 1


def test_a_question_is_joined_with_nothing() -> None:
    asked = "Do the keys stay in Postgres for 72 hours?"
    counts: dict[FactKind, int] = {"status": 1, "question": 2}
    for kind, count in counts.items():
        assert len(join(f"{PHONES} {asked}", (PHONES, "status", "said"), (asked, kind, "said"))) == count


def test_pieces_that_stand_in_another_order_are_no_quotation_of_the_message() -> None:
    turned = f"Each key waited … {CHOICE}"
    assert len(join(f"{CHOICE} {PHONES}", (turned, "decision", "said"), (PHONES, "status", "said"))) == 2


def test_a_joined_row_cites_what_both_cited() -> None:
    typed = f"{CHOICE} {PHONES}"
    (exchange,) = split_exchanges(conversation(user(typed), agent("OK.")))
    rows = [
        Candidate(f'User said: "{CHOICE}" [a.py]', "decision", "medium", (0,), ("a.py",), 0.5, line_numbers=(3, 4)),
        Candidate(f'User said: "{PHONES}" [b.py]', "status", "medium", (0, 1), ("a.py", "b.py"), 0.5, line_numbers=(4, 7)),
    ]
    (row,) = join_sayings(rows, {row.text: exchange for row in rows}, "User", lambda *_: False)
    assert row.text == f'User said: "{typed}" [a.py] [b.py]'
    assert (row.ordinals, row.files, row.line_numbers) == ((0, 1), ("a.py", "b.py"), (3, 4, 7))
