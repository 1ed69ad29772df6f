"""Finds everything that a request to forget covers: records by id, a whole session, or all that contains some words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

import polars as pl

from effects.judging.quoting_entries import find_telling_entries
from effects.store.forgotten import read_forgotten
from effects.store.memory_file import read_memory
from effects.store.run import Run
from effects.system.errors import NotFoundError, UsageError
from transforms.forgetting.named_documents import TURN
from transforms.forgetting.retellings import find_retellings, list_removed_quotations
from transforms.forgetting.row_filter import TASK, TITLE, drop_forgotten_rows
from transforms.forgetting.scrub_text import compile_words, contains_words, fold_case, has_words
from transforms.forgetting.told_again import is_worded_by, list_words, quotes_entry
from transforms.pages.memory_md import Bullet, parse_memory
from transforms.patterns.late_pattern import compile_late
from transforms.tables.fact_notes import stands_for
from transforms.tables.ids import hash_fields, hash_text
from transforms.tables.rows import ObservationRow
from transforms.tables.session_tables import ENTRY_TEXTS

MIN_MATCH_CHARS = 3
CANDIDATES_NAMED = 3
"""Ids that an error names when the beginning of an id is ambiguous."""

MIN_LINE_CHARS = 8
"""Words shorter than this name no line of a page."""
_LINE_HEAD = compile_late(r"^\W*(?:\d{1,2}:\d\d\W+)?")
"""Bullet, priority and time before a fact in a daily log."""

_TABLES = {"o": ("observations", "observation_id"), "s": ("segments", "segment_id"), "w": ("windows", "window_id")}
_TABLES |= {"p": ("proposals", "proposal_id"), "f": ("proposals", "proposal_id")}
_FACT_COLUMNS = ("observation_id", "segment_id", "window_id", "session_id", "text", "entry_ids", "also", "superseded_by")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """The words of a command: exactly one of the three names the target."""

    record_id: str | None = None
    session: str | None = None
    match: str | None = None
    is_purge: bool = False

    @property
    def reason(self) -> str:
        """The name of the target, as the tombstones keep it: words as a hash, so that a purge leaves them nowhere."""
        if self.match is not None:
            return f"match {hash_text(fold_case(self.match))}"
        return f"session {self.session}" if self.session else f"id {self.record_id}"


@dataclass
class ForgetScope:
    """Everything that a request covers. `texts` are the words to remove in a purge, `entries` the references to blank in it.

    `reason` is how it was named, with the whole id. `quotations` are removed from the records of these sessions alone.
    """

    reason: str = ""
    targets: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    bullets: list[Bullet] = field(default_factory=list)
    quotations: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_match(self) -> bool:
        """Whether words were named by themselves."""
        return self.reason.startswith("match ")


def find_scope(run: Run, request: ForgetRequest) -> ForgetScope:
    """Return the rows that the request covers.

    Raises:
        NotFoundError: when nothing has the id, no session is called so, or nothing contains the words.
        UsageError: for words that are too short, or an id that cannot be forgotten by itself.
    """
    scope = ForgetScope(request.reason)
    if request.match is not None:
        _add_matches(run, scope, request.match)
    elif request.session is not None:
        session = _find_id(run, "sessions", "session_id", request.session.strip())
        scope.reason = f"session {session}"
        _add_session(run, scope, session)
    else:
        name = _add_record(run, scope, (request.record_id or "").strip())
        scope.reason = f"session {name}" if name in scope.sessions else f"id {name}"
    _add_lines(run, scope)
    return scope


def _add_record(run: Run, scope: ForgetScope, wanted: str) -> str:
    """Add the record with this id, or the only one whose id begins so; return the whole id."""
    if ids := find_facts_by_line(run, wanted):
        commands = " or ".join(f"recollect forget {name}" for name in ids[:CANDIDATES_NAMED])
        raise NotFoundError(
            f"`{wanted}` is no id; {len(ids)} {'facts have' if len(ids) > 1 else 'fact has'} these words", commands
        )
    prefix = wanted[:1] if wanted[1:2] == "-" else ""
    if prefix == "d":
        raise UsageError(
            f"`{wanted}` is condensed from facts, and the next night would write it again",
            f"`recollect show {wanted}` lists these facts: forget them instead",
        )
    if prefix == "m":
        return _add_memory_line(run, scope, wanted)
    if ":" in wanted:
        return _add_entry(run, scope, wanted)
    if prefix not in _TABLES:
        session = _find_id(run, "sessions", "session_id", wanted)
        _add_session(run, scope, session)
        return session
    table, key = _TABLES[prefix]
    name = _find_id(run, table, key, wanted)
    if table == "observations":
        _add_facts(run, scope, {name})
    elif table == "proposals":
        row = _read(run, "proposals", ("text", "old_text", "evidence_ids"), pl.col(key) == name)[0]
        scope.targets.add(name)
        scope.texts |= {row["text"], row["old_text"] or row["text"]}
        _add_facts(run, scope, set(row["evidence_ids"] or ()))
    else:
        _add_stretch(run, scope, key, name)
    return name


def _find_id(run: Run, table: str, key: str, wanted: str) -> str:
    """Return the id that is `wanted`, or the only one that begins so."""
    names = run.lake.scan(table).filter(pl.col(key).str.starts_with(wanted)).select(key).unique().collect()[key].sort().to_list()
    if wanted in names:
        return wanted
    if len(names) == 1 and wanted:
        return str(names[0])
    if names and wanted:
        raise NotFoundError(f"{len(names)} ids begin with `{wanted}`", f"one of: {', '.join(names[:CANDIDATES_NAMED])}")
    hint = "`recollect ask` and `recollect show` print ids, `show` also of a line of a page; or `recollect forget --match TEXT`"
    raise NotFoundError(f"nothing has the id `{wanted}`", hint)


def find_facts_by_line(run: Run, line: str) -> list[str]:
    """Return the ids of the facts that a line copied from a page tells: those that it holds whole, the longest first, else those
    that hold it; none for a single word."""
    wanted = list_words(_LINE_HEAD.sub("", line))
    if len(wanted) < MIN_LINE_CHARS or not any(map(str.isspace, line.strip())):
        return []
    facts = (
        run.lake.scan("observations").filter(pl.col("verdict") == "allow").select(_FACT_COLUMNS).sort("observation_id").collect()
    )
    rows = drop_forgotten_rows(facts, read_forgotten(run.lake)).select("observation_id", "text").iter_rows()
    texts = {name: list_words(text) for name, text in rows}
    held = [name for name, text in texts.items() if len(text) >= MIN_LINE_CHARS and text in wanted]
    longest = max((len(texts[name]) for name in held), default=0)
    return [name for name in held if len(texts[name]) == longest] or [name for name, text in texts.items() if wanted in text]


def _add_session(run: Run, scope: ForgetScope, session: str) -> None:
    scope.targets.add(session)
    scope.sessions.add(session)
    of_session = pl.col("session_id") == session
    for row in _read(run, "observations", _FACT_COLUMNS, of_session):
        scope.targets.add(row["observation_id"])
        scope.texts.add(row["text"])
    for row in _read(run, "segments", ("segment_id", "title", "narrative"), of_session):
        scope.targets.add(row["segment_id"])
        scope.texts.add(row["narrative"])
    scope.targets |= {row["window_id"] for row in _read(run, "windows", ("window_id",), of_session)}


def _add_stretch(run: Run, scope: ForgetScope, key: str, name: str) -> None:
    """Add a window or a segment with its segments, facts and entries."""
    rows = _read(
        run,
        "segments",
        ("segment_id", "window_id", "session_id", "narrative", "first_ordinal", "last_ordinal"),
        pl.col(key) == name,
    )
    scope.targets |= {name, *(row["segment_id"] for row in rows)}
    scope.texts |= {row["narrative"] for row in rows}
    facts = _read(run, "observations", ("observation_id",), pl.col(key) == name)
    _add_facts(run, scope, {row["observation_id"] for row in facts})
    windows = [row["window_id"] for row in rows] or [name]
    scope.targets |= {TASK + window for window in windows}
    members = _read(run, "coverage", ("session_id", "ordinal"), pl.col("window_id").is_in(windows))
    inside = {
        (row["session_id"], row["ordinal"])
        for row in members
        if key == "window_id" or any(part["first_ordinal"] <= row["ordinal"] <= part["last_ordinal"] for part in rows)
    }
    sessions = sorted({session for session, _ in inside})
    for row in _read(run, "entries", ("session_id", "ordinal", "entry_id"), pl.col("session_id").is_in(sessions)):
        if (row["session_id"], row["ordinal"]) in inside:
            scope.entries.add(f"{row['session_id']}:{row['entry_id']}")
    scope.targets |= scope.entries


def find_entry_id(run: Run, wanted: str) -> tuple[str, str]:
    """Return session and id of the entry `session:entry`; the beginnings of both are enough when they mean one entry.

    Raises:
        NotFoundError: when no entry, or more than one, has this id.
    """
    session, _, entry = wanted.partition(":")
    sessions = run.lake.scan("sessions").filter(pl.col("session_id").str.starts_with(session)).select("session_id").collect()
    known = [session] if session in sessions["session_id"] else sessions["session_id"].to_list()
    is_named = pl.col("session_id").is_in([*known, session]) & pl.col("entry_id").str.starts_with(entry)
    rows = run.lake.scan("entries").filter(is_named).select("session_id", "entry_id").unique().sort("session_id", "entry_id")
    matches = list(rows.collect().iter_rows()) if session and entry else []
    matches = [match for match in matches if match[1] == entry] or matches
    if len(matches) == 1:
        return matches[0]
    if matches:
        named = ", ".join(":".join(match) for match in matches[:CANDIDATES_NAMED])
        raise NotFoundError(f"{len(matches)} entries begin with `{wanted}`", f"one of: {named}")
    raise NotFoundError(f"no entry has the id `{wanted}`", f"recollect show {session}")


def _add_entry(run: Run, scope: ForgetScope, wanted: str) -> str:
    session, entry = find_entry_id(run, wanted)
    name = f"{session}:{entry}"
    scope.targets.add(name)
    scope.entries.add(name)
    citing = _read(
        run, "observations", _FACT_COLUMNS, (pl.col("session_id") == session) & pl.col("entry_ids").list.contains(entry)
    )
    _add_facts(run, scope, {row["observation_id"] for row in citing})
    _add_quotations(run, scope, session, entry)
    return name


def _add_quotations(run: Run, scope: ForgetScope, session: str, entry: str) -> None:
    """Add the title, narratives and tasks of a session that quote an entry, also where no fact was made of it."""
    is_entry = (pl.col("session_id") == session) & (pl.col("entry_id") == entry)
    said = " ".join(row["text"] or "" for row in _read(run, "entries", ("text",), is_entry))
    of_session = pl.col("session_id") == session
    for row in _read(run, "segments", ("segment_id", "title", "narrative"), of_session):
        if quotes_entry((row["title"], row["narrative"]), said):
            scope.targets.add(row["segment_id"])
            scope.texts |= {text for text in (row["title"], row["narrative"]) if quotes_entry([text], said)}
    for row in _read(run, "windows", ("window_id", "current_task", "suggested_response"), of_session):
        if quotes_entry((row["current_task"], row["suggested_response"]), said):
            scope.targets.add(TASK + row["window_id"])
    if any(quotes_entry([row["title"]], said) for row in _read(run, "sessions", ("title",), of_session)):
        scope.targets.add(TITLE + session)


def _add_facts(run: Run, scope: ForgetScope, names: set[str]) -> None:
    """Add facts with their restatements, and everything of their sessions that tells them again."""
    if not names:
        return
    facts = {row["observation_id"]: row for row in _read(run, "observations", _FACT_COLUMNS, pl.lit(True))}
    group = {name for name in names if name in facts}
    grown = True
    while grown:  # up to the fact that absorbed it, and down to those that it absorbed; a retired predecessor holds again
        absorbed = {
            name
            for name, row in facts.items()
            if row["superseded_by"] in group
            and stands_for(facts[row["superseded_by"]]["also"], row["session_id"], row["entry_ids"])
        }
        heirs = {
            row["superseded_by"]
            for name in group
            if (row := facts[name])["superseded_by"] in facts
            and stands_for(facts[row["superseded_by"]]["also"], row["session_id"], row["entry_ids"])
        }
        texts = {fold_case(facts[name]["text"]) for name in group}
        same = {name for name, row in facts.items() if fold_case(row["text"]) in texts}
        grown = bool((absorbed | heirs | same) - group)
        group |= absorbed | heirs | same
    scope.targets |= group
    for name in group:
        scope.texts |= {facts[name]["text"], *list_removed_quotations(facts[name]["text"])}
        scope.targets.add(hash_text(facts[name]["text"]))
    for session in sorted({facts[name]["session_id"] for name in group}):
        _add_retellings(run, scope, session, [facts[name] for name in sorted(group) if facts[name]["session_id"] == session])


def _add_retellings(run: Run, scope: ForgetScope, session: str, facts: list[ObservationRow]) -> None:
    """Add the cited entries of facts of a session, and its entries, narratives, tasks and title that tell them again."""
    of_session = pl.col("session_id") == session
    cited = {entry for fact in facts for entry in fact["entry_ids"] or ()}
    fact_texts = {fact["text"] for fact in facts}
    telling, quotations, is_common = find_telling_entries(run, session, fact_texts, cited)
    scope.quotations.setdefault(session, set()).update(quotations)
    names = {f"{session}:{name}" for name in telling}
    scope.targets |= {TURN + name for name in names}
    scope.entries |= names

    def tells_again(*texts: str | None) -> bool:
        """Whether the texts together say one of the forgotten facts again."""
        return find_retellings([" ".join(text for text in texts if text)], fact_texts, is_common)[0]

    for row in _read(run, "segments", ("segment_id", "title", "narrative"), of_session):
        if tells_again(row["title"], row["narrative"]):
            scope.targets.add(row["segment_id"])
            scope.texts |= {row["narrative"], *([row["title"]] if tells_again(row["title"]) else [])}
    for row in _read(run, "windows", ("window_id", "current_task", "suggested_response"), of_session):
        if tells_again(row["current_task"], row["suggested_response"]):
            scope.targets.add(TASK + row["window_id"])
    if any(tells_again(row["title"]) for row in _read(run, "sessions", ("title",), of_session)):
        scope.targets.add(TITLE + session)


def _add_memory_line(run: Run, scope: ForgetScope, wanted: str) -> str:
    lines = {"m-" + hash_fields(bullet.text.strip()): bullet for bullet in parse_memory(read_memory(run)).bullets}
    names = [name for name in lines if name.startswith(wanted)]
    if len(names) != 1:
        problem = (
            f"{len(names)} lines of MEMORY.md begin with the id `{wanted}`"
            if names
            else f"no line of MEMORY.md has the id `{wanted}`"
        )
        raise NotFoundError(problem, "recollect ask QUESTION --in memory")
    bullet = lines[names[0]]
    scope.targets |= {names[0], hash_text(bullet.text)}
    scope.texts.add(bullet.text)
    scope.bullets.append(bullet)
    return names[0]


def _add_matches(run: Run, scope: ForgetScope, match: str) -> None:
    """Add every record that contains the words, in any case, width, form and digits and with any white space."""
    words = fold_case(match)
    pattern = compile_words([match])
    if pattern is None or len(words) < MIN_MATCH_CHARS:
        raise UsageError(f"`{match}` is too short to forget everything that contains it", 'recollect forget --match "some words"')
    for row in _read(run, "entries", ("session_id", "entry_id"), _contains(pattern, *ENTRY_TEXTS)):
        scope.targets.add(f"{TURN}{row['session_id']}:{row['entry_id']}")
    for table, key, prefix, columns in (
        ("observations", "observation_id", "", ("text", "verdict_reason")),
        ("segments", "segment_id", "", ("title", "narrative")),
        ("windows", "window_id", TASK, ("current_task", "suggested_response")),
        ("sessions", "session_id", TITLE, ("title",)),
        ("proposals", "proposal_id", "", ("text", "old_text")),
    ):
        scope.targets |= {prefix + row[key] for row in _read(run, table, (key,), _contains(pattern, *columns))}
    is_noted = (pl.col("kind") == "memory") & (pl.col("status") == "pending") & _contains(pattern, "pattern")
    scope.targets |= {row["proposal_id"] for row in _read(run, "proposals", ("proposal_id",), is_noted)}
    for bullet in parse_memory(read_memory(run)).bullets:
        if has_words(bullet.text, pattern):
            scope.targets.add("m-" + hash_fields(bullet.text.strip()))
            scope.bullets.append(bullet)
    if not scope.targets:
        raise NotFoundError("nothing in memory contains these words", '`recollect ask "…"` shows the words that memory has')
    scope.texts.add(match)


def _contains(pattern: re.Pattern[str], *columns: str) -> pl.Expr:
    return reduce(or_, (contains_words(name, pattern) for name in columns))


def _add_lines(run: Run, scope: ForgetScope) -> None:
    """Add proposals that rest on forgotten facts alone, or wait in the words of one, and the lines of MEMORY.md that came from
    those that are added."""
    rows = _read(run, "proposals", ("proposal_id", "kind", "text", "status", "evidence_ids"), pl.lit(True))
    cited = sorted({name for row in rows for name in row["evidence_ids"] or ()})
    facts = _read(run, "observations", ("observation_id", "text"), pl.col("observation_id").is_in(cited))
    texts = {row["observation_id"]: row["text"] for row in facts}
    for row in rows:
        evidence = set(row["evidence_ids"] or ())
        forgotten, kept = [
            [texts[name] for name in names if name in texts] for names in (evidence & scope.targets, evidence - scope.targets)
        ]
        is_worded = row["status"] == "pending" and is_worded_by(row["text"], forgotten, kept)
        if evidence and (evidence <= scope.targets or is_worded):
            scope.targets.add(row["proposal_id"])
            scope.texts.add(row["text"])
        elif (row["kind"], row["status"]) == ("memory", "pending") and any(_is_entry_forgotten(name, scope) for name in evidence):
            scope.targets.add(row["proposal_id"])  # its note quotes the entry; its words are those of MEMORY.md
    promoted = {
        row["text"]
        for row in _read(run, "memory_lines", ("text", "proposal_id"), pl.col("proposal_id").is_in(sorted(scope.targets)))
    }
    known = {bullet.line for bullet in scope.bullets}
    scope.bullets += [bullet for bullet in parse_memory(read_memory(run)).bullets if bullet.line in promoted - known]
    scope.texts = {text.strip() for text in scope.texts if text and len(text.strip()) >= MIN_MATCH_CHARS}


def _is_entry_forgotten(name: str, scope: ForgetScope) -> bool:
    """Whether evidence is an entry, `session:entry`, that is forgotten by itself or with its session."""
    session, _, _ = name.rpartition(":")
    return bool(session) and (name in scope.entries or f"{TURN}{name}" in scope.targets or session in scope.sessions)


def _read(run: Run, table: str, columns: tuple[str, ...], where: pl.Expr) -> list[Any]:
    """Return some columns of the rows of a table that a condition selects."""
    return run.lake.scan(table).filter(where).select(columns).collect().to_dicts()
