"""The offline engine: what is kept of a conversation, extracted deterministically, without a model."""
