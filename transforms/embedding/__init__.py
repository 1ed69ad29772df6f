"""Turns token ids into vectors. Imports nothing of the project."""
