"""A model's proposals against the rows that they cite, and against who vouches for these."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.each_case import each_case
from transforms.memory.eligibility import Source
from transforms.memory.proposal_answer import ProposalAnswer, Reflection, ground_proposal_answer, parse_proposals_xml
from transforms.memory.proposal_outcomes import WaitingLine
from transforms.pages.memory_md import HARD_RULES, parse_memory

AT = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)
RULE = "Never deploy the shop on a Friday"


def row(number: int, text: str, kind: str) -> Any:
    return {
        "observation_id": f"o-{number}", "session_id": f"s{number}", "text": text, "kind": kind, "priority": "high",
        "category": "rules",
        "confidence": 0.9, "said_at": AT, "project": "/work/shop", "also": [], "merged_count": 1, "verdict": "allow",
        "superseded_by": None,
    }  # fmt: skip


def grounded(source: Source, section: str, kind: str = "rule", page: str = "") -> Reflection:
    line = {"section": section, "text": RULE, "refs": [1]}
    answer = ProposalAnswer.model_validate({"proposals": [line]})
    return ground_proposal_answer(answer, [row(1, RULE, kind)], parse_memory(page), ("Joel", "Reflected"), UTC, {"o-1": source})


@each_case("source", ["owner", "answer", "summary"])
def test_a_rule_that_the_owner_vouches_for_is_proposed(source: Source) -> None:
    """In the owner's own words, in an answer, or in a summary that cites the owner."""
    assert [candidate.section for candidate in grounded(source, HARD_RULES).candidates] == [HARD_RULES]


def test_words_of_the_agent_alone_are_neither_a_rule_nor_a_preference_of_the_owner() -> None:
    """It is held, with the reason; knowledge about the work may still come from the agent."""
    reflection = grounded("agent", HARD_RULES)
    assert (reflection.candidates, reflection.held) == ((), {"nobody but the agent said it": 1})
    assert [candidate.section for candidate in grounded("agent", "Patterns", "root_cause").candidates] == ["Patterns"]


@each_case(
    ("named", "section", "unknown"),
    [
        ("**🔧 system architecture**", "System Architecture", ""),
        ("Deploys", "🚀 Deploys", ""),
        ("Reflected (2026-05-17)", "Reflected", ""),
        ("Infrastructure", "Patterns", "Infrastructure"),
        ("Memory", "Patterns", "Memory"),
        ("", "Patterns", ""),
    ],
)
def test_a_line_stands_in_the_section_that_the_model_named_or_by_its_kind_with_a_word_about_it(
    named: str, section: str, unknown: str
) -> None:
    """Emphasis, emoji and case are no other section, and the owner may have made sections of their own."""
    page = "# Memory\n\n## Patterns\n- x\n\n## 🚀 Deploys\n- (2026-05-01) Deploys run on Mondays\n"
    [candidate] = grounded("owner", named, "root_cause", page).candidates
    assert (candidate.section, candidate.unknown_section) == (section, unknown)


def test_a_request_of_the_owner_may_be_a_wish_for_good() -> None:
    """A model may take it for one, never for a hard rule; what an agent was asked or did is none."""
    assert [candidate.section for candidate in grounded("owner", "Joel", "request").candidates] == ["Joel"]
    assert [candidate.section for candidate in grounded("owner", HARD_RULES, "request").candidates] == ["Joel"]
    assert grounded("agent", "Joel", "request").held == {"rests on nothing that lasts": 1}


@each_case(("kind", "section"), [("rule", HARD_RULES), ("correction", HARD_RULES), ("request", "Joel"), ("preference", "Joel")])
def test_a_rule_in_another_language_is_as_hard_as_the_model_says(kind: str, section: str) -> None:
    """Code reads "never" and "always" in English alone; a wish and a preference become no rule in any language."""
    text = "Ne jamais faire de git push sans que Camille le dise"
    answer = ProposalAnswer.model_validate({"proposals": [{"section": HARD_RULES, "text": text, "refs": [1]}]})
    reflection = ground_proposal_answer(
        answer, [row(1, text, kind)], parse_memory(""), ("Joel", "Reflected"), UTC, {"o-1": "owner"}
    )
    assert [candidate.section for candidate in reflection.candidates] == [section]


