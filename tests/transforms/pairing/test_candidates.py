"""Pairs of facts for a model: wide candidates of the right order, and its answer in both forms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from tests.each_case import each_case
from transforms.pairing.candidates import CandidatePair, PairRow, choose_line_pairs, choose_pairs, choose_report_pairs
from transforms.pairing.relations import RelationAnswer, match_kept, match_relations, number_lines, parse_relation_lines
from transforms.tables.enums import FactKind

START = datetime(2026, 3, 1, tzinfo=UTC)


def row(number: int, text: str, kind: FactKind = "decision", project: str = "/code/app") -> PairRow:
    return PairRow(f"o-{number}", kind, project, START + timedelta(days=number), text)


def paired(rows: list[PairRow], vectors: list[list[float]] | None = None) -> dict[str, list[str]]:
    """Return the id of each fact → the ids of its earlier ones."""
    matrix = np.array(vectors, dtype=np.float32) if vectors else None
    chosen = choose_pairs(rows, {record.id for record in rows}, matrix)
    return {newer: [pair.older.id for pair in pairs] for newer, pairs in chosen.items()}


def test_a_replacement_without_a_common_word_is_found_by_its_vector() -> None:
    """Words find the other one, which has no vector yet."""
    rows = [row(1, "the frontend uses yew"), row(2, "sheet exports are landscape"), row(3, "we're on htmx since monday")]
    assert paired(rows) == {}
    assert paired(rows, [[1, 0], [0, 1], [1, 0]]) == {"o-3": ["o-1"]}
    rows[2] = row(3, "exports in portrait")
    assert paired(rows)["o-3"] == ["o-2"]


def test_a_fact_of_another_kind_is_offered_only_when_it_is_among_the_nearest() -> None:
    """As near as a decision that is offered, a finding is none; as the nearest of all it is; without vectors words decide."""
    rows = [row(1, "the frontend uses yew"), row(2, "sheets are landscape"), row(3, "yew compiles slowly", "status")]
    newest = row(4, "we're on htmx since monday")
    vectors = [[1.0, 0.0], [0.5, 0.866], [0.5, 0.866], [1.0, 0.0]]
    assert paired([*rows, newest], vectors)["o-4"] == ["o-1", "o-2"]
    assert paired([rows[2], newest], [vectors[2], vectors[3]]) == {"o-4": ["o-3"]}
    assert paired([*rows, row(4, "yew is out")])["o-4"] == ["o-1", "o-3"]


def test_a_fact_of_another_kind_without_a_vector_yet_is_offered_for_its_words() -> None:
    rows = [row(1, "the frontend uses yew"), row(2, "yew compiles slowly", "status"), row(3, "yew is out")]
    assert paired(rows, [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])["o-3"] == ["o-1", "o-2"]


def test_the_eighth_nearest_fact_of_the_same_kind_is_offered_still() -> None:
    rows = [row(number, "abcdefghi"[number - 1] * 5) for number in range(1, 10)]
    assert sorted(paired(rows, [[1.0, 0.0]] * 9)["o-9"]) == [f"o-{number}" for number in range(1, 9)]


def test_a_persons_words_about_a_state_may_end_a_rule() -> None:
    """What a person said counts, whatever its kind; what an agent found ends no rule."""
    rule, found = (
        row(1, "docs/ stays untouched until the fair", "rule"),
        row(2, "the fair is over, docs/ is free", "state_change"),
    )
    assert paired([rule, found]) == {}
    assert paired([rule, found._replace(is_from_owner=True)]) == {"o-2": ["o-1"]}


def test_only_earlier_facts_of_the_project_are_candidates_and_of_all_projects_for_rules() -> None:
    """A person's rule yields to a person only; what happened once is not a candidate at all."""
    rows = [
        row(1, "never rebase main", "rule", "/code/other"), row(2, "rebase of main took an hour", "progress", "/code/other"),
        row(3, "rebase main before a release", "rule"), row(4, "main was rebased", "state_change"),
    ]  # fmt: skip
    vectors = [[1.0, 0.0]] * 4
    assert paired(rows, vectors) == {"o-3": ["o-1"]}


def test_a_persons_statement_meets_statements_of_other_projects_that_are_near() -> None:
    """Two projects share a call or a release; what is far stays apart, and so do reports of work."""
    rows = [
        row(1, "the call is on tuesday", project="/code/other"), row(2, "releases go to Ann", project="/code/other"),
        row(3, "the call took an hour", "completion", "/code/other"), row(4, "the call moved to thursday"),
    ]  # fmt: skip
    assert paired(rows, [[1, 0], [0.3, 0.954], [1, 0], [1, 0]])["o-4"] == ["o-1"]


