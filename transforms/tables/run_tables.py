"""Tables about the work of recollect itself: runs, requests to models, vectors and rendered pages."""

from datetime import datetime
from typing import Annotated, TypedDict

from transforms.tables.definition import Column, Table
from transforms.tables.enums import CallOutcome, ModelBackend, PipelineName


class ModelCallRow(TypedDict):
    """a request to a model"""

    request_key: Annotated[str, Column("hash of the rendered request")]
    call_no: Annotated[int, Column("number of earlier requests with this key", bits=32)]
    engine: Annotated[ModelBackend, Column("how the model was reached")]
    session_id: Annotated[str | None, Column("session of the request; null when there are several", references="sessions")]
    model: Annotated[str, Column("`provider/model`")]
    template_hash: Annotated[str, Column("hash of the template")]
    input_tokens: Annotated[int, Column("billed or estimated input", unit="tokens")]
    output_tokens: Annotated[int, Column("billed or estimated output", unit="tokens")]
    cost_usd: Annotated[float, Column("billed or estimated cost", unit="USD")]
    latency_ms: Annotated[int, Column("wall time", unit="ms", bits=32)]
    outcome: Annotated[CallOutcome, Column("result of the request")]
    reason: Annotated[str, Column("why it is not `ok`; empty otherwise")]
    answer: Annotated[str, Column("the answer, redacted")]
    at: Annotated[datetime, Column("logical time of the run")]


class RunRow(TypedDict):
    """a run"""

    run_id: Annotated[str, Column("unique id")]
    flow: Annotated[PipelineName, Column("pipeline")]
    parameters: Annotated[str, Column("parameters as JSON")]
    versions: Annotated[str, Column("versions of recollect, schema and steps as JSON")]
    started_at: Annotated[datetime, Column("wall clock")]
    as_of: Annotated[datetime, Column("logical time")]
    duration_s: Annotated[float, Column("wall time; `seconds` in the JSON of the run", unit="s")]
    counts: Annotated[str, Column("per step the rows read, kept and dropped, with reasons, as JSON")]
    spend_usd: Annotated[float, Column("model cost of the run", unit="USD")]
    peak_rss_mb: Annotated[float, Column("peak memory", unit="MiB")]
    error: Annotated[str, Column("failure in one line; empty otherwise")]


class EmbeddingRow(TypedDict):
    """the vector of a text"""

    text_hash: Annotated[str, Column("BLAKE2b-128 of its length (8 bytes, big-endian) and its UTF-8 (`hash_text`)")]
    model: Annotated[str, Column("model id, dimensions and pooling")]
    vector: Annotated[list[float], Column("vector of unit length", bits=16)]


class PageRow(TypedDict):
    """a rendered page as recollect last wrote it"""

    path: Annotated[str, Column("path relative to the workspace")]
    render_id: Annotated[str | None, Column("id inside the page, where it has one")]
    text_hash: Annotated[str, Column("hash of the whole file as written")]
    text: Annotated[str, Column("the whole file as written: the base for merging a person's edits")]
    at: Annotated[datetime, Column("logical time of the rendering that changed it")]


MODEL_CALLS = Table(
    "model_calls", ModelCallRow, ("request_key", "call_no"), ("effects.engines.call_store", "effects.engines.call_notes"),
    "append", is_daily=False,
)  # fmt: skip
RUNS = Table("runs", RunRow, ("run_id",), ("effects.store.run_record",), "append", is_daily=False)
EMBEDDINGS = Table(
    "embeddings", EmbeddingRow, ("text_hash", "model"), ("effects.embedding.embed_step",), "append", is_daily=False
)
PAGES = Table(
    "pages", PageRow, ("path",), ("effects.pages.render_step", "effects.memory.proposal_store"), "state", is_daily=False
)
