"""Judges who spoke where the format does not tell: by recurring texts, quotations and register.

May import conversation, classify, tables.
"""
