"""Folders that are gone are one repository only by what git printed in both."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.projects.printed_signs import FolderSigns, pair_folders

REMOTE = "example.com/t/shop"


@each_case(
    ["first", "second", "commits", "remotes", "sign"],
    [
        ("/w/a", "/w/b", ({"1111111", "2222222"}, {"1111111", "2222222", "3333333"}), ((), ()), "commit"),
        ("/w/a", "/w/b", ({"1111111"}, {"1111111", "3333333"}), ((), ()), None),
        ("/w/a", "/w/b", ({"1111111"}, {"1111111"}), ((REMOTE,), (REMOTE,)), "remote"),
        ("/w/a", "/w/b", ((), ()), ((REMOTE,), (REMOTE,)), None),
        ("/w/a", "/w/a/web", ((), ()), ((REMOTE,), (REMOTE,)), "remote"),
        ("/w/a", "/w/a/web", ((), ()), ((REMOTE,), ("example.com/t/web",)), None),
        ("/h/worktrees/shop/x", "/h/worktrees/shop/y", ((), ()), ((REMOTE,), (REMOTE,)), None),
        ("/w/shop", "/v/shop", ((), ()), ((REMOTE,), (REMOTE,)), None),
    ],
)
def test_two_commits_or_a_remote_and_one_thing_more_join_two_folders(
    first: str, second: str, commits: tuple[set[str], set[str]], remotes: tuple[tuple[str], tuple[str]], sign: str | None
) -> None:
    signs = {
        folder: FolderSigns(frozenset(own), frozenset(told))
        for folder, own, told in zip((first, second), commits, remotes, strict=True)
    }
    assert pair_folders(signs) == ([(*sorted((first, second)), sign)] if sign else [])


def test_what_very_many_folders_share_tells_none_of_them_apart() -> None:
    own = FolderSigns(frozenset({"1111111", "2222222"}), frozenset())
    assert pair_folders({f"/w/{number}": own for number in range(300)}) == []
