"""A lake in an object store: its requests, and the copy that a commit publishes. May import config, system."""
