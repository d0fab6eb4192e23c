"""What every catalogue promises about forgetting and about blobs that come and go, as tests.

Use it as `eyeline.testing.catalog_contract` is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.catalog.records import PIN_LOST, BlobState, RecordedVersion
from eyeline.model.digest import Digest
from eyeline.model.document import DEFAULT_COLLECTION, Admission, AdmissionOutcome
from eyeline.testing.catalog_samples import (
    NOW,
    ROUTE,
    blob,
    claimed,
    code_of,
    convert,
    error_of,
    found,
    key_for,
    passages,
    pinned,
    reading_of,
    take_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.catalog.catalog import Catalog
    from eyeline.model.document import Representation


def reason_of(call: Callable[[], object]) -> object:
    """The `reason` that an error names, if there is an error."""
    error = error_of(call)
    return None if error is None else error.detail.get("reason")


def admit(catalog: Catalog, recorded: RecordedVersion) -> None:
    """Record that a version's bytes were decoded."""
    content = recorded.version.content.digest
    catalog.set_admission(Admission(content, "policy/1", AdmissionOutcome.ADMITTED, "pdfium 1", NOW))


def blobs_of(made: Representation) -> list[Digest]:
    """Every blob of a representation."""
    return [made.manifest.digest, *(asset.content.digest for asset in made.assets)]


