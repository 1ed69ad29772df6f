"""The purges that did not end, and the commands that end them."""

from __future__ import annotations

from pathlib import Path

from effects.store.lake import Lake
from effects.store.open_purges import PURGES_FILE, close_purge, describe_open_purges, read_open_purges, save_open_purge

PURGE = {"targets": {"o-1"}, "texts": {"Falkenstein"}, "entries": set[str](), "sessions": set[str]()}


def test_a_purge_is_named_with_its_command_until_it_is_closed(tmp_path: Path) -> None:
    """The file with its words goes with the last one; the words of a match are in no command, because nothing else keeps them."""
    lake = Lake(tmp_path)
    assert describe_open_purges(lake) == ("", "")
    commands = {"id o-1": "recollect forget o-1 --purge", "match 1f": "recollect forget --match THE-SAME-WORDS --purge"}
    commands["session s-1"] = "recollect forget --session s-1 --purge"
    for reason, command in commands.items():
        save_open_purge(lake, reason, PURGE)
        assert describe_open_purges(lake)[1] == command
        assert read_open_purges(lake) == {reason: {"targets": ["o-1"], "texts": ["Falkenstein"], "entries": [], "sessions": []}}
        close_purge(lake, reason)
        assert not (tmp_path / PURGES_FILE).exists()
    for reason in commands:
        save_open_purge(lake, reason, PURGE)
    assert describe_open_purges(lake)[0].startswith("3 purges are unfinished")
