"""Makes synthetic pi sessions whose facts, topics, junk and injections are known."""
