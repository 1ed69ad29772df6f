"""Everything a person does to REVIEW.md and MEMORY.md survives, over any sequence of edits and nights."""

from __future__ import annotations

import re
import tempfile
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effects.memory.reflect_step import reflect
from effects.memory.remember import remember
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.store import redo_log
from effects.store.run import Counts
from tests.effects.memory_world import TWICE, World
from transforms.tables.ids import hash_text

RULES = (
    "Never force-push to main",
    "Always run the linter before a commit",
    "Deploys happen only from the release branch",
    "Secrets belong into the vault, never into the repository",
)
ITEM = re.compile(r"^- \[(.)\] `(p-\d{8}-\d{3,})` (.*)$", re.M)
NOTE = "A thought of mine"
OWN = "A wish of mine"
DEEDS = (
    "tick", "strike", "untick", "edit", "delete", "reorder", "indent", "note", "break", "conflict", "crlf", "old copy", "blank",
    "lose id", "lose id and words", "own line", "strike out", "other marks", "nest",
    "memory line", "memory blanks", "memory crlf", "memory reorder", "memory conflict", "wait",
)  # fmt: skip


def do(world: World, deed: str, number: int, copies: list[bytes]) -> None:
    """Change REVIEW.md or MEMORY.md as a person with an editor does."""
    page, memory = world.review_file, world.memory_file
    text = page.read_bytes().decode() if page.exists() else ""
    items = list(ITEM.finditer(text))
    item = items[number % len(items)] if items else None
    if deed == "wait":
        world.days += 2
    elif deed.startswith("memory "):
        _change_memory(memory, deed, number)
    elif deed in ("old copy", "note", "crlf", "break", "blank", "conflict"):
        pages = {
            "old copy": copies[number % len(copies) if copies else 0 :][:1],
            "note": [(text + f"\n{NOTE} {number}\n").encode()],
            "crlf": [text.replace("\r\n", "\n").replace("\n", "\r\n").encode()],
            "break": [text[: len(text) * 2 // 3].encode()],
            "blank": [b"" if number % 2 else text.replace("\n\n", "\n\n\n").encode()],
            "conflict": [f"<<<<<<< HEAD\n{text}=======\n{text.replace('[ ]', '[x]')}>>>>>>> theirs\n".encode()],
        }
        page.write_bytes(pages[deed][0])
    elif item is not None:
        page.write_bytes(_change_line(text, item, deed, number).encode())


def _change_line(text: str, item: re.Match[str], deed: str, number: int) -> str:
    line, key, words = item[0], item[2], item[3]
    instead = {
        "tick": f"- [x] `{key}` {words}",
        "strike": f"- [-] `{key}` {words}",
        "untick": f"- [ ] `{key}` {words}",
        "edit": f"- [x] `{key}` {words} (edited {number})",
        "indent": "   " + line.replace("- [", "* ["),
        "lose id": f"- [x] {words}",
        "lose id and words": f"- [x] Quite another thought {number}",
        "own line": f"{line}\n* [X] {OWN} {number}",
        "strike out": f"- [ ] ~~`{key}` {words}~~",
        "other marks": f"1. [X] {key}: {words}",
        "nest": f"* a list of mine\n  * [x] `{key}` {words}",
    }
    if deed in instead:
        return text.replace(line, instead[deed])
    return text.replace(line + "\n", "") if deed == "delete" else text.replace(line, "").replace("\n## ", f"\n{line}\n\n## ", 1)


def _change_memory(memory: Path, deed: str, number: int) -> None:
    text = memory.read_bytes().decode() if memory.exists() else "# Mine\n\n## Hard Rules\n\n- tea, not coffee  \n"
    if deed == "memory line":
        text += f"\n## Mine {number}\n- a line of mine {number}  \n"
    elif deed == "memory blanks":
        text = text.replace("\n- ", "  \n- ", 1)
    elif deed == "memory crlf":
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    elif deed == "memory reorder":
        rows = text.splitlines(keepends=True)
        text = "".join([*rows[1:], rows[0] if rows[0].endswith("\n") else rows[0] + "\n"]) if rows else text
    elif "<<<<<<< HEAD" not in text:
        text += "<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> theirs\n"
    else:
        text = re.sub(r"(?m)^(?:<{7} HEAD|={7}|>{7} theirs)\r?\n", "", text)
    memory.parent.mkdir(parents=True, exist_ok=True)
    memory.write_bytes(text.encode())


def is_with_insertions(before: bytes, after: bytes, lines: list[str]) -> bool:
    """Whether `after` is `before` with these lines put in, headings of new sections included."""
    rest = after.decode()
    for line in lines:
        rest = rest.replace(line, "", 1)
    kept = [row for row in re.split(r"\r?\n", rest) if row.strip()]
    wanted = [row for row in re.split(r"\r?\n", before.decode()) if row.strip()]
    position = 0
    for row in kept:
        if position < len(wanted) and row == wanted[position]:
            position += 1
        elif not row.startswith("#"):
            return False
    return position == len(wanted)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 7)), min_size=2, max_size=5))