def test_reports_near_a_replaced_fact_are_shown_beside_the_one_that_replaced_it() -> None:
    """They resemble the replaced fact; later ones, statements, other projects and pairs that were asked are left out."""
    replaced = CandidatePair(row(2, "the board is flashed with openocd"), row(6, "probe-rs flashes it"))
    rows = [
        row(1, "openocd flashed the board, verified", "fix"), replaced.older, row(3, "flashing failed: no openocd", "error"),
        row(4, "openocd is never updated", "rule"), row(5, "openocd flashed it", "fix", "/code/other"), replaced.newer,
        row(7, "openocd flashed the board again", "fix"),
    ]  # fmt: skip
    chosen = choose_report_pairs(rows, [replaced], {("o-3", "o-6")})
    assert {key: [pair.older.id for pair in pairs] for key, pairs in chosen.items()} == {"o-6": ["o-1"]}


def test_a_fact_that_was_replaced_in_the_same_night_is_no_report_of_another_one() -> None:
    """Dedupe retires it later, so the second request of the night showed the former approver and the former day as in force."""
    rows = [
        row(0, "the report rendered", "completion"),
        row(1, "Gethin approves the report", "state_change"), row(2, "the report has nine sites", "fact"),
        row(3, "Marged approves the report", "state_change"), row(4, "the report has ten sites", "fact"),
    ]  # fmt: skip
    replaced = [CandidatePair(rows[1], rows[3]), CandidatePair(rows[2], rows[4])]
    shown = {pair.older.id for pairs in choose_report_pairs(rows, replaced, set()).values() for pair in pairs}
    assert "o-0" in shown
    assert shown.isdisjoint({"o-1", "o-2"})


def test_lines_of_memory_have_places_of_their_own_in_every_project() -> None:
    """A line of hard rules yields to a person only, and no line to a fact that is older than it."""
    lines = [
        PairRow("m-1", "fact", "", datetime(1, 1, 1, tzinfo=UTC), "the frontend uses yew"),
        PairRow("m-2", "rule", "", datetime(1, 1, 1, tzinfo=UTC), "the frontend never loads fonts"),
        PairRow("m-3", "fact", "", START + timedelta(days=9), "the frontend uses elm"),
    ]
    rows = [row(1, "the frontend is on htmx", "state_change"), row(2, "fonts may be loaded", "decision", "/code/other")]
    vectors = np.array([[1.0, 0.0]] * 5, dtype=np.float32)
    chosen = choose_line_pairs(rows, lines, vectors)
    assert {key: [pair.older.id for pair in pairs] for key, pairs in chosen.items()} == {"o-1": ["m-1"], "o-2": ["m-1", "m-2"]}


def test_the_answer_names_pairs_and_all_others_are_unrelated() -> None:
    """Lines of pi's models and JSON say the same; what was not asked for is left out."""
    rows = [row(1, "port 80"), row(2, "cache of 5 s"), row(3, "port 90 now, cache of 9 s")]
    groups = list(choose_pairs(rows, {"o-3"}, np.ones((3, 2), dtype=np.float32)).values())
    relations = match_relations(parse_relation_lines("1a: replaces\n1b: other scope\n9c: restates"), groups)
    json = '{"pairs": [{"pair": "1a", "relation": "Replaces"}, {"pair": "1b", "relation": "other_scope"}]}'
    assert relations == match_relations(RelationAnswer.model_validate_json(json), groups)
    assert sorted(relations.values()) == ["other_scope", "replaces"]
    assert set(match_relations(parse_relation_lines("none"), groups).values()) == {"unrelated"}
    with pytest.raises(ValueError, match="no relation"):
        parse_relation_lines("They all look fine.")
    with pytest.raises(ValueError, match="no pair of the request"):
        match_relations(parse_relation_lines("9c: restates"), groups)


def test_a_line_that_is_near_many_facts_is_named_by_one_mark() -> None:
    """Letters count the earlier facts alone, and a mark below another fact is no pair of this one."""
    lines = [row(0, "yarn builds the shop")._replace(id="m-yarn"), row(0, "the shop is on port 80")._replace(id="m-port")]
    older, first, second = row(1, "the shop builds with yarn"), row(2, "pnpm builds the shop"), row(3, "the shop is on port 90")
    groups = [[CandidatePair(lines[0], first), CandidatePair(older, first)], [CandidatePair(line, second) for line in lines]]
    assert {key: mark for key, (mark, _) in number_lines(groups).items()} == {"m-yarn": "m1", "m-port": "m2"}
    relations = match_relations(parse_relation_lines("1a: restates\n1m1: replaces\n2m2: replaces\n1m2: replaces"), groups)
    assert relations == {
        (older.id, first.id): "restates", ("m-yarn", first.id): "replaces",
        ("m-yarn", second.id): "unrelated", ("m-port", second.id): "replaces",
    }  # fmt: skip


