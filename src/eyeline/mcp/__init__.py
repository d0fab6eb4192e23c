"""The MCP surface: the tools and the delivered renditions, over standard input and output."""
