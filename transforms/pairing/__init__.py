"""Pairs facts that may replace or restate each other. May import memory, model_answers, language, tables."""
