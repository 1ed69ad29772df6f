"""Checks of files: links and access of the memory files, and who else may read the lake and the workspace."""

from __future__ import annotations

import errno
import json
import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from effects.health.check import Check
from effects.index.manifest import find_index_folder
from effects.machines.shared_lines import compare_lines, is_shared
from effects.memory.proposal_store import open_proposals
from effects.memory.review_page import PATH as REVIEW_PATH
from effects.pages.new_pages import list_new_pages, list_superseded
from effects.store.memory_file import locate_memory, read_memory
from effects.store.redo_log import NIGHT, RefusedPageError, build_page_error
from effects.store.run import Run
from effects.system.disk_errors import advise_on_mount, advise_on_room, is_read_only, measure_room
from effects.system.errors import PageError
from effects.system.files import read_page, resolve_link
from transforms.pages.run_page import count_things
from transforms.tables.ids import hash_text

MIB = 2**20
NO_ROOM_LEFT = 16 * MIB
"""Below this a day's sessions, their pages and the new parts of the index do not fit."""
SCANT_ROOM = 64 * MIB


def check_files(run: Run) -> Iterator[Check]:
    """Yield the findings about memory files and folders."""
    workspace = run.settings.workspace
    if is_read_only(run.lake.root):
        detail = f"{run.lake.root} lies on a file system that is mounted read-only: no run can write it"
        yield Check("lake files", "wrong", detail, advise_on_mount(run.lake.root))
    findings = [
        finding for path in (locate_memory(run), workspace / "REVIEW.md", *run.settings.identity) for finding in _check_file(path)
    ]
    yield from findings or [Check("memory files", "ok", _describe_memory(locate_memory(run)))]
    yield from _check_lost_lines(run)
    yield from _check_shared_lines(run)
    yield from _check_places(run)
    yield from _check_pages(run)
    yield from _check_privacy({"lake": run.lake.root, "workspace": workspace})


def is_memory_readable(run: Run) -> bool:
    """Return whether MEMORY.md can be read, where there is one."""
    try:
        read_memory(run)
    except PageError:
        return False
    return True


def check_room(run: Run) -> Iterator[Check]:
    """Yield a finding when the disk of lake or workspace is full, and a note when a night may not fit: a night that finds no room
    cannot even record that it failed. A new index lies beside the old one until it is whole."""
    root, workspace = run.lake.root, run.settings.workspace
    devices = set[int]()
    for path, need in ((root, max(SCANT_ROOM, _measure_folder(find_index_folder(run.lake)))), (workspace, SCANT_ROOM)):
        place = next((folder for folder in (path, *path.parents) if folder.exists()), path)
        room = measure_room(place)
        if room is None or room >= need or is_read_only(place) or (device := place.stat().st_dev) in devices:
            continue
        devices.add(device)
        left = f"{room / MIB:.0f} MiB free where {path} lies"
        if room < NO_ROOM_LEFT:
            yield Check(
                "disk",
                "wrong",
                f"{left}: nights, decisions and lines to remember {'cannot' if room < MIB else 'may not'} be written",
                advise_on_room(place),
            )
        else:
            yield Check("disk", "note", f"{left}: a night may need {need / MIB:.0f} MiB", advise_on_room(place))


