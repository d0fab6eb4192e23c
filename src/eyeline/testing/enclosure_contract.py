"""What every catalogue promises about what came inside what, as tests. Use it as `eyeline.testing.catalog_contract`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.catalog.records import BlobState, CameIn, RecordedVersion
from eyeline.model.digest import Digest
from eyeline.testing.catalog_samples import NOW, code_of, found, take_in

if TYPE_CHECKING:
    from eyeline.catalog.catalog import Catalog


def inside(catalog: Catalog, mail: RecordedVersion, *, name: str, number: int = 1) -> RecordedVersion:
    """Record what a mail encloses."""
    return take_in(catalog, name, came_in=CameIn(mail.version.version_id, number))


class EnclosureContract:
    """Both sides name each other, and what only a forgotten mail brought goes with it."""

    def open_catalog(self) -> Catalog:
        """The database of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the database")

    def test_both_sides_name_each_other_in_the_order_of_the_mail(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            second, first = inside(catalog, mail, name="2.txt", number=2), inside(catalog, mail, name="1.txt")
            held = catalog.enclosures.of(mail.version.version_id)
            assert [(each.number, each.version_id) for each in held] == [
                (1, first.version.version_id),
                (2, second.version.version_id),
            ]
            around = catalog.enclosures.around(second.version.version_id)
            assert around is not None
            assert (around.number, around.doc_id, around.title) == (2, mail.document.doc_id, "a.eml")
            assert catalog.enclosures.around(mail.version.version_id) is None

    def test_the_same_thing_again_changes_nothing(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            inside(catalog, mail, name="1.txt")
            before = catalog.enclosures.of(mail.version.version_id)
            inside(catalog, mail, name="1.txt")
            assert catalog.enclosures.of(mail.version.version_id) == before

    def test_nothing_is_recorded_of_what_came_in_a_mail_that_is_gone(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            catalog.forget_versions([mail.version.version_id], now_ms=NOW)
            assert code_of(lambda: inside(catalog, mail, name="1.txt")) == "version_not_found"
            assert found(catalog, "") == []

    def test_what_only_the_mail_brought_goes_with_it_however_deep(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            inner = inside(catalog, mail, name="inner.eml")
            deep = inside(catalog, inner, name="deep.txt")
            other = take_in(catalog, "other.txt")
            ids = [each.version.version_id for each in (mail, inner, deep)]
            assert catalog.enclosures.going_along(ids[:1]) == tuple(ids[1:])
            left = catalog.forget_versions(ids[:1], now_ms=NOW)
            assert [each.version_id for each in left] == ids
            assert found(catalog, "") == ["other.txt"]
            assert catalog.blob_state(deep.version.content.digest) is BlobState.DELETING
            assert catalog.blob_state(other.version.content.digest) is BlobState.STORED

    def test_what_another_mail_encloses_too_stays_until_that_goes(self) -> None:
        with self.open_catalog() as catalog:
            first, second = take_in(catalog, "a.eml", data=b"1"), take_in(catalog, "a.eml", data=b"2")
            shared = inside(catalog, first, name="shared.txt")
            inside(catalog, second, name="shared.txt", number=3)
            assert catalog.enclosures.going_along([first.version.version_id]) == ()
            catalog.forget_versions([first.version.version_id], now_ms=NOW)
            around = catalog.enclosures.around(shared.version.version_id)
            assert around is not None
            assert (around.version_id, around.number) == (second.version.version_id, 3)
            catalog.forget_versions([second.version.version_id], now_ms=NOW)
            assert found(catalog, "") == []

    def test_what_is_forgotten_alone_leaves_the_mail_and_its_other_enclosures(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            gone, stays = inside(catalog, mail, name="1.txt"), inside(catalog, mail, name="2.txt", number=2)
            catalog.forget_versions([gone.version.version_id], now_ms=NOW)
            held = catalog.enclosures.of(mail.version.version_id)
            assert [each.version_id for each in held] == [stays.version.version_id]

    def test_the_same_bytes_taken_in_by_themselves_stay(self) -> None:
        with self.open_catalog() as catalog:
            mail = take_in(catalog, "a.eml")
            take_in(catalog, "own.txt", data=b"1.txt")
            inside(catalog, mail, name="1.txt")
            catalog.forget_versions([mail.version.version_id], now_ms=NOW)
            assert found(catalog, "") == ["own.txt"]
            assert catalog.blob_state(Digest.of(b"1.txt")) is BlobState.STORED
