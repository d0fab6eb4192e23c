"""Drawings that ask for more than they should."""

from __future__ import annotations

from eyeline.testing.media import make_drawing


def slow_drawing() -> bytes:
    """A drawing that is small to write and takes minutes to draw."""
    steps = '<feTurbulence baseFrequency="0.9" numOctaves="2000"/><feGaussianBlur stdDeviation="900"/>'
    inside = f'<filter id="f" x="0" y="0" width="1" height="1">{steps}</filter>'
    return make_drawing(3000, 3000, inside=f'{inside}<rect width="3000" height="3000" filter="url(#f)"/>')
