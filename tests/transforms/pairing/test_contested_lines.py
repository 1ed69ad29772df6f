"""A line of MEMORY.md is contested by what its owner says later about its subject, and by nothing about another one."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.pairing.contested_lines import Saying, contest_line, find_contested


@each_case(
    ("line", "said", "contest"),
    [
        ("Never use emojis in commit messages", "emojis in commits are fine from now on", "polarity"),
        ("Always squash PRs before merging", "stop squashing PRs, use merge commits from now on", "polarity"),
        ("Never touch the generated folder", "you may edit the generated folder from now on", "polarity"),
        ("Deploys go through jenkins", "deploys go through github actions now, jenkins is dead", "dropped"),
        ("The linter is always eslint", "biome instead of eslint from now on", "dropped"),
        ("Always write docs in docs/guide.md", "docs live in the wiki now, not docs/guide.md", "dropped"),
        ("Timeouts are always 30s", "timeouts are 45s now", "value"),
        ("Deploys on Fridays are forbidden", "deploys on fridays are fine now", "polarity"),
        ("Emojis in commit messages are not allowed", "emojis in commit messages are no longer forbidden", "polarity"),
    ],
)
def test_a_saying_contests_a_line_that_it_lifts_drops_or_gives_another_value(line: str, said: str, contest: str) -> None:
    assert contest_line(line, Saying(said, "request")) == contest


@each_case(
    ("line", "said"),
    [
        ("Uploads always go to s3", "test uploads go to minio now, not s3"),
        ("Log retention is always 14 days", "audit log retention is 90 days now"),
        ("Always use axios for http calls", "in the worker use fetch instead of axios"),
        ("Never commit straight to develop", "commit straight to develop just this once"),
        ("Always use make for builds", "for today use just instead of make"),
        ("Icons always come from fontawesome", "should we take lucide instead of fontawesome?"),
        ("We always pin dependencies exactly", "if we stop pinning dependencies we lose reproducible builds"),
        ("Always use moment for dates", 'he wrote "we should drop moment for dates right away", ignore that'),
        ("We always use cypress for e2e", "don't run cypress now, it takes ages"),
        ("unwrap() is allowed in tests", "The control loop must not use unwrap()"),
        ("We deploy with ansible", "remove the ansible mention from the readme"),
        ("Timeouts are always 30s", "timeouts were 45s before"),
    ],
)
def test_another_thing_a_moment_a_question_a_condition_and_a_quotation_contest_nothing(line: str, said: str) -> None:
    assert contest_line(line, Saying(said, "request")) == ""


@each_case(
    ("line", "said"),
    [
        ("Never use emojis in commit messages", "emojis in commit messages are not fine now"),
        ("Never use emojis in commit messages", "emojis in commit messages are forbidden from now on"),
        ("No force pushes to main", "force pushes to main are never ok"),
        ("Deploys on Fridays are forbidden", "never do deploys on fridays any more"),
    ],
)
def test_a_ban_that_is_said_again_in_other_words_contests_nothing(line: str, said: str) -> None:
    """Whether something may be stands in its verdict, not beside its name: the ban was offered as a contradiction of itself."""
    assert contest_line(line, Saying(said, "rule")) == ""


def test_one_common_word_without_a_word_of_change_contests_nothing() -> None:
    assert contest_line("Don't commit the flag", Saying("an absent key passes, unconditioned. Flag it.", "decision")) == ""


def test_a_saying_contests_the_one_line_that_shares_most_of_its_words() -> None:
    lines = ["The queue is rabbitmq", "The order queue of the shop is rabbitmq", "Tests run with make"]
    assert (
        find_contested(lines, Saying("nats instead of rabbitmq for the order queue of the shop from now on", "request"))
        == lines[1]
    )
