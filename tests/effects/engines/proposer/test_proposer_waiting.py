"""What a model says of lines that wait for their owner, over real HTTP: the owner sees it, and their word holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import EngineSettings
from effects.memory.dedupe_step import dedupe
from effects.memory.forget import forget, undo_forget
from effects.memory.forget_targets import ForgetRequest
from tests.effects.engines.model_server import ModelServer, Said, serving
from tests.effects.engines.reflecting_world import MODEL, rows_of
from tests.effects.memory_world import World
from transforms.tables.schema import RELATIONS, build_frame

pytestmark = pytest.mark.usefixtures("quick_retries")

TWELVE = "The flood report has twelve pages at most, because the board turns no further"
EIGHT = "The flood report has eight pages at most, because the wardens asked for less"
LINE, BETTER = "p-20260517-001", "p-20260518-001"


def answer(*lines: dict[str, Any], over: Any = ()) -> str:
    return json.dumps({"proposals": list(lines), "over": over, "summary": ""})


def line(text: str, *refs: int, replaces: str = "") -> dict[str, Any]:
    return {"section": "Patterns", "text": text, "refs": list(refs), "replaces": replaces}


def number_of(prompt: str, words: str) -> int:
    return next(number for number, *_, text in rows_of(prompt) if words in text)


Say = Callable[[str], str]


def serving_in_turn(say: Say) -> Callable[[str, int], Said]:
    """Return a model that proposes the line on twelve pages, and from the second request on what `say` makes of it."""

    def reply(prompt: str, number: int) -> Said:
        first = answer(line(TWELVE, 1))
        return Said(first if number == 1 else say(prompt))

    return reply


def live_two_nights(folder: Path, server: ModelServer, between: Callable[[World], None] = lambda _world: None) -> World:
    """Return a world in which the twelve pages waited since yesterday, and eight were said today; `between` is the owner."""
    engine = EngineSettings(reflector=MODEL, base_url=server.url, budget_day_usd=10.0, budget_run_usd=10.0)
    world = World(folder, settings={"engine": engine})
    world.observe(TWELVE, "decision", observation_id="o-twelve", project="/code/flood")
    world.night()
    between(world)
    world.days = 1
    world.observe(EIGHT, "decision", observation_id="o-eight", project="/code/flood")
    world.night()
    return world


def read_page(world: World) -> str:
    return world.review_file.read_text(encoding="utf-8")


def say_eight(prompt: str) -> str:
    return answer(line(EIGHT, number_of(prompt, "eight"), replaces="w1"))


def say_outdated(prompt: str) -> str:
    return answer(over=[f"w1: outdated, #{number_of(prompt, 'eight')}"])


def test_a_line_that_holds_now_takes_the_place_of_the_one_that_waits_and_says_so(tmp_path: Path) -> None:
    """Before, a line on the same observations was more evidence for the one that waited, and twelve pages stayed on the page."""
    with serving(serving_in_turn(say_eight)) as server:
        world = live_two_nights(tmp_path, server)
        prompt = server.prompts()[-1]
    assert f"w1: {TWELVE}" in prompt
    assert world.statuses() == {LINE: "merged", BETTER: "pending"}
    page = read_page(world)
    assert f"- [ ] `{BETTER}` {EIGHT}" in page
    assert f"A model put it in the place of “{TWELVE}”, which waited since 2026-05-17:" in page
    assert f"`{LINE}`" not in page


@pytest.mark.parametrize(("word", "shown"), [("outdated", "outdated"), ("wrong", "wrong")])
def test_a_doubt_without_a_successor_stands_below_the_line_and_decides_nothing(tmp_path: Path, word: str, shown: str) -> None:
    """The line waits on, and a second night, run or not, shows the same bytes."""

    def say(prompt: str) -> str:
        rows = [number for number, *_, text in rows_of(prompt) if "eight" in text]
        return answer(over=[f"w1: {word}, #{rows[0]}"] if rows else [f"w1: {word}"])

    with serving(serving_in_turn(say)) as server:
        world = live_two_nights(tmp_path, server)
        page = read_page(world)
        world.night()
    assert world.statuses() == {LINE: "pending"}
    assert f"  - ⚠️ A model takes this line for {shown} since 2026-05-18: “{EIGHT}” (o-eight)." in page
    assert read_page(world) == page
    world.render()
    assert read_page(world) == page


def test_the_owner_decides_on_a_doubted_line_as_on_any_other(tmp_path: Path) -> None:
    with serving(serving_in_turn(say_outdated)) as server:
        world = live_two_nights(tmp_path, server)
        world.mark(LINE, "x")
        world.days = 2
        world.night()
    assert world.statuses()[LINE] == "approved"
    assert TWELVE in world.memory()


def test_a_line_that_its_owner_edited_stays_theirs(tmp_path: Path) -> None:
    """The model's words stand below it as a suggestion; the owner's words wait on."""
    own = "At most twelve pages, the board said"

    def edit(world: World) -> None:
        world.edit(TWELVE, own)

    with serving(serving_in_turn(say_eight)) as server:
        world = live_two_nights(tmp_path, server, edit)
    assert world.statuses() == {LINE: "pending"}
    page = read_page(world)
    assert f"- [ ] `{LINE}` {own}" in page
    assert f"  - ⚠️ A model would put it so since 2026-05-18: “{EIGHT}”." in page


def test_an_edit_after_a_doubt_takes_the_doubt_away(tmp_path: Path) -> None:
    """Who worded the line anew has read what stood below it."""
    with serving(serving_in_turn(say_outdated)) as server:
        world = live_two_nights(tmp_path, server)
        world.edit(TWELVE, "The flood report is short")
        world.days = 2
        world.night()
    assert "takes this line for" not in read_page(world)
    assert f"- [ ] `{LINE}` The flood report is short" in read_page(world)


@pytest.mark.parametrize("mark", ["x", "-"])
def test_a_decision_made_while_a_model_put_another_line_in_its_place_holds(tmp_path: Path, mark: str) -> None:
    """The owner ticked or rejected the words that the page showed; the line in their place goes."""
    with serving(serving_in_turn(say_eight)) as server:
        engine = EngineSettings(reflector=MODEL, base_url=server.url, budget_day_usd=10.0, budget_run_usd=10.0)
        world = World(tmp_path, settings={"engine": engine})
        world.observe(TWELVE, "decision", observation_id="o-twelve", project="/code/flood")
        world.night()
        former = read_page(world)
        stored = world.run.lake.read("pages")
        world.days = 1
        world.observe(EIGHT, "decision", observation_id="o-eight", project="/code/flood")
        world.night()
        world.review_file.write_text(former, encoding="utf-8")  # as if the night had not come to write the page
        with world.run.lake.writing("test"), world.run.lake.commit() as change:
            change.replace("pages", stored.drop("schema_version"))
        world.mark(LINE, mark)
        world.days = 2
        world.night()
    assert world.statuses() == {LINE: "approved" if mark == "x" else "rejected", BETTER: "merged"}
    assert (TWELVE in world.memory()) == (mark == "x")


def test_a_line_is_put_better_without_new_evidence_once(tmp_path: Path) -> None:
    """It keeps its evidence; a model that finds ever better words would else change the page each night."""

    def say(prompt: str) -> str:
        words = "The flood report has twelve pages at most: the board turns no further"
        again = "At most twelve pages has the flood report, because the board turns no further"
        return answer(line(again if words in prompt else words, replaces="w1"))

    with serving(serving_in_turn(say)) as server:
        world = live_two_nights(tmp_path, server)
        world.days = 2
        world.observe("Deploys of the flood report happen on Mondays", "decision", observation_id="o-day", project="/code/flood")
        world.night()
    assert world.statuses() == {LINE: "merged", BETTER: "pending"}
    assert world.proposals()[BETTER]["evidence_ids"] == ["o-twelve"]


def test_names_that_the_waiting_line_has_may_stand_in_its_better_words_and_no_others(tmp_path: Path) -> None:
    """The checks of facts hold for words alone, too."""

    def say(_prompt: str) -> str:
        return answer(line("The flood report has 31 pages at most, because the board turns no further", replaces="w1"))

    with serving(serving_in_turn(say)) as server:
        world = live_two_nights(tmp_path, server)
    assert LINE in world.statuses()
    assert not any("31 pages" in row["text"] for row in world.proposals().values())


def test_what_forgotten_words_said_against_a_line_is_told_no_more(tmp_path: Path) -> None:
    """The observation that shows the doubt is forgotten; the line waits on without it."""
    with serving(serving_in_turn(say_outdated)) as server:
        world = live_two_nights(tmp_path, server)
    assert EIGHT in read_page(world)
    with world.run.lake.writing("test"):
        forget(world.run, ForgetRequest(record_id="o-eight"))
        world.render()
    assert f"- [ ] `{LINE}`" in read_page(world)
    assert "eight pages" not in read_page(world)


@pytest.mark.parametrize("is_doubted", [True, False])
def test_a_doubted_line_that_expired_is_not_offered_again(tmp_path: Path, is_doubted: bool) -> None:
    """Others that expired untouched come once more after a pause."""
    with serving(serving_in_turn(say_outdated if is_doubted else lambda _prompt: answer())) as server:
        world = live_two_nights(tmp_path, server)
        for world.days in (9, 40):
            world.night()
    assert world.statuses()[LINE] == ("expired" if is_doubted else "pending")


def test_no_line_is_taken_while_the_page_cannot_be_read(tmp_path: Path) -> None:
    """Whoever resolves the conflict may have ticked the line: until then the model's words stand nowhere but below it."""

    def conflict(world: World) -> None:
        world.review_file.write_text(f"<<<<<<< ours\n{read_page(world)}>>>>>>> theirs\n", encoding="utf-8")

    with serving(serving_in_turn(say_eight)) as server:
        world = live_two_nights(tmp_path, server, conflict)
    assert world.statuses() == {LINE: "pending"}
    assert [name for name, _ in world.events("doubted")] == [LINE]
    assert "<<<<<<< ours" in read_page(world)


