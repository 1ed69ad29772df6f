"""A model's proposals against the rows that they cite, and against who vouches for these."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.each_case import each_case
from transforms.memory.eligibility import Source
from transforms.memory.proposal_answer import ProposalAnswer, Reflection, ground_proposal_answer
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
    return ground_proposal_answer(answer, [row(1, RULE, kind)], parse_memory(page), "Joel", "Reflected", UTC, {"o-1": source})


@pytest.mark.parametrize("source", ["owner", "answer", "summary"])
def test_a_rule_that_the_owner_vouches_for_is_proposed(source: Source) -> None:
    """In the owner's own words, in an answer, or in a summary that cites the owner."""
    assert [candidate.section for candidate in grounded(source, HARD_RULES).candidates] == [HARD_RULES]


def test_words_of_the_agent_alone_are_neither_a_rule_nor_a_preference_of_the_owner() -> None:
    """It is held, with the reason; knowledge about the work may still come from the agent."""
    reflection = grounded("agent", HARD_RULES)
    assert (reflection.candidates, reflection.held) == ((), {"nobody but the agent said it": 1})
    assert [candidate.section for candidate in grounded("agent", "Patterns", "root_cause").candidates] == ["Patterns"]


@pytest.mark.parametrize(
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
        answer, [row(1, text, kind)], parse_memory(""), "Joel", "Reflected", UTC, {"o-1": "owner"}
    )
    assert [candidate.section for candidate in reflection.candidates] == [section]


@pytest.mark.parametrize(
    "text",
    ["Reports go to `out/<day>/<name>` beside the sources", "The shop refuses a deploy that is started on a Friday"],
)
def test_placeholders_and_relative_clauses_are_no_reason_to_hold_a_line(text: str) -> None:
    """`<day>` in a code span is no markup, and "that is" behind a noun points at nothing said before."""
    answer = ProposalAnswer.model_validate({"proposals": [{"section": "Patterns", "text": text, "refs": [1]}]})
    reflection = ground_proposal_answer(
        answer, [row(1, text, "rule")], parse_memory(""), "Joel", "Reflected", UTC, {"o-1": "owner"}
    )
    assert [candidate.text for candidate in reflection.candidates] == [text]