def _measure_folder(folder: Path) -> int:
    """Return the bytes of the files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _check_lost_lines(run: Run) -> Iterator[Check]:
    """Yield a finding when MEMORY.md is empty, gone or breaks off within a line, though lines were approved for it: an owner who
    takes lines out leaves its headings."""
    path, lines = locate_memory(run), run.lake.read("memory_lines")["text"].to_list()
    try:
        text = read_memory(run)
    except PageError:  # the finding above says why it cannot be read
        return
    last = text.rpartition("\n")[2]
    is_cut = any(line != last and line.startswith(last) for line in lines) if last.strip(" -*") else False
    if not lines or (text.strip() and not is_cut):
        return
    state = "breaks off within an approved line" if is_cut else "is empty" if path.exists() else "is gone"
    detail = f"{path} {state}; {count_things(len(lines), 'line')} approved for it so far, and beside it .MEMORY.md.bak is older"
    yield Check("memory lines", "wrong", detail, 'recollect sql "SELECT section, text FROM memory_lines ORDER BY at"')


def _check_shared_lines(run: Run) -> Iterator[Check]:
    """Yield a note when lines that were approved on another machine wait to be written into MEMORY.md of this one."""
    if not is_shared(run):
        return
    store = open_proposals(run)
    try:
        missing = compare_lines(run, store.rows, store.past, store.forgotten, read_memory(run)).missing
    except (PageError, OSError):  # the finding above says why it cannot be read
        return
    if missing:
        things = count_things(len(missing), "line")
        detail = f"{things} approved on another machine not yet in {locate_memory(run)}; the next night here writes them"
        yield Check("memory lines", "note", detail, "recollect nightly")


def find_refused_pages(run: Run) -> list[RefusedPageError]:
    """Return the pages that no night can write now, each with the command that mends its place: of those written so far, and of
    those that the last run could not write."""
    last = run.lake.read("runs").filter(pl.col("counts").str.contains('"render"', literal=True)).sort("started_at", "run_id")
    refused = json.loads(last["counts"][-1])["render"].get("refused", []) if last.height else []
    names = dict.fromkeys([*refused, locate_memory(run).name, *sorted(run.lake.read("pages")["path"].to_list())])
    return [fault for name in names if (fault := _find_page_fault(run.settings.workspace / name))]


def advise_on_refused(run: Run) -> str:
    """Return the command that mends the first page that no night can write; empty where all can be written."""
    refused = find_refused_pages(run)
    return refused[0].hint if refused else ""


def _find_page_fault(path: Path) -> RefusedPageError | None:
    folder = next(place for place in path.parents if os.path.lexists(place))
    number = (
        errno.ENOTDIR if not folder.is_dir()
        else errno.EACCES if not os.access(folder, os.W_OK | os.X_OK)
        else errno.EISDIR if path.is_dir()
        else errno.EACCES if path.exists() and not os.access(path, os.R_OK)
        else 0
    )  # fmt: skip
    return build_page_error(path, OSError(number, os.strerror(number)), NIGHT) if number else None


def _check_places(run: Run) -> Iterator[Check]:
    """Yield a finding about pages whose places take none, with the command that mends the first one."""
    own = (locate_memory(run), run.settings.workspace / REVIEW_PATH)  # they have their findings
    if refused := [fault for fault in find_refused_pages(run) if fault.path not in own]:
        more = f"; nor can {count_things(len(refused) - 1, 'other page')}" if len(refused) > 1 else ""
        yield Check("pages", "wrong", refused[0].message + more, refused[0].hint)


def _check_pages(run: Run) -> Iterator[Check]:
    """Yield a note about pages of another memory, one about edited pages, and those about old texts beside good pages."""
    workspace, written = run.settings.workspace, dict(run.lake.read("pages").select("path", "text_hash").iter_rows())
    beside, memory = list_new_pages(run), locate_memory(run)
    texts = {name: read_page(old) for name, new in beside.items() if (old := new.with_suffix("")).is_file()}
    if foreign := [name for name in beside if name not in written and name != memory.name]:
        place, things = shlex.quote(str(workspace / foreign[0])), count_things(len(foreign), "page")
        detail = (
            f"{things} in {workspace} of another memory (of another machine, or of a lake that is gone), for example"
            f" {foreign[0]}; this memory writes {foreign[0]}.new"
        )
        next_command = f"give each machine its RECOLLECT_WORKSPACE; or, where that memory is gone, mv {place}.new {place}"
        yield Check("pages", "note", detail, next_command)
    edited = [name for name, text in texts.items() if name in written and written[name] != hash_text(text)]
    if named := [name for name in edited if name != REVIEW_PATH]:  # REVIEW.md has its own finding
        place, things = shlex.quote(str(workspace / named[0])), count_things(len(named), "page")
        detail = f"{things} edited by hand, for example {named[0]}; nights leave them and write {named[0]}.new"
        yield Check("pages", "note", detail, f"mv {place}.new {place} (takes the new text; your page goes)")
    superseded = list_superseded(run, written)
    if superseded:
        things = count_things(len(superseded), "text")
        detail = f"{things} of an earlier night beside a page that was written since, for example {superseded[0]}"
        yield Check("pages", "note", detail, "recollect nightly, which removes what nobody wrote into")
    for name, path in beside.items():
        if path not in superseded and name not in {*foreign, *edited}:
            detail = f"{path} lies beside a good page and may hold words of yours, or of another memory: no night removes it"
            new, page = shlex.quote(str(path)), shlex.quote(str(path.with_suffix("")))
            yield Check("pages", "note", detail, f"diff {new} {page}; then rm {new}")


def _check_file(path: Path) -> Iterator[Check]:
    """Yield the faults of one memory file: links that lead nowhere, a folder, no access, a second name."""
    quoted = shlex.quote(str(path))
    try:
        target = resolve_link(path)
    except OSError:
        yield Check("memory files", "wrong", f"{path} is a link that leads in a circle", f"rm {quoted}, then recollect nightly")
        return
    is_link = target != path
    if is_link and not target.parent.is_dir():
        detail = f"{path} is a link into {target.parent}, which does not exist"
        yield Check("memory files", "wrong", detail, f"mkdir -p {shlex.quote(str(target.parent))}, then recollect nightly")
        return
    if not target.exists():
        if is_link:
            yield Check("memory files", "note", f"{path} leads to {target}, which does not exist yet", "recollect nightly")
        return
    if not target.is_file():
        yield Check("memory files", "wrong", f"{path} is not a file", f"mv {quoted} {quoted}.moved, then recollect nightly")
        return
    if is_read_only(target):
        detail = f"{path} lies on a file system that is mounted read-only"
        yield Check("memory files", "wrong", detail, advise_on_mount(target.parent))
    elif not os.access(target, os.R_OK) or not os.access(target.parent, os.W_OK):
        next_command = f"chmod u+rw {shlex.quote(str(target))} && chmod u+rwx {shlex.quote(str(target.parent))}"
        yield Check("memory files", "wrong", f"{path} cannot be read and replaced by this user", next_command)
    elif target.stat().st_nlink > 1:
        detail = f"{path} has a second name (a hard link), which keeps the old text whenever the file is replaced"
        yield Check("memory files", "note", detail, f"ln -sf {quoted} OTHER_NAME")


def _describe_memory(path: Path) -> str:
    if not path.exists():
        return f"{path} does not exist yet"
    mode = f"mode {stat.S_IMODE(path.stat().st_mode):04o}"
    return f"{path}, {mode}, a link to {resolve_link(path)}" if path.is_symlink() else f"{path}, {mode}"


def _check_privacy(folders: dict[str, Path]) -> Iterator[Check]:
    """Yield a note about each folder that other users may enter, above which no folder keeps them out."""
    for name, folder in folders.items():
        if folder.is_dir() and all(_is_open(place) for place in (folder, *folder.parents)):
            detail = f"other users of this machine may look into the {name}, {folder}"
            yield Check("privacy", "note", detail, f"chmod -R go-rwx {shlex.quote(str(folder))}")


def _is_open(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH))
    except OSError:
        return False
