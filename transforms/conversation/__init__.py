"""A session's entries as a conversation: who wrote which words, and pi's own serialization of them. May import tables."""
