"""Migrations, one folder for each database."""
