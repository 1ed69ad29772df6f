"""Views in SQL over the tables of the lake, for `recollect sql`."""

from __future__ import annotations

from transforms.views.item_types import ITEM_TYPES

_TYPE_CASES = " ".join(f"WHEN '{kind}' THEN '{item_type}'" for kind, item_type in ITEM_TYPES.items())
_FOLDER = "regexp_extract({}, '([^/]*)/*$', 1)"

ITEMS = f"""
WITH facts AS (
    SELECT *, CASE kind {_TYPE_CASES} ELSE 'knowledge' END AS type
    FROM observations WHERE verdict = 'allow' AND superseded_by IS NULL
)
SELECT observation_id AS item_id, 'observation' AS source, type, text AS summary,
    [tag for tag in list_distinct(list_concat(
        [kind, category, {_FOLDER.format("project")}], [{_FOLDER.format("path")} for path in coalesce(files, [])]
    )) if tag <> ''] AS tags,
    priority, project, session_id, said_at, NULL AS status
FROM facts
UNION ALL
SELECT proposal_id, 'proposal',
    coalesce((SELECT mode(type) FROM facts WHERE list_contains(proposals.evidence_ids, observation_id)), 'behavior'),
    text, [tag for tag in [section, kind, {_FOLDER.format("coalesce(project, '')")}] if tag <> ''],
    'high', project, NULL, said_at, status
FROM proposals WHERE op <> 'remove' AND status IN ('pending', 'approved')
"""
"""One row per kept fact and per line that was proposed for MEMORY.md, with its type (`ITEM_TYPES`) and its tags."""

OWN_SESSIONS = """
WITH RECURSIVE parents AS (
    SELECT child.session_id, coalesce(child.opened_by, parent.session_id, child.parent_session) AS parent_id
    FROM sessions child LEFT JOIN sessions parent ON parent.source_path = child.parent_session
    WHERE child.is_subagent
), ancestors AS (
    SELECT session_id, parent_id FROM parents
    UNION
    SELECT ancestors.session_id, parents.parent_id FROM ancestors JOIN parents ON parents.session_id = ancestors.parent_id
), spent AS (
    SELECT ancestors.parent_id, count(*) AS sub_agents, sum(part.input_tokens) AS input_tokens,
        sum(part.output_tokens) AS output_tokens, sum(part.cost_usd) AS cost_usd
    FROM ancestors JOIN sessions part ON part.session_id = ancestors.session_id GROUP BY ancestors.parent_id
)
SELECT own.*, coalesce(spent.sub_agents, 0) AS sub_agents,
    own.input_tokens + coalesce(spent.input_tokens, 0) AS whole_input_tokens,
    own.output_tokens + coalesce(spent.output_tokens, 0) AS whole_output_tokens,
    nullif(own.cost_usd + coalesce(spent.cost_usd, 0), 0) AS whole_cost_usd
FROM sessions own LEFT JOIN spent ON spent.parent_id = own.session_id
WHERE own.is_subagent IS NOT TRUE AND NOT (own.parent_session IS NOT NULL AND own.user_message_count = 0)
"""
"""The owner's sessions: no sub-agents, and no forks in which nothing was typed. `whole_…` adds the usage of their sub-agents."""

REPLACED = """
SELECT older.observation_id AS older_id, newer.observation_id AS newer_id,
    CASE WHEN list_has_any(
        [older.session_id || ':' || entry FOR entry IN coalesce(older.entry_ids, [])], coalesce(newer.also, [])
    ) THEN 'merged' ELSE 'replaced' END AS how,
    older.project, older.kind, older.text AS older_text, newer.text AS newer_text,
    older.said_at AS older_said_at, newer.said_at AS newer_said_at
FROM observations older JOIN observations newer ON newer.observation_id = older.superseded_by
WHERE older.verdict = 'allow'
"""
"""One row per fact in whose place another one stands: `superseded_by` does not tell a repetition from a newer decision."""

VIEWS = {"items": ITEMS, "own_sessions": OWN_SESSIONS, "replaced": REPLACED}

VIEW_COMMENTS = {
    "items": "One row is a fact that memory keeps, or a line that is proposed or approved for MEMORY.md, with its type and tags.",
    "own_sessions": "One row is a session of the owner, with the usage of its sub-agents added. Key: session_id.",
    "replaced": "One row is a fact in whose place another one stands, which says the same or what holds instead. Key: older_id.",
}
VIEW_COLUMN_COMMENTS = {
    "items": {
        "item_id": "id of the observation or the proposal",
        "source": "`observation` or `proposal`",
        "type": "`knowledge`, `behavior`, `event` or `skill`",
        "summary": "the fact, or the proposed line",
        "tags": "kind, category, project and files; of a proposal its section, kind and project",
        "priority": "`high`, `medium` or `low`; a proposal is `high`",
        "project": "folder of the project",
        "session_id": "session that told it; null for proposals (→ sessions)",
        "said_at": "when it was said; of a proposal its newest evidence",
        "status": "`pending` or `approved`; null for facts",
    },
    "own_sessions": {
        "sub_agents": "sub-agents that worked in it",
        "whole_input_tokens": "input of the session and its sub-agents [tokens]",
        "whole_output_tokens": "output of the session and its sub-agents [tokens]",
        "whole_cost_usd": "cost of the session and its sub-agents; null when none was recorded [USD]",
    },
    "replaced": {
        "older_id": "the fact that is no longer shown (→ observations)",
        "newer_id": "the fact in its place (→ observations)",
        "how": "`merged`: it says the same, and cites what the older one cites; `replaced`: it holds instead",
        "project": "project of the former",
        "kind": "kind of the former",
        "older_text": "the fact that is no longer shown",
        "newer_text": "the fact in its place",
        "older_said_at": "when the former was said",
        "newer_said_at": "when the latter was said",
    },
}
"""Columns that no table has; those of `sessions` keep the words of the table."""
