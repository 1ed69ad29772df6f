"""A narrative says that the last check failed unless the same check passed later."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.offline.engine import OfflineEngine

DONE = "I added the flag to the launch arguments."


def narrate(*parts: object) -> str:
    entries = conversation(
        user("Add the flag --trust to the launch arguments in agents/kiro.go"), edited("agents/kiro.go", "1", "2"), *parts
    )  # type: ignore[arg-type]
    window = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    return " ".join(segment.narrative for segment in window.segments)


@each_case(
    ("check", "later", "is_said"),
    [
        ("go build ./e2e/... 2>&1", "", True),
        ("go build ./e2e/... 2>&1", "cd /src/e2e && go build ./...", False),
        ("go build ./e2e/... 2>&1", "go -C e2e build ./...", False),
        ("go build ./e2e/... 2>&1", "cd /src/e2e && go vet ./...", True),
        ("go build ./e2e/... 2>&1", "go version | cat", True),
        ("npm test", "npm install left-pad", True),
        ("npm test", "npm --prefix web run test 2>&1", False),
        ("npm test", "npm --prefix web run test | tail -3", True),
        ("npm test", "npm --prefix web run test\nls", True),
        ("npm test", "npm --prefix web run test &", True),
        ("npm run test:unit", "npm --silent run test", True),
        ("npm run test", "npm run lint && npm run test", False),
        ("make test", "make clean", True),
        ("make test", "CI=1 make -C web test && ls", False),
        ("cargo test", "cargo fmt", True),
        ("cargo test", "cargo --locked test", False),
    ],
)
def test_a_failed_check_is_told_unless_the_same_one_passed_later(check: str, later: str, *, is_said: bool) -> None:
    failed = ran(check, "1 failed", "c1", is_error=True)
    told = narrate(failed, ran(later, "", "c2") if later else [], agent(DONE))
    assert (f"The last `{check.partition(' ./')[0]}` failed." in told) == is_said


@each_case(
    "reply", ["Hashed all passwords in the fixtures with argon2.", "Compiles clean. The flag is in the launch arguments.", DONE]
)
def test_what_an_agent_says_does_not_undo_a_failed_check(reply: str) -> None:
    assert "The last `npm test` failed." in narrate(ran("npm test", "2 failed", "c1", is_error=True), agent(reply))


def test_a_check_that_failed_again_later_is_told() -> None:
    failed = ran("npm test", "2 failed", "c1", is_error=True)
    assert "failed." in narrate(failed, ran("npm --prefix web run test", "bad", "c2", is_error=True), agent(DONE))
