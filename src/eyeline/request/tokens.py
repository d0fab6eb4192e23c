"""What a picture costs, by each provider's own formula, and how large a provider delivers it to its model.

Sizes are in pixels. `fitted_by` is the size a provider would make of a picture; sending that size means that what is
announced is what arrives.
"""

from __future__ import annotations

from math import floor, sqrt

from eyeline.model.geometry import Size
from eyeline.model.route import TokenFormula, TokenRule


def image_tokens(size: Size, rule: TokenRule) -> int | None:
    """Tokens of one picture of this size; `None` where the provider publishes no formula."""
    if rule.formula is TokenFormula.UNKNOWN:
        return None
    if rule.formula is TokenFormula.FIXED:
        return rule.base_tokens
    if rule.formula is TokenFormula.SMALL_OR_TILES:
        return rule.tile_tokens * (1 if size.long_edge <= rule.edge_px else _units(size, rule))
    units = _units(fitted_by(rule, size), rule)
    if rule.formula is TokenFormula.TILES:
        return rule.base_tokens + rule.tile_tokens * units
    return -(-units * rule.unit_tokens_percent // 100)


def text_tokens(text: str, rule: TokenRule) -> int:
    """Tokens that a text is taken for: its UTF-8 bytes by a fixed number, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // rule.text_bytes_per_token)


def fitted_by(rule: TokenRule, size: Size) -> Size:
    """The size a provider makes of a picture before its model gets it; never larger than the picture."""
    if rule.formula is TokenFormula.PADDED_PATCHES:
        return _padded_patches(size, rule)
    if rule.formula is TokenFormula.SHRUNK_PATCHES:
        return _shrunk_patches(within(size, rule.edge_px), rule)
    if rule.formula is TokenFormula.TILES:
        return _short_side(within(size, rule.edge_px), rule.short_side_px)
    return size


def within(size: Size, edge_px: int) -> Size:
    """A size scaled down to a longer edge, its shape kept; 0 is no bound."""
    if not edge_px or size.long_edge <= edge_px:
        return size
    return _scaled(size, edge_px / size.long_edge)


def _scaled(size: Size, factor: float) -> Size:
    return Size(max(1, round(size.width_px * factor)), max(1, round(size.height_px * factor)))


def _short_side(size: Size, short_side_px: int) -> Size:
    shorter = min(size.width_px, size.height_px)
    return size if not short_side_px or shorter <= short_side_px else _scaled(size, short_side_px / shorter)


def _units(size: Size, rule: TokenRule) -> int:
    """Patches or tiles that begin inside a picture."""
    return -(-size.width_px // rule.unit_px) * -(-size.height_px // rule.unit_px)


def _padded_patches(size: Size, rule: TokenRule) -> Size:
    """The largest size of the same shape whose sides, rounded up to whole patches, keep edge and number."""

    def keeps(candidate: Size) -> bool:
        padded_px = -(-candidate.long_edge // rule.unit_px) * rule.unit_px
        return (not rule.edge_px or padded_px <= rule.edge_px) and _units(candidate, rule) <= rule.max_units

    if keeps(size):
        return size
    low, high = 1, size.long_edge
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(_with_long_edge(size, middle)) else (low, middle)
    return _with_long_edge(size, low)


def _with_long_edge(size: Size, long_px: int) -> Size:
    short_px = max(1, round(long_px * min(size.width_px, size.height_px) / size.long_edge))
    return Size(long_px, short_px) if size.width_px >= size.height_px else Size(short_px, long_px)


def _shrunk_patches(size: Size, rule: TokenRule) -> Size:
    """Shrunk to the area of the patches allowed, then a little more, so that one side is whole patches."""
    if not rule.max_units or _units(size, rule) <= rule.max_units:
        return size
    unit = rule.unit_px
    shrink = sqrt(unit * unit * rule.max_units / size.pixels)
    across, down = size.width_px * shrink / unit, size.height_px * shrink / unit
    shrink *= min(max(1, floor(across)) / across, max(1, floor(down)) / down)
    # A hair above the whole number that is meant would begin another row of patches.
    width, height = floor(size.width_px * shrink + 1e-6), floor(size.height_px * shrink + 1e-6)
    return Size(max(1, width), max(1, height))
