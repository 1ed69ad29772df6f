"""Compiles regular expressions when they are first used, for every package. Imports nothing of the project."""
