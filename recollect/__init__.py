"""The command line and the MCP server: they read arguments, call `flows` and `effects`, and print. May import everything."""
