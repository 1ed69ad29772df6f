"""Finds the lines of MEMORY.md that newer observations replace, and the observation that holds now; the windows that no
reflection has read as they are now, and the evidence of proposals where a window was distilled again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import polars as pl

from effects.judging.line_scopes import weigh_line_scope
from effects.judging.rule_relations import list_doubted_by_rules
from effects.store.forgotten import read_forgotten, scan_facts
from effects.store.memory_file import list_memory_sections
from effects.store.run import Run
from transforms.conversation.evidence_quotes import find_place_of_words
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.statement import split_claim
from transforms.memory.eligibility import HIGH_BONUS, INELIGIBLE_KINDS, LineCandidate
from transforms.memory.lasting.line_scope import holds_everywhere
from transforms.memory.line_evidence import find_replacing, is_carried
from transforms.memory.line_successor import build_successor, is_successor, word_successor
from transforms.memory.normalise_claim import extract_claims, find_quote
from transforms.memory.passing_line import ends_soon
from transforms.memory.proposal_outcomes import PastProposal, WaitingLine, collect_seen_windows, describe_proposal
from transforms.memory.rank_proposals import Renewal
from transforms.memory.same_claim import cut_head, is_same_claim, may_be_outdated
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import MemoryPage, name_reflected_section
from transforms.pages.page_names import find_named_projects, shorten_project
from transforms.pairing.candidates import LINE_ID
from transforms.pairing.carried_relations import find_heirs, make_source
from transforms.pairing.contested_lines import CONTESTING_KINDS, Saying, contest_line, find_contested
from transforms.tables.enums import PERSONAL_KINDS, Relation
from transforms.tables.ids import hash_fields
from transforms.tables.rows import ObservationRow, ProposalEventRow, ProposalRow
from transforms.tables.schema import OBSERVATIONS, read_rows


def read_sources(run: Run, wanted: pl.Expr | None = None) -> dict[str, str]:
    """Return the id of each allowed fact, in force or not (or of those that are `wanted`) → the hashes of its words and
    citations."""
    columns = ("observation_id", "session_id", "text", "entry_ids")
    is_wanted = pl.col("verdict") == "allow" if wanted is None else wanted
    facts = run.lake.scan("observations").filter(is_wanted).select(*columns).collect()
    return {key: make_source(session, text, entries or ()) for key, session, text, entries in facts.iter_rows()}


def carry_evidence(run: Run, rows: Iterable[ProposalRow]) -> bool:
    """Note what the evidence of proposals says and cites, and put facts that came back under another id in the place of those
    that are gone; return whether that changed a row. A line that lost all of its evidence rests on what its message says now."""
    proposals = [row for row in rows if row["kind"] == "memory" and row["evidence_ids"]]
    noted = {
        key: source for row in proposals for key, _, source in (text.partition(" ") for text in row["evidence_sources"] or ())
    }
    ids = sorted({key for row in proposals for key in row["evidence_ids"]})
    present = read_sources(run, pl.col("observation_id").is_in(ids)) if ids else {}
    gone = {key: source for key, source in noted.items() if key not in present}
    may_be_line = (pl.col("verdict") == "allow") & ~pl.col("kind").is_in(sorted(INELIGIBLE_KINDS))
    others = read_sources(run, may_be_line) if gone else {}
    heirs = find_heirs(gone, others)
    bare = [row for row in proposals if all(key.startswith("o-") and key not in present | heirs for key in row["evidence_ids"])]
    said = _find_said_evidence(run, bare)
    came = sorted({*heirs.values(), *said.values()})
    known = {**noted, **present, **(read_sources(run, pl.col("observation_id").is_in(came)) if came else {})}
    is_changed = False
    for row in proposals:
        evidence = list(dict.fromkeys(said.get(row["proposal_id"]) or heirs.get(key, key) for key in row["evidence_ids"]))
        sources = [f"{key} {known[key]}" for key in evidence if key in known]
        if evidence != row["evidence_ids"] or sources != (row["evidence_sources"] or []):
            row["evidence_ids"], row["evidence_sources"], is_changed = evidence, sources, True
    return is_changed


def _find_said_evidence(run: Run, bare: Sequence[ProposalRow]) -> dict[str, str]:
    """Return, by proposal, the fact that has most of its words, of those said in its project when it was said: lakes of before
    0.7.0 lose the evidence that an upgrade distils again before a night could note what it says."""
    if not bare:
        return {}
    is_near = pl.col("said_at").is_in([row["said_at"] for row in bare]) & ~pl.col("kind").is_in(sorted(INELIGIBLE_KINDS))
    facts = scan_facts(run.lake).filter(is_near & (pl.col("verdict") == "allow")).sort("observation_id").collect()
    rows = drop_forgotten_rows(facts, read_forgotten(run.lake)).select("observation_id", "said_at", "project", "text").rows()
    heirs: dict[str, str] = {}
    for line in bare:
        own = [row for row in rows if row[1] == line["said_at"] and line["project"] in (None, row[2])]
        if (place := find_place_of_words([row[3] for row in own], line["text"])) >= 0:
            heirs[line["proposal_id"]] = own[place][0]
    return heirs


def find_new_windows(run: Run, notes: Sequence[ProposalEventRow]) -> dict[str, str]:
    """Return the windows with facts that no reflection has read as they are now, each with the hash of its allowed facts.

    Notes of older versions have no hashes: their windows are new when a model was asked about their session since.
    """
    read, last = collect_seen_windows(notes)
    of_window = pl.col("session_id").first(), pl.col("template_hash").first()
    allowed = pl.col("observation_id").filter(pl.col("verdict") == "allow").sort()
    rows = run.lake.scan("observations").group_by("window_id").agg(*of_window, allowed).sort("window_id").collect()
    calls = run.lake.scan("model_calls").filter(pl.col("outcome") == "ok").group_by("session_id", "template_hash")
    asked_at = {(session, prompt): at for session, prompt, at in calls.agg(pl.col("at").max()).collect().iter_rows()}
    new: dict[str, str] = {}
    for window, session, prompt, facts in rows.iter_rows():
        facts_hash, at = hash_fields(*facts), asked_at.get((session, prompt))
        is_read = facts_hash in read[window] if window in read else window in last and (at is None or at <= last[window])
        if not is_read:
            new[window] = facts_hash
    return new


def read_new_evidence(run: Run, windows: Collection[str], waiting: Sequence[str]) -> list[ObservationRow]:
    """Return observations of new windows, those that wait, and their neighbours: older ones that absorbed a new one.

    A neighbour counts as said when it was last repeated.
    """
    scan = scan_facts(run.lake)
    is_new = pl.col("window_id").is_in(sorted(windows)) | pl.col("observation_id").is_in(sorted(waiting))
    new = scan.filter(is_new).collect()
    heirs = new["superseded_by"].drop_nulls().unique().to_list()
    missing = sorted(set(heirs) - set(new["observation_id"].to_list()))
    older = scan.filter(pl.col("observation_id").is_in(missing)).collect() if missing else new.clear()
    repeated: dict[str, list[datetime]] = {}
    for heir, said_at in new.filter(pl.col("superseded_by").is_not_null()).select("superseded_by", "said_at").iter_rows():
        repeated.setdefault(heir, []).append(said_at)
    evidence = drop_forgotten_rows(pl.concat([new, older]).sort("observation_id"), read_forgotten(run.lake))
    evidence = evidence.filter(~pl.col("observation_id").is_in(list_doubted_by_rules(run)))  # which option holds is not known
    rows = read_rows(OBSERVATIONS, evidence)
    return [{**row, "said_at": max([row["said_at"], *repeated.get(row["observation_id"], ())])} for row in rows if row["said_at"]]


def map_merged_rows(run: Run, known: Sequence[PastProposal]) -> tuple[dict[str, str], dict[str, str]]:
    """Return, for the evidence of past proposals, the observation that absorbed it (the same fact) or replaced it (a newer
    fact)."""
    ids = sorted({key for proposal in known for key in proposal.evidence})
    if not ids:
        return {}, {}
    columns = ["observation_id", "session_id", "entry_ids", "also", "superseded_by"]
    scan = run.lake.scan("observations").select(columns)
    superseded = scan.filter(pl.col("observation_id").is_in(ids) & pl.col("superseded_by").is_not_null()).collect()
    successors = scan.filter(pl.col("observation_id").is_in(superseded["superseded_by"].unique().sort().to_list())).collect()
    merged = {key: set(also or ()) for key, also in successors.select("observation_id", "also").iter_rows()}
    absorbed: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for key, session_id, entry_ids, _, successor in superseded.iter_rows():
        cited = {f"{session_id}:{entry_id}" for entry_id in entry_ids or ()}
        target = absorbed if cited & merged.get(successor, set()) else replaced
        target[key] = successor
    return absorbed, replaced


def build_successors(run: Run, newer: set[str], pool: Sequence[LineCandidate]) -> list[LineCandidate]:
    """Return the observations that retired lines of MEMORY.md and that no candidate rests on, in their own words: they may take
    the place of these lines, and are no lines otherwise."""
    rows = read_missing_rows(run, newer - {key for candidate in pool for key in candidate.evidence})
    owner, reflected = list_memory_sections(run)[0], name_reflected_section(run.today)
    return [build_successor(row, owner, reflected) for row in rows]


def add_owners_words(run: Run, candidates: Iterable[LineCandidate], offered: Collection[str]) -> list[LineCandidate]:
    """Return the candidates; those that a summary words rest on the owner's message that says the same, too, and first.

    It may be of an earlier session of the project. What is evidence of a proposal already (`offered`) stays with it alone.
    """
    listed = list(candidates)
    projects = sorted({project for candidate in listed if candidate.message for project in candidate.projects})
    if not projects:
        return listed
    is_theirs = (pl.col("origin") == "owner") & pl.col("project").is_in(projects)
    is_current = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    rows = scan_facts(run.lake).filter(is_theirs & is_current).sort("said_at", "observation_id").collect()
    facts = drop_forgotten_rows(rows, read_forgotten(run.lake)).select("observation_id", "session_id", "project", "kind", "text")
    said = [(*row, find_quote(text)) for *row, text in facts.iter_rows() if row[0] not in offered]

    def add(candidate: LineCandidate) -> LineCandidate:
        own = [row for row in said if row[4] and row[2] in candidate.projects]
        place = find_place_of_words([row[4] for row in own], candidate.text) if candidate.message else -1
        if place < 0:
            return candidate
        key, session, _, kind, _ = own[place]
        evidence = tuple(dict.fromkeys((key, *candidate.evidence)))
        salience = candidate.salience + HIGH_BONUS  # the owner said it, and it was still agreed when the session was summed up
        sessions = candidate.sessions | {session}
        is_rule = kind in PERSONAL_KINDS and holds_everywhere(weigh_line_scope(candidate.text), candidate.text)
        kind = kind if is_rule else candidate.kind
        return replace(candidate, evidence=evidence, sessions=sessions, salience=salience, kind=kind)

    return [add(candidate) for candidate in listed]


def read_missing_rows(run: Run, missing: set[str]) -> list[ObservationRow]:
    """Return the observations of these ids that may take the place of a line; none that holds for a day or until a near one."""
    if not missing:
        return []
    rows = scan_facts(run.lake).filter(pl.col("observation_id").is_in(sorted(missing))).sort("observation_id").collect()
    current = drop_forgotten_rows(rows, read_forgotten(run.lake))
    return [row for row in read_rows(OBSERVATIONS, current) if is_successor(row) and not ends_soon(row, run.zone)]


def find_renewals(run: Run, keys: Collection[str]) -> dict[str, list[Renewal]]:
    """Return, by observation, what the owner said of it: its own words and those of every row that it absorbed."""
    is_said = pl.col("observation_id").is_in(sorted(keys)) | pl.col("superseded_by").is_in(sorted(keys))
    rows = run.lake.scan("observations").filter(is_said & (pl.col("verdict") == "allow")).sort("observation_id").collect()
    said = list(read_rows(OBSERVATIONS, drop_forgotten_rows(rows, read_forgotten(run.lake))))
    merged = {row["observation_id"]: set(row["also"] or ()) for row in said}
    renewals: dict[str, list[Renewal]] = {}
    for row in said:
        key, heir = row["observation_id"], row["superseded_by"]
        cited = {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}
        if row["said_at"] is None or row["origin"] not in (None, "owner"):
            continue
        texts = extract_claims(row["text"], shorten_project(row["project"] or "")) or [word_successor(row)]
        for target in (key, *([heir] if heir and cited & merged.get(heir, set()) else [])):
            renewals.setdefault(target, []).append(Renewal(key, row["said_at"], tuple(texts)))
    return renewals


def list_waiting_lines(run: Run, pending: Sequence[PastProposal], replaced: Mapping[str, str]) -> list[WaitingLine]:
    """Return the proposals that wait, for a model, each with the observations in force that it rests on. `replaced` has the
    observation that took the place of another one."""
    heirs = _follow_all(run, {key: newer for item in pending for key in item.evidence if (newer := replaced.get(key))})
    ids = sorted({key for item in pending for key in item.evidence})
    is_open = pl.col("observation_id").is_in(ids) & (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    frame = run.lake.scan("observations").filter(is_open).sort("said_at", "observation_id").collect() if ids else None
    rows = [] if frame is None else list(read_rows(OBSERVATIONS, drop_forgotten_rows(frame, read_forgotten(run.lake))))
    return [
        WaitingLine(
            item.proposal_id, describe_proposal(item), item.texts[0], item.said_at or run.as_of,
            item.old_text, tuple(row for row in rows if row["observation_id"] in item.evidence and row["said_at"]),
            tuple(sorted({heirs[key] for key in item.evidence if key in heirs})),
        )
        for item in pending
    ]  # fmt: skip


def is_said_again(ended: PastProposal, renewals: Mapping[str, Sequence[Renewal]]) -> bool:
    """Whether the owner said what a proposal says in a statement after it was refused or expired."""
    return any(
        statement.said_at > ended.decided_at
        and (key in ended.evidence or any(is_same_claim(said, text) for said in statement.texts for text in ended.texts))
        for key, statements in renewals.items()
        for statement in statements
        if ended.decided_at is not None
    )


def find_retired_lines(
    run: Run, known: Sequence[PastProposal], replaced: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return promoted lines of MEMORY.md whose evidence was replaced, with the observation that holds now: those that rest on
    nothing else, and those of which other evidence holds ("commit on main, in English": only the first half is over). Lines
    whose waiting change rests on replaced evidence are among the former."""
    by_proposal = {proposal.proposal_id: proposal for proposal in known}
    retired: dict[str, str] = {}
    partly: dict[str, str] = {}
    for line, proposal_id in run.lake.read("memory_lines").select("text", "proposal_id").iter_rows():
        evidence = by_proposal[proposal_id].evidence if proposal_id in by_proposal else frozenset()
        if newer := sorted(replaced[key] for key in evidence if key in replaced):
            (retired if evidence <= replaced.keys() else partly)[line] = newer[0]
    for proposal in known:  # a change that waits has been overtaken: its line is wrong all the same
        if proposal.status == "pending" and proposal.old_text and proposal.evidence and proposal.evidence <= replaced.keys():
            retired.setdefault(proposal.old_text, replaced[min(proposal.evidence)])
    return _follow_all(run, retired), _follow_all(run, partly)


