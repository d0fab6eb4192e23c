"""The embedded application."""