def test_a_waiting_line_is_shown_with_the_row_that_replaced_what_it_rests_on(tmp_path: Path) -> None:
    """The request about pairs found that; the request for proposals showed the line as if it held."""
    with serving(serving_in_turn(lambda _prompt: answer())) as server:
        world = live_two_nights(tmp_path, server)
        relation = {
            "older_id": "o-twelve", "newer_id": "o-eight", "relation": "replaces", "engine": "test", "template_hash": "t",
            "asked_on": world.run.today,
        }  # fmt: skip
        world.days = 2
        world.observe("The report is printed on A4", "decision", project="/code/flood")
        with world.run.lake.writing("test"):
            with world.run.lake.commit() as change:
                change.replace("relations", build_frame(RELATIONS, [relation]))
            dedupe(world.run)
        world.night()
        prompt = server.prompts()[2]
    head, waiting = prompt.partition("<waiting>")[0], prompt.partition("<waiting>")[2].partition("</waiting>")[0]
    assert head.strip().endswith("These wait for Joel's decision; what a line rests on was replaced by the row behind it:")
    assert waiting.strip() == f"w1: {TWELVE} → #{number_of(prompt, 'eight pages')}"


def test_what_expired_is_told_apart_from_what_waits(tmp_path: Path) -> None:
    """It comes back by itself; among the waiting lines it looked like a part of a longer list, and has no mark."""
    with serving(serving_in_turn(lambda _prompt: answer())) as server:
        world = live_two_nights(tmp_path, server)
        world.days = 20
        world.observe(TWELVE, "decision", observation_id="o-twelve", window_id="w-again", project="/code/flood")
        world.night()
        prompt = server.prompts()[2]
    assert world.statuses() == {LINE: "expired"}
    assert "<waiting>" not in prompt
    assert f"<expired>\n- {TWELVE}\n</expired>" in prompt


