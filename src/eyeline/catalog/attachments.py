"""Which attachments there are, who needs them, and which objects they take. Their bytes are kept elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from eyeline import wire
from eyeline.catalog.database import Database, Writing
from eyeline.catalog.records import KeptObject, SavedAttachment
from eyeline.catalog.rows import Record, columns, kept
from eyeline.catalog.schema import attachment_holds as holds
from eyeline.catalog.schema import attachment_objects as objects
from eyeline.catalog.schema import attachments
from eyeline.model.attachment import AttachmentEntry, AttachmentRef, FileRef, ImageRef
from eyeline.model.digest import Digest

PAGE = 500


class AttachmentIndex:
    """Records of attachments. Each method is one transaction; `StoreError` and `IntegrityError` as the catalogue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, saved: Sequence[SavedAttachment], *, now_ms: int, holder: str | None = None) -> None:
        """Record attachments whose objects are in their places; what is recorded already was saved again now.

        With a `holder`, somebody needs them from then on.
        """
        with self._database.writing() as writing:
            for each in saved:
                _save(writing, each, now_ms)
                if holder is not None:
                    _hold(writing, holder, reference_of(each.ref))

    def hold(self, holder: str, saved: Sequence[SavedAttachment], *, now_ms: int) -> None:
        """Say that somebody needs attachments; those that are not recorded are recorded now."""
        with self._database.writing() as writing:
            for each in saved:
                key = reference_of(each.ref)
                if writing.connection.scalar(select(attachments.c.reference).where(_is(key))) is None:
                    _save(writing, each, now_ms)
                _hold(writing, holder, key)

    def release(self, holder: str, refs: Sequence[AttachmentRef] | None) -> int:
        """Say that somebody needs some attachments, or any, no more; how many that were."""
        with self._database.writing() as writing:
            gone = delete(holds).where(holds.c.holder == holder)
            if refs is not None:
                gone = gone.where(holds.c.reference.in_([reference_of(ref).hex for ref in refs]))
            return writing.connection.execute(gone).rowcount

    def holders(self, ref: AttachmentRef) -> tuple[str, ...]:
        """Who says to need an attachment."""
        with self._database.reading() as connection:
            return _holders(connection, reference_of(ref).hex)

    def entries(self) -> Iterator[AttachmentEntry]:
        """Every attachment, by when it was last saved, the latest last."""
        after = (-1, "")
        while page := self._page(after):
            for row in page:
                yield row[1]
            after = page[-1][0]

    def has(self, ref: AttachmentRef) -> bool:
        """Whether this very reference is recorded, with its name."""
        with self._database.reading() as connection:
            found = select(attachments.c.reference).where(_is(reference_of(ref)))
            return connection.scalar(found) is not None

    def made_at(self, place: str) -> tuple[ImageRef, ...]:
        """The pictures whose object is at a place, and was made from an upload elsewhere; one for each upload."""
        question = columns(attachments.c.record).where(attachments.c.object == place, attachments.c.upload != place)
        with self._database.reading() as connection:
            found = connection.execute(question.group_by(attachments.c.upload).order_by(attachments.c.upload))
            return tuple(ref for row in found if isinstance(ref := _ref_of(row), ImageRef))

    def known(self, places: Iterable[str]) -> frozenset[str]:
        """Those of some places that an object is recorded for."""
        with self._database.reading() as connection:
            return frozenset(connection.scalars(select(objects.c.place).where(objects.c.place.in_(list(places)))))

    def objects(self) -> Iterator[KeptObject]:
        """Every recorded object, by its place."""
        after = ""
        while True:
            question = columns(*objects.c).where(objects.c.place > after).order_by(objects.c.place).limit(PAGE)
            with self._database.reading() as connection:
                page = [_object_of(row) for row in connection.execute(question)]
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].place

    def keeps(self, digest: Digest) -> bool:
        """Whether an object with this digest is recorded."""
        with self._database.reading() as connection:
            return connection.scalar(select(objects.c.place).where(objects.c.digest == digest.hex).limit(1)) is not None

    def usage(self) -> tuple[int, int, int]:
        """How many attachments and objects there are, and the bytes of the objects."""
        with self._database.reading() as connection:
            count = connection.scalar(select(func.count()).select_from(attachments)) or 0
            found = connection.execute(columns(func.count(), func.coalesce(func.sum(objects.c.byte_count), 0))).one()
            return count, int(found[0]), int(found[1])

    def forget(self, ref: AttachmentRef) -> bool:
        """Remove the record of an attachment that nobody holds; false where there is none, or somebody does."""
        with self._database.writing() as writing:
            return _remove(writing, _is(reference_of(ref))) > 0

    def forget_unheld(self, *, before_ms: int) -> int:
        """Remove the records of attachments that nobody holds and that were last saved before an instant; how many."""
        with self._database.writing() as writing:
            return _remove(writing, attachments.c.saved_ms < before_ms)

    def unneeded(self) -> tuple[KeptObject, ...]:
        """Objects that no attachment needs."""
        needed = select(attachments.c.reference).where(
            or_(attachments.c.object == objects.c.place, attachments.c.upload == objects.c.place)
        )
        with self._database.reading() as connection:
            found = connection.execute(columns(*objects.c).where(~needed.exists()).order_by(objects.c.place))
            return tuple(_object_of(row) for row in found)

    def forget_objects(self, places: Iterable[str]) -> None:
        """Remove the records of objects whose bytes are gone."""
        with self._database.writing() as writing:
            for place in places:
                writing.connection.execute(delete(objects).where(objects.c.place == place))

    def _page(self, after: tuple[int, str]) -> list[tuple[tuple[int, str], AttachmentEntry]]:
        at_ms, reference = after
        later = or_(
            attachments.c.saved_ms > at_ms,
            (attachments.c.saved_ms == at_ms) & (attachments.c.reference > reference),
        )
        question = columns(attachments.c.reference, attachments.c.record, attachments.c.saved_ms).where(later)
        with self._database.reading() as connection:
            rows = connection.execute(
                question.order_by(attachments.c.saved_ms, attachments.c.reference).limit(PAGE)
            ).all()
            return [
                (
                    (row.saved_ms, row.reference),
                    AttachmentEntry(_ref_of(row), row.saved_ms, _holders(connection, row.reference)),
                )
                for row in rows
            ]


