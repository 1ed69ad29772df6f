"""Names of projects: those of a repository, and which of them a question means."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.projects.project_names import find_question_projects, join_names, list_repository_names

NAMES = join_names([("auth-go", "/work/auth-go"), ("pi.dev", "/home/pi.dev"), ("labels", "/work/labels"), ("Cli", "/work/cli")])


@each_case(
    ["folder", "remote", "git_dir", "names"],
    [
        ("/home/m/.herdr/worktrees/subagents/ultracite", None, None, {"subagents"}),
        ("/work/shop/.worktrees/fix-login", None, None, {"shop"}),
        ("/work/shop", "github.com/acme/storefront", None, {"storefront"}),
        ("/tmp/a1", None, "/work/shop/.git", {"shop"}),
        ("/tmp/a1", None, "/srv/shop.git", {"shop"}),
        ("/work/worktrees", None, None, set()),
    ],
)
def test_a_folder_has_the_names_of_its_repository(folder: str, remote: str | None, git_dir: str | None, names: set[str]) -> None:
    assert list_repository_names(folder, remote, git_dir) == names


@each_case(
    ["text", "rest", "project"],
    [
        ("where did the lint tasks in auth-go come from?", "where did the lint tasks come from?", "/work/auth-go"),
        ("auth-go: which two changes break callers?", "which two changes break callers?", "/work/auth-go"),
        ("what port has the project cli?", "what port has?", "/work/cli"),
        ("which port do we use in repo cli now?", "which port do we use now?", "/work/cli"),
        ("which port do we use (auth-go)?", "which port do we use?", "/work/auth-go"),
        ("what's open on pi.dev.", "what's open.", "/home/pi.dev"),
        ("which port do we use in the labels repo now?", "which port do we use now?", "/work/labels"),
        ("labels: which port?", "which port?", "/work/labels"),
        ("how do we stop Getwd in our cli?", "how do we stop Getwd?", "/work/cli"),
    ],
)
def test_a_name_that_is_meant_is_no_word_of_the_question(text: str, rest: str, project: str) -> None:
    """Written as no word is, or where a place of work stands."""
    named = find_question_projects(text, NAMES)
    assert named is not None
    assert (named.rest, named.projects) == (rest, (project,))


@each_case(
    "text",
    [
        "Auth-Go PR number?",
        "did auth-go break?",
        "is the file auth-go?",
        "what is auth-go's licence?",
        "what did we decide about auth-go?",
        "what is the difference between auth-go and pi.dev?",
        "which one is quicker, auth-go or pi.dev?",
    ],
)
def test_a_name_that_is_no_place_stays_a_word(text: str) -> None:
    """As the subject, as an ordinary word, or one of several; its project is named all the same."""
    named = find_question_projects(text, NAMES)
    assert named is not None
    assert (named.rest, named.is_written) == (text, True)


def test_a_number_or_a_date_is_no_name() -> None:
    """A folder of each year: "in 2025" is a time."""
    names = join_names([("2025", "/work/advent/2025"), ("2025-03", "/work/logs/2025-03"), ("v2", "/work/v2")])
    for text in ("which theme did we pick in 2025?", "what happened in 2025-03?", "2025: which theme?"):
        assert find_question_projects(text, names) is None, text
    assert find_question_projects("which theme did we pick in v2?", names) is not None


@each_case(
    "text",
    [
        "How much did they ask for the sixty-four labels?",
        "Which labels do we print?",
        "what does pi.dev/setup.sh do?",
        "what is in my-auth-go?",
        "what is in auth-go-next?",
        "who pays?",
    ],
)
def test_a_word_or_a_part_of_another_name_names_no_project(text: str) -> None:
    assert find_question_projects(text, NAMES) is None


def test_a_name_of_several_projects_names_them_all() -> None:
    """Each worktree of a repository may be a project."""
    names = join_names([("subagents", "/b"), ("Subagents", "/a"), ("x", "/c")])
    named = find_question_projects("who checks types in subagents?", names)
    assert named is not None
    assert (named.projects, named.is_written) == (("/a", "/b"), False)
    assert find_question_projects("x", {}) is None
