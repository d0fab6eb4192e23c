"""Records that name blobs, the search over them, and the audit log: the only package that knows a database."""
