"""Tells who says what in a sentence: reports of what others say and demand, and what takes them over."""
