"""Keeps tasks by rules: changes them, orders the ready ones, searches and formats them. May import language, tables."""
