"""Words what a person turned down, and what the agent then leaves or does."""
