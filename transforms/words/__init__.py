"""Has closed classes of English words, numerals and units, each written once, for every package.

Imports nothing of the project.
"""
