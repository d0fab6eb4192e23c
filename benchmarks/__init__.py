"""Ratios against a peer in the same run. Nothing here asserts a time."""
