"""Finds repeated failures and their cures, and the commands by which a project is worked on.

May import memory, distil, exchanges, model_answers, conversation, habits, pages,
language, tables, patterns.
"""
