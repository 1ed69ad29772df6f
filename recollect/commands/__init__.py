"""One module per command of `recollect`: `add_arguments` declares its options, `run_command` runs it. May import flows and effects."""
