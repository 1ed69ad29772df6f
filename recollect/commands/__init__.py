"""A package per subject, a module per command: `add_arguments` declares its options, `run_command` runs it.

May import flows and effects.
"""
