"""Ages observations: duplicates, supersession, tiers and proposals. May import offline, distil, pages, language, tables."""
