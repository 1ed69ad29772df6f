"""Reads the facts of a window a second time. May import distil, conversation, model_answers, language, tables."""
