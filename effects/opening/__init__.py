"""Opens a session with the briefing and the facts about its first request. May import pages, tasks, store, config, system."""
