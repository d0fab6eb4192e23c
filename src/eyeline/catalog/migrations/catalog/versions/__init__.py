"""Revisions of the catalog database, one module each."""
