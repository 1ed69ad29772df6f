"""A narrative says that the last check failed only where nothing later, and not its own outcome, says the opposite."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.offline.engine import OfflineEngine

FAILED = ran("go build ./e2e/... 2>&1", "directory prefix e2e does not contain main module", "c1", is_error=True)


def narrate(*parts: object) -> str:
    entries = conversation(
        user("Add the flag --trust to the launch arguments in agents/kiro.go"), edited("agents/kiro.go", "1", "2"), *parts
    )  # type: ignore[arg-type]
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    return " ".join(segment.narrative for segment in window.segments)


@each_case(
    ("later", "reply", "is_said"),
    [
        ([], "I added the flag to the launch arguments.", True),
        (ran("cd /src/e2e && go vet ./...", "", "c2"), "I added the flag to the launch arguments.", False),
        (ran("cd /src/e2e && go build ./...", "", "c2"), "I added the flag to the launch arguments.", False),
        (ran("cd /src/e2e && go vet ./...", "bad", "c2", is_error=True), "I added the flag to the launch arguments.", True),
        (ran("go version | cat", "", "c2"), "I added the flag to the launch arguments.", True),
        (ran("ls agents", "", "c2"), "I added the flag to the launch arguments.", True),
        ([], "Compiles clean. The flag is in the launch arguments.", False),
        ([], "It still does not build, and compiles clean only once the module is renamed.", True),
    ],
)
def test_a_failed_check_is_told_unless_its_program_passed_later_or_the_outcome_says_so(
    later: list[dict[str, object]], reply: str, is_said: bool
) -> None:
    assert ("The last `go build` failed." in narrate(FAILED, later, agent(reply))) == is_said
