"""Sets recollect up and undoes it: agents, schedule, links. May import distil, ingest, judging, embedding, config, system."""
