"""Answers questions and shows records. May import judging, memory, index, embedding, tasks, store, system."""
