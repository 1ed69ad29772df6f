"""Words that hold for good, said beside an order: their row is a rule, and orders for once stay requests."""

from __future__ import annotations

from typing import Any

from effects.distil.stored_weights import load_turn_classifier
from effects.judging.kind_models import load_kind_models
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, ran, user
from transforms.distil.engine_result import Fact
from transforms.language.dialogue_acts import analyse_message
from transforms.offline.candidates import append_files, find_lasting_kind
from transforms.offline.engine import OfflineEngine


def kept(*parts: Any) -> list[Fact]:
    entries = conversation(*parts)
    engine = OfflineEngine(classifier=load_turn_classifier(), kinds=load_kind_models())
    window = engine.distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    return [fact for segment in window.segments for fact in segment.facts if fact.text.startswith("User")]


WORK = [*ran("make import", "40"), agent("The import is done, 40 rows.")]


@each_case(
    ("words", "kinds"),
    [
        ("go on with the rows but ask me before you touch any of the tables in billing", {"rule", "preference"}),
        ("its red again. run the linter every time before you tell me that its done", {"rule", "preference"}),
        ("go on with the rows and leave the tables in billing out today, anna has them open", {"request"}),
        (
            "for this release put all the rows into my own folder and not into the shared one, anna compares them until Friday",
            {"request", "decision"},
        ),
    ],
)
def test_a_rule_said_in_passing_is_a_rule_and_an_order_for_once_is_not(words: str, kinds: set[str]) -> None:
    facts = kept(user("show me the tables"), *WORK, user(words), *WORK)

    assert {fact.kind for fact in facts if "rows" in fact.text.split("Outcome")[0] or "linter" in fact.text} <= kinds
    assert any(fact.kind in kinds for fact in facts)


def test_a_rule_behind_a_scolding_question_is_no_question() -> None:
    facts = kept(
        user("push the fix"), ran("git push origin main", "ok"), agent("Pushed to main."),
        user("what, you pushed to main?? every change goes through a merge request here, pia merges"),
        ran("git revert HEAD", "ok"), agent("I'm sorry, I took it back."),
    )  # fmt: skip

    assert "rule" in {fact.kind for fact in facts if "merge request" in fact.text}


def test_what_another_person_says_is_no_rule_of_the_owner() -> None:
    words = "from now on every table gets a label before you touch it"
    reported, own = (analyse_message(f"{head}{words}", "").sentences for head in ("look what came. my cousin says ", ""))
    reach = load_turn_classifier().reach

    assert reach is not None
    assert find_lasting_kind(own[-1].text, "request", own, reach) == "rule"
    assert find_lasting_kind(reported[-1].text, "request", reported, reach) == "request"


def test_leaving_a_thing_as_it_is_takes_the_order_back() -> None:
    facts = kept(
        user("turn off the frost alarm in the greenhouse"),
        ran("systemctl stop frost", ""), agent("It is off. The same service opens the vents, so these are shut now as well."),
        user("oh then leave it on"), ran("systemctl start frost", ""), agent("It runs again."),
    )  # fmt: skip

    assert any(fact.kind == "decision" and "leave it on" in fact.text and "the frost alarm" in fact.text for fact in facts)


@each_case(
    "reported",
    [
        "marta wants every table to get a label before you touch it",
        "go on. the client asked that every table gets a label before you touch it",
        "the website people say every table gets a label before you touch it",
        "marta sagt from now on every table gets a label before you touch it",
        "i dont know if every table should get a label before you touch it",
    ],
)
def test_a_wish_of_another_person_and_an_open_question_are_no_rule(reported: str) -> None:
    """In whatever words of saying or wishing; "i want" and "if somebody asks" are the owner's."""
    sentences, reach = analyse_message(reported, "").sentences, load_turn_classifier().reach

    assert reach is not None
    assert find_lasting_kind(reported, "request", sentences, reach) == "request"
    for words in (
        "commit messages say what changes for the shop every time, not which function got tidied",
        "if pia asks you for a table, ask me before you send it",
        "i want every table to get a label first",
    ):
        own = analyse_message(words, "").sentences
        assert find_lasting_kind(words, "request", own, reach) in ("rule", "preference")


def test_a_row_names_the_first_files_of_thousands() -> None:
    """Of each row the names of all files were made."""
    files = ["src/parser.py", "b/parser.py", "c/importer.ts", *(f"d/{number}.py" for number in range(9))]
    assert append_files("The importer reads twice", files) == "The importer reads twice [parser.py, 0.py]"
    assert append_files("The parser reads twice", files) == "The parser reads twice"


def test_lasting_words_that_rules_call_a_remark_are_kept_where_much_is_said() -> None:
    """In a long talk a remark is left out; what learned models take for a rule is none, and what is over in days is one."""
    told = agent("The import reads each row of the tables once and writes it into the ledger. " * 60)
    before = [user("show me the tables"), *WORK, told]
    lasting = "Measurements go pinned to one core, ten repeats, median and spread, otherwise I don't look at them."
    for words, is_kept in ((lasting, True), ("my cousin is here and the kettle is on, the cat sits on the printer again", False)):
        facts = kept(*before, user(words), agent("Noted."), user("go on with the rows"), *WORK)
        assert any(words[:20] in fact.text for fact in facts) == is_kept
        assert all(fact.kind == "rule" for fact in facts if words[:20] in fact.text)
