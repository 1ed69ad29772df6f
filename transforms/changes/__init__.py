"""Finds what the work behind the owner's words took out of files, and the lines that it undoes.

May import conversation, pages, language, tables.
"""
