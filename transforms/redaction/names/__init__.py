"""Names of secrets in the languages of other writers than English ones."""
