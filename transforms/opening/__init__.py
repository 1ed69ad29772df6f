"""Chooses the facts about a session's first request, by words alone. May import language, tables."""
