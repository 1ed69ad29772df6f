"""Relations are taken over by facts that say or cite what a fact that is gone did."""

from __future__ import annotations

from datetime import date

from transforms.pairing.carried_relations import carry_relations, list_judged, make_source
from transforms.tables.enums import Relation
from transforms.tables.rows import RelationRow

FORMER = make_source("s1", "The arrays are kept in zarr.", ["e1"])
SAME_WORDS = make_source("s1", "the arrays are kept in Zarr", ["e1", "e2"])
SAME_CITATIONS = make_source("s1", "zarr it is", ["e1"])
LATER = make_source("s2", "parquet holds the arrays", ["e7"])


def relate(older: str, newer: str, relation: Relation, older_source: str | None, newer_source: str | None) -> RelationRow:
    return {
        "older_id": older, "newer_id": newer, "relation": relation, "engine": "test", "template_hash": "",
        "asked_on": date(2026, 3, 2), "reports_asked_on": None, "keeps": [4, 9],
        "older_source": older_source, "newer_source": newer_source,
    }  # fmt: skip


def list_carried(row: RelationRow, sources: dict[str, str]) -> list[tuple[str, str]]:
    return [(carried["older_id"], carried["newer_id"]) for carried in carry_relations([row], sources)]


def test_the_same_words_take_over_every_relation_and_the_same_citations_only_replacements() -> None:
    for relation in ("replaces", "restates", "unrelated"):
        row = relate("o-1", "o-7", relation, FORMER, LATER)
        assert list_carried(row, {"o-2": SAME_WORDS, "o-7": LATER}) == [("o-2", "o-7")]
        assert list_carried(row, {"o-2": SAME_CITATIONS, "o-7": LATER}) == [("o-2", "o-7")] * (relation == "replaces")


def test_nothing_is_taken_over_from_a_fact_that_is_there_or_by_a_fact_of_another_session() -> None:
    row = relate("o-1", "o-7", "replaces", FORMER, LATER)
    assert list_carried(row, {"o-1": FORMER, "o-2": SAME_WORDS, "o-7": LATER}) == []
    elsewhere = make_source("s9", "the arrays are kept in zarr", ["e1"])
    assert list_carried(row, {"o-2": elsewhere, "o-7": LATER}) == []


def test_a_fact_in_other_words_is_not_judged_by_what_it_took_over() -> None:
    row = relate("o-0", "o-1", "replaces", LATER, FORMER)
    sources = {"o-0": LATER, "o-2": SAME_CITATIONS}
    carried = carry_relations([row], sources)
    assert [(item["older_id"], item["newer_id"]) for item in carried] == [("o-0", "o-2")]
    assert "o-2" not in list_judged([row, *carried], sources)
    assert "o-2" in list_judged(carry_relations([row], sources | {"o-2": SAME_WORDS}), {"o-0": LATER, "o-2": SAME_WORDS})
