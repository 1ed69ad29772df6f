"""Every exit of recall over sessions that were read: a pasted mail is nobody's wish, wherever its words are shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from effects.distil.attribute_step import attribute
from effects.index.index_step import index
from effects.recall.ask import ask, open_recall
from effects.recall.show_record import show_record
from effects.sessions.find_sessions import find_sessions
from recollect.task_tools import find_results
from tests.effects.session_home import Home, header, user, write
from transforms.answers.hit_lines import render_answer
from transforms.answers.show_page import render_record
from transforms.recall.types import Filters

MAIL = "> Hello Mara,\n> we always ship the invoices on Friday evening.\n> Regards, Tom"
MIXED = f"Here is the mail of the customer:\n\n{MAIL}\n\nThe export waits until spring."
QUESTIONS = ("When do we ship the invoices?", "When does the export come?", "What does the customer write?")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a home with one session of a mixed turn, read, attributed and indexed."""
    home = Home(tmp_path_factory.mktemp("home"))
    write(
        home.sessions / "one.jsonl", header("one"), user("a", None, 1, MIXED), user("b", "a", 2, "Which day does the backup run?")
    )
    home.night()
    with home.lake.writing("test"):
        attribute(home.run)
        index(home.run)
    return home


@pytest.mark.parametrize("question", QUESTIONS)
def test_pasted_words_are_told_as_pasted_at_every_exit(home: Any, question: str) -> None:
    """In the answer, the list, the details, the results of the tool, the sessions that were found, and the record."""
    recall = open_recall(home.run)
    answer = ask(recall, question, Filters(project="all", spare=10))
    hit = next(hit for hit in answer.hits if "Friday" in hit.text)
    assert (hit.speaker, bool(hit.quoted)) == ("user", True)
    assert answer.as_json()["hits"][0]["speaker"] == "owner"
    shown = [
        answer.answer or answer.nearest,
        render_answer(answer, home.run.zone, 800),
        render_answer(answer, home.run.zone, 800, is_detailed=True),
        *(result["content"] for result in find_results(recall, question, Filters(project="all"))["results"]),
        *(session["detail"] for session in find_sessions(home.run, question, "all", 5, Path("/"))),
        render_record(show_record(home.run, hit.id)),
    ]
    assert sum("Friday" in text for text in shown) >= 3
    for text in shown:
        for place in (match.start() for match in re.finditer("Friday|Regards|Hello Mara", text)):
            assert re.findall(r"User:|Pasted:|Agent:", text[:place])[-1:] == ["Pasted:"], text
        for place in (match.start() for match in re.finditer("waits until spring", text)):
            assert re.findall(r"User:|Pasted:|Agent:", text[:place])[-1:] == ["User:"], text
