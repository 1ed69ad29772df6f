"""Finds secrets in formats of files and outputs that say by themselves what each of their parts is."""
