"""Checks of files: links and access of the memory files, and who else may read the lake and the workspace."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from effects.health.check import Check
from effects.machines.shared_lines import compare_lines, is_shared
from effects.memory.proposal_store import open_proposals
from effects.memory.review_page import PATH as REVIEW_PATH
from effects.pages.new_pages import list_new_pages, list_superseded
from effects.store.memory_file import locate_memory, read_memory
from effects.store.run import Run
from effects.system.disk_errors import advise_on_mount, is_read_only
from effects.system.errors import PageError
from effects.system.files import resolve_link
from transforms.pages.run_page import count_things
from transforms.tables.ids import hash_text


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
    yield from _check_pages(run)
    yield from _check_privacy({"lake": run.lake.root, "workspace": workspace})


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


def _check_pages(run: Run) -> Iterator[Check]:
    """Yield a note about pages of another memory, one about edited pages, and those about old texts beside good pages."""
    workspace, written = run.settings.workspace, dict(run.lake.read("pages").select("path", "text_hash").iter_rows())
    beside, memory = list_new_pages(run), locate_memory(run)
    texts = {name: new.with_suffix("").read_bytes().decode("utf-8", "surrogateescape") for name, new in beside.items()}
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
