"""Reports that went by a former value are outdated: no page says that something replaced them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from effects.judging.told_relations import read_outdated_reports
from effects.opening.request_recall import render_recalled_facts
from effects.pages.render_step import render
from tests.effects.recall_world import DAY, SHOP, START, fact, filled, write


def test_pages_say_outdated_of_a_report_that_nothing_replaced(tmp_path: Path) -> None:
    """Only `outdates` was told of it; the value that the new fact replaced is what held before."""
    run = filled(tmp_path, is_indexed=False)
    later = START + timedelta(hours=3)
    rows = [
        fact("old-value", "The gateway listens on port 9477", superseded_by="o-new"),
        fact("report", "Gateway check passed on port 9477 with curl", kind="fix", superseded_by="o-new"),
        fact("new", "The gateway listens on port 9500", said_at=later, window_id="w-2"),
    ]
    write(run, "observations", rows)
    told = [("o-report", "outdates"), ("o-old-value", "replaces")]
    columns = {"newer_id": "o-new", "engine": "test", "template_hash": "", "asked_on": DAY}
    write(run, "relations", [columns | {"older_id": key, "relation": relation} for key, relation in told])
    assert read_outdated_reports(run) == {"o-report"}
    with run.lake.writing("test"):
        render(run)
    log = (run.settings.workspace / "memory" / f"{DAY}.md").read_text(encoding="utf-8")
    assert f"Gateway check passed on port 9477 with curl — outdated {DAY}" in log
    assert f"The gateway listens on port 9477 — replaced {DAY}" in log
    page = render_recalled_facts(run, SHOP, "run the gateway check with curl again", 500)
    assert "before, since 2026-02-09: The gateway listens on port 9477" in page
    assert "curl" not in page
