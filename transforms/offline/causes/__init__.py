"""Finds the causes that searches for an error came to, over several exchanges."""