def find_contradicted_lines(run: Run, page: MemoryPage, relation: Relation) -> dict[str, str]:
    """Return lines of MEMORY.md, also by hand, that a model put into this relation, with the observation that holds now."""
    is_of_line = pl.col("older_id").str.starts_with(LINE_ID) & (pl.col("relation") == relation)
    related = run.lake.scan("relations").filter(is_of_line).select("older_id", observation_id="newer_id")
    said = run.lake.scan("observations").select("observation_id", "said_at")
    replacing = related.join(said, on="observation_id").sort("said_at", "observation_id").collect()
    newest: dict[str, str] = dict(replacing.select("older_id", "observation_id").iter_rows())  # the last one of a line counts
    lines = {bullet.line: newest[key] for bullet in page.bullets if (key := make_memory_id(bullet.text)) in newest}
    return _follow_all(run, lines)


def find_overtaken_lines(run: Run, page: MemoryPage) -> dict[str, str]:
    """Return lines of MEMORY.md that say what the owner said and replaced since, with the observation that holds now: lines by
    hand rest on no evidence that could be replaced. A line that names a project is compared with facts of that one."""
    promoted = set(run.lake.read("memory_lines")["text"])
    bullets = [bullet for bullet in page.bullets if bullet.is_one_line and bullet.line not in promoted]
    if not bullets:
        return {}
    columns = ("observation_id", "text", "project", "said_at", "session_id", "entry_ids", "also", "superseded_by")
    scan = scan_facts(run.lake).filter((pl.col("origin") == "owner") & (pl.col("verdict") == "allow")).select(*columns)
    facts = {row["observation_id"]: row for row in scan.sort("said_at", "observation_id").collect().to_dicts()}
    retired: list[tuple[str, str, str, str]] = []
    for row in facts.values():
        heir = facts.get(row["superseded_by"] or "")
        cited = {f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()}
        if heir and not cited & set(heir["also"] or ()):  # what absorbed a fact says the same
            retired.append((row["project"] or "", row["text"], heir["observation_id"], heir["text"]))
    projects = {project for project, *_ in retired if project}
    over: dict[str, str] = {}
    for bullet in bullets:
        named = find_named_projects(bullet.text, projects)
        own = [(former, newer_id, newer) for project, former, newer_id, newer in retired if not named or project in named]
        if newer_id := find_replacing(bullet.text, own):
            over[bullet.line] = newer_id
    return _follow_all(run, over)


