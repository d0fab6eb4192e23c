"""Everything that SQLite says differently: files, connections, statements and the full-text index."""
