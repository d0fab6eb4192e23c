"""The pages of office documents, as a program sets them: kept as a PDF, from which the PDF engine draws pictures."""

from __future__ import annotations

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.previews import page_pictures
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.admission import admit
from eyeline.model.document import BlobRef
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import Coverage, Gap
from eyeline.render.typeset_parts import PAGES
from eyeline.source.held import HeldSource

LANE = "pages"
PDF = MediaType("application/pdf")
WHOLE = Locator()


def typeset(reading: Reading, original: Original, *, bench: Bench) -> None:
    """Add the pages and pictures of them to a reading; without them it stands, and says so."""
    if bench.typesetter is None:
        _gap(reading, "not_configured", "no pages are set: LibreOffice is not here, or nothing shuts it off")
        return
    bench.progress(0, 1, "setting pages")
    try:
        with original.source.open() as source:
            extension = original.content.media_type.extension
            data = bench.typesetter.typeset(source, extension=extension, cancel=bench.cancel)
        pages = _admitted(data, bench)
    except (EngineFailed, MediaError) as exc:
        _gap(reading, "failed", "its pages could not be set", retryable=exc.detail.get("reason") == "timeout")
        return
    count, slides = pages.probe.page_count, original.probe.page_count
    if slides not in (0, count):
        reading.warnings.append(f"pages_differ:{count}:{slides}")
        _gap(reading, "failed", f"it has {slides} slides, and {count} pages came of them")
        return
    reading.coverage.append(Coverage(LANE, "pages", count, count))
    reading.assets.append(AssetDraft(PAGES, data, PDF, WHOLE))
    thumbnails = min(count, bench.max_thumbnails) if count > 1 else 0
    reading.assets += page_pictures(pages, bench=bench, thumbnails=thumbnails)


def _admitted(data: bytes, bench: Bench) -> Original:
    """The pages as an original of their own: what another program wrote is decoded like what came from outside."""
    held = HeldSource(data, name="pages.pdf", media_type=PDF)
    content = BlobRef(held.digest, held.byte_count, PDF)
    decided = admit(content, held.open, pool=bench.pool, limits=bench.limits, now_ms=0, cancel=bench.cancel)
    if decided.probe is None or not decided.probe.page_count:
        raise EngineFailed("the pages that were set cannot be read", reason="crashed")
    return Original(content, held, decided.probe)


def _gap(reading: Reading, code: str, reason: str, *, retryable: bool = False) -> None:
    reading.gaps.append(Gap(LANE, code, WHOLE, retryable=retryable))
    reading.builder.note(f"Gap `{code}`: {reason}.")
