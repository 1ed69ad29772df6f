"""Reads the answers of models: forgiving field types, the XML form, repetitive output. May import language, tables."""
