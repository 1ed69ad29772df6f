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
        ("Auth-Go PR number?", "PR number?", "/work/auth-go"),
        ("what is auth-go's licence?", "what is licence?", "/work/auth-go"),
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
