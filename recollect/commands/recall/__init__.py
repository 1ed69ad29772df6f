"""Commands that read memory: answers, records, sessions and tables."""
