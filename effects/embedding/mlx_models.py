"""Models that mlx-embeddings loads: a BERT folder on Apple silicon, and any other architecture from a folder or a hub.

mlx-embeddings can be imported only together with mlx-vlm and transformers, which the lock leaves out (`pyproject.toml`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from effects.system.errors import ModelMissing
from transforms.embedding.bert_encoder import Matrix, Pooling, TokenIds, scale_to_unit

Forward = Callable[[TokenIds], Matrix]
"""Token ids (tokens,) of one text to its unit vector (dimensions,)."""


def load_mlx_model(model: str, pooling: Pooling = "mean") -> tuple[Forward, Any]:
    """Load a folder or a hub's id with `mlx_embeddings.utils.load`; return its forward pass and its fast tokenizer.

    `mean` takes the vector that the architecture itself makes of a text, `cls` the last hidden state of the first token. MLX
    binds arrays to a thread's stream: only the thread that called this may call the forward pass.

    Raises:
        ImportError: when mlx-embeddings, or a package that it imports, is not installed.
        ModelMissing: when the model cannot be loaded or has no fast tokenizer.
    """
    import mlx.core as mx
    from mlx_embeddings.utils import load

    hint = "set RECOLLECT_EMBEDDING__MODEL to a folder with the model, or to `bundled`"
    try:
        network, tokenizer = load(model)
    except Exception as error:  # offline hubs, unknown architectures and broken files each raise their own
        raise ModelMissing(
            f"the embedding model `{model}` cannot be loaded: {type(error).__name__}: {str(error)[:200]}", hint
        ) from error
    fast_tokenizer = getattr(tokenizer, "backend_tokenizer", None)
    if fast_tokenizer is None:
        raise ModelMissing(f"the embedding model `{model}` has no fast tokenizer (tokenizer.json)", hint)

    def embed_tokens(ids: TokenIds) -> Matrix:
        """Return the vector of one text, of unit length."""
        output = network(mx.array(ids[None]), attention_mask=mx.ones((1, len(ids))))
        vector = output.last_hidden_state[0, 0] if pooling == "cls" else output.text_embeds[0]
        return scale_to_unit(np.array(vector, dtype=np.float32))

    return embed_tokens, fast_tokenizer
