"""Sets recollect up on this machine and undoes it: agents, schedule, links. May import embedding, config, system."""
