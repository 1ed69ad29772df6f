"""Grammar tells a question how something is run from other questions."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.answers.states.test_state_question import ask
from transforms.answers.commands.command_question import AskedWork, read_asked_work


@each_case(
    ("text", "work"),
    [
        ("How do I run the tests?", AskedWork(("test",), True)),
        ("how are the migrations run", AskedWork(("migration",), True)),
        ("What is the command for the docs?", AskedWork(("doc",), True)),
        ("how do we lint here?", AskedWork(("lint",), False)),
        ("how to deploy", AskedWork(("deploy",), False)),
        ("How often does the ingest run?", None),
        ("How long do the tests take?", None),
        ("how did we fix the tests?", None),
        ("How do I run the tests with no cache?", AskedWork(("test", "cach"), True)),
        ("How does one deploy?", AskedWork(("deploy",), False)),
        ("How should I not run the tests?", None),
        ("What mustn't I run on the board?", None),
        ("What must never run on the board?", None),
        ("What did the run of the tests show?", None),
        ("How do tests get their data?", None),
        ("How does the build know its version?", None),
        ("Why do the tests fail?", None),
        ("Do we run the tests in CI?", None),
        ("what is the port?", None),
        ("how do I run?", None),
        ("", None),
    ],
)
def test_it_asks_how_something_is_run(text: str, work: AskedWork | None) -> None:
    assert read_asked_work(ask(text)) == work
