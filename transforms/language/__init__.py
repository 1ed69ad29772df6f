"""Analyses sentences: tokens, polarity, named values, dialogue acts, norms. Imports nothing of the project."""
