"""A fact of which work replaced a number is paired with the fact that gives the new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.transforms.changes.test_undone_values import exchange
from transforms.changes.changed_facts import NumberedFact, find_changed_facts
from transforms.changes.undone_values import Work, list_works

WORKED = datetime(2026, 10, 1, 9, tzinfo=UTC)
"""The moment of the work, as the entries of the other test have it."""
OLDER, NEWER = "make it 8077, 8000 is the tunnel of the map server", "API on 8190, the firewall lets 8180-8199 through"


def work(old: str = "PORT = 8077", new: str = "PORT = 8190") -> list[Work]:
    return list_works(exchange(0, "8077 has to go", "Done.", {"path": "Makefile", "edits": [{"oldText": old, "newText": new}]}))


def fact(name: str, days: int, text: str, project: str = "/api") -> NumberedFact:
    return NumberedFact(name, project, WORKED + timedelta(days=days), text)


def test_the_first_later_fact_that_gives_the_new_number_is_its_pair() -> None:
    facts = [fact("o", -9, OLDER), fact("n", 0, NEWER), fact("m", 3, "8190 is open in the firewall, too")]
    assert find_changed_facts(facts, {"/api": work()}) == {"o": "n"}


def test_without_a_later_fact_with_the_new_number_or_the_work_there_is_no_pair() -> None:
    """An earlier fact may name the new number by chance, another project has its own, and who knows the new number is right."""
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", 0, "the port is another one")], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", -1, NEWER)], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER, "/map"), fact("n", 0, NEWER, "/map")], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, f"{OLDER}, perhaps 8190"), fact("n", 0, NEWER)], {"/api": work()}) == {}
    assert find_changed_facts([fact("o", -9, OLDER), fact("n", 0, NEWER)], {"/api": work("PORT = 1", "PORT = 2")}) == {}
