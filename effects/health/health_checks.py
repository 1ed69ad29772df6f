"""The checks of `recollect doctor`: missing, failing and overdue work, each with the next command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta

import polars as pl

from effects.config.configuration import list_shell_settings, list_unknown_variables, name_variable
from effects.config.paths import find_address, find_config_file, suggest_first_command, word_unnamed_timezone
from effects.distil.typed_words import read_typed_language
from effects.health.archive_check import check_archive, check_cut_files
from effects.health.check import OVERDUE, Check, word_moment
from effects.health.damage import REPAIR, describe_damage, find_damage
from effects.health.file_checks import advise_on_refused, check_files, check_room, is_memory_readable
from effects.health.language_check import advise_on_models, check_language, check_rules
from effects.health.outside_checks import check_clients, check_engines, check_hooks, check_todoist
from effects.health.refused_files import explain_refusal
from effects.health.repair_lake import DAMAGED
from effects.health.row_checks import check_citations, check_days, check_embeddings
from effects.health.secret_scan import count_secrets, list_secret_entries
from effects.index.forgotten_documents import has_new_tombstones
from effects.index.index_state import IndexState
from effects.index.manifest import IndexMissing, convert_open_errors, find_index_fault, find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.index.source_parts import fingerprint_parts
from effects.ingest.plan import COPY_REASON
from effects.ingest.read_file import MOST_NAMED
from effects.ingest.session_files import advise_on_unread, scan_session_folders
from effects.ingest.stored_secret_files import fingerprint_secret_files, load_stored_secrets
from effects.ingest.waiting_sessions import list_waiting_sessions
from effects.ingest.wrong_times import FUTURE_TIME_RULE, UNREAD_TIME_RULE
from effects.memory.review_page import read_review_file
from effects.projects.moved_projects import list_moved_projects
from effects.store.content_key import read_part_keys, write_part_keys
from effects.store.old_paths import find_old_paths
from effects.store.open_purges import describe_open_purges
from effects.store.run import Run
from effects.system.errors import SourceError
from effects.system.files import private_files
from transforms.attribution.typed_language import TypedLanguage
from transforms.pages.run_page import count_things, describe_outcome
from transforms.report.proposal_yield import compute_yield, describe_yield
from transforms.tables.schema import TABLES
from transforms.tables.window_tables import KEPT_REASON
from transforms.windowing.windows import TOO_FEW_REASON

ENGINE_PREFIX = name_variable("engine.")
SECRETS = "secrets"
"""The search for secrets, whose parts are noted."""
STOPPED = "KeyboardInterrupt"
"""End of the error of a run that its owner stopped."""
YIELD_PERIOD = timedelta(days=28)
ENOUGH_PROPOSALS = 8
"""Proposals of the period from which a share says something."""
ENOUGH_NIGHTS, ENOUGH_MESSAGES = 20, 100
"""Nights of the period, or messages typed in it, after which a memory that never proposed a line learns too little."""


def check_installation(run: Run) -> list[Check]:
    """Return every check in the order of the pipeline; without a lake only that there is none."""
    if not run.lake.exists():
        detail = f"there is no lake in {run.lake.root} yet"
        return [
            _check_sessions(run),
            *check_clients(run),
            *_check_store(run),
            Check("lake", "wrong", detail, suggest_first_command()),
            *check_room(run),
            *check_hooks(run),
        ]
    readable = _check_readable(run)
    if readable.level == "wrong":
        others = (*_check_settings(run), *_check_places(run), *check_hooks(run))
        return [_check_sessions(run), *_check_store(run), readable, *check_room(run), *others]
    if not is_memory_readable(run):  # most checks look at its lines
        others = (*_check_settings(run), *_check_places(run), *check_files(run), _check_nightly(run), *check_hooks(run))
        return [_check_sessions(run, True), *_check_store(run), readable, *check_room(run), *others]
    typed = read_typed_language(run)
    return [
        _check_sessions(run, not run.lake.read("sources").is_empty()),
        *check_clients(run),
        *_check_store(run),
        readable,
        *check_room(run),
        *_check_settings(run),
        *check_engines(run),
        *_check_places(run),
        *check_files(run),
        *check_archive(run),
        *check_cut_files(run),
        _check_nightly(run),
        *_check_writer(run),
        *_check_purges(run),
        _check_waiting(run),
        *check_hooks(run),
        _check_quarantine(run),
        *_check_times(run),
        _check_coverage(run),
        *check_days(run),
        *_check_windows(run),
        *_check_short_sessions(run),
        *_check_projects(run),
        check_citations(run),
        check_embeddings(run),
        _check_index(run),
        _check_review(run),
        *check_todoist(run),
        *check_language(run, typed, YIELD_PERIOD),
        *check_rules(run, typed),
        _check_yield(run, typed),
        _check_secrets(run),
    ]


def _check_sessions(run: Run, knows_sessions: bool = False) -> Check:
    folders = ", ".join(map(str, run.settings.sessions))
    try:
        scan = scan_session_folders(run.settings, is_first=not knows_sessions)
    except SourceError as error:
        return Check("sessions", "wrong", error.message, error.hint)
    if scan.problems:
        return Check("sessions", "wrong", "; ".join(scan.problems), advise_on_unread(scan))
    if not scan.files and knows_sessions:
        detail = f"no session file below {folders} any more; nights go on with what was read before"
        return Check("sessions", "note", detail, "set RECOLLECT_SESSIONS, or mount the disk, then `recollect config`")
    return Check("sessions", "ok", folders if scan.files else f"no session file below {folders} yet")


def _check_settings(run: Run) -> Iterator[Check]:
    if unknown := list_unknown_variables():
        yield Check("settings", "note", f"unknown setting: {', '.join(unknown)}", "recollect config")
    if note := word_unnamed_timezone(run.settings.timezone):
        yield Check("settings", "note", note, "recollect init --timezone ZONE")
    if unseen := [variable for variable in list_shell_settings() if variable.startswith(ENGINE_PREFIX)]:
        detail = f"{', '.join(unseen)}: set in this shell only, no schedule sees it"
        yield Check("settings", "note", detail, f"recollect init, or enter it in {find_config_file()}")


def _check_places(run: Run) -> Iterator[Check]:
    for place in find_old_paths(run.settings):
        detail = f"a {place.name} lies inside the installed package, in {place.old}, and one in {place.new}"
        yield Check("places", "wrong", detail, "recollect config --move")


def _check_readable(run: Run) -> Check:
    if refused := explain_refusal(run.lake):
        return Check("lake", "wrong", refused.message, refused.hint)
    if damages := find_damage(run.lake):
        return Check("lake", "wrong", describe_damage(damages), REPAIR)
    damaged = run.lake.root / DAMAGED
    if damaged.is_dir():
        detail = f"{run.lake.root} is repaired; the files that were damaged are in {damaged}"
        return Check("lake", "note", detail, f"rm -r {shlex.quote(str(damaged))}, when you no longer need them")
    address = find_address(run.lake.root)
    place = f"{address}, its copy in {run.lake.root}" if address else str(run.lake.root)
    return Check("lake", "ok", f"{place}, {len(TABLES)} tables readable")


def _check_store(run: Run) -> Iterator[Check]:
    """Yield why the object store that holds the lake cannot be read: the copy of this machine may look whole for weeks."""
    if problem := run.lake.store_problem:
        yield Check("store", "wrong", problem.message, problem.hint)


def _check_nightly(run: Run) -> Check:
    runs = run.lake.read("runs").filter(pl.col("flow").is_in(["nightly", "backfill"])).sort("started_at", "run_id")
    if runs.is_empty():
        return Check("last nightly", "wrong", "never ran", "recollect nightly")
    last = runs.row(-1, named=True)
    began = word_moment(last["as_of"], run.zone)
    if last["error"].endswith(STOPPED):
        step = last["error"].removesuffix(STOPPED).rstrip(": ") or "start"
        detail = f"{began} was stopped by hand, step {step}; the next one goes on from there"
        return Check("last nightly", "note", detail, "recollect nightly")
    if last["error"]:
        mend = advise_on_refused(run) or "recollect nightly"
        return Check("last nightly", "wrong", f"{began} failed: {last['error']}", mend)
    late = run.as_of - last["as_of"]
    outcome = describe_outcome(json.loads(last["counts"] or "{}"), last["spend_usd"])
    detail = f"{began}, took {last['duration_s']:.0f} s and at most {last['peak_rss_mb']:.0f} MiB of memory; {outcome}"
    if late > OVERDUE:
        return Check("last nightly", "wrong", f"{detail}; that was {_word_age(late)} ago", "recollect nightly")
    return Check("last nightly", "ok", detail)


def _word_age(age: timedelta) -> str:
    """Return hours up to two days, whole days beyond: `47 hours`, `102 days`."""
    return f"{age.total_seconds() / 3600:.0f} hours" if age < timedelta(days=2) else count_things(age.days, "day")


def _check_writer(run: Run) -> Iterator[Check]:
    if writer := run.lake.find_writer():
        yield Check("running", "note", f"{writer} writes the lake now", "wait for it to finish")


def _check_purges(run: Run) -> Iterator[Check]:
    problem, command = describe_open_purges(run.lake)
    if problem:
        yield Check("purge", "wrong", problem, command)


def _check_waiting(run: Run) -> Check:
    items = list_waiting_sessions(run.lake)
    if items:
        waiting = "1 session waits" if len(items) == 1 else f"{len(items)} sessions wait"
        return Check("queue", "note", f"{waiting} for the next run", "recollect nightly")
    return Check("queue", "ok", "empty")


def _check_quarantine(run: Run) -> Check:
    rules = run.lake.read("quarantine").group_by("rule").len().sort("len", "rule", descending=[True, False])
    copies = (
        run.lake.read("sources").filter(pl.col("reason").str.starts_with(COPY_REASON)).height
    )  # refused files have a row here
    by_rule = ", ".join(f"{count} {rule}" for rule, count in rules.iter_rows())
    harmless = f"; {copies} files are copies of sessions that are read" if copies else ""
    if by_rule:
        return Check("quarantine", "note", by_rule + harmless, "recollect sql 'FROM quarantine'")
    return Check("quarantine", "ok", f"no damaged line{harmless}")


def _check_times(run: Run) -> Iterator[Check]:
    """Yield a note that names the files with times that cannot be read or are in the future."""
    faults = {UNREAD_TIME_RULE: "unreadable time", FUTURE_TIME_RULE: "future time"}
    rows = run.lake.read("quarantine").filter(pl.col("rule").is_in([*faults])).group_by("path", "rule").len().sort("path", "rule")
    if rows.is_empty():
        return
    named = [f"{path}: {count_things(count, faults[rule])}" for path, rule, count in rows.head(MOST_NAMED).iter_rows()]
    more = f"; and so in {rows.height - MOST_NAMED} more files" if rows.height > MOST_NAMED else ""
    detail = f"{'; '.join(named)}{more}; these lines have the time of their neighbours"
    yield Check("times", "note", detail, "look at the clock of the machine that wrote them: recollect sql 'FROM quarantine'")


def _check_coverage(run: Run) -> Check:
    key = ["session_id", "ordinal"]
    entries = run.lake.scan("entries").select(key)
    coverage = run.lake.scan("coverage")
    rows = {
        "entries without a window": entries.join(coverage, on=key, how="anti"),
        "entries in several windows": coverage.group_by(key).len().filter(pl.col("len") > 1),
        "covered entries that are not stored": coverage.join(entries, on=key, how="anti"),
        "covered by a window that is not stored": coverage.join(run.lake.scan("windows"), on="window_id", how="anti"),
    }
    wrong = {name: count for name, frame in rows.items() if (count := frame.select(pl.len()).collect().item())}
    if [*wrong] == ["entries without a window"] and _has_last_run_failed(run):
        detail = f"{wrong['entries without a window']} entries without a window: the last run failed before it made them"
        return Check("coverage", "note", detail, "recollect nightly")
    if wrong:
        return Check("coverage", "wrong", ", ".join(f"{count} {name}" for name, count in wrong.items()), REPAIR)
    return Check("coverage", "ok", f"{entries.select(pl.len()).collect().item()} entries, each in exactly one window")


def _has_last_run_failed(run: Run) -> bool:
    runs = run.lake.read("runs").sort("started_at", "run_id")
    return bool(runs["error"].to_list()[-1:] not in ([], [""]))


def _check_windows(run: Run) -> Iterator[Check]:
    states = run.lake.read("windows").group_by("status", "reason").len().sort("status", "reason")
    by_status = dict.fromkeys(("distilled", "skipped", "pending", "failed"), 0)
    for status, _, count in states.iter_rows():
        by_status[status] = by_status.get(status, 0) + count
    due = states.filter((pl.col("status") == "pending") & ~pl.col("reason").str.starts_with("open"))["len"].sum()
    detail = ", ".join(f"{count} {status}" for status, count in by_status.items() if count) or "none"
    if failed := states.filter(pl.col("status") == "failed")["reason"].to_list():
        yield Check("windows", "wrong", f"{detail} ({'; '.join(failed[:3])})", "recollect nightly")
    elif due:
        yield Check("windows", "note", f"{detail}; {due} due", "recollect nightly")
    elif kept := [reason for reason in states["reason"] if (reason or "").startswith(KEPT_REASON)]:
        yield Check("windows", "note", f"{detail} ({'; '.join(kept[:3])})")
    else:
        yield Check("windows", "ok", detail)


def _check_short_sessions(run: Run) -> Iterator[Check]:
    """Yield a note when half of the sessions or more are not distilled because their owner typed too little in each.

    With the setting that the note recommends there is none: the next night distils whatever was skipped under another one.
    """
    if run.settings.window.min_user_messages == 1:
        return
    windows = run.lake.scan("windows").select("session_id", "status", "reason").collect()
    sessions = windows["session_id"].n_unique()
    distilled = windows.filter(pl.col("status") != "skipped").select("session_id")
    too_few = (
        windows.filter(pl.col("reason") == TOO_FEW_REASON).join(distilled, on="session_id", how="anti")["session_id"].n_unique()
    )
    if too_few and 2 * too_few >= sessions:
        detail = (
            f"{too_few} of {sessions} sessions have fewer than {run.settings.window.min_user_messages} messages of yours:"
            " `recollect ask` finds their words, no fact is kept of them"
        )
        yield Check(
            "short sessions", "note", detail, "RECOLLECT_WINDOW__MIN_USER_MESSAGES=1 reads them, too (`recollect config`)"
        )


def _check_projects(run: Run) -> Iterator[Check]:
    for moved in list_moved_projects(run):
        yield Check("projects", "note", moved.describe(), moved.name_command())


def _check_index(run: Run) -> Check:
    try:
        manifest = read_manifest(run.lake)
        folder = find_index_folder(run.lake) / manifest.generation
        with convert_open_errors(folder):
            rows = open_record_store(folder)
            marks, is_behind = IndexState(rows.database).read_fingerprints(), has_new_tombstones(run.lake, rows)
            rows.close()
        if fault := find_index_fault(folder):
            return Check("index", "wrong", fault, "recollect rebuild index")
    except IndexMissing as missing:
        return Check("index", "note", missing.message, "recollect rebuild index")
    if is_behind:
        return Check("index", "note", "something was forgotten since; questions leave it out", "recollect nightly")
    parts = fingerprint_parts(run)
    stale = [part for part in parts.keys() | marks.keys() if parts.get(part) != marks.get(part)]
    if stale:
        return Check("index", "note", f"{len(stale)} of {len(parts)} parts have changed since it was built", "recollect nightly")
    return Check("index", "ok", f"{manifest.document_count} documents, up to date")


def _check_review(run: Run) -> Check:
    pending = run.lake.read("proposals").filter(pl.col("status") == "pending")
    if pending.is_empty():
        return Check("review", "ok", "nothing waits")
    page, waiting = run.settings.workspace / "REVIEW.md", count_things(pending.height, "proposal")
    waiting += " waits" if pending.height == 1 else " wait"
    if (disk := read_review_file(run)).state == "unreadable":
        return Check("review", "note", f"{waiting} for you, but {page} decides nothing: {disk.problem}", "recollect review")
    return Check("review", "ok", f"{waiting} for you in {page}")


def _check_yield(run: Run, typed: TypedLanguage) -> Check:
    proposals = run.lake.read("proposals")
    proposal_yield = compute_yield(proposals, run.lake.read("proposal_events"), run.as_of - YIELD_PERIOD)
    detail = f"last {YIELD_PERIOD.days} days: {describe_yield(proposal_yield)}"
    if proposals.is_empty():
        in_period = (pl.col("flow") == "nightly") & (pl.col("as_of") > run.as_of - YIELD_PERIOD) & (pl.col("error") == "")
        nights = run.lake.read("runs").filter(in_period)["as_of"].dt.date().n_unique()
        if nights >= ENOUGH_NIGHTS or typed.messages >= ENOUGH_MESSAGES:
            never_proposed = (
                "no line was ever proposed for MEMORY.md, after"
                f" {count_things(nights, 'night')} and {count_things(typed.messages, 'message')} of yours"
            )
            return Check("yield", "note", f"{detail}; {never_proposed}: a model finds more", advise_on_models(run))
    share = proposal_yield.accepted_share
    if proposal_yield.proposed < ENOUGH_PROPOSALS:
        return Check("yield", "ok", detail)
    if proposal_yield.expired_share > 0.5:
        return Check("yield", "note", f"{detail}: most expired before anybody looked at them", "recollect review")
    if share is not None and share < 0.5:
        low = "less than half of those that you decided on were approved"
        return Check("yield", "note", f"{detail}: {low}", "set RECOLLECT_REVIEW__PER_WEEK lower")
    return Check("yield", "ok", detail)


def _advise_on_secrets(run: Run, counts: Mapping[str, int], stored: Mapping[str, str]) -> str:
    """Return the next commands: session files do not change, so a secret leaves by a purge, or by reading all of them again."""
    advice = "replace these secrets wherever they are used"
    entries = list_secret_entries(run.lake, stored) if any(place.startswith("entries.") for place in counts) else []
    if entries:
        more = f" (and {len(entries) - 1} more entries)" if len(entries) > 1 else ""
        advice += f", and take them out of lake, index and pages: recollect forget {entries[0]} --purge{more}"
    return f"{advice}; or move {run.lake.root} away and read all sessions again: recollect backfill --all"


def _check_secrets(run: Run) -> Check:
    folders = run.lake.read("sessions")["cwd"].drop_nulls().unique().to_list()
    stored = load_stored_secrets(run.settings, folders)
    clean = read_part_keys(run, SECRETS)
    salt = fingerprint_secret_files(run.settings, folders)
    counts = count_secrets(run.lake, run.settings.workspace, stored, clean, salt, run.progress)
    with suppress(OSError), private_files():  # a lake that may only be read is searched whole each time
        write_part_keys(run, SECRETS, clean)
    if counts:
        places = ", ".join(f"{count} in {place}" for place, count in sorted(counts.items())[:5])
        detail = f"{counts.total()} texts contain something that looks like a secret: {places}"
        return Check("secrets", "wrong", detail, _advise_on_secrets(run, counts, stored))
    return Check("secrets", "ok", "nothing in lake, index or pages looks like a secret")
