"""Keys of content come from the checksums that files carry."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.store import content_key
from effects.store.content_key import compute_content_key


@pytest.mark.parametrize("end_bytes", [8, 64, 16_384])
def test_the_checksum_is_found_in_a_footer_that_is_longer_than_what_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end_bytes: int
) -> None:
    """Rows change nothing, the checksum does; a file without one counts by all its bytes."""
    monkeypatch.setattr(content_key, "END_BYTES", end_bytes)
    place = tmp_path / "runs" / "data.parquet"
    place.parent.mkdir()

    def key_of(rows: bytes, checksum: bytes) -> str:
        footer = b"x" * 100 + content_key.CHECKSUM.encode() + b"\x18\x20" + checksum + b"y" * 30
        place.write_bytes(b"PAR1" + rows + footer + len(footer).to_bytes(4, "little") + b"PAR1")
        content_key.read_checksum.cache_clear()
        return compute_content_key(tmp_path, ["runs"])

    assert key_of(b"some rows", b"0f" * 16) == key_of(b"other rows", b"0f" * 16) != key_of(b"some rows", b"1f" * 16)
    place.write_bytes(b"short")
    content_key.read_checksum.cache_clear()
    short = compute_content_key(tmp_path, ["runs"])
    place.write_bytes(b"other")
    content_key.read_checksum.cache_clear()
    assert short != compute_content_key(tmp_path, ["runs"]) != ""
