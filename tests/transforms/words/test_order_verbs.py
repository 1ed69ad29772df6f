"""Verbs that begin orders."""

from __future__ import annotations

from typing import get_args

from transforms.words.order_verbs import EDITING_VERBS, ONE_OFF_VERBS, PASSING_VERBS, VERBS, VerbRole, list_verbs


def test_each_verb_stands_once_with_all_of_its_roles() -> None:
    """ "remove" orders, passes, is done once and edits a page; "prefer" only orders."""
    assert all(len(set(verbs)) == len(verbs) > 15 for verbs in map(list_verbs, get_args(VerbRole)))
    assert all("remove" in verbs for verbs in (VERBS, PASSING_VERBS, ONE_OFF_VERBS, EDITING_VERBS))
    assert "prefer" in VERBS
    assert "prefer" not in {*PASSING_VERBS, *ONE_OFF_VERBS, *EDITING_VERBS}
