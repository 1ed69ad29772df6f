"""The lake on disk, the record of runs, MEMORY.md as a file. May import config, system."""
