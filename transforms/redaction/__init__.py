"""Removes secrets from text and JSON. Imports nothing of the project."""
