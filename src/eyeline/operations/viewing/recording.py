"""The report of a batch: one record for each item that was asked for, the manifest of all parts, and both counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyeline.model.manifest import Part
from eyeline.model.probe import Probe
from eyeline.model.viewing import Spent, ViewCode, Viewed, ViewLimits, ViewRecord, ViewReport, ViewStatus
from eyeline.operations.viewing.arriving import Left
from eyeline.operations.viewing.composing import Composed, spent
from eyeline.operations.viewing.failing import failed
from eyeline.operations.viewing.preparing import Drafted
from eyeline.operations.viewing.reading import Arrived

_NO_ROOM = Left(
    ViewStatus.SKIPPED,
    ViewCode.OVER_ANSWER,
    "this answer has no room for it",
    hint="view it in a call of its own",
)


@dataclass(frozen=True, slots=True)
class _Item:
    arrived: Arrived
    drafted: Drafted | Left
    composed: Composed

    def outcome(self) -> Left:
        """Status, code and sentence of an item."""
        if isinstance(self.drafted, Left):
            return self.drafted
        composed = self.composed
        if not composed.parts:
            return _NO_ROOM if composed.error is None else failed(composed.error, name=self.arrived.name)
        left_out = [*self._pages(self.drafted), *self.drafted.left_out, *composed.left_out]
        if composed.has_no_room:
            left_out.append("what this answer has room for")
        if not left_out:
            return Left(ViewStatus.INLINED, ViewCode.SHOWN, self._scaled() or "in full")
        hint = "for the rest, have it taken in with `eyeline ingest` and open the part with source_open"
        return Left(ViewStatus.INLINED, ViewCode.SHOWN_IN_PART, "; ".join(left_out), hint=hint)

    def _scaled(self) -> str | None:
        """How much smaller a picture is than its source, where it is."""
        scales = [part.entry.scale for part in self.composed.parts if part.entry.scale is not None]
        if len(scales) != 1 or scales[0].factor_x <= 1 or self.drafted_pages:
            return None
        return f"the whole, scaled from {scales[0].source} to {scales[0].delivered} pixels"

    @property
    def drafted_pages(self) -> int:
        """How many pages of a document stand in it; they are drawn at any size."""
        return self.drafted.pages if isinstance(self.drafted, Drafted) else 0

    def _pages(self, drafted: Drafted) -> list[str]:
        """Which pages of a document are there, where some are not."""
        shown, count = drafted.pages, 0 if drafted.probe is None else drafted.probe.page_count
        if not drafted.pages or shown == count:
            return []
        return [f"page 1 of {count}" if shown == 1 else f"pages 1 to {shown} of {count}"]

    def record(self, index: int, *, place: int) -> ViewRecord:
        """The record of an item whose first part stands at a place of the manifest, from 0."""
        arrived, composed, outcome = self.arrived, self.composed, self.outcome()
        probe = self.drafted.probe if isinstance(self.drafted, Drafted) else None
        changed = ("changed_while_read",) if arrived.has_changed else ()
        own = self.drafted.notes if isinstance(self.drafted, Drafted) else ()
        record = ViewRecord(
            index=index,
            source=arrived.name,
            status=outcome.status,
            code=str(outcome.code),
            message=outcome.message,
            hint=outcome.hint,
            media_type=arrived.media_type,
            byte_count=arrived.byte_count,
            inlined_bytes=spent(composed.parts),
            digest=None if arrived.source is None else arrived.source.digest,
            edge_px=composed.edge_px,
            parts=tuple(range(place + 1, place + 1 + len(composed.parts))),
            retryable=outcome.retryable,
            notes=(*arrived.notes, *changed, *own, *(() if probe is None else probe.notes)),
        )
        return record if probe is None else _with_facts(record, probe)


def reported(
    asked: Sequence[str],
    *,
    arrived: Sequence[Arrived],
    drafted: Sequence[Drafted | Left],
    composed: Sequence[Composed],
    read: int,
    view: ViewLimits,
) -> Viewed:
    """The whole answer. `arrived`, `drafted` and `composed` are of the distinct texts in `asked`, in their order."""
    records: list[ViewRecord] = []
    parts: list[Part] = []
    first: dict[str, ViewRecord] = {}
    items = (_Item(*item) for item in zip(arrived, drafted, composed, strict=True))
    for index, text in enumerate(asked, 1):
        same = first.get(text)
        if same is not None:
            records.append(replace(same, index=index, same_as=same.index, inlined_bytes=0))
            continue
        item = next(items)
        first[text] = item.record(index, place=len(parts))
        records.append(first[text])
        parts += item.composed.parts
    inlined = spent(parts)
    report = ViewReport(
        items=tuple(records),
        read=Spent(view.max_read_bytes, read, view.max_read_bytes - read),
        inlined=Spent(view.max_inline_bytes, inlined, view.max_inline_bytes - inlined),
        content_manifest=tuple(part.entry for part in parts),
    )
    return Viewed(report, tuple(parts))


def _with_facts(record: ViewRecord, probe: Probe) -> ViewRecord:
    """What decoding found out of an item."""
    return replace(
        record,
        size=probe.size,
        pages=probe.page_count or None,
        frames=probe.frames if probe.frames > 1 and not probe.frames_are_pages else None,
        duration_ms=probe.duration_ms,
        chars=probe.chars,
    )
