"""The facts about a session's first request: of this project, sharing words with it, and with their amendments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from effects.opening.opening_files import TAG_TOKENS, read_current_opening
from effects.opening.request_recall import read_current_facts, render_request_recall
from effects.opening.session_opening import render_session_opening
from effects.pages.fact_sheet_file import SHEETS_FILE
from effects.pages.render_step import render
from effects.store.run import Run
from effects.tasks.working_memory import read_working_memory
from tests.effects.recall_world import BLOG, SHOP, START, fact, filled, write
from transforms.opening.fact_sheet import REQUEST_HEADING
from transforms.tables.tokens import count_tokens

REQUEST = "raise the session cache TTL in Redis"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a lake without vectors and without an index."""
    return filled(tmp_path, model=str(tmp_path / "no-model"), is_indexed=False)


def render_pages(run: Run) -> None:
    """Make the pages and the sheets, as a night does."""
    with run.lake.writing("test"):
        render(run)


def recall(run: Run, request: str, project: str = SHOP) -> str:
    """Return the facts about a request."""
    return render_request_recall(run, project, request, 600)


def test_an_amended_fact_comes_once_with_the_fact_that_it_replaced(run: Run) -> None:
    """The request uses the words of the old fact; the agent must not follow it."""
    earlier = fact("p1", "The gateway listens on port 9477", superseded_by="o-p2", said_at=START - timedelta(days=3))
    write(run, "observations", [earlier, fact("p2", "The gateway listens on port 9500")])
    page = recall(run, "why does the gateway still listen on port 9477?")
    assert page.count("o-p2") == 1
    assert "o-p1" not in page
    assert "The gateway listens on port 9500 (decision, 2026-02-09, `o-p2`); before, since 2026-02-06: " in page
    assert "port 9477" in page


def test_a_saying_whose_kind_a_rule_guessed_meets_a_first_prompt_as_said(run: Run) -> None:
    """Of a stranger's "rules" a third were some; a choice from a menu, a label and a model's row keep their kind."""
    by_rules = {"engine": "offline", "origin": "owner", "kind": "rule"}
    write(run, "observations", [
        fact("g1", 'User set a rule: "flashed the gateway on port 9477, it joins every time" Reply: Fine.', **by_rules),
        fact("g2", 'User set a rule: "rule: the gateway keeps port 9477"', **by_rules),
        fact("g3", 'User decided: "two" (asked: Which port has the gateway?; chosen: 9477)', **by_rules | {"kind": "decision"}),
        fact("g4", "The gateway must keep port 9477", **by_rules | {"engine": "pi:haiku"}),
    ])  # fmt: skip
    page = recall(run, "why does the gateway listen on port 9477?")
    assert '- "flashed the gateway on port 9477, it joins every time" Reply: Fine. (said, 2026-02-09, `o-g1`)' in page
    assert 'User set a rule: "rule: the gateway keeps port 9477" (rule, ' in page
    assert 'User decided: 9477 ("two"; asked: Which port has the gateway?) (decision, ' in page
    assert "The gateway must keep port 9477 (rule, " in page


def test_a_request_is_recalled_because_it_states_what_was_wished_for_and_a_question_is_not(run: Run) -> None:
    """Half of what answered a later prompt was said as a request; a question states nothing."""
    by_rules = {"engine": "offline", "origin": "owner"}
    asked, wished = "on which port does the gateway listen?", "let the gateway listen on port 9477 from now on"
    write(run, "observations", [
        fact("r1", f'User asked for: "{wished}"', kind="request", **by_rules),
        fact("r2", f'User asked: "{asked}"', kind="question", **by_rules),
    ])  # fmt: skip
    page = recall(run, "put the port of the gateway on the service page")
    assert f'- "{wished}" (said, 2026-02-09, `o-r1`)' in page
    assert asked not in page


def test_of_a_long_earlier_fact_enough_is_shown_to_recognise_it(run: Run) -> None:
    """It must not be followed: its details would cost the room of facts that hold."""
    long = "The gateway listens on port 9477, " + "because the old proxy needs it, " * 20
    write(run, "observations", [fact("p1", long, superseded_by="o-p2"), fact("p2", "The gateway listens on port 9500")])
    page = recall(run, "why does the gateway listen on port 9477?")
    assert "before, since 2026-02-09: The gateway listens on port 9477, because" in page
    assert page.count("the old proxy") < 8


