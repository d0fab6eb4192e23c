"""Eyeline: the media access layer for AI agents."""
