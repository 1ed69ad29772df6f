"""The command line, the MCP server and the console: parse arguments, call a pipeline or a question, print the result."""
