"""Answers questions: parses them, ranks candidates, judges answerability.

May import distil, conversation, pages, language, tables.
"""