def test_a_fact_of_an_unmerged_branch_says_so_in_the_opening(run: Run) -> None:
    """An agent must not take for granted what was never merged."""
    write(run, "observations", [fact("p2", "The gateway listens on port 9500")])
    looked_up = {"target": "o-p2", "name": "new-port", "kind": "branch", "status": "unmerged", "repository": SHOP}
    write(run, "confirmations", [looked_up | {"commit": "abc1234", "new_name": None, "confirmed_on": None, "state": "1"}])
    opening = render_session_opening(run, SHOP, 2000, [], "why does the gateway listen on port 9500?")
    facts = opening.partition("about this request")[2]
    assert "⚠️ from branch new-port, never merged" in facts


@pytest.mark.parametrize("request_text", ["hi", "go on", "", "clear", "session", "paint the fence green tomorrow"])
def test_a_request_without_two_known_words_recalls_nothing(request_text: str, run: Run) -> None:
    assert recall(run, request_text) == ""


def test_facts_of_other_projects_held_facts_and_ended_ones_stay_away(run: Run) -> None:
    assert recall(run, "session cache TTL in Redis", BLOG) == ""
    assert recall(run, "session cache TTL in Redis", "/somewhere/new") == ""
    assert recall(run, "the database password in vault seven") == ""
    frozen = fact("freeze", "Deploys to the gateway are frozen until 2026-02-05", said_at=START - timedelta(days=9))
    write(run, "observations", [frozen])
    assert "o-freeze" not in recall(run, "deploy the frozen gateway")


def test_the_opening_with_facts_stays_within_its_budget(run: Run) -> None:
    """The briefing gives way, not the other way round."""
    alone = render_session_opening(run, SHOP, 300, [])
    both = render_session_opening(run, SHOP, 300, [], REQUEST)
    assert "about this request" not in alone
    assert "about this request" in both
    assert count_tokens(both) <= 330


def test_a_fact_about_the_request_stands_once_in_an_opening(run: Run) -> None:
    """It stood in the briefing, too: a twentieth of an opening was said twice."""
    write(run, "observations", [fact("ab12", "The gateway listens on port 9500"), fact("cd34", "Invoices go out on Mondays")])
    asked = "move the gateway to another port"
    for render_opening in (lambda: render_session_opening(run, SHOP, 2_000, [], asked), lambda: read_late(run, asked)):
        opening = render_opening()
        assert opening.count("`o-ab12`") == opening.count("`o-cd34`") == 1
        assert "`o-ab12`" in opening.partition(REQUEST_HEADING)[2]
        assert "`o-cd34`" in opening.partition(REQUEST_HEADING)[0]


def read_late(run: Run, request: str) -> str:
    """Return the opening that is read from the pages of a night."""
    render_pages(run)
    return read_current_opening(run, Path(SHOP), 2_000, [], request) or ""


def test_a_restated_fact_is_not_shown_as_an_amendment(run: Run) -> None:
    """A duplicate that was merged says nothing that the fact itself does not say."""
    again = fact("g1", "The gateway listens at port 9500", superseded_by="o-g2", said_at=START - timedelta(days=3))
    write(run, "observations", [again, fact("g2", "The gateway listens on port 9500, as ever")])
    page = recall(run, "the gateway port")
    assert "`o-g2`)" in page
    assert "before, since" not in page


def test_what_the_night_left_is_what_the_tables_say(run: Run) -> None:
    """Of every project, also without facts, and in a folder below it."""
    from_tables = [recall(run, REQUEST), recall(run, "short commit messages", BLOG)]
    opening = render_session_opening(run, SHOP, 2_000, [], REQUEST)
    render_pages(run)
    assert all(from_tables)
    assert [recall(run, REQUEST), recall(run, "short commit messages", BLOG)] == from_tables
    assert read_current_facts(run, Path(SHOP) / "src", REQUEST, 600) == from_tables[0]
    assert read_current_facts(run, Path(BLOG), "short commit messages", 600) == from_tables[1]
    assert read_current_facts(run, Path("/somewhere/new"), REQUEST, 600) == ""
    assert read_current_opening(run, Path(SHOP), 2_000, [], REQUEST) == opening


