"""Analyses sentences: tokens, polarity, named values, dialogue acts, preferences and rules. May import calendars."""
