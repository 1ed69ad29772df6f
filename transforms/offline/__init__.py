"""Extracts cited facts from a window without a model: the offline engine.

May import distil, conversation, classify, language, tables.
"""
