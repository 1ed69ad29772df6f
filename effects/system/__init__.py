"""Wraps the machine: errors for people, atomic files, templates, worker processes. Imports nothing else of effects."""
