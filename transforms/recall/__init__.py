"""Answers questions: parses them, ranks candidates, judges answerability.

May import distil, model_answers, conversation, pages, language, tables.
"""
