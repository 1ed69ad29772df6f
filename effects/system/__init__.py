"""Wraps the machine: errors for people, atomic files, templates, worker processes. Imports nothing of the project."""