def test_any_sequence_of_edits_and_nights_loses_nothing(deeds: list[tuple[str, int]]) -> None:
    """Lines of MEMORY.md change by ticks alone, no decision is undone, and no note disappears."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.observe_all(
            [world.observation(text, window_id=f"w-{n}", session_id=f"s-{n}", also=TWICE) for n, text in enumerate(RULES)]
        )
        world.night()
        copies = [world.review_file.read_bytes()]
        notes: set[str] = set()
        for deed, number in deeds:
            page = world.review_file.read_bytes().decode() if world.review_file.exists() else ""
            do(world, deed, number, copies)
            text = world.review_file.read_bytes().decode() if world.review_file.exists() else ""
            notes |= set(re.findall(rf"{NOTE} \d", text))
            ticked = {entry[2] for entry in ITEM.finditer(text.replace("\r\n", "\n")) if entry[1] == "x"}
            before, was = world.memory_file.read_bytes() if world.memory_file.exists() else b"", world.statuses()
            world.days += 1
            world.night()
            copies.append(world.review_file.read_bytes())
            now = world.proposals()
            promoted = [key for key, row in now.items() if row["status"] == "approved" and was.get(key) in ("pending", None)]
            ticked |= set(re.findall(r"\[[xX]\] `?([pf]-\d{8}-\d{3,})", text))
            own = {key for key in promoted if key not in was and now[key]["origin"] == "owner"}
            lost = {entry[2] for entry in ITEM.finditer(page) if f"[x] {entry[3]}" in text} if deed == "lose id" else set()
            assert set(promoted) <= ticked | own | lost, (deed, promoted)
            rejected = {key for key, row in now.items() if row["status"] == "rejected" and was.get(key) == "pending"}
            assert not rejected or deed in ("strike", "delete", "strike out"), (deed, rejected)
            read = world.run.lake.read("pages").filter(pl.col("path") == "REVIEW.md")["text_hash"].to_list()
            if deed in ("lose id and words", "own line") and read == [hash_text(world.review_file.read_bytes().decode())]:
                for words in re.findall(rf"\[[xX]\] ({OWN} \d|Quite another thought \d)$", text, re.M):
                    assert words in world.memory() or any(row["text"] == words for row in now.values()), (deed, words)
            lines = world.run.lake.read("memory_lines").filter(pl.col("proposal_id").is_in(promoted))["text"].to_list()
            after = world.memory_file.read_bytes() if world.memory_file.exists() else b""
            is_kept = is_with_insertions(before, after, lines) if promoted and before else not before or after == before
            assert is_kept, (deed, before, after)
            assert all(now[key]["status"] == status for key, status in was.items() if status in ("approved", "rejected"))
            assert all(row["text"] for row in now.values())
            pages = "".join(path.read_bytes().decode() for path in world.review_file.parent.glob("*REVIEW*"))
            assert all(note in pages for note in notes if note in text), (deed, notes)


def test_a_page_in_a_merge_conflict_decides_nothing(tmp_path: Path) -> None:
    """Neither half is taken, and the page stays."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.night()
    do(world, "conflict", 0, [])
    page = world.review_file.read_bytes()
    counts = world.night()["review"]
    assert set(world.statuses().values()) == {"pending"}
    assert "merge conflict" in counts["problems"][0]
    assert world.review_file.read_bytes() == page


@pytest.mark.parametrize("is_rejected", [False, True])
def test_an_untouched_line_is_offered_once_more_and_a_rejected_one_never(tmp_path: Path, is_rejected: bool) -> None:
    """The owner was away for two weeks; a no stays a no."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.night()
    (key,) = world.statuses()
    if is_rejected:
        world.mark(key, "-")
    statuses = []
    for day in (1, 8, 20, 38, 46, 90, 150):
        world.days = day
        world.night()
        statuses.append(world.statuses()[key])
    first = "rejected" if is_rejected else "pending"
    rest = ["rejected"] * 6 if is_rejected else ["expired", "expired", "pending", "expired", "expired", "expired"]
    assert statuses == [first, *rest]
    assert len(world.statuses()) == 1


@pytest.mark.parametrize("has_looked", [False, True])
def test_a_second_offer_that_passes_while_nobody_decides_is_not_the_last(tmp_path: Path, has_looked: bool) -> None:
    """The owner comes back after ten weeks; what they passed over at the first time has had its second offer."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.night()
    (key,) = world.statuses()
    for day in (3, 9, 39, 47, 70):
        world.days = day
        if day == 70 or (day == 3 and has_looked):
            with world.run.lake.writing("test"):
                remember(world.run, f"Bread is baked on day {day}", is_immediate=True)
        world.night()
        if day == 39:
            assert world.statuses()[key] == "pending"
    assert world.statuses()[key] == ("expired" if has_looked else "pending")


