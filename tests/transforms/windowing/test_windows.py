"""Windows of a session: what ends one, and the properties that hold for every session."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from transforms.conversation.entries import Entry
from transforms.windowing.window_entries import WindowEntry, make_window_entries
from transforms.windowing.windows import Window, WindowParams, cut_windows

START = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)
PARAMS = WindowParams(cap_tokens=1000, quiet_minutes=120, min_user_messages=5)
MUCH_LATER = START + timedelta(days=400)


@dataclass
class Script:
    """Writes a session entry by entry; each entry hangs below the last one unless `parent` says otherwise."""

    entries: list[Entry] = field(default_factory=list)
    now: datetime = START

    def add(self, role: str | None = None, entry_type: str = "message", minutes: float = 1, **more: Any) -> str:
        """Appends an entry and returns its id."""
        ordinal = len(self.entries)
        self.now += timedelta(minutes=minutes)
        parent = more.pop("parent", self.entries[-1].entry_id if self.entries else None)
        raw = {"type": entry_type, "message": {"role": role, "content": more.pop("content", [])}} | more.pop("raw", {})
        values: dict[str, Any] = {
            "session_id": "s",
            "ordinal": ordinal,
            "entry_id": f"e{ordinal}",
            "parent_id": parent,
            "line_no": ordinal + 1,
            "entry_type": entry_type,
            "role": role,
            "turn_kind": "typed" if role == "user" else None,
            "text": "words" if role == "user" else "",
            "tool_name": None,
            "tool_call_id": None,
            "is_error": False,
            "stop_reason": None,
            "token_count": 10,
            "said_at": self.now,
            "on_active_branch": True,
            "flags": (),
            "raw_json": orjson.dumps(raw).decode(),
        }
        self.entries.append(Entry(**values | more))
        return str(values["entry_id"])

    def turn(self, tokens: int = 10, minutes: float = 1, parent: str | None = None) -> str:
        """Return a question and its answer, and the id of the answer."""
        more = {"parent": parent} if parent else {}
        self.add("user", minutes=minutes, token_count=tokens, **more)
        return self.add("assistant", token_count=tokens)

    def call(self, call_id: str, tokens: int = 10, path: str = "", tool: str = "bash") -> str:
        """Return an assistant message that calls a tool."""
        part = {"type": "toolCall", "id": call_id, "name": tool, "arguments": {"path": path} if path else {}}
        return self.add("assistant", content=[part], token_count=tokens)

    def result(self, call_id: str, tokens: int = 10, minutes: float = 1) -> str:
        """Return the result of a tool call."""
        return self.add("toolResult", tool_call_id=call_id, token_count=tokens, minutes=minutes)

    def compaction(self, kept: str | None, **more: Any) -> str:
        """Return a compaction that keeps everything from `kept` on."""
        return self.add(entry_type="compaction", raw={"firstKeptEntryId": kept}, **more)

    def cut(self, params: WindowParams = PARAMS, as_of: datetime = MUCH_LATER, is_closed: bool = False) -> list[Window]:
        """Its windows."""
        return cut_windows("s", make_window_entries(self.entries), params, as_of, is_closed)


def shape(windows: list[Window]) -> list[tuple[str, int, int]]:
    """Kind, first and last ordinal of each window."""
    return [(window.kind, window.ordinals[0], window.ordinals[-1]) for window in windows]


def test_a_quiet_session_with_five_typed_messages_is_one_closing_window_that_is_due() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    (window,) = script.cut()
    assert (window.kind, window.status, window.reason) == ("closing", "pending", "")
    assert (window.user_message_count, window.token_count, len(window.ordinals)) == (5, 100, 10)


def test_until_quiet_time_has_passed_the_last_episode_is_open_unless_pi_said_that_it_shut_down() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    soon = script.now + timedelta(minutes=119)
    (window,) = script.cut(as_of=soon)
    assert window.status == "pending"
    assert window.reason.startswith("open: ")
    (closed,) = script.cut(as_of=soon, is_closed=True)
    assert (closed.status, closed.reason, closed.window_id) == ("pending", "", window.window_id)
    assert script.cut(as_of=script.now + timedelta(minutes=120))[0].reason == ""


def test_a_session_with_too_few_typed_messages_is_skipped_and_joins_the_next_episode_when_it_grows() -> None:
    script = Script()
    for _ in range(4):
        script.turn()
    (small,) = script.cut()
    assert (small.status, small.reason) == ("skipped", "too_few_user_messages")
    script.turn(minutes=24 * 60)
    assert shape(script.cut()) == [("closing", 0, 9)]


def test_a_pause_ends_an_episode_once_the_session_so_far_holds_enough_however_small_the_next_one_is() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.turn(minutes=120)
    script.turn(minutes=119)
    windows = script.cut()
    assert shape(windows) == [("closing", 0, 9), ("closing", 10, 13)]
    assert {window.status for window in windows} == {"pending"}


def test_settings_alone_make_no_window_they_wait_for_the_words_that_follow() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.add(entry_type="model_change", minutes=300, token_count=0)
    script.turn(minutes=300)
    assert shape(script.cut()) == [("closing", 0, 9), ("closing", 10, 12)]
    script.add(entry_type="label", minutes=300, token_count=0)
    assert [(w.status, w.reason) for w in script.cut()][-1] == ("skipped", "nothing_said")


def test_a_pause_while_a_tool_runs_ends_nothing() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.call("build")
    script.result("build", minutes=500)
    script.turn()
    assert shape(script.cut()) == [("closing", 0, 13)]


def test_a_compaction_ends_what_it_put_away_and_what_it_kept_belongs_to_the_next_window() -> None:
    script = Script()
    for _ in range(3):
        script.turn()
    kept = script.entries[4].entry_id
    script.compaction(kept)
    script.turn()
    windows = script.cut()
    assert shape(windows) == [("compaction", 0, 3), ("closing", 4, 8)]
    # The compaction is distilled even though the session is too small to be closed.
    assert [(w.status, w.reason) for w in windows] == [("pending", ""), ("skipped", "too_few_user_messages")]


def test_a_second_compaction_covers_only_the_entries_after_the_first() -> None:
    script = Script()
    for _ in range(3):
        script.turn()
    script.compaction(script.entries[4].entry_id)
    script.turn()
    script.compaction(script.entries[7].entry_id)
    assert shape(script.cut())[:2] == [("compaction", 0, 3), ("compaction", 4, 6)]


def test_a_compaction_that_keeps_nothing_or_something_unknown_ends_everything_before_it() -> None:
    for kept in ("e4", "nowhere", None):
        script = Script()
        for _ in range(2):
            script.turn()
        script.compaction(kept)
        script.turn()
        assert shape(script.cut())[0] == ("compaction", 0, 3), kept


def test_a_summary_alone_is_not_worth_a_window_it_waits_for_what_follows() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.compaction(None)
    assert [(w.ordinals[0], w.status, w.reason) for w in script.cut()] == [(0, "pending", ""), (10, "skipped", "nothing_said")]
    script.turn(minutes=500)
    assert shape(script.cut()) == [("compaction", 0, 9), ("closing", 10, 12)]


def test_a_compaction_on_an_abandoned_branch_takes_only_that_branch() -> None:
    script = Script()
    root = script.turn()  # 0, 1
    script.turn(parent=root)  # 2, 3: the branch that was left
    script.compaction("e4")  # 4
    script.turn(parent=root)  # 5, 6
    windows = script.cut()
    assert [w.ordinals for w in windows] == [(0, 1, 2, 3), (4, 5, 6)]


def test_an_abandoned_branch_belongs_to_the_compaction_that_follows_it() -> None:
    script = Script()
    root = script.turn()
    script.turn(parent=root)  # 2, 3: left without a trace
    script.turn(parent=root)  # 4, 5
    script.turn()  # 6, 7
    script.compaction("e6")
    assert script.cut()[0].ordinals == (0, 1, 2, 3, 4, 5)


def test_the_branch_of_a_second_writer_who_goes_on_is_left_to_its_own_window() -> None:
    script = Script()
    root = script.turn()  # 0, 1
    mine, other = root, root
    for _ in range(3):  # mine 2,3 6,7 10,11; other 4,5 8,9 12,13
        mine = script.turn(parent=mine)
        other = script.turn(parent=other)
    script.compaction("e10", parent=mine)
    assert [w.ordinals for w in script.cut()] == [(0, 1, 2, 3, 6, 7), (4, 5, 8, 9, 10, 11, 12, 13, 14)]


def test_a_prompt_that_waited_while_the_agent_worked_is_no_pause_behind_it() -> None:
    """It keeps the time at which it was typed, at the place where the agent got it."""
    script = Script()
    for _ in range(5):
        script.turn()
    for _ in range(14):
        script.add("assistant", minutes=10)
    script.add("user", minutes=-140)
    script.add(entry_type="queue-operation", minutes=141)
    script.turn()
    assert [kind for kind, _, _ in shape(script.cut())] == ["closing"]


def test_a_prompt_that_waited_over_a_pause_stands_behind_it_with_its_reply() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.add("user", minutes=-1)
    script.add(entry_type="queue-operation", minutes=300)
    script.turn()
    assert [(first, last) for _, first, last in shape(script.cut())] == [(0, 9), (10, 13)]


def test_the_cap_sees_the_pause_before_a_prompt_that_waited() -> None:
    script = Script()
    script.turn(tokens=150)
    script.turn(tokens=150)
    script.add("user", minutes=-1)
    script.turn(tokens=150, minutes=61)
    script.turn(tokens=150)
    assert [(first, last) for _, first, last in shape(script.cut())] == [(0, 3), (4, 8)]


def test_a_stretch_above_the_cap_is_cut_at_the_longest_pause_before_a_turn_in_its_second_half() -> None:
    script = Script()
    for number in range(8):
        script.turn(tokens=100, minutes=30 if number == 3 else 1)
    windows = script.cut()
    assert shape(windows) == [("cap", 0, 5), ("closing", 6, 15)]


def test_settings_made_before_a_turn_stay_with_it() -> None:
    script = Script()
    for number in range(8):
        if number == 4:
            script.add(entry_type="thinking_level_change", token_count=0, minutes=30)
        script.turn(tokens=100)
    assert shape(script.cut()) == [("cap", 0, 7), ("closing", 8, 16)]


def test_a_single_turn_above_the_cap_is_cut_after_a_complete_step_and_a_step_above_it_stands_alone() -> None:
    script = Script()
    script.add("user")
    for number in range(6):
        script.call(f"c{number}", tokens=100)
        script.result(f"c{number}", tokens=200)
    script.call("big", tokens=100)
    script.result("big", tokens=5000)
    script.add("assistant", token_count=100)
    windows = script.cut()
    assert [(w.ordinals[0], w.ordinals[-1], w.token_count) for w in windows] == [
        (0, 6, 910), (7, 12, 900), (13, 14, 5100), (15, 15, 100),
    ]  # fmt: skip


def test_copied_entries_are_a_skipped_window_of_their_own_and_count_for_the_size_of_the_session() -> None:
    script = Script()
    for _ in range(5):
        script.turn()
    script.entries[:] = [Entry(**vars(entry) | {"flags": ("copied",)}) for entry in script.entries]
    script.turn(minutes=500)
    windows = script.cut()
    assert [(w.ordinals, w.status, w.reason) for w in windows] == [
        (tuple(range(10)), "skipped", "copied"),
        ((10, 11), "pending", ""),
    ]


def test_files_are_those_that_tools_were_called_with_the_modified_ones_not_counted_as_read() -> None:
    script = Script()
    for call, (tool, path) in enumerate(
        (("read", "b.py"), ("read", "a.py"), ("edit", "b.py"), ("bash", "c.py"), ("write", "é.md"))
    ):
        script.call(str(call), path=path, tool=tool)
        script.result(str(call))
    (window,) = script.cut()
    assert (window.files_read, window.files_modified) == (("a.py",), ("b.py", "é.md"))


# ---- every session, however strange

EVENTS = st.one_of(
    st.tuples(st.just("turn"), st.integers(0, 600), st.sampled_from([1, 1, 1, 50, 119, 120, 500])),
    st.tuples(st.just("call"), st.integers(0, 600), st.sampled_from([1, 1, 150])),
    st.tuples(st.just("setting"), st.just(0), st.sampled_from([1, 200])),
    st.tuples(st.just("compaction"), st.integers(0, 30), st.just(1)),
    st.tuples(st.just("branch"), st.integers(0, 30), st.just(1)),
)


def session_of(events: list[tuple[str, int, int]]) -> Script:
    """Return a growing session: turns, tool calls, settings, compactions and branches from any earlier entry."""
    script = Script()
    for number, (event, size, minutes) in enumerate(events):
        some = script.entries[size % len(script.entries)].entry_id if script.entries else None
        if event == "turn":
            script.turn(size, minutes)
        elif event == "call":
            script.call(f"c{number % 3}", size)
            script.result(f"c{number % 3}", size, minutes)
        elif event == "setting":
            script.add(entry_type="model_change", token_count=0, minutes=minutes)
        elif event == "compaction":
            script.compaction(some)
        else:
            script.add("user", parent=some)
    return script


def largest_step(members: list[WindowEntry], ordinals: tuple[int, ...]) -> bool:
    """Whether these are one entry with tokens, or one call with its result."""
    weighty = [members[ordinal] for ordinal in ordinals if members[ordinal].tokens]
    return len(weighty) == 1 or (
        len(weighty) == 2 and bool(weighty[0].call_ids) and weighty[1].answered_call_id in weighty[0].call_ids
    )


@given(st.lists(EVENTS, max_size=40))
def test_every_entry_is_in_exactly_one_window_no_result_is_parted_and_the_cap_holds(events: list[tuple[str, int, int]]) -> None:
    script = session_of(events)
    members = make_window_entries(script.entries)
    windows = script.cut()
    assert sorted(ordinal for window in windows for ordinal in window.ordinals) == list(range(len(script.entries)))
    assert len({window.window_id for window in windows}) == len(windows)
    window_of = {ordinal: window.window_id for window in windows for ordinal in window.ordinals}
    for ordinal, member in enumerate(members):
        if member.answered_call_id is not None:
            assert window_of[ordinal] == window_of[ordinal - 1]
    for window in windows:
        assert window.token_count <= PARAMS.cap_tokens or largest_step(members, window.ordinals)
    assert windows == script.cut()


@given(st.lists(EVENTS, min_size=1, max_size=40), st.data())
def test_any_nights_end_in_the_windows_of_one_run(events: list[tuple[str, int, int]], data: st.DataObject) -> None:
    """A window that was due or done stays when the session grows, unless it was the open tail."""
    script = session_of(events)
    members = make_window_entries(script.entries)
    whole = script.cut()
    length = data.draw(st.integers(1, len(members)))
    before = cut_windows("s", members[:length], PARAMS, members[length - 1].said_at)
    final = {window.window_id: window.content_hash for window in whole}
    for window in before:
        if not window.reason.startswith("open") and not _is_waiting(members, length):
            assert final.get(window.window_id) == window.content_hash


def _is_waiting(members: list[WindowEntry], length: int) -> bool:
    """Whether the session stopped between a call and its result: the window is then cut again."""
    return length < len(members) and members[length].answered_call_id is not None


def test_ids_that_repeat_are_looked_up_among_earlier_entries_so_that_later_lines_change_no_old_window() -> None:
    script = Script()
    for _ in range(3):
        script.turn()
    script.compaction("e4")
    before = script.cut()[0]
    script.add("user", entry_id="e3")
    script.turn()
    assert script.cut()[0] == before


def test_a_session_whose_only_message_is_a_pasted_text_is_distilled_where_one_message_is_enough() -> None:
    """With a word of the owner beside them pasted texts do not count: the words tell how much was said."""
    one = replace(PARAMS, min_user_messages=1)
    script = Script()
    script.add("user", turn_kind=None, text="Traceback: it broke", speaker="paste", speaker_reason="format:pasted_lines")
    script.add("assistant")
    assert [window.status for window in script.cut(one)] == ["pending"]
    assert [window.user_message_count for window in script.cut(one)] == [0]
    assert [window.status for window in script.cut()] == ["skipped"]
    for _ in range(3):
        script.add("user", turn_kind=None, text="Traceback: it broke", speaker="paste", speaker_reason="format:pasted_lines")
    script.turn()
    assert [window.status for window in script.cut()] == ["skipped"]
