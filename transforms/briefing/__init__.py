"""Chooses what a project's briefing says, most binding first, within a budget of tokens.

May import habits, language, pages, tables, calendars.
"""