def find_contested_lines(run: Run, page: MemoryPage, rows: Iterable[ObservationRow]) -> dict[str, str]:
    """Return lines of MEMORY.md that one of these sayings of the owner contradicts, with the last one that does.

    A saying contests one line, of its project or of all, that is not newer. What is read as a request counts, too: "biome instead
    of eslint from now on" orders nothing but a rule."""
    owner, reflected = list_memory_sections(run)[0], name_reflected_section(run.today)
    over: dict[str, str] = {}
    contesting = (row for row in rows if row["origin"] == "owner" and row["kind"] in CONTESTING_KINDS and is_successor(row))
    said = list(contesting) if page.bullets else []
    for row in sorted(said, key=lambda row: (row["said_at"], row["observation_id"])):
        candidate = build_successor(row, owner, reflected)
        lines = {
            cut_head(bullet.text, candidate): bullet.line
            for bullet in page.bullets
            if may_be_outdated(bullet, candidate, run.zone)
        }
        if (line := find_contested(lines, Saying(split_claim(row["text"]).claim, row["kind"]))) and not ends_soon(row, run.zone):
            over[lines[line]] = row["observation_id"]
    return over


def find_lost_rows(run: Run, proposals: Mapping[str, ProposalRow], page: MemoryPage) -> dict[tuple[str, str], datetime]:
    """Return (former proposal, observation in force that it rested on) → when another line took that proposal's place, where
    no line of the page says of the observation what the former one said."""
    lines = [bullet.text for bullet in page.bullets]
    replacing = [
        row for row in proposals.values() if row["status"] == "approved" and row["op"] == "replace" and row["decided_at"]
    ]
    evidence = _read_former_evidence(run, proposals, {row["old_text"] or "" for row in replacing})
    return {
        (former, key): row["decided_at"]
        for row in replacing
        if row["decided_at"]
        for former, key, text in evidence.get(row["old_text"] or "", ())
        if key not in (row["evidence_ids"] or ())
        and not is_carried(text, row["old_text"] or "", lines)
        and not contest_line(split_claim(text).claim, Saying(row["text"], "decision"))  # over, though no words retired it
    }