def test_facts_without_spaces_share_pairs_of_characters() -> None:
    """A clause of Japanese is one word to the grammar, and hardly any clause comes twice."""
    rows = [row(1, "貸出期間は14日間、延長は1回まで。"), row(2, "ログにはpinoを使う。"), row(3, "貸出期間は21日に変更になった。")]
    assert paired(rows)["o-3"] == ["o-1"]


def test_what_a_model_wrote_in_one_answer_holds_together() -> None:
    """It was asked to tell how a discussion ended; rules write down every step of it."""
    rows = [row(1, "the run starts at 03:30"), row(2, "the run starts at 04:15")]
    assert paired(rows)["o-2"] == ["o-1"]
    assert "o-2" not in paired([one._replace(answer="w-1") for one in rows])
    assert paired([rows[0]._replace(answer="w-1"), rows[1]._replace(answer="w-2")])["o-2"] == ["o-1"]


def test_what_a_command_printed_speaks_about_work_and_requests_and_about_no_word_of_a_person() -> None:
    """A page that says "we moved to htmx" replaces no decision, no line of MEMORY.md, and no finding that rests on the owner."""
    shown = PairRow("o-9", "completion", "/code/app", START + timedelta(days=9), "the export of the shop is done", is_shown=True)
    about = "the export of the shop"
    earlier = [
        row(1, f"{about} is wanted", "request"),
        row(2, f"{about} comes later", "task"),
        row(3, f"{about} is half done", "completion"),
        row(4, f"{about} is CSV", "decision"),
        row(5, f"{about} never has names", "rule"),
        row(6, f"{about} is slow", "fact"),
        row(7, f"{about} runs on my laptop", "fact")._replace(is_from_owner=True),
    ]
    assert {key for record in earlier for key in paired([record, shown]).get("o-9", ())} == {"o-1", "o-2", "o-3", "o-6"}
    lines = [PairRow("m-1", "fact", "", START, f"{about} is CSV")]
    assert not choose_line_pairs([shown], lines)
    assert choose_line_pairs([shown._replace(is_shown=False)], lines)


def test_what_an_agent_alone_claims_takes_the_place_of_no_words_of_a_person() -> None:
    """It may finish a request, and replace what an agent claimed before; words of the owner may replace everything."""
    earlier = [
        row(1, "the cache is valkey", "decision"),
        row(2, "the cache is wanted", "request"),
        row(3, "the cache is slow", "fact"),
        row(4, "the cache is on box 3", "fact")._replace(is_from_owner=True),
        row(5, "the cache is small", "decision")._replace(is_claimed=True),
    ]
    said = row(9, "the cache is redis now", "state_change")

    def list_shown(newer: PairRow) -> set[str]:
        return {key for record in earlier for key in paired([record, newer]).get("o-9", ())}

    assert list_shown(said._replace(is_claimed=True)) == {"o-2", "o-3", "o-5"}
    assert list_shown(said._replace(is_from_owner=True)) == {"o-1", "o-2", "o-3", "o-4", "o-5"}


def test_what_a_command_printed_is_shown_beside_the_words_that_it_may_end() -> None:
    """The two nearest statements of a person in its project, rules too, from a likeness on, and beside the other pairs."""
    until = row(1, "the shop stays on the fork until the release is out")
    others = [
        row(2, "sheets are landscape"),
        row(3, "never deploy on a Friday", "rule"),
        row(4, "the fork was built", "completion"),
    ]
    elsewhere = row(5, "the blog stays on the fork until the release is out", project="/code/blog")
    shown = row(9, "npm ls prints version 2.4.1", "completion")._replace(is_shown=True)
    rows = [until, *others, elsewhere, shown]
    vectors = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6], [1.0, 0.0], [1.0, 0.0]]
    assert paired(rows, vectors)["o-9"] == ["o-4", "o-1", "o-3"]
    assert paired([*rows[:-1], shown._replace(answer="w-1"), row(10, "x")], [*vectors, [0.0, 0.0]])["o-9"] == [
        "o-4",
        "o-1",
        "o-3",
    ]
    assert paired([until._replace(answer="w-1"), shown._replace(answer="w-1")], [vectors[0], vectors[-1]]) == {}


