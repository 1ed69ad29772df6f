"""The events of Claude Code and Codex, whole, cut off and strange."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effects.engines.programs.fake_client import fail, list_claude_events, list_codex_events
from transforms.model_answers.client_events import ClientAnswer, read_claude_events, read_codex_events

READERS = {"claude": read_claude_events, "codex": read_codex_events}
EVENTS = {"claude": list_claude_events, "codex": list_codex_events}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = (
    "type",
    "subtype",
    "message",
    "content",
    "item",
    "usage",
    "modelUsage",
    "error",
    "errors",
    "result",
    "rate_limit_info",
    "text",
)
KINDS = ("assistant", "result", "system", "rate_limit_event", "item.completed", "turn.completed", "turn.failed", "error")


def dump(events: list[object]) -> str:
    """Return events as the programs print them: characters beyond ASCII as they are."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


@pytest.mark.parametrize("program", ["claude", "codex"])
@given(text=st.text(max_size=60))
def test_words_arrive_as_they_are(program: str, text: str) -> None:
    """Whatever the model wrote, line ends of every kind and braces included."""
    answer = READERS[program](dump([*EVENTS[program](f"It says {text}")]))
    assert answer.text == f"It says {text}"
    assert (answer.error, answer.is_cut, answer.is_refusal) == ("", False, False)


@pytest.mark.parametrize("program", ["claude", "codex"])
@given(
    events=st.lists(
        st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5)).map(
            lambda pair: pair[1] | {"type": pair[0]}
        ),
        max_size=6,
    ),
    noise=st.text(max_size=20),
)
def test_strange_events_are_passed_over(program: str, events: list[object], noise: str) -> None:
    """A newer client may print anything: no event breaks the reading, and counts are never negative."""
    answer = READERS[program](noise + "\n" + dump(events))
    assert isinstance(answer.text, str)
    assert min(answer.plain_tokens or 0, answer.written_tokens, answer.cached_tokens, answer.output_tokens or 0) >= 0


@pytest.mark.parametrize("program", ["claude", "codex"])
@given(data=st.data())
def test_output_that_ends_early_is_no_answer_of_its_own(program: str, data: st.DataObject) -> None:
    """The text is there or not, and never half."""
    text = json.dumps({"segments": ["x" * 40]})
    whole = dump([*EVENTS[program](text)])
    answer = READERS[program](whole[: data.draw(st.integers(0, len(whole)))])
    assert answer.text in ("", text) or json.loads(answer.text) == json.loads(text)


def test_the_object_of_the_schema_goes_before_the_words() -> None:
    """A model may write a sentence before it gives the object."""
    start, said, result = list_claude_events('{"a": 1}')
    said["message"]["content"].insert(0, {"type": "text", "text": "Here it is."})
    assert json.loads(read_claude_events(dump([start, said, result])).text) == {"a": 1}


def test_tokens_of_the_cache_and_dollars_are_told_apart() -> None:
    answer = read_claude_events(dump([*list_claude_events('{"a": 1}')]))
    assert (answer.plain_tokens, answer.written_tokens, answer.cached_tokens, answer.output_tokens) == (3000, 400, 1000, 500)
    assert answer.usd == 0.0063
    assert read_codex_events(dump([*list_codex_events("{}")])).plain_tokens == 4400


def test_a_refusal_and_a_limit_are_seen() -> None:
    """Both forms of a refusal; the second at which a limit resets."""
    start, said, result = list_claude_events("no")
    assert read_claude_events(dump([start, said, result | {"stop_reason": "refusal"}])).is_refusal
    refused = {"type": "system", "subtype": "model_refusal_no_fallback"}
    assert read_claude_events(dump([start, said, refused, result])).is_refusal
    assert read_claude_events(dump([start, said, result | {"stop_reason": "max_tokens"}])).is_cut
    told = {"type": "assistant", "message": {"content": [{"type": "text", "text": "API Error"}]}, "error": "max_output_tokens"}
    answer = read_claude_events(dump([start, said, told, result | {"subtype": "success", "result": "API Error"}]))
    assert (answer.text, answer.is_cut, answer.error) == ("no", True, "")
    for status, resets_at in (("rejected", 1795790000), ("allowed", 0)):
        event = {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": 1795790000}}
        assert read_claude_events(dump([event])).resets_at == resets_at


def test_an_error_is_no_text() -> None:
    """The client puts its own words where the model's would be."""
    for program, read in READERS.items():
        answer = read(str(fail(program, "it failed", 500)["text"]))
        assert (answer.text, answer.error) == ("", "it failed")
    assert read_claude_events("") == read_codex_events("") == ClientAnswer()
