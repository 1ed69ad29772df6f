"""Decides which rows a tombstone covers, and removes words from texts and JSON. May import language, tables."""