def find_carried_rows(run: Run, proposals: Mapping[str, ProposalRow], old_text: str, new_text: str) -> list[str]:
    """Return the observations in force that a line rests on and that the line which takes its place still says."""
    evidence = _read_former_evidence(run, proposals, {old_text})
    return [key for _, key, text in evidence.get(old_text, ()) if is_carried(text, old_text, [new_text])]


def _read_former_evidence(
    run: Run, proposals: Mapping[str, ProposalRow], lines: Collection[str]
) -> dict[str, list[tuple[str, str, str]]]:
    """Return promoted line → the proposal that became it, with each observation in force that it rests on, and its text."""
    promoted = run.lake.read("memory_lines").filter(pl.col("text").is_in(sorted(lines))).select("text", "proposal_id")
    resting = [
        (line, name, key)
        for line, name in promoted.sort("text", "proposal_id").iter_rows()
        if name in proposals
        for key in proposals[name]["evidence_ids"] or ()
    ]
    if not resting:
        return {}
    ids = sorted({key for *_, key in resting})
    is_open = pl.col("observation_id").is_in(ids) & (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    rows = drop_forgotten_rows(run.lake.scan("observations").filter(is_open).collect(), read_forgotten(run.lake))
    texts = dict(rows.select("observation_id", "text").iter_rows())
    evidence: dict[str, list[tuple[str, str, str]]] = {}
    for line, name, key in resting:
        if key in texts:
            evidence.setdefault(line, []).append((name, key, texts[key]))
    return evidence


def _follow_all(run: Run, retired: Mapping[str, str]) -> dict[str, str]:
    if not retired:
        return {}
    superseded = run.lake.scan("observations").filter(pl.col("superseded_by").is_not_null())
    successors: dict[str, str] = dict(superseded.select("observation_id", "superseded_by").collect().iter_rows())
    return {line: _follow(newer, successors) for line, newer in retired.items()}


def _follow(observation_id: str, successors: Mapping[str, str]) -> str:
    """Return the last observation of a chain; the first one of a circle."""
    seen = {observation_id}
    current = observation_id
    while (following := successors.get(current)) and following not in seen:
        seen.add(following)
        current = following
    return current
