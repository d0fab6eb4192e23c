"""Migrations of the catalog database."""
