"""Revisions of the audit database, one module each."""
