"""Answers questions how something is run here from the commands that ran in the project."""
