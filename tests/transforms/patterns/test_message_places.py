"""The order of facts in the message that they rest on, in any language."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.patterns.message_places import find_repeated, order_facts

REQUEST = (
    "hey! i'm confused what an agent is. i want to test a capability where the main agent is one. when i type a query"
    " this request should be sent to tmux. close the session after it finished"
)
FILES = ["src/Layout.astro", "src/Dashboard.tsx"]


def test_parts_of_a_message_have_its_order_whoever_leads_them_in_and_whatever_came_of_them() -> None:
    """A log showed the last wish first: at the same time facts stood by their ids."""
    facts = [
        ("o-1", 'User set a rule: "close the session after it finished" Outcome: I want to test a capability there, too.'),
        ("o-2", 'User said: "when i type a query … this request should be sent to tmux" (about: "what an agent is")'),
        ("o-3", 'User wants: "I want to test a capability where the main agent is one"'),
        ("o-4", 'User asked: "what an agent is"'),
        ("o-5", "Nobody said these words anywhere in it"),
    ]
    assert sorted(order_facts(facts, REQUEST), key=order_facts(facts, REQUEST).__getitem__) == ["o-4", "o-3", "o-2", "o-1", "o-5"]


@each_case(
    "first, second, message",
    [
        ("Covered: `url` is read [url.go]", "Covered: errors are wrapped", "**Covered:**\n- `url` is read\n- errors are wrapped"),
        ("두 가지 문제가 발생", "먼저 현재 상태를 확인", "두 가지 문제가 발생. 먼저 현재 상태를 확인한다."),
        ("ok", "go", "ok? go"),
    ],
)  # fmt: skip
def test_of_facts_with_the_same_head_the_last_words_tell(first: str, second: str, message: str) -> None:
    assert order_facts([("o-2", first), ("o-1", second)], message) == {"o-2": 0, "o-1": 1}


@each_case(
    "shorter, longer, is_repeated",
    [
        ("Two problems came from my edit: the signal is gone. [Layout.astro, Dashboard.tsx:84-90]",
         "Two problems came from my edit: the signal is gone. First the state of it is checked.", True),
        ('User decided: "use pnpm, not npm"', 'User decided: "use pnpm, not npm. and hurry"', True),
        ('User decided: "use pnpm, not npm"', 'User decided: "hurry! use pnpm, not npm, please" (about: "Which one?")', True),
        ("두 가지 문제가 발생했다.", "먼저 확인한다。두 가지 문제가 발생했다。끝", True),
        ("Two problems came from my edit", "Two problems came from my edit", True),
        ('User asked: "why does it fail?"', 'User asked: "why does it fail? it went well before"', True),
        ('User decided: "use pnpm, not npm"', 'User said: "use pnpm, not npm. and hurry"', False),
        ('User decided: "use pnpm, not npm"', 'User decided: "for the shop use pnpm, not npm"', False),
        ('User decided: "use pnpm, not npm" Outcome: Switched.', 'User decided: "use pnpm, not npm. and hurry"', False),
        ('User decided: "use pnpm, not npm" (about: "Which one?")', 'User decided: "use pnpm, not npm. and hurry"', False),
        ('User said: "use pnpm"', 'User said: "use pnpm, not npm"', False),
        ("Two problems came from my edit", "Two problems came from my editing", False),
        ('User asked: "use the cache on staging"', 'User asked: "never use the cache on staging in tests"', False),
        ('User asked: "use the cache on staging"', 'User asked: "use the cache on staging in no test"', False),
        ("The login test fails on Windows", "It is not true that The login test fails on Windows", False),
        ("The login test fails on Windows", "The login test fails on Windows? It does not.", False),
        ("The default retry delay is now [1, 2, 5]", "The default retry delay is now exponential from 3 to 60 seconds", False),
        ("The default retry delay is now [1, 2, 5]", "The default retry delay is now", False),
        ('User asked: "on prod use a timeout > 30 seconds"', 'User asked: "on prod use a timeout < 30 seconds. please"', False),
        ("The timeout of it is 9", "The timeout of it is 9.5 seconds", False),
        ('User asked: "build the parser in C++"', 'User asked: "build the parser in C, please"', False),
        ('User asked: "build the parser in C"', 'User asked: "build the parser in C++, please"', False),
        ('User set a rule: "write the tests first"', 'User asked: "write the tests first. then the fix"', False),
    ],
)  # fmt: skip
def test_a_fact_that_stands_whole_in_another_one_of_its_message_is_repeated(shorter: str, longer: str, is_repeated: bool) -> None:
    """A row and its first sentence stood below each other."""
    assert find_repeated([("o-1", shorter, FILES), ("o-2", longer, ())]) == ({"o-1": "o-2"} if is_repeated else {})


@each_case(
    "text",
    [
        'The root cause: release.yml sets tag_prefix: "" (empty) and the job splits on it',
        'Set it: "" (',
        "",
        "  ",
        " Outcome: ",
        "[]",
    ],
)
def test_a_fact_without_words_of_its_message_stops_no_page(text: str) -> None:
    """`tag_prefix: "" (empty)` ended every night: an empty separator."""
    other = "The guard never ran because the cache key was stale."
    assert find_repeated([("o-1", text, ()), ("o-2", other, ())]) == {}
    assert set(order_facts([("o-1", text), ("o-2", other)], other)) == {"o-1", "o-2"}