@each_case(
    "text",
    ["Reports go to `out/<day>/<name>` beside the sources", "The shop refuses a deploy that is started on a Friday"],
)
def test_placeholders_and_relative_clauses_are_no_reason_to_hold_a_line(text: str) -> None:
    """`<day>` in a code span is no markup, and "that is" behind a noun points at nothing said before."""
    answer = ProposalAnswer.model_validate({"proposals": [{"section": "Patterns", "text": text, "refs": [1]}]})
    reflection = ground_proposal_answer(
        answer, [row(1, text, "rule")], parse_memory(""), ("Joel", "Reflected"), UTC, {"o-1": "owner"}
    )
    assert [candidate.text for candidate in reflection.candidates] == [text]


EIGHT = "The flood report has eight pages at most"
TWELVE = "The flood report has twelve pages at most, because the board turns no further"


def about_waiting(*proposals: dict[str, Any], over: Any = (), page: str = "") -> Reflection:
    """Return an answer about one row on eight pages, while twelve pages and another line wait."""
    waiting = [
        WaitingLine("p-1", f'{TWELVE} (in place of "Pages")', TWELVE, AT, "- Pages", (row(7, TWELVE, "decision"),)),
        WaitingLine("p-2", "Tests run in Docker", "Tests run in Docker", AT),
    ]
    rows, vouched = [row(1, EIGHT, "decision")], {"o-1": "owner", "o-7": "owner"}
    answer = ProposalAnswer.model_validate({"proposals": list(proposals), "over": over})
    return ground_proposal_answer(answer, rows, parse_memory(page), ("Joel", "Reflected"), UTC, vouched, waiting)


@each_case("replaces", ["w1", ["w1"], "[W1]", f"w1: {TWELVE}", TWELVE, f'"{TWELVE}"', {"line": "w1"}])
def test_a_line_takes_the_place_of_a_waiting_one_that_is_named_in_any_form(replaces: Any) -> None:
    """It rests on its own row and on what holds of the other's evidence, and changes the same line of MEMORY.md."""
    reflection = about_waiting({"section": "Patterns", "text": EIGHT, "replaces": replaces, "refs": [1]})
    [candidate] = reflection.candidates
    assert candidate.takes == ("p-1",)
    assert set(candidate.evidence) == {"o-1", "o-7"}
    assert reflection.replaces == {"- Pages": candidate.evidence[0]}


def test_better_words_need_no_row_and_say_nothing_new() -> None:
    better = "At most twelve pages has the flood report: the board turns no further"
    named = about_waiting({"section": "Patterns", "text": better, "replaces": "w1"}, {"text": EIGHT, "replaces": "", "refs": [1]})
    assert [(candidate.takes, candidate.evidence) for candidate in named.candidates] == [(("p-1",), ("o-7",)), ((), ("o-1",))]
    made_up = about_waiting({"text": better.replace("twelve", "31"), "replaces": "w1"}, {"text": EIGHT, "refs": [1]})
    assert [candidate.takes for candidate in made_up.candidates] == [()]


@each_case(
    ("over", "doubts"),
    [
        (["w1: outdated, #1"], [("p-1", "outdated", ("o-1",))]),
        ("w2: wrong", [("p-2", "wrong", ())]),
        ([{"line": "w1", "verdict": "wrong", "refs": [1, 9]}], [("p-1", "wrong", ("o-1",))]),
        (["w1, w2: outdated", "w1: wrong"], [("p-1", "outdated", ()), ("p-2", "outdated", ())]),
        (["w9: outdated", "- Pages"], []),
        (["w1: still holds, see #1", "w2: outdated, w1 says what holds now, #1"], [("p-2", "outdated", ())]),
        (None, []),
    ],
)
def test_a_verdict_on_a_waiting_line_names_what_shows_it(over: Any, doubts: list[tuple[str, str, tuple[str, ...]]]) -> None:
    """The first verdict on a line counts; rows that were not shown prove nothing."""
    named = about_waiting({"text": EIGHT, "refs": [1]}, over=over).doubts
    assert [(doubt.proposal_id, doubt.verdict, doubt.evidence) for doubt in named] == doubts