def test_a_long_briefing_has_a_short_form_for_openings(run: Run) -> None:
    """Else the largest projects, whose briefings fill their budget, have the slowest openings."""
    facts = [fact(f"n{n}", f"Service {n} keeps " + " ".join(f"queue{n}x{m}" for m in range(12)) + " in order") for n in range(60)]
    write(run, "observations", facts)
    render_pages(run)
    [page] = (run.settings.workspace / "briefing").glob("shop*.md")
    assert count_tokens(page.read_text(encoding="utf-8")) > 1_400
    opening = read_current_opening(run, Path(SHOP), 1_400, [])
    assert opening == render_session_opening(run, SHOP, 1_400, [])
    with_facts = read_current_opening(run, Path(SHOP), 2_000, [], REQUEST)
    assert with_facts == render_session_opening(run, SHOP, 2_000, [], REQUEST)
    assert with_facts is not None
    assert REQUEST_HEADING in with_facts


def test_working_memory_takes_its_room_from_the_briefing(run: Run) -> None:
    """All that memory adds stays within the budget; the briefing loses its last lines."""
    facts = [fact(f"n{n}", f"Service {n} keeps " + " ".join(f"queue{n}x{m}" for m in range(12)) + " in order") for n in range(60)]
    write(run, "observations", facts)
    page = read_working_memory(run, SHOP).path
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("Every session needs this sentence about the shop.\n" * 75, encoding="utf-8")
    render_pages(run)
    for request in ("", REQUEST):
        opening = render_session_opening(run, SHOP, 2_000, [], request)
        assert count_tokens(opening) <= 2_000 + TAG_TOKENS
        assert page.read_text(encoding="utf-8").strip() in opening
        assert "# Briefing: shop" in opening
        assert read_current_opening(run, Path(SHOP), 2_000, [], request) == opening


def test_sheets_of_unchanged_projects_are_those_of_a_fresh_rendering(run: Run) -> None:
    """Of the project that changed it is made anew; the bytes are the same."""
    render_pages(run)
    replace_the_fact(run)
    render_pages(run)
    path = run.lake.root / SHEETS_FILE
    reused = path.read_bytes()
    path.unlink()
    render_pages(run)
    assert path.read_bytes() == reused
    assert b"5 minutes" in reused


def forget_the_fact(run: Run) -> None:
    """A tombstone that nobody has rendered yet."""
    write(run, "tombstones", [{"tombstone_id": "t", "target": "o-ttl", "reason": "x", "at": run.as_of, "is_undone": False}])


def replace_the_fact(run: Run) -> None:
    """A fact of a session that ended since."""
    write(run, "observations", [fact("new", "Session cache: Redis, TTL 5 minutes")])


@pytest.mark.parametrize(("change", "is_shown"), [(forget_the_fact, False), (replace_the_fact, True)])
def test_after_a_change_the_tables_are_read_until_the_next_rendering(
    change: Callable[[Run], None], is_shown: bool, run: Run
) -> None:
    """A forgotten fact never appears, nor the retired one that it had replaced: that one does not hold."""
    render_pages(run)
    change(run)
    assert read_current_facts(run, Path(SHOP), REQUEST, 600) is None
    page = recall(run, REQUEST)
    assert ("15 minutes" in page) == is_shown
    assert "TTL 60 minutes" not in page.replace("before, since 2026-02-06: Session cache: Redis, TTL 60 minutes", "")
    render_pages(run)
    assert read_current_facts(run, Path(SHOP), REQUEST, 600) == page
    assert (b"15 minutes" in (run.lake.root / SHEETS_FILE).read_bytes()) == is_shown


def test_a_damaged_or_missing_sheet_is_none(run: Run) -> None:
    render_pages(run)
    page, path = recall(run, REQUEST), run.lake.root / SHEETS_FILE
    for data in (b"", b"{}\n", b"[1]\n", path.read_bytes()[:-40], path.read_bytes().replace(b'"sheet":', b'"other":')):
        path.write_bytes(data)
        assert read_current_facts(run, Path(SHOP), REQUEST, 600) in (None, page)
        assert recall(run, REQUEST) == page
    path.unlink()
    assert recall(run, REQUEST) == page


def test_a_damaged_sheet_is_made_again_by_the_next_rendering(run: Run) -> None:
    """Also when only a line below the header is damaged: no table changed, so nothing else would replace it."""
    render_pages(run)
    path = run.lake.root / SHEETS_FILE
    whole = path.read_bytes()
    for data in (
        b"",
        b"[1]\n",
        whole[:-40],
        whole.replace(b'"sheet":', b'"other":'),
        whole.replace(b"15 minutes", b"95 minutes"),
    ):
        assert data != whole
        path.write_bytes(data)
        render_pages(run)
        assert path.read_bytes() == whole
