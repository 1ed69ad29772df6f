"""Ages observations: merges duplicates, finds supersessions, condenses periods, ranks proposals. May import offline, distil, pages, language, tables."""
