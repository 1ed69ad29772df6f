"""Finds repeated failures and their cures.

May import memory, distil, exchanges, model_answers, conversation, pages, language,
tables.
"""
