"""Tells an agent in which other project memory has most about its question: a search covers the project of its folder alone.

Only the name is told. The words stay where they were said until the agent asks for them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from effects.recall.project_filter import ALL_PROJECTS, list_known_projects
from effects.recall.recall_state import Recall
from effects.recall.search import SearchResult, search_memory
from transforms.pages.page_names import label_projects
from transforms.recall.period_ranking import QuestionPeriod
from transforms.recall.question import Question
from transforms.recall.types import Filters

NEAREST = 5
"""Hits of all projects that are looked at."""
LEAST_ELSEWHERE = 4
"""Hits of them in one other project from which it is named: the best one alone is from a wrong project once in ten."""


def describe_nearer_project(
    recall: Recall, question: Question, filters: Filters, period: QuestionPeriod, result: SearchResult
) -> str:
    """Return a note that names the project from which most of the nearest hits of all projects are, when it was not searched.

    Empty for a person, who sees `--project all`, for a search that names its project, where memory has one project, and for a
    question about a period alone, which each project answers.
    """
    known = list_known_projects(recall)
    own = result.own
    is_of_folder = filters.is_folder_only and filters.project is None and own is not None
    if not is_of_folder or period.is_whole or not set(known) - set(own or ()):
        return ""
    everywhere = replace(filters, project=ALL_PROJECTS, k=NEAREST, spare=0)
    search = search_memory(recall, question, everywhere, period)
    projects = Counter(search.candidates.rows[hit.index]["project"] for hit, _ in search.folded[:NEAREST])
    nearest, hits = max(projects.items(), key=lambda item: (item[1], item[0] or ""), default=(None, 0))
    if nearest is None or nearest in (own or ()) or hits < LEAST_ELSEWHERE:
        return ""
    name = label_projects(known).get(nearest, nearest)
    return f"most about this was said in project `{name}`, which was not searched: ask again with project `{name}`"
