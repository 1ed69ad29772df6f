"""Marked blocks in a page that others write too: our blocks are merged in, every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late

_BLOCK = compile_late(
    r"<!-- recollect:(?P<id>[a-z]+ [\w:.-]+) -->[^\S\n]*\n.*?<!-- /recollect:(?P=id) -->(?:[^\S\n]*(?:\n|\Z))?", re.DOTALL
)
_MARK_WITH_HASH = compile_late(r"<!-- (/?recollect:[a-z]+) (?:\w-)?[0-9a-f]{8,16} -->")


@dataclass(frozen=True, slots=True)
class MergedPage:
    """The page after merging, and the ids of blocks that were left as a person changed them."""

    text: str
    kept: tuple[str, ...]


def format_block(block_id: str, body: str) -> str:
    """Return a block with its marks. `block_id` is "kind name", for example `window w-12ab`."""
    return f"<!-- recollect:{block_id} -->\n{body.strip()}\n<!-- /recollect:{block_id} -->\n"


def find_blocks(text: str) -> dict[str, str]:
    """Return our blocks in a page by id, marks included, in page order."""
    return {match["id"]: _end_with_newline(match[0]) for match in _BLOCK.finditer(text)}


def drop_mark_hashes(text: str) -> str:
    """Return a page whose marks lack the hashes that recollect made: next to a word such as webhook they look like a secret."""
    return _MARK_WITH_HASH.sub(r"<!-- \1 -->", text)


def drop_blocks(text: str, kept: Collection[str]) -> str:
    """Return a page without our blocks but those with these ids; every other byte stays."""
    return _BLOCK.sub(lambda match: match[0] if match["id"] in kept else "", text)


def merge_blocks(page: str, new: Mapping[str, str], base: Mapping[str, str]) -> MergedPage:
    """Return the page with our blocks brought up to date.

    `new` are the blocks as they should be, in their order; `base` are those of the last rendering. A block that a person
    changed or deleted since stays as it is; its id is in `kept` when its new text differs. New blocks go in front of the first
    present block that follows them in `new`, else to the end. Line ends of Windows and blanks at the ends of lines are no change;
    our new text takes the page's line ends.
    """
    present = find_blocks(page)
    first_row, row_end, _ = page.partition("\n")
    newline = "\r\n" if row_end and first_row.endswith("\r") else "\n"
    kept_ids: list[str] = []
    text = page
    for block_id, present_block in present.items():
        if block_id not in new:
            if _is_same(base.get(block_id), present_block):
                text = _remove_block(text, present_block)
            continue
        new_block = new[block_id]
        if _is_same(new_block, present_block):
            continue
        if base and not _is_same(base.get(block_id), present_block):  # on a page that we know, who else wrote it?
            if new_block != base.get(block_id):
                kept_ids.append(block_id)
            continue
        text = text.replace(_match_written(text, present_block), new_block.replace("\n", newline), 1)
    order = list(new)
    for index, block_id in enumerate(order):
        if block_id in present:
            continue
        if block_id in base:  # a person deleted it
            if new[block_id] != base[block_id]:
                kept_ids.append(block_id)
            continue
        text = _insert_block(text, new[block_id], [later for later in order[index + 1 :] if later in present], newline)
        present[block_id] = new[block_id]
    return MergedPage(text, tuple(kept_ids))


def list_base_blocks(page: str, new: Mapping[str, str], base: Mapping[str, str]) -> dict[str, str]:
    """Return the blocks to remember as rendered when `page` was merged with `new`.

    Those that a person changed or deleted and that are not rendered any more are in it without words: their window may come back.
    """
    present = find_blocks(page)
    changed = (block_id for block_id in base if block_id not in new and not _is_same(base[block_id], present.get(block_id)))
    return {**new, **{block_id: format_block(block_id, "") for block_id in changed}}


def _is_same(rendered: str | None, written: str | None) -> bool:
    """Whether a block on a page is the one that was rendered, but for line ends and blanks before them."""
    if rendered is None or written is None:
        return False
    return [row.rstrip() for row in rendered.split("\n")] == [row.rstrip() for row in written.split("\n")]


def _insert_block(text: str, body: str, later: list[str], newline: str) -> str:
    positions = [position for name in later if (position := text.find(f"<!-- recollect:{name} -->")) >= 0]
    body = body.replace("\n", newline)
    if positions:
        position = min(positions)
        return text[:position] + body + newline + text[position:]
    if not text or text.endswith(newline * 2):
        return text + body
    return text + (newline if text.endswith("\n") else newline * 2) + body


def _remove_block(text: str, block: str) -> str:
    """Return the page without a block and the blank line that came with it; lines of others above and below stay two."""
    written = _match_written(text, block)
    before, after = text.split(written, 1) if written in text else (text, "")
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            return before.removesuffix(newline) + after
        if after.startswith(newline):
            return before + after.removeprefix(newline)
    return before + after


def _match_written(text: str, block: str) -> str:
    """Return the block as it stands in the text: the last line of a page may lack its newline."""
    return block if block in text else block.removesuffix("\n")


def _end_with_newline(block: str) -> str:
    return block if block.endswith("\n") else block + "\n"
