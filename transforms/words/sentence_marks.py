"""Marks of sentences in all scripts."""

from __future__ import annotations

QUESTION_MARKS = ("?", "？", "؟", "՞", "፧", "᥅", "⁇", "⁈", "⁉", "⳺", "⳻", "⸮", "⹔", "꘏", "꛷", "︖", "﹖", "𑅃")
"""The marks of a question in Unicode; Greek has a semicolon, and the first two of Spanish and Adlam begin one."""
