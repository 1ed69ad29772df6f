"""Keeps the lake on disk, the records of runs and the file MEMORY.md. May import remote, config, system."""
