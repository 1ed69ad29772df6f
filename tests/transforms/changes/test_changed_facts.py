"""A fact of which work replaced a number is paired with the fact that gives the new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.transforms.changes.test_undone_values import exchange
from transforms.changes.changed_facts import ChangedFact, NumberedFact, find_changed_facts, list_set_words
from transforms.changes.undone_values import Work, list_works

WORKED = datetime(2026, 10, 1, 9, tzinfo=UTC)
"""The moment of the work, as the entries of the other test have it."""
OLDER, NEWER = "make it 8077, 8000 is the tunnel of the map server", "API on 8190, the firewall lets 8180-8199 through"


def work(old: str = "PORT = 8077", new: str = "PORT = 8190") -> list[Work]:
    return list_works(exchange(0, "8077 has to go", "Done.", {"path": "Makefile", "edits": [{"oldText": old, "newText": new}]}))


def fact(name: str, days: int, text: str, project: str = "/api", kind: str = "decision") -> NumberedFact:
    return NumberedFact(name, project, WORKED + timedelta(days=days), text, kind)


def test_the_first_later_fact_that_gives_the_new_number_is_its_pair() -> None:
    facts = [fact("o", -9, OLDER), fact("n", 0, NEWER), fact("m", 3, "8190 is open in the firewall, too")]
    assert find_changed_facts(facts, {"/api": work()}) == {"o": ChangedFact("n", (7, 11, 8, 12))}


def test_without_a_later_fact_with_the_new_number_or_the_work_there_is_no_pair() -> None:
    """An earlier fact may name the new number by chance, another project has its own, and who knows the new number is right."""
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", 0, "the port is another one")], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", -1, NEWER)], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER, "/map"), fact("n", 0, NEWER, "/map")], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, f"{OLDER}, perhaps 8190"), fact("n", 0, NEWER)], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", 0, NEWER)], {"/api": work("PORT = 1", "PORT = 2")}) == {}


@pytest.mark.parametrize(
    ("path", "old", "new", "older", "newer"),
    [
        ("snap.sql", "strategy='timestamp'", "strategy='check'", "the wards use the timestamp strategy", "check strategy, wards"),
        ("x.sql", "{% set lookback_days = 3 %}", "{% set lookback_days = 7 %}", "lookback of 3 days, late records come by then",
         "the lookback of late records: 7"),
        ("tags.tf", "CostCentre = CC-4417", "CostCentre = CC-4520", "everything gets CC-4417", "we are CC-4520"),
        ("deploy/depot.cron", "^30 23 ", "15 22 ", "the depot copies run at 23:30", "depot at 22:15 from now on"),
    ],
)  # fmt: skip
def test_the_value_of_a_named_setting_is_changed_too(path: str, old: str, new: str, older: str, newer: str) -> None:
    """A word behind its name, a digit, a value that is like nothing else, the hour of a schedule: in any language."""
    call = {"path": path, "edits": [{"oldText": old, "newText": new}]}
    done = list_works(exchange(0, "late records need 7, and timestamp is wrong for the wards", "The depot is at 22:15.", call))
    assert find_changed_facts([fact("o", -9, older), fact("n", 0, newer)], {"/api": done})["o"].newer_id == "n"
    other = "three timestamps of 3 wards in 4 days, CC-44 at 23:31"
    assert find_changed_facts([fact("o", -9, other), fact("n", 0, newer)], {"/api": done}) == {}


@pytest.mark.parametrize(
    ("text", "kind", "is_changed"),
    [
        ('Joel decided: "make it 8077, 8000 is the tunnel of the map server"', "decision", True),
        ('Joel decided: "the second, tunnels bite" (asked: Which port?; chosen: 8077 everywhere; not: 8000)', "decision", True),
        ('Joel said: "do it" Outcome: The API listens on 8077.', "request", True),
        ('Joel asked: "which port has the api?" Answer: It listens on 8077.', "question", True),
        ('Joel said: "open the page for me. what\'s the port again, i forgot" Reply: It is 8077 on every box.', "status", True),
        ('Joel asked: "write the port into the list of the boxes" Outcome: The list has 8077.', "request", True),
        ("The API listens on 8077.", "completion", True),
        ('Joel set a rule: "no site gives more than thirty cumecs per square km" Outcome: Port 8077, limit 30.', "rule", False),
        ('Joel reported: "the api drops one in fifty replies on 8077"', "error", False),
        ("Root cause: the proxy cuts what comes from 8077.", "root_cause", False),
        ('Joel asked: "Does anything listen on 8077 over there? I do not mean to do this twice."', "request", False),
        ('Joel said: "the export still answers on 8077 instead of the port we gave it"', "status", False),
    ],
)  # fmt: skip
def test_only_what_set_a_number_is_changed_by_later_work(text: str, kind: str, *, is_changed: bool) -> None:
    """The words of the agent behind a saying that stands alone, a question and a report of a fault set nothing."""
    pairs = find_changed_facts([fact("o", -9, text, kind=kind), fact("n", 0, NEWER)], {"/api": work()})
    assert {older: changed.newer_id for older, changed in pairs.items()} == ({"o": "n"} if is_changed else {})


def test_the_words_that_set_a_value_are_the_owners_and_what_they_chose() -> None:
    told = 'Joel decided: "the second, tunnels bite. why 8000?" (asked: Which port?; chosen: 8077 everywhere; not: 8000)'
    assert list_set_words(fact("o", 0, told)) == "the second, tunnels bite. 8077 everywhere"
