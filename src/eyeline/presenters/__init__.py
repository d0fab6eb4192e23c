"""Presenters: pure functions from an envelope and its parts to one channel's blocks."""
