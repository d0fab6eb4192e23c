"""Composing the answer of a batch: texts get their shares, pictures their steps, and what has no room is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from eyeline.model.limits import AnswerLimit, Budget
from eyeline.model.manifest import Part
from eyeline.model.viewing import ViewLimits
from eyeline.operations.viewing.drafting import MediaDraft
from eyeline.operations.viewing.failing import settled
from eyeline.operations.viewing.fitting import Place, fitted, shares
from eyeline.operations.viewing.preparing import Drafted

FRAMING_FREE = 30_000
ITEM_BYTES, PART_BYTES = 800, 1200
"""What the frame of a message has room for, and what the record of an item and the entry of a part take of it."""


@dataclass(slots=True)
class Composed:
    """What one item puts into the answer: its parts, and what had no room or could not be made."""

    parts: list[Part] = field(default_factory=list[Part])
    edge_px: int | None = None
    left_out: list[str] = field(default_factory=list[str])
    has_no_room: bool = False
    error: BaseException | None = None


class Makings:
    """The media of a batch at their steps, each made once, several at a time."""

    def __init__(self, drafts: Sequence[MediaDraft], *, pool: ThreadPoolExecutor) -> None:
        self._drafts = drafts
        self._pool = pool
        self._made: dict[Place, Part | BaseException] = {}

    def weigh(self, places: Sequence[Place]) -> list[int]:
        """Make what is not made yet; the bytes of each, none for what cannot be made."""
        missing = [place for place in places if place not in self._made]
        pending = [self._pool.submit(self._drafts[item].make, step) for item, step in missing]
        self._made.update(zip(missing, map(settled, pending), strict=True))
        return [len(made.bytes) if isinstance(made := self._made[place], Part) else 0 for place in places]

    def at(self, place: Place) -> Part | BaseException:
        """A medium that was weighed, or why it cannot be made."""
        return self._made[place]


@dataclass(frozen=True, slots=True)
class Composing:
    """The bounds an answer is composed within."""

    view: ViewLimits
    answer: AnswerLimit

    def composed(self, drafted: Sequence[Drafted | None], *, pool: ThreadPoolExecutor) -> list[Composed]:
        """One for each item, in order; nothing for an item without a draft."""
        self._shorten([item for item in drafted if item is not None])
        results = [Composed() for _ in drafted]
        self._add_texts(drafted, results, pool=pool)
        self._add_media(drafted, results, pool=pool)
        for place, item in enumerate(drafted):
            if item is not None:
                results[place].parts.sort(key=_in_order)
        return results

    def _shorten(self, drafted: Sequence[Drafted]) -> None:
        """Let the documents with the most pages lose their last ones, until the parts are few enough for one answer."""
        while drafted and sum(item.parts for item in drafted) > self.view.max_parts:
            longest = max(drafted, key=lambda item: item.pages)
            if longest.pages < 2:
                return
            longest.drop_page()

    def _add_texts(
        self, drafted: Sequence[Drafted | None], results: list[Composed], *, pool: ThreadPoolExecutor
    ) -> None:
        """Share the characters of the answer between all texts of the batch."""
        texts = [(place, draft) for place, item in enumerate(drafted) if item for draft in item.texts]
        given = shares([draft.chars for _, draft in texts], allowed=self.answer.max_text_chars)
        pending = [pool.submit(draft.make, chars) for (_, draft), chars in zip(texts, given, strict=True)]
        budget = Budget(self.view.max_inline_bytes)
        for (place, draft), chars, part in zip(texts, given, map(settled, pending), strict=True):
            result = results[place]
            if isinstance(part, BaseException):
                result.error = result.error or part
            elif (draft.chars and not chars) or not budget.fits(len(part.bytes)):
                result.has_no_room = True
            else:
                budget.take(len(part.bytes))
                result.parts.append(part)
                if chars < draft.chars:
                    result.left_out.append(f"the first {chars} of {draft.chars} characters")

    def _add_media(
        self, drafted: Sequence[Drafted | None], results: list[Composed], *, pool: ThreadPoolExecutor
    ) -> None:
        """Let pictures step down until all fit, then leave out pages from the end, then whole items."""
        media = [(place, draft) for place, item in enumerate(drafted) if item for draft in item.media]
        makings = Makings([draft for _, draft in media], pool=pool)
        texts = sum(len(result.parts) for result in results)
        allowed = self._media_bytes(results, items=len(drafted), parts=texts + len(media))
        steps, weights = fitted([draft.ladder for _, draft in media], allowed=allowed, weigh=makings.weigh)
        kept = _kept([place for place, _ in media], weights, allowed=allowed)
        for medium, (place, draft) in enumerate(media):
            result, made = results[place], makings.at((medium, steps[medium]))
            if isinstance(made, BaseException):
                result.error = result.error or made
                result.left_out.append("a picture that cannot be drawn is left out")
            elif medium not in kept:
                result.has_no_room = True
            else:
                result.parts.append(made)
                edge_px = draft.edges[steps[medium]]
                result.edge_px = min(filter(None, (edge_px, result.edge_px)), default=None)

    def _media_bytes(self, results: list[Composed], *, items: int, parts: int) -> int:
        """What pictures and sounds may have together: what both budgets leave once records and entries have room."""
        texts = sum(len(part.bytes) for result in results for part in result.parts)
        framing = max(0, ITEM_BYTES * items + PART_BYTES * parts - FRAMING_FREE)
        return max(0, min(self.answer.max_media_bytes - framing * 3 // 4, self.view.max_inline_bytes - texts))


def _kept(places: Sequence[int], weights: Sequence[int], *, allowed: int) -> set[int]:
    """Which media stay, where even the smallest of all are too many.

    Documents with several pages lose the last ones first; then items are taken in their order, where they still fit.
    """
    by_item: dict[int, list[int]] = {}
    for medium, place in enumerate(places):
        by_item.setdefault(place, []).append(medium)
    left = sum(weights)
    while by_item and left > allowed:
        longest = max(by_item.values(), key=len)
        if len(longest) < 2:
            break
        left -= weights[longest.pop()]
    kept: set[int] = set()
    for media in by_item.values():
        weight = sum(weights[medium] for medium in media)
        if weight <= allowed:
            allowed -= weight
            kept.update(media)
    return kept


def _in_order(part: Part) -> tuple[int, int]:
    """By page, and on each the picture before its text."""
    entry = part.entry
    return (entry.locator.page or 0, 1 if entry.content_kind.value == "text" else 0)


def spent(parts: Iterable[Part]) -> int:
    """The bytes of some parts together."""
    return sum(len(part.bytes) for part in parts)