@pytest.mark.parametrize("has_looked", [False, True])
def test_a_line_comes_again_each_time_that_its_owner_is_back(tmp_path: Path, has_looked: bool) -> None:
    """The decision that brought the second offer lies between the two: it passed over neither. One while it waits does."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.night()
    (key,) = world.statuses()
    statuses = []
    for day in (20, 21, 23, 40, 100, 101, 140):
        world.days = day
        if day in (21, 100) or (day == 23 and has_looked):
            with world.run.lake.writing("test"):
                remember(world.run, f"Bread is baked on day {day}", is_immediate=True)
            world.days += 0.5
        world.night()
        statuses.append(world.statuses()[key])
    last = ["expired", "expired"] if has_looked else ["pending", "pending"]
    assert statuses == ["expired", "pending", "pending", "expired", *last, "expired"]


def test_only_a_night_offers_again(tmp_path: Path) -> None:
    """Making pages again, or deciding on another line, changes the state of no proposal."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.night()
    for days in (8, 20, 38):
        world.days = days
        with world.run.lake.writing("test"):
            review(world.run, is_night=days == 8)
        assert set(world.statuses().values()) == {"expired"}
    world.night()
    assert set(world.statuses().values()) == {"pending"}


def test_an_expired_correction_is_offered_once_more_when_the_owner_is_back(tmp_path: Path) -> None:
    """The stale line misleads every session; a night alone does not bring it, the owner's next decision does."""
    world = World(tmp_path)
    world.memory_file.parent.mkdir(parents=True)
    mine = "# Mine\n\n## System Architecture\n\n* The ledger API listens on port 9477\n"
    world.memory_file.write_text(mine, encoding="utf-8")
    world.observe("The ledger API uses port 9500 from now on", "convention", also=TWICE)
    world.night()
    (correction,) = world.statuses()
    world.days = 9
    world.observe(RULES[0], also=TWICE)
    world.night()
    (rule,) = world.statuses().keys() - {correction}
    world.days = 10
    world.night()
    assert world.statuses() == {correction: "expired", rule: "pending"}
    world.mark(rule, "-")
    world.days = 11
    assert world.night()["review"]["offered_again"] == 1
    assert world.statuses() == {correction: "pending", rule: "rejected"}
    assert "9477" in world.review_file.read_text(encoding="utf-8")
    world.days = 20
    world.night()
    world.observe(RULES[1], also=TWICE)
    world.night()
    assert world.statuses()[correction] == "expired"


