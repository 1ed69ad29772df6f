"""What a document carries for the reader stays small however long the period is that it condenses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.recall.ranking_record import CITED_LINES, CITED_SESSIONS, select_citations

REFERENCES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda pair: f"s{pair[0]}:e{pair[1]}"), unique=True)


@given(REFERENCES)
def test_a_condensed_period_cites_few_entries_of_its_sessions_with_most(references: list[str]) -> None:
    """All of them when they are few; `recollect show` names the others."""
    cited = select_citations(sorted(references))
    by_session = {
        name: [ref for ref in sorted(references) if ref.startswith(f"{name}:")] for name in {r.split(":")[0] for r in references}
    }
    sessions = {reference.split(":")[0] for reference in cited}
    assert len(sessions) == min(len(by_session), CITED_SESSIONS)
    assert all([ref for ref in cited if ref.startswith(f"{name}:")] == by_session[name][:CITED_LINES] for name in sessions)
    left_out = by_session.keys() - sessions
    assert max((len(by_session[name]) for name in left_out), default=0) <= min(
        (len(by_session[name]) for name in sessions), default=0
    )
