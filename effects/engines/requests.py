"""Requests to a model and its replies, for every backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Request:
    """One rendered request. `response_model` is the schema that a structured answer has to fit."""

    system: str
    prompt: str
    temperature: float
    max_output_tokens: int
    response_model: type[BaseModel]


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model. `problem` is the reason why it cannot be used; token counts are None when none are reported.

    `input_tokens` are all that the model read; `charged_tokens` are as many at the list price as they cost: a cache changes it.
    `usd` are the dollars that the program itself counted at list prices.
    """

    text: str
    problem: str = ""
    is_refusal: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    charged_tokens: int | None = None
    usd: float | None = None


Send = Callable[[Request], Reply]


class TransportError(Exception):
    """No answer: the connection failed, the provider was busy, or it refused the key or the request.

    `is_transient` errors are worth another try, `after` seconds when the provider says so. `may_be_billed`: the request was
    delivered and only the answer is missing. `is_request_at_fault`: the same request would fail again. `is_final`: no request of
    this run would be answered (the limit of a subscription is reached, a login is missing).
    """

    def __init__(
        self,
        message: str,
        *,
        is_transient: bool = False,
        after: float | None = None,
        may_be_billed: bool = False,
        is_request_at_fault: bool = False,
        is_final: bool = False,
    ) -> None:
        super().__init__(message)
        self.is_transient = is_transient
        self.after = after
        self.may_be_billed = may_be_billed
        self.is_request_at_fault = is_request_at_fault
        self.is_final = is_final
