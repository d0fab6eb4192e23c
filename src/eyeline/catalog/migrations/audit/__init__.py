"""Migrations of the audit database."""
