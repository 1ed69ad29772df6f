"""Keeps Todoist as a second surface of the review: proposals out as tasks, the owner's decisions back.

May import memory, store, config, system.
"""
