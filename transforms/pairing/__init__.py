"""Pairs facts that may replace or restate each other. May import memory, exchanges, model_answers, language, tables."""