OWN = "At most twelve pages, the board said"
NO_MORE = "The flood report of the wardens has eight pages and no more"


def test_two_lines_for_one_that_its_owner_edited_are_one_suggestion(tmp_path: Path) -> None:
    """They were two events of one key, and the night broke; the same answer later changes nothing."""

    def say(prompt: str) -> str:
        if not any("eight" in text for *_, text in rows_of(prompt)):
            return answer(line(EIGHT, replaces="w1"), line(NO_MORE, replaces="w1"))
        number = number_of(prompt, "eight")
        return answer(line(EIGHT, number, replaces="w1"), line(NO_MORE, number, replaces="w1"))

    with serving(serving_in_turn(say)) as server:
        world = live_two_nights(tmp_path, server, lambda world: world.edit(TWELVE, OWN))
        page = read_page(world)
        world.days = 2
        world.observe("The flood report has eight pages", "decision", observation_id="o-again", project="/code/flood")
        world.night()
    assert [name for name, _ in world.events("doubted")][:1] == [LINE]
    assert world.statuses()[LINE] == "pending"
    assert page.count("A model would put it so") == read_page(world).count("A model would put it so") == 1
    assert EIGHT in page


@pytest.mark.parametrize("forgotten", ["o-eight", "o-melissa", "o-twelve"])
def test_suggested_words_go_with_any_of_the_facts_that_they_rest_on(tmp_path: Path, forgotten: str) -> None:
    """One of two was noted, and the words of the other one stayed on the page after it was forgotten."""

    def say(prompt: str) -> str:
        numbers = number_of(prompt, "eight"), number_of(prompt, "Melissa")
        return answer(line("The flood report has eight pages at most and goes to Melissa", *numbers, replaces="w1"))

    def live(world: World) -> None:
        world.edit(TWELVE, OWN)
        world.days = 1
        said = "The flood report goes to Melissa from now on"
        world.observe(said, "decision", observation_id="o-melissa", project="/code/flood")

    with serving(serving_in_turn(say)) as server:
        world = live_two_nights(tmp_path, server, live)
    assert "goes to Melissa”" in read_page(world)
    with world.run.lake.writing("test"):
        forget(world.run, ForgetRequest(record_id=forgotten))
        world.render()
    assert "goes to Melissa”" not in read_page(world)


@pytest.mark.parametrize(
    "request_",
    [ForgetRequest(record_id=LINE), ForgetRequest(record_id="o-twelve"), ForgetRequest(match="the board turns no further")],
    ids=["line", "fact", "words"],
)
def test_a_line_that_was_taken_and_is_forgotten_stands_in_no_note(tmp_path: Path, request_: ForgetRequest) -> None:
    """The note of the line in its place had its words; taking the request back shows them again."""
    with serving(serving_in_turn(say_eight)) as server:
        world = live_two_nights(tmp_path, server)
    before = read_page(world)
    with world.run.lake.writing("test"):
        forget(world.run, request_)
        world.render()
        assert world.statuses()[BETTER] == "pending"
        assert "twelve pages" not in read_page(world)
        assert "A model put it in the place of a line that was forgotten, which waited since 2026-05-17:" in read_page(world)
        undo_forget(world.run, request_)
        world.render()
    assert read_page(world) == before
