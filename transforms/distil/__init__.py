"""Connects engines with the lake: prompts, grounding of answers, and budgets.

May import exchanges, model_answers, conversation, language, tables.
"""
