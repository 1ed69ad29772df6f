"""Answers questions: parses a question, ranks candidates, judges answerability. May import distil, conversation, pages, language, tables."""
