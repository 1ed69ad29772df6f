"""Sets recollect up here and undoes it: agents, schedule, links. May import distil, ingest, embedding, config, system."""
