"""Commands that agents call: context for a session, observations for a compaction, the MCP server."""
