"""Judges who spoke where the format does not tell: by recurring texts, quotations and register; in which language.

May import conversation, classify, language, tables.
"""
