"""A model server that means harm: redirects to another host, answers without end or bound, nesting."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from effects.engines import instructor_engine
from effects.engines.instructor_engine import make_instructor_send
from effects.engines.requests import Reply, Request, TransportError
from tests.machine.loopback import QuietHandler, serving_on_loopback


class Answer(BaseModel):
    """What is asked for."""

    name: str


def ask(port: int, timeout: float = 5.0) -> Reply:
    send = make_instructor_send("openai/m", f"http://127.0.0.1:{port}/v1", timeout)
    request = Request(system="s", prompt="the conversation", temperature=0.0, max_output_tokens=50, response_model=Answer)
    return send(request)


def write_completion(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}).encode()


class Answering(QuietHandler):
    """Sends the pieces of a body."""

    pieces: tuple[bytes, ...] = ()
    pause = 0.0
    declared = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/html" if b"<" in b"".join(self.pieces) else "application/json")
        if self.declared:
            self.send_header("content-length", str(self.declared))
        self.end_headers()
        try:
            for piece in self.pieces:
                self.wfile.write(piece)
                time.sleep(self.pause)
        except OSError:
            return


@pytest.fixture(autouse=True)
def own_client() -> Iterator[None]:
    instructor_engine._open_http_client.cache_clear()
    yield
    instructor_engine._open_http_client.cache_clear()


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_is_refused_and_the_conversation_stays_here(status: int) -> None:
    seen: list[bytes] = []

    class Other(QuietHandler):
        def do_POST(self) -> None:
            seen.append(self.rfile.read(int(self.headers["content-length"])))

        def do_GET(self) -> None:
            seen.append(b"")

    with serving_on_loopback(Other) as other:

        class Redirecting(QuietHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                self.send_header("location", f"http://127.0.0.1:{other}/v1/chat/completions")
                self.send_header("content-length", "0")
                self.end_headers()

        with serving_on_loopback(Redirecting) as port, pytest.raises(TransportError, match=str(status)):
            ask(port)
    assert seen == []


def test_an_answer_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answering, "pieces", (b" ",) * 200)
    monkeypatch.setattr(Answering, "pause", 0.1)
    began = time.monotonic()
    with serving_on_loopback(Answering) as port, pytest.raises(TransportError):
        ask(port, timeout=1.0)
    assert time.monotonic() - began < 15


def test_an_answer_without_bound_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructor_engine, "MOST_ANSWER_BYTES", 10_000)
    monkeypatch.setattr(Answering, "pieces", (b"a" * 1000,) * 40)
    with serving_on_loopback(Answering) as port, pytest.raises(TransportError):
        ask(port)


def test_braces_without_end_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answering, "pieces", (write_completion('{"a":' * 60_000),))
    began = time.process_time()
    with serving_on_loopback(Answering) as port:
        assert ask(port).problem
    assert time.process_time() - began < 20


EMPTY = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
FAILED = {
    "index": 0,
    "finish_reason": "error",
    "error": {"message": "upstream failed", "code": 502},
    "message": {"role": "assistant"},
}
NO_ANSWERS: dict[str, tuple[Any, str, bool]] = {
    "overloaded": ({"error": {"message": "overloaded", "code": 429}}, "HTTP 429: overloaded", False),
    "code as a text": ({"error": {"message": "overloaded", "code": "503"}}, "HTTP 503: overloaded", False),
    "too long": ({"error": {"message": "context is full", "code": 400}}, "HTTP 400: context is full", True),
    "words": ({"error": "model is loading"}, "an error instead of an answer: model is loading", False),
    "in a choice": (EMPTY | {"choices": [FAILED]}, "HTTP 502: upstream failed", False),
    "no choices": (EMPTY | {"choices": []}, "no answer of a model", False),
    "null": (EMPTY | {"choices": None}, "no answer of a model", False),
    "another program": ("hello", "no answer of a model", False),
    "a page": (b"<html>log in first</html>", "no answer of a model", False),
}


@pytest.mark.parametrize(("body", "words", "is_at_fault"), NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_an_error_under_http_200_is_no_answer_of_the_model(
    body: Any, words: str, is_at_fault: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gateways report the failures of their providers so. Three such nights had ended a window for good, and a period was left to
    the offline engine; the line said "'NoneType' object is not subscriptable"."""
    monkeypatch.setattr(Answering, "pieces", (body if isinstance(body, bytes) else json.dumps(body).encode(),))
    with serving_on_loopback(Answering) as port, pytest.raises(TransportError, match=words) as caught:
        ask(port)
    assert caught.value.is_request_at_fault == is_at_fault


def test_a_message_that_says_nothing_is_called_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for message in (None, {"role": "assistant", "content": None}, {"role": "assistant", "content": []}):
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        monkeypatch.setattr(Answering, "pieces", (json.dumps(EMPTY | {"choices": [choice]}).encode(),))
        with serving_on_loopback(Answering) as port:
            assert ask(port).problem == "it is empty"


def test_a_refusal_in_words_is_told_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """It said "No tool calls or function call found in response (mode: TOOLS)", to the owner and to the model."""
    monkeypatch.setattr(Answering, "pieces", (write_completion("I'm sorry, but I can't help with that."),))
    with serving_on_loopback(Answering) as port:
        assert ask(port).problem == "there is no JSON object in it"


def test_a_message_in_parts_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": '{"name": "a"}'}]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": parts}}
    monkeypatch.setattr(Answering, "pieces", (json.dumps(EMPTY | {"choices": [choice]}).encode(),))
    with serving_on_loopback(Answering) as port:
        assert ask(port).text == '{"name":"a"}'


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b'{"choices": []}', b"<html>log in</html>"])
def test_a_page_of_somebody_else_is_no_answer_of_the_model(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    """It was stored as an answer that cannot be used, and counted as a try of the window: a portal for three nights ended it."""
    monkeypatch.setattr(Answering, "pieces", (body,))
    with serving_on_loopback(Answering) as port, pytest.raises(TransportError) as error:
        ask(port)
    assert (error.value.is_transient, error.value.is_request_at_fault, error.value.may_be_billed) == (True, False, False)


@pytest.mark.parametrize("is_declared", [False, True])
def test_an_answer_that_broke_off_was_paid_and_is_not_asked_for_again_at_once(
    monkeypatch: pytest.MonkeyPatch, is_declared: bool
) -> None:
    """The connection ended within the answer: four requests were sent and paid, and none of them counted in the budget."""
    monkeypatch.setattr(Answering, "pieces", (write_completion("{}")[:60],))
    monkeypatch.setattr(Answering, "declared", 500 if is_declared else 0)
    with serving_on_loopback(Answering) as port, pytest.raises(TransportError, match="broke off") as error:
        ask(port)
    assert (error.value.is_transient, error.value.may_be_billed) == (False, True)


def test_tokens_below_zero_give_no_budget_back(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = b', "usage": {"prompt_tokens": -5000000, "completion_tokens": -1, "total_tokens": 0}}'
    monkeypatch.setattr(Answering, "pieces", (write_completion('{"name": "x"}')[:-1] + usage,))
    with serving_on_loopback(Answering) as port:
        reply = ask(port)
    assert (reply.problem, reply.input_tokens, reply.output_tokens, reply.charged_tokens) == ("", None, None, None)