def reference_of(ref: AttachmentRef) -> Digest:
    """The name a reference is recorded under: the digest of its portable form."""
    return Digest.of(wire.dumps(ref).encode())


def _is(reference: Digest) -> ColumnElement[bool]:
    return attachments.c.reference == reference.hex


def _save(writing: Writing, saved: SavedAttachment, now_ms: int) -> None:
    for each in {saved.object, saved.upload}:
        values = {"place": each.place, "digest": each.digest.hex, "byte_count": each.byte_count}
        writing.add_missing(objects, values, key=["place"])
    values = {
        "reference": reference_of(saved.ref).hex,
        "object": saved.object.place,
        "upload": saved.upload.place,
        "record": wire.dumps(saved.ref),
        "saved_ms": now_ms,
    }
    writing.put(attachments, values, key=["reference"])


def _hold(writing: Writing, holder: str, reference: Digest) -> None:
    writing.add_missing(holds, {"holder": holder, "reference": reference.hex}, key=["holder", "reference"])


def _remove(writing: Writing, which: ColumnElement[bool]) -> int:
    held = select(holds.c.reference).where(holds.c.reference == attachments.c.reference)
    return writing.connection.execute(delete(attachments).where(which, ~held.exists())).rowcount


def _holders(connection: Connection, reference: str) -> tuple[str, ...]:
    found = select(holds.c.holder).where(holds.c.reference == reference).order_by(holds.c.holder)
    return tuple(connection.scalars(found))


def _parsed(row: Record) -> AttachmentRef:
    kind = FileRef if '"kind":"file"' in row.record else ImageRef
    return wire.loads(kind, row.record)


_ref_of: Callable[[Record], AttachmentRef] = kept(_parsed)
_object_of: Callable[[Record], KeptObject] = kept(lambda row: KeptObject(row.place, Digest(row.digest), row.byte_count))
