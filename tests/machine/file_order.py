"""In which order test files run, and which of them one worker takes together, so that no core and no worker stands still.

For 320 of 2,660 s one worker was done and another had a single file left: what takes long comes first, then all the rest.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ("prefect_server", "sample_night")
"""Fixtures that several files share and that take many seconds: a server, and a night over all samples."""
CLIENTS = ("tests/pi/", "tests/clients/")
"""Folders whose tests wait for other programs most of their time."""
PARSED = ("parsed_modules import", "test_layers import")
"""What tests of the code have in their text: all of them look at the same trees (`tests/machine/parsed_modules.py`)."""
LONG = (
    "tests/benchmarks/safety/test_chaos.py",
    "tests/flows/test_temporary_server.py",
    "tests/test_season.py",
    "tests/effects/pages/test_kept_groups.py",
    "tests/effects/index/test_index_step_upkeep.py",
    "tests/benchmarks/memory/test_season.py",
    "tests/effects/health/test_repair_lake.py",
    "tests/transforms/merging/test_update_merges.py",
    "tests/effects/engines/test_engines_nights.py",
    "tests/effects/engines/test_instructor_engine.py",
    "tests/effects/memory/test_friction_step.py",
    "tests/transforms/reading/test_secret_prefilter.py",
    "tests/transforms/redaction/test_redact.py",
    "tests/effects/memory/test_consolidate_step.py",
    "tests/transforms/reading/candidates/test_translated_candidates.py",
    "tests/effects/engines/test_condenser.py",
    "tests/transforms/offline/test_engine_growth.py",
    "tests/effects/memory/test_memory_golden.py",
    "tests/effects/engines/test_engines_golden.py",
    "tests/recollect/cli/test_cli_working_folder.py",
    "tests/flows/pipelines/test_pipelines_stray_files.py",
    "tests/effects/distil/test_distil_step.py",
    "tests/effects/ingest/test_ingest_step_nights.py",
    "tests/recollect/commands/memory/test_forget.py",
    "tests/flows/pipelines/test_pipelines_quiet_nights.py",
    "tests/recollect/commands/memory/test_forget_exits.py",
    "tests/transforms/redaction/written/test_written_values.py",
    "tests/recollect/test_recollect_private.py",
    "tests/effects/memory/reflect_step/test_reflect_step.py",
    "tests/benchmarks/speed/test_years.py",
    "tests/recollect/test_mcp_server.py",
    "tests/effects/embedding/test_embedder.py",
    "tests/recollect/test_recollect_queries.py",
    "tests/benchmarks/distil/test_planted.py",
    "tests/effects/judging/test_unread_clauses.py",
    "tests/effects/ingest/test_ingest_step_real_agents.py",
    "tests/effects/health/test_health_checks.py",
    "tests/flows/pipelines/test_pipelines_missed_week.py",
    "tests/effects/store/test_lake_of_old_versions.py",
    "tests/effects/engines/proposer/test_proposer.py",
    "tests/effects/engines/proposer/test_proposer_waiting.py",
    "tests/effects/distil/test_redistil.py",
    "tests/effects/memory/review_step/test_review_step_robustness.py",
    "tests/transforms/redaction/numbers/test_access_codes.py",
    "tests/transforms/patterns/test_line_ends.py",
    "tests/effects/engines/programs/test_client_replies.py",
    "tests/effects/report/test_report_file_in_chromium.py",
    "tests/effects/engines/test_answerer.py",
    "tests/effects/remote/test_remote_lake.py",
    "tests/effects/engines/programs/test_pi_engine_real.py",
)
"""Files that take more than some five seconds of a quiet processor, or wait as long, the longest first (docs/decisions.md, what
the tests cost)."""

_GROUPS = ("prefect_server", "clients", "parsed_modules", "sample_night")
_RANKS = {ROOT / file: rank for rank, file in enumerate(LONG)}


@cache
def find_shared(file: Path) -> str | None:
    """Return what a file shares with others, a fixture of `SHARED` or parsed modules: files with the same stay on one worker."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if any(words in text for words in PARSED):
        return "parsed_modules"
    return next((name for name in SHARED if f"{name}:" in text), None)


def find_group(file: Path) -> str | None:
    """Return the name of the files that one worker takes together: those that share something, and those that wait for clients.

    Tests of clients wait a third of their time: on one worker they leave the cores to those beside it, on all at once to nobody.
    """
    return "clients" if _is_of_client(file) else find_shared(file)


def rank_file(file: Path) -> tuple[int, int]:
    """Return the place of a file: groups of files, the one that takes longest first; then what takes long; then the rest."""
    if (group := find_group(file)) is not None:
        return _GROUPS.index(group), 0
    return (len(_GROUPS), _RANKS[file]) if file in _RANKS else (len(_GROUPS) + 1, 0)


def _is_of_client(file: Path) -> bool:
    return file.relative_to(ROOT).as_posix().startswith(CLIENTS) if file.is_relative_to(ROOT) else False