class _Opened:
    """Opens what a subclass says."""

    def open_catalog(self) -> Catalog:
        """The database of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the database")


class ForgetContract(_Opened):
    """A forgotten version is unknown at once; what others need stays."""

    def test_a_forgotten_version_is_unknown_and_so_is_all_that_only_it_needed(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf", place="/srv/in/a.pdf")
            admit(catalog, recorded)
            made = convert(catalog, recorded, texts=["ancient words"])
            version_id, content = recorded.version.version_id, recorded.version.content.digest
            (left,) = catalog.forget_versions([version_id], now_ms=NOW)
            assert (left.version_id, left.content, left.reference, left.is_open) == (
                version_id,
                content,
                "a.pdf",
                True,
            )
            assert catalog.version(version_id) is None
            assert catalog.document(recorded.document.doc_id) is None
            assert catalog.place_of(recorded.document.doc_id) is None
            assert catalog.representation(made.representation_id) is None
            assert catalog.representation_by_key(made.conversion_key) is None
            assert catalog.conversion(made.conversion_key) is None
            assert catalog.admission(content, "policy/1") is None
            assert not catalog.knows(content)
            assert (found(catalog, "words"), found(catalog, "a.pdf"), found(catalog, "")) == ([], [], [])
            assert {catalog.blob_state(each) for each in [content, *blobs_of(made)]} == {BlobState.DELETING}

    def test_bytes_go_once_nothing_names_them_and_their_records_with_them(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            made = convert(catalog, recorded, texts=["words"])
            other = take_in(catalog, "b.pdf")
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)
            gone: list[Digest] = []
            assert catalog.release_blobs(gone.append) == 4
            assert sorted(gone) == sorted([recorded.version.content.digest, *blobs_of(made)])
            assert {catalog.blob_state(each) for each in gone} == {None}
            assert catalog.blob_state(other.version.content.digest) is BlobState.STORED
            assert catalog.release_blobs(gone.append) == 0

    def test_bytes_that_cannot_go_stay_on_their_way_out(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            content = recorded.version.content.digest
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)

            def refuse(digest: Digest) -> None:
                raise OSError(28, f"no space to delete {digest}")

            assert code_of(lambda: catalog.release_blobs(refuse)) == "store_error"
            assert catalog.blob_state(content) is BlobState.DELETING
            assert catalog.release_blobs(lambda _: None) == 1

    def test_another_version_with_the_same_bytes_keeps_them_and_its_reading(self) -> None:
        with self.open_catalog() as catalog:
            first = take_in(catalog, "a.pdf", data=b"same")
            twin = take_in(catalog, "b.pdf", data=b"same", collection="other")
            admit(catalog, first)
            shared = convert(catalog, first, texts=["shared words"])
            catalog.make_current(twin.version.version_id, shared.representation_id)
            own = convert(catalog, first, texts=["own words"], take=2)
            catalog.forget_versions([first.version.version_id], now_ms=NOW)
            assert found(catalog, "shared") == ["b.pdf#page=1"]
            assert catalog.current_representation(twin.version.version_id) == shared
            assert catalog.representation(own.representation_id) is None
            assert catalog.representation_by_key(shared.conversion_key) == shared
            assert catalog.representation_by_key(own.conversion_key) is None
            assert catalog.admission(Digest.of(b"same"), "policy/1") is not None
            gone: list[Digest] = []
            catalog.release_blobs(gone.append)
            assert sorted(gone) == sorted(blobs_of(own))

    def test_the_newest_version_left_is_current_from_then_on(self) -> None:
        with self.open_catalog() as catalog:
            old, new = take_in(catalog, "a.pdf", data=b"old"), take_in(catalog, "a.pdf", data=b"new")
            doc_id = old.document.doc_id
            catalog.forget_versions([new.version.version_id], now_ms=NOW)
            document = catalog.document(doc_id)
            assert document is not None
            assert document.current_version_id == old.version.version_id
            assert found(catalog, "a.pdf") == ["a.pdf"]
            catalog.release_blobs(lambda _: None)
            take_in(catalog, "a.pdf", data=b"new")
            catalog.forget_versions([old.version.version_id], now_ms=NOW)
            document = catalog.document(doc_id)
            assert document is not None
            assert document.current_version_id == new.version.version_id

    def test_what_is_unknown_leaves_no_tombstone(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            version_id = recorded.version.version_id
            assert len(catalog.forget_versions(["ver_1", version_id, version_id], now_ms=NOW)) == 1
            assert catalog.forget_versions([version_id], now_ms=NOW) == ()

    def test_a_tombstone_loses_its_name_before_it_goes(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            left = catalog.forget_versions([recorded.version.version_id], now_ms=NOW)
            assert catalog.tombstones() == left
            tokens = [each.token for each in left]
            catalog.close_tombstones(tokens)
            assert [(each.is_open, each.reference, each.collection) for each in catalog.tombstones()] == [
                (False, None, None)
            ]
            assert catalog.scrub()
            catalog.end_tombstones(tokens)
            assert catalog.tombstones() == ()

    def test_what_is_taken_in_again_is_there_again(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            convert(catalog, recorded, texts=["words"])
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)
            catalog.release_blobs(lambda _: None)
            again = take_in(catalog, "a.pdf")
            assert again.created_document
            assert again.version.version_id == recorded.version.version_id
            convert(catalog, again, texts=["words"])
            assert found(catalog, "words") == ["a.pdf#page=1"]
            assert catalog.flaws() == ()


class LeavingContract(_Opened):
    """Who pins, who names and who lets go, in every order: nothing that is named ever goes."""

    def test_nobody_pins_or_names_what_is_on_its_way_out(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            content = recorded.version.content
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)
            assert reason_of(lambda: catalog.pin_blobs([content], now_ms=NOW)) == PIN_LOST
            assert reason_of(lambda: admit(catalog, recorded)) == PIN_LOST
            key = key_for(recorded)
            assert reason_of(lambda: catalog.claim_conversion(key, content.digest, route=ROUTE, now_ms=NOW)) == PIN_LOST

    def test_a_pin_does_not_outlive_the_incarnation_it_saw(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf", data=b"same")
            (before,) = catalog.pin_blobs([recorded.version.content], now_ms=NOW)
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)
            catalog.release_blobs(lambda _: None)
            (after,) = catalog.pin_blobs([recorded.version.content], now_ms=NOW)
            assert before != after

            def record() -> None:
                catalog.record_version(
                    collection=DEFAULT_COLLECTION,
                    source_kind=recorded.document.source_kind,
                    reference="a.pdf",
                    title="a.pdf",
                    pin=before,
                    route=ROUTE,
                    place=None,
                    now_ms=NOW,
                )

            assert reason_of(record) == PIN_LOST
            assert catalog.blob_state(recorded.version.content.digest) is BlobState.PINNED

    def test_a_reading_of_bytes_that_were_forgotten_meanwhile_is_not_kept(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            claim = claimed(catalog, recorded)
            made = reading_of(claim)
            pins = pinned(catalog, made)
            catalog.forget_versions([recorded.version.version_id], now_ms=NOW)

            def finish() -> None:
                version_ids = (recorded.version.version_id,)
                catalog.finish_conversion(claim, made, passages=passages(["a"]), pins=pins, version_ids=version_ids)

            assert code_of(finish) == "store_error"
            assert catalog.representation(made.representation_id) is None
            assert catalog.condemn_blobs(blobs_of(made)) == 3
            assert catalog.release_blobs(lambda _: None) == 4

    def test_a_reading_needs_a_pin_for_each_of_its_blobs(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            claim = claimed(catalog, recorded)
            made = reading_of(claim)
            pins = pinned(catalog, made)[1:]

            def finish() -> None:
                version_ids = (recorded.version.version_id,)
                catalog.finish_conversion(claim, made, passages=(), pins=pins, version_ids=version_ids)

            assert code_of(finish) == "invalid_request"

    def test_a_blob_that_something_names_is_never_condemned(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            made = convert(catalog, recorded, texts=["words"])
            named = [recorded.version.content.digest, *blobs_of(made)]
            assert catalog.condemn_blobs(named) == 0
            assert {catalog.blob_state(each) for each in named} == {BlobState.STORED}

    def test_a_pin_holds_a_blob_until_it_is_old(self) -> None:
        with self.open_catalog() as catalog:
            ref = blob(b"bytes")
            catalog.pin_blobs([ref], now_ms=NOW)
            assert catalog.condemn_blobs([ref.digest], before_ms=NOW) == 0
            catalog.pin_blobs([ref], now_ms=NOW + 10)
            assert catalog.condemn_blobs([ref.digest], before_ms=NOW + 10) == 0
            assert catalog.condemn_blobs([ref.digest], before_ms=NOW + 11) == 1

    def test_a_blob_without_a_record_is_condemned_unless_it_has_one_by_now(self) -> None:
        with self.open_catalog() as catalog:
            ref = blob(b"bytes")
            assert catalog.condemn_unknown_blob(ref.digest)
            assert reason_of(lambda: catalog.pin_blobs([ref], now_ms=NOW)) == PIN_LOST
            gone: list[Digest] = []
            catalog.release_blobs(gone.append)
            assert gone == [ref.digest]
            catalog.pin_blobs([ref], now_ms=NOW)
            assert not catalog.condemn_unknown_blob(ref.digest)

    def test_records_of_blobs_come_in_order_and_say_who_names_them(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            made = convert(catalog, recorded, texts=["words"])
            loose = blob(b"loose")
            catalog.pin_blobs([loose], now_ms=NOW + 5)
            all_of_them = catalog.blobs_page()
            assert [each.digest for each in all_of_them] == sorted(each.digest for each in all_of_them)
            kinds = {each.digest: (each.is_original, each.is_derived, each.is_named) for each in all_of_them}
            assert kinds[recorded.version.content.digest] == (True, False, True)
            assert {kinds[each] for each in blobs_of(made)} == {(False, True, True)}
            assert kinds[loose.digest] == (False, False, False)
            first, *rest = all_of_them
            assert catalog.blobs_page(after=first.digest, limit=2) == tuple(rest[:2])
            assert [each.pinned_ms for each in all_of_them if each.digest == loose.digest] == [NOW + 5]

    def test_a_conversion_whose_time_is_over_is_abandoned(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            claim = claimed(catalog, recorded)
            assert catalog.abandoned_conversions(now_ms=NOW) == ()
            (left,) = catalog.abandoned_conversions(now_ms=claim.expires_ms)
            assert left.conversion_key == claim.conversion_key
            catalog.fail_conversion(claim, code="engine_failed", retryable=True)
            assert catalog.abandoned_conversions(now_ms=claim.expires_ms) == ()
