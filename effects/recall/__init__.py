"""Answers questions and shows records. May import memory, index, embedding, store, system."""
