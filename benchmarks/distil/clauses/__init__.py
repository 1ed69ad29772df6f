"""Tunes the encoder that weighs clauses."""
