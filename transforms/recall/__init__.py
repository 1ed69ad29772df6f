"""Answers questions: parses them, ranks candidates, judges answerability.

May import attribution, distil, model_answers, conversation, quoting, pages, redaction, language, calendars, tables.
"""
