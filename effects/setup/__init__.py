"""Sets recollect up on this machine and undoes it: agents, schedule, links. May import ingest, embedding, config, system."""