@pytest.mark.parametrize("has_looked", [False, True])
def test_what_waited_while_the_owner_was_away_is_offered_when_the_owner_is_back(tmp_path: Path, has_looked: bool) -> None:
    """What the owner passed over while deciding on others comes after the pause only; nothing comes without the owner."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    world.observe(RULES[1], also=TWICE)
    world.night()
    first, second = world.statuses()
    world.days = 3
    if has_looked:
        world.mark(second, "-")
    world.night()
    world.days = 9
    world.observe(RULES[2], also=TWICE)
    world.night()
    (third,) = world.statuses().keys() - {first, second}
    world.days = 10
    assert world.night()["review"].get("offered_again", 0) == 0
    world.mark(third, "x")
    world.days = 11
    offered = world.night()["review"]["offered_again"]
    assert offered == (0 if has_looked else 2)
    assert world.statuses() == {
        first: "expired" if has_looked else "pending", second: "rejected" if has_looked else "pending", third: "approved",
    }  # fmt: skip
    assert world.night()["review"]["offered_again"] == 0


def test_a_hand_written_line_that_newer_evidence_contradicts_is_replaced_through_the_review(tmp_path: Path) -> None:
    """The proposal quotes exactly that line; approved, the old text stands in the events that the daily log shows."""
    world = World(tmp_path)
    world.memory_file.parent.mkdir(parents=True)
    mine = "# Mine\n\n## System Architecture\n\n* The ledger API listens on port 9477  \n"
    world.memory_file.write_text(mine, encoding="utf-8")
    world.observe(
        "The ledger API uses port 9500 from now on", "convention", also=TWICE, said_at=world.run.as_of - timedelta(hours=2)
    )
    world.night()
    (row,) = world.proposals().values()
    assert (row["op"], row["old_text"]) == ("replace", "* The ledger API listens on port 9477")
    world.mark(row["proposal_id"], "x")
    world.night()
    assert "9477" not in world.memory()
    assert "9500" in world.memory()
    assert world.proposals()[row["proposal_id"]]["old_text"] == "* The ledger API listens on port 9477"


def test_a_changed_line_that_stood_twice_is_told_and_the_other_one_stays(tmp_path: Path) -> None:
    """Below "Staging:" and below "Production:" it may mean two things; nothing said that the old value still stood."""
    world = World(tmp_path)
    world.memory_file.parent.mkdir(parents=True)
    old = "> * The ledger API listens on port 9477\n"
    world.memory_file.write_text(f"## System Architecture\n\nStaging:\n{old}\nProduction:\n{old}", encoding="utf-8")
    world.observe(
        "The ledger API uses port 9500 from now on", "convention", also=TWICE, said_at=world.run.as_of - timedelta(hours=2)
    )
    world.night()
    (key,) = world.statuses()
    world.mark(key, "x")
    problems = world.night()["review"]["problems"]
    assert len(problems) == 1
    assert "stood twice in MEMORY.md; it still stands below `System Architecture`" in problems[0]
    assert world.memory().count("9477") == 1
    assert "Staging:\n> * (2026-05-17) The ledger API uses port 9500 from now on\n\nProduction:" in world.memory()
    assert world.night()["review"]["problems"] == []


def test_an_edit_while_a_run_writes_loses_nothing_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner saves in the moment between the reading and the writing: their page stays, ours lies beside it."""
    world = World(tmp_path)
    world.observe(RULES[0], also=TWICE)
    _run_with_pages(world)
    place = redo_log._place_page

    def save_before(path: Path, staged: Path, before: str) -> None:
        if path == world.review_file:
            world.edit("- [ ]", "- [x]")
            path.write_text(path.read_text(encoding="utf-8") + f"\n{NOTE}\n", encoding="utf-8")
        place(path, staged, before)

    world.days = 1
    world.observe(RULES[1], also=TWICE)
    with monkeypatch.context() as patched:
        patched.setattr(redo_log, "_place_page", save_before)
        _run_with_pages(world)
    mine = world.review_file.read_bytes()
    assert NOTE in mine.decode()
    assert RULES[1] in world.review_file.with_name("REVIEW.md.new").read_text(encoding="utf-8")
    world.days = 2
    problems = _run_with_pages(world)["problems"]
    assert "REVIEW.md.new" in problems[0]
    assert world.review_file.read_bytes() == mine
    assert set(world.statuses().values()) == {"pending"}
    world.review_file.with_name("REVIEW.md.new").replace(world.review_file)
    world.edit(f"- [ ] `{next(iter(world.statuses()))}`", f"- [x] `{next(iter(world.statuses()))}`")
    world.days = 3
    assert _run_with_pages(world)["problems"] == []
    assert RULES[0] in world.memory()


def _run_with_pages(world: World) -> Counts:
    """Run the steps of a night that touch REVIEW.md, with the pages written as a run does; return the counts of the review."""
    run = world.run
    with run.lake.writing("test"):
        counts = review(run, is_night=True)
        reflect(run)
        render(run)
    return counts


WRITTEN = [
    b"a note",
    b"caf\xe9 cr\xe8me",
    b"\xff\xfeold",
    b"\xed\xa0\x80 half",
    b"- [ ] gr\xfcn",
    b"- [x] L\xf6schen only by hand",
    b"> \xe4",
    b"\0 nul \0ff",
]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=3, unique=True), st.booleans())
def test_bytes_that_are_no_utf8_stay_in_the_notes_of_a_page_and_stop_no_night(written: list[bytes], is_late: bool) -> None:
    """One letter of an editor of old stopped each night; a page that changed behind the reading, too."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.observe(RULES[0], also=TWICE)
        with world.run.lake.writing("test"):
            reflect(world.run)
            render(world.run)
            page = world.review_file.read_bytes()
            at = page.index(b"_1 proposal pending")
            world.review_file.write_bytes(page[:at] + b"".join(own + b"\n\n" for own in written) + page[at:])
            if is_late:
                assert render(world.run)["kept_as_edited"] == ["REVIEW.md"]
            assert review(world.run, is_night=True)["problems"] == []
            render(world.run)
            after = world.review_file.read_bytes()
            assert all(own in after for own in written if b"[x]" not in own)
            review(world.run, is_night=True)
            assert render(world.run)["written"] == 0
        assert world.review_file.read_bytes() == after
        if (ticked := b"- [x] L\xf6schen only by hand") in written:
            assert "L\N{REPLACEMENT CHARACTER}schen only by hand" in world.memory()
            assert ticked not in after
