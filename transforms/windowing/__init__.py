"""Cuts sessions into windows and windows into topic segments. May import conversation, language, tables."""
