"""Renditions: from a locator to a canonical plan, and from a plan to bytes, made once."""
