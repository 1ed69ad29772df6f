"""Answers questions about the state of work outside of the working tree from the newest row about it."""
