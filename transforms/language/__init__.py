"""Analyses sentences: tokens, polarity, named values, dialogue acts, preferences and rules. Imports nothing of the project."""
