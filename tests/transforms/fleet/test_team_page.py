"""The team page holds marked lines only, merged, without secrets, and never one that the team removed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.fleet.team_page import collect_team_lines, compose_team_page

ANA = """# Memory

## Ana

- (2026-05-01) Prefers short answers
- (2026-05-02) Wants the tests to run before each push #team

## Hard Rules

- (2026-05-03) Never force-push to main #team
- (2026-05-04) Never deploy on a Friday
"""
BO = """## Hard Rules

- never force-push to main. #TEAM
"""


def test_only_marked_lines_leave_an_owners_memory_and_equal_ones_are_merged() -> None:
    page = compose_team_page("", {"bo": BO, "ana": ANA}, ())
    assert page.text == (
        "# Team memory\n\n## Hard Rules\n\n- Never force-push to main (approved by ana, bo)\n\n"
        "## Patterns\n\n- Wants the tests to run before each push (approved by ana)\n"
    )
    assert (page.added, page.removed, page.refusals) == (2, 0, ())


def test_a_second_night_changes_nothing() -> None:
    memories = {"bo": BO, "ana": ANA}
    first = compose_team_page("", memories, ())
    again = compose_team_page(first.text, memories, ())
    assert (again.text, again.added, again.removed) == (first.text, 0, 0)


def test_a_line_that_nobody_marks_any_more_goes_and_one_written_by_hand_stays() -> None:
    first = compose_team_page("", {"ana": ANA}, ()).text + "- Ours, written by hand\n"
    page = compose_team_page(first, {"ana": ANA.replace(" #team", "", 1)}, (), first.splitlines())
    assert "written by hand" in page.text
    assert "tests to run" not in page.text
    assert page.removed == 1


def test_a_line_that_the_team_removed_is_never_offered_again() -> None:
    first = compose_team_page("", {"ana": ANA, "bo": BO}, ()).text
    line = next(line for line in first.splitlines() if "force-push" in line)
    page = compose_team_page(first.replace(line + "\n", ""), {"ana": ANA}, [line])
    assert "force-push" not in page.text


def test_an_owner_who_joins_a_rule_is_named_beside_the_others() -> None:
    first = compose_team_page("", {"ana": ANA}, ()).text
    page = compose_team_page(first, {"ana": ANA, "bo": BO}, ())
    assert "(approved by ana, bo)" in page.text
    assert page.added == 0


def test_a_line_with_a_secret_is_refused_and_the_refusal_says_nothing_of_it() -> None:
    token = "ghp_" + "a1B2" * 9
    lines, refusals = collect_team_lines({"ana": f"- The token of the bot is {token} #team\n"})
    assert lines == []
    assert refusals == ["ana: a marked line holds a secret, or looks like it"]


def test_a_mark_inside_a_word_or_a_block_of_code_marks_nothing() -> None:
    text = "- See issue#team\n- The channel is #teamwork\n\n```\n- Never #team\n```\n"
    assert collect_team_lines({"ana": text}) == ([], [])


def test_rules_that_differ_in_a_sign_are_two_rules() -> None:
    pairs = [
        ("Cache TTL must be > 5 minutes", "Cache TTL must be < 5 minutes"),
        ("Write C++ only in engine/", "Write C only in engine/"),
        ("✅ commit generated files", "❌ commit generated files"),
    ]
    for one, other in pairs:
        lines, _ = collect_team_lines({"ana": f"- {one} #team\n", "bo": f"- {other} #team\n"})
        assert [(line.text, line.owners) for line in lines] == [(one, ("ana",)), (other, ("bo",))]


def test_the_mark_ends_a_line_and_is_a_word_of_its_own() -> None:
    text = "- Post in #team-backend\n- Ask #team's lead\n- Say #team in the channel\n"
    assert collect_team_lines({"ana": text}) == ([], [])
    assert [line.text for line in collect_team_lines({"ana": "- Test first #team #tests\n"})[0]] == ["Test first #tests"]


def test_what_an_owner_approved_stays_while_his_memory_cannot_be_read() -> None:
    first = compose_team_page("", {"ana": ANA, "bo": BO}, ()).text
    page = compose_team_page(first, {"bo": BO}, (), first.splitlines(), {"ana"})
    assert (page.text, page.removed) == (first, 0)


def test_a_signed_line_that_the_team_worded_stays() -> None:
    first = compose_team_page("", {"ana": ANA}, ()).text
    line = next(line for line in first.splitlines() if "force-push" in line)
    reworded = "- Never force-push to main, except releases (approved by ana)"
    edited = first.replace(line, f"{reworded}\n- Backups are kept 30 days (approved by legal)")
    page = compose_team_page(edited, {"ana": ANA}, [line], first.splitlines())
    assert (page.text, page.removed) == (edited, 0)


def test_two_owners_who_approve_the_opposite_are_named() -> None:
    """Both lines are offered, because whoever merges decides; lines about different matters are no conflict."""
    ana = "## Hard Rules\n\n- Always squash merge pull requests #team\n- Never push on Friday #team\n"
    bo = "## Hard Rules\n\n- Never squash merge pull requests #team\n- Always tag releases on Monday #team\n"
    page = compose_team_page("", {"ana": ana, "bo": bo}, ())
    assert page.added == 4
    assert page.conflicts == ("ana and bo",)


def test_nobody_signs_for_another_owner() -> None:
    lines, refusals = collect_team_lines({"bo": "- Everybody reviews (approved by ana, chi) #team\n"})
    assert lines == []
    assert refusals == ["bo: a marked line says who approved it; recollect writes that itself"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_a_marked_line_is_one_bullet_whatever_it_says(words: str) -> None:
    memory = f"## Patterns\n\n- {words} #team\n"
    page = compose_team_page("", {"ana": memory}, ())
    again = compose_team_page(page.text, {"ana": memory}, ())
    assert page.added <= 1
    assert again.text == page.text
