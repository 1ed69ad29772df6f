from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.reading.pi.session_tree import build_tree


def test_the_active_branch_runs_from_the_last_entry_to_its_root() -> None:
    tree = build_tree(["a", "b", "c", "d"], [None, "a", "b", "a"])
    assert tree.is_active == [True, False, False, True]
    assert tree.flags == [(), (), (), ()]


def test_an_unknown_parent_ends_the_walk_and_is_flagged() -> None:
    tree = build_tree(["a", "b", "c"], [None, "zzz", "b"])
    assert tree.is_active == [False, True, True]
    assert tree.flags[1] == ("orphan",)


def test_a_repeated_id_means_its_last_entry_and_both_are_kept() -> None:
    tree = build_tree(["a", "b", "a", "c"], [None, "a", "b", "a"])
    assert tree.is_active == [False, True, True, True]
    assert tree.flags == [(), (), ("duplicate_id",), ("cycle",)] or tree.flags[2] == ("duplicate_id",)


def test_an_entry_that_is_its_own_parent_is_a_flagged_root() -> None:
    tree = build_tree(["a", "b"], ["a", "a"])
    assert tree.is_active == [True, True]
    assert tree.flags[0] == ("cycle",)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["a", "b", "c", "d", "x", None])), max_size=8))
def test_any_tangle_ends_and_the_last_entry_is_always_active(links: list[tuple[str, str | None]]) -> None:
    tree = build_tree([own for own, _ in links], [parent for _, parent in links])
    assert len(tree.is_active) == len(tree.flags) == len(links)
    assert not links or tree.is_active[-1]
