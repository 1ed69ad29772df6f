"""Answers questions and shows records. May import index, embedding, store, system."""
