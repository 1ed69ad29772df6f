"""Words the data dictionary as comments, from the definitions of the tables. May import tables."""
