"""Walks over picture containers in plain Python: bounded facts before any decoder sees the bytes."""

from __future__ import annotations
