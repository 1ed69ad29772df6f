"""Judges who spoke where the format does not tell: by recurring texts, quotations and register; in which language.

May import exchanges, conversation, classify, language, tables.
"""
