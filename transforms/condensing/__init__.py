"""Condenses the facts and narratives of days, weeks, months and years.

May import memory, distil, model_answers, conversation, language, tables.
"""
