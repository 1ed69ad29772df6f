"""Connects engines with the lake: prompts, grounding of answers, budgets, and the values that work took out.

May import exchanges, model_answers, conversation, pages, language, tables.
"""