def test_what_is_asked_for_in_one_project_is_offered_to_work_that_was_done_in_another() -> None:
    """From a likeness on; a decision of another project is not, and no other kind of fact finishes a request."""
    asked = row(1, "the firmware needs both certificates", "request", "/code/server")
    decided = row(2, "certificates are renewed yearly", project="/code/server")
    done = row(3, "both certificates are in the image", "completion", "/code/firmware")
    near, far = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [[0.3, 0.954], [1.0, 0.0], [1.0, 0.0]]
    assert paired([asked, decided, done], near)["o-3"] == ["o-1"]
    assert "o-3" not in paired([asked, decided, done], far)
    assert "o-3" not in paired([asked, decided, done._replace(kind="status")], near)


def test_a_request_is_offered_to_what_may_have_finished_it_as_a_fact_of_its_kind_is() -> None:
    """A request and its outcome are of two kinds by nature, so that counts against no pair of them."""
    rows = [row(1, "yew compiles", "request"), row(2, "yew compiles slowly", "status"), row(3, "yew builds", "completion")]
    newest = row(4, "the frontend is done", "completion")
    vectors = [[0.5, 0.866], [0.5, 0.866], [0.9, 0.436], [1.0, 0.0]]
    assert paired([*rows, newest], vectors)["o-4"] == ["o-3", "o-1"]


KEPT = "The nightly run starts at 02:30, and the export must be through at 06:00"


@each_case(
    ("relation", "keeps", "shown"),
    [
        ("replaces", "the export must be through at 06:00", "the export must be through at 06:00"),
        ("replaces", "“The export must be through at 06:00.”", "the export must be through at 06:00"),
        ("replaces", "the export is due at six", ""),
        ("replaces", "at 06:00", ""),
        ("replaces", KEPT, ""),
        ("replaces", "", ""),
        ("replaces", "The nightly run starts", ""),
        ("restates", "the export must be through at 06:00", ""),
    ],
)
def test_of_a_replaced_fact_the_words_that_go_on_to_hold_are_found_in_it(relation: str, keeps: str, shown: str) -> None:
    """A model quotes them; what does not stand there, says nothing by itself, is all of it or is in the newer fact is none."""
    pair = CandidatePair(row(1, KEPT), row(2, "The nightly run starts at 04:15"))
    answer = RelationAnswer.model_validate({"pairs": [{"pair": "1a", "relation": relation, "keeps": keeps}]})
    for told in (answer, parse_relation_lines(f"1a: {relation}" + (f"; keeps: {keeps}" if keeps else ""))):
        kept = match_kept(told, [[pair]])
        assert [KEPT[begin:end] for begin, end in kept.values()] == ([shown] if shown else [])
        assert match_relations(told, [[pair]]) == {("o-1", "o-2"): relation}


@each_case(("keeps", "is_kept"), [("one run at a time", True), ("between two runs", False)])
def test_words_with_one_word_of_content_hold_on_by_their_small_words(keeps: str, is_kept: bool) -> None:
    """ "One run at a time" is not said by a newer fact that merely speaks of runs."""
    pair = CandidatePair(
        row(1, f"The box takes {keeps}, with two seconds of rest"), row(2, "The box rests five seconds between two runs")
    )
    answer = RelationAnswer.model_validate({"pairs": [{"pair": "1a", "relation": "replaces", "keeps": keeps}]})
    assert bool(match_kept(answer, [[pair]])) == is_kept


@each_case(("is_others", "is_paired"), [(True, True), (False, False)])
def test_somebody_elses_notice_is_compared_with_earlier_notices_only(is_others: bool, is_paired: bool) -> None:
    """A supplier moves the end of a service; what the team decided or found yields to no text of others."""
    kind = "state_change"
    ends = PairRow("o-1", kind, "/code/app", START, "version 2 of the supplier's API ends in November", is_others=is_others)
    moved = PairRow(
        "o-2", kind, "/code/app", START + timedelta(days=9), "version 2 of the supplier's API ends in January", is_others=True
    )
    assert bool(choose_pairs([ends, moved], {"o-2"})) is is_paired


def test_of_the_rules_of_other_projects_the_two_nearest_are_offered() -> None:
    """They hold everywhere, and the model is rarely right to be asked about more; those of the own project keep their places."""
    others = [row(number, word, "rule", "/code/site") for number, word in enumerate(("ask", "mail", "push", "tag"), 1)]
    own = [row(number, word, "rule") for number, word in enumerate(("lint", "test", "sign"), 5)]
    newest = row(9, "never on a friday", "rule")
    vectors = [[0.9, 0.436]] * 4 + [[1.0, 0.0]] * 3 + [[1.0, 0.0]]
    assert sorted(paired([*others, *own, newest], vectors)["o-9"]) == ["o-1", "o-2", "o-5", "o-6", "o-7"]
