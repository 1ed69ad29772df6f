"""Keeps tasks by rules: changes them, orders the ready ones, searches and words them. May import language, tables."""
