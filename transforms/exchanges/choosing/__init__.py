"""Reads what a short answer points at, and words a question with the answer that chose something."""
