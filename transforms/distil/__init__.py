"""Connects engines with the lake: prompts, answers, grounding and budgets. May import conversation, language, tables."""
