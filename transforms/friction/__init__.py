"""Finds repeated failures and their cures.

May import memory, distil, model_answers, conversation, pages,
tables.
"""