def test_the_plain_form_names_waiting_lines_too() -> None:
    """Programs without schemas answer in lines."""
    raw = f'<proposals>\n## Proposed for: Patterns\n- replace "w1" with: {EIGHT} (#1)\n- over: w2: outdated, #1\n</proposals>'
    answer = parse_proposals_xml(raw)
    assert (answer.proposals[0].replaces, answer.proposals[0].refs, answer.over) == ("w1", [1], ["w2: outdated, #1"])


@each_case(
    ("bullet", "replaces", "refs"),
    [
        (f'replace "w2" with: {EIGHT} (w1 #1)', "w2; w1", [1]), (f"{EIGHT} (w2 #1)", "w2", [1]), (f"{EIGHT} (#1, w2)", "w2", [1]),
        (f"replace w2 with: {EIGHT} (#1)", "w2", [1]), (f'replace "w1", "w2" with: {EIGHT} (#1)', 'w1", "w2', [1]),
        (f'replace "the worker (w1)" with: {EIGHT} (#1)', "the worker (w1)", [1]),
    ],
)  # fmt: skip
def test_marks_in_the_plain_form_may_stand_among_the_rows_or_without_quotes(bullet: str, replaces: str, refs: list[int]) -> None:
    """They are no rows and no words of the line."""
    [line] = parse_proposals_xml(f"<proposals>\n## Proposed for: Patterns\n- {bullet}\n</proposals>").proposals
    assert (line.text, line.replaces, line.refs) == (EIGHT, replaces, refs)


@each_case("bullet", ["The report is printed by the large worker (w1)", "Replace w1 with w2 when the disk is full"])
def test_a_line_about_workers_stays_as_it_is_in_the_plain_form(bullet: str) -> None:
    [line] = parse_proposals_xml(f"<proposals>\n- {bullet} (#1)\n</proposals>").proposals
    assert (line.text, line.replaces, line.refs) == (bullet, "", [1])


def test_a_line_of_the_page_that_mentions_workers_takes_and_doubts_no_waiting_line() -> None:
    """Quoted short by a word, or with its date and a verdict, it is still not about what waits."""
    bullets = "- (2026-01-01) Worker w1 pulls the large jobs, worker w2 the small ones.\n- w1 is outdated since May.\n"
    page = f"# M\n\n## Patterns\n\n{bullets}"
    for quote in ("Worker w1 pulls the large jobs, worker w2 the small", "w1 is outdated since"):
        line = {"section": "Patterns", "text": EIGHT, "replaces": quote, "refs": [1]}
        over = ["Worker w1 pulls the large jobs, worker w2 the small ones, outdated", quote, "w1 is outdated since May."]
        reflection = about_waiting(line, over=over, page=page)
        assert [candidate.takes for candidate in reflection.candidates] == [()]
        assert reflection.doubts == ()
    assert reflection.over == ("- w1 is outdated since May.",)


def test_a_line_that_takes_a_place_ends_the_doubt_about_it() -> None:
    line = {"text": EIGHT, "replaces": "w1", "refs": [1]}
    assert about_waiting(line, over=["w1: outdated, #1"]).doubts == ()


def test_a_waiting_line_that_is_only_said_again_keeps_its_place() -> None:
    """A new id for the same words would cost the owner a second look."""
    again = about_waiting({"text": EIGHT, "refs": [1]}, {"text": f"{TWELVE}.", "replaces": "w1", "refs": [1]})
    assert all(candidate.takes == () for candidate in again.candidates)
