from __future__ import annotations

import pytest

from transforms.session_row import origins_of, parent_id_of, touched_forks


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (None, None),
        ("/s/known.jsonl", "k-1"),
        ("/elsewhere/2026-01-01T00-00-00-000Z_my_id-1.jsonl", "my_id-1"),
        ("C:\\s\\2026_x.jsonl", "x"),
        ("plain.jsonl", "plain"),
    ],
)
def test_a_parent_is_a_known_file_or_the_id_in_its_name(path: str | None, found: str | None) -> None:
    assert parent_id_of(path, {"/s/known.jsonl": "k-1"}) == found


def test_a_fork_is_compared_with_its_parent_or_with_earlier_siblings_when_that_is_missing() -> None:
    parents = {"a": None, "b": "a", "x": "lost", "y": "lost", "z": "lost"}
    assert origins_of("a", parents) == []
    assert origins_of("b", parents) == ["a"]
    assert origins_of("x", parents) == []
    assert origins_of("z", parents) == ["x", "y"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_ring_of_parents_leaves_one_original(size: int) -> None:
    names = "abc"[:size]
    parents: dict[str, str | None] = {name: names[(index + 1) % size] for index, name in enumerate(names)}
    originals = [name for name in names if not origins_of(name, parents)]
    assert originals == ["a"]


def test_a_new_parent_child_or_sibling_makes_a_fork_be_looked_at_again() -> None:
    parents = {"a": None, "b": "a", "c": None, "x": "lost", "y": "lost"}
    assert touched_forks({"a"}, parents) == ["b"]
    assert touched_forks({"b"}, parents) == ["b"]
    assert touched_forks({"c"}, parents) == []
    assert touched_forks({"x"}, parents) == ["x", "y"]
