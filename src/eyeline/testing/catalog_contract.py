"""What a catalogue promises on every database, as tests. A database's own test module subclasses `CatalogContract`:

    class TestMyCatalog(CatalogContract):
        def open_catalog(self) -> Catalog: ...

Any runner that calls the methods named `test_*` on a fresh instance, each with an empty database, will do.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from eyeline.catalog.records import BlobState, Claim, ConversionState, RecordedVersion
from eyeline.model.digest import Digest
from eyeline.model.document import DEFAULT_COLLECTION, Admission, AdmissionOutcome
from eyeline.model.geometry import Size
from eyeline.model.ids import document_id, version_id
from eyeline.model.probe import PageSize, Probe
from eyeline.testing.catalog_samples import (
    MARKDOWN,
    NOW,
    PDF,
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
    from eyeline.catalog.catalog import Catalog


class _Opened:
    """Opens what a subclass says."""

    def open_catalog(self) -> Catalog:
        """The database of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the database")


class DocumentContract(_Opened):
    """Blobs, documents, versions, and finding them by name and content."""

    def test_taking_the_same_thing_in_twice_changes_nothing(self) -> None:
        with self.open_catalog() as catalog:
            first, second = take_in(catalog, "a.pdf"), take_in(catalog, "a.pdf")
            assert (first.created_document, first.created_version, first.was_current) == (True, True, False)
            assert (second.created_document, second.created_version, second.was_current) == (False, False, True)
            assert (first.document, first.version) == (second.document, second.version)
            assert [entry.document for entry in catalog.list_documents().entries] == [first.document]

    def test_ids_follow_from_what_they_name(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "in/a.pdf", data=b"bytes")
            doc_id = document_id(DEFAULT_COLLECTION, "path", "in/a.pdf")
            assert recorded.document.doc_id == doc_id
            assert recorded.version.version_id == version_id(doc_id, Digest.of(b"bytes"))
            assert catalog.document(doc_id) == recorded.document
            assert catalog.version(recorded.version.version_id) == recorded.version
            assert recorded.version.content == blob(b"bytes")

    def test_other_bytes_are_a_new_version_and_bytes_that_come_back_the_old_one(self) -> None:
        with self.open_catalog() as catalog:
            old, new = take_in(catalog, "a.pdf", data=b"old"), take_in(catalog, "a.pdf", data=b"new")
            assert (new.created_document, new.created_version) == (False, True)
            assert new.document.current_version_id == new.version.version_id
            back = take_in(catalog, "a.pdf", data=b"old")
            assert (back.created_version, back.was_current) == (False, False)
            assert back.document.current_version_id == old.version.version_id
            assert set(catalog.versions_of(old.document.doc_id)) == {old.version, new.version}

    def test_what_is_found_out_anew_replaces_what_was_said_before(self) -> None:
        with self.open_catalog() as catalog:
            take_in(catalog, "a.txt", data=b"same", title="first", media_type=PDF)
            again = take_in(catalog, "a.txt", data=b"same", title="second", media_type=MARKDOWN)
            assert (again.document.title, again.version.content.media_type) == ("second", MARKDOWN)
            assert (found(catalog, "first"), found(catalog, "second")) == ([], ["a.txt"])

    def test_a_place_is_kept_to_itself_and_a_change_of_place_is_said(self) -> None:
        with self.open_catalog() as catalog:
            odd = "/srv/in/\udcff.pdf"
            recorded = take_in(catalog, "a.pdf", place="/srv/other/a.pdf")
            assert not recorded.moved
            assert take_in(catalog, "a.pdf", place=odd).moved
            assert not take_in(catalog, "a.pdf", place=None).moved
            assert catalog.place_of(recorded.document.doc_id) == odd
            assert catalog.place_of("doc_nobody") is None

    def test_what_is_not_there_is_none(self) -> None:
        with self.open_catalog() as catalog:
            assert (catalog.document("doc_1"), catalog.version("ver_1"), catalog.representation("rep_1")) == (None,) * 3
            assert catalog.current_representation("ver_1") is None
            assert catalog.versions_of("doc_1") == ()
            assert catalog.blob_state(Digest.of(b"")) is None

    def test_a_name_is_a_reference_first_and_a_title_second(self) -> None:
        with self.open_catalog() as catalog:
            by_reference, by_title = take_in(catalog, "a.pdf"), take_in(catalog, "in/b.pdf", title="Report")
            take_in(catalog, "in/c.pdf", title="a.pdf")
            assert catalog.document_named("a.pdf") == by_reference.document
            assert catalog.document_named("Report") == by_title.document
            assert catalog.document_named("report") is None

    def test_a_name_that_several_documents_have_lists_them(self) -> None:
        with self.open_catalog() as catalog:
            ids = sorted(take_in(catalog, f"{folder}/a.pdf").document.doc_id for folder in "xy")
            error = error_of(lambda: catalog.document_named("a.pdf"))
            assert error is not None
            assert (error.code, error.detail["candidates"]) == ("ambiguous_name", ids)

    def test_what_lies_in_other_collections_is_not_known(self) -> None:
        with self.open_catalog() as catalog:
            secret = take_in(catalog, "a.pdf", data=b"same", collection="secret")
            here = frozenset({DEFAULT_COLLECTION})
            assert not catalog.knows(Digest.of(b"same"), collections=here)
            assert catalog.versions_with(Digest.of(b"same"), collections=here) == ()
            assert catalog.document_named("a.pdf", collections=here) is None
            assert catalog.knows(Digest.of(b"same"))
            open_one = take_in(catalog, "b.pdf", data=b"same")
            assert catalog.versions_with(Digest.of(b"same"), collections=here) == (open_one.version,)
            assert set(catalog.versions_with(Digest.of(b"same"))) == {secret.version, open_one.version}
            assert not catalog.knows(Digest.of(b"same"), collections=frozenset())

    def test_a_blob_is_pinned_before_it_is_stored(self) -> None:
        with self.open_catalog() as catalog:
            ref = blob(b"a.pdf")
            catalog.pin_blobs([ref, ref], now_ms=NOW)
            assert catalog.blob_state(ref.digest) is BlobState.PINNED
            take_in(catalog, "a.pdf")
            assert catalog.blob_state(ref.digest) is BlobState.STORED
            catalog.pin_blobs([ref], now_ms=NOW)
            assert catalog.blob_state(ref.digest) is BlobState.STORED

    def test_a_blob_of_another_size_than_recorded_is_an_integrity_error(self) -> None:
        with self.open_catalog() as catalog:
            ref = blob(b"bytes")
            catalog.pin_blobs([ref], now_ms=NOW)
            other = replace(ref, byte_count=4)
            assert code_of(lambda: catalog.pin_blobs([other], now_ms=NOW)) == "integrity_error"

    def test_text_that_is_not_unicode_is_refused_by_type(self) -> None:
        with self.open_catalog() as catalog:
            assert code_of(lambda: take_in(catalog, "\udcff.pdf", data=b"bytes")) == "invalid_request"
            assert code_of(lambda: catalog.document_named("\udcff.pdf")) == "invalid_request"
            assert catalog.list_documents().entries == ()

    def test_grants_are_per_principal_and_collection(self) -> None:
        with self.open_catalog() as catalog:
            for collection in ("b", "a", "b"):
                catalog.grant("token:1", collection=collection)
            assert catalog.granted("token:1") == {"a", "b"}
            assert catalog.granted("token:2") == frozenset()

    def test_records_are_there_when_the_catalogue_is_opened_again(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
        with self.open_catalog() as catalog:
            assert catalog.document(recorded.document.doc_id) == recorded.document

    def test_threads_share_one_catalogue(self) -> None:
        with self.open_catalog() as catalog, ThreadPoolExecutor(8) as threads:

            def take(index: int) -> RecordedVersion:
                return take_in(catalog, f"{index % 10}.pdf")

            assert len(set(threads.map(take, range(40)))) > 1
            assert len(catalog.list_documents().entries) == 10


class ConversionContract(_Opened):
    """Admissions, conversions and representations."""

    def test_an_admission_is_kept_per_policy_with_its_probe(self) -> None:
        probe = Probe(PDF, size=Size(10, 20), pages=(PageSize(3, 595.2, 842.0),), notes=("odd",))
        with self.open_catalog() as catalog:
            content = take_in(catalog, "a.pdf").version.content.digest
            first = Admission(content, "policy/1", AdmissionOutcome.ADMITTED, "pdfium 1", NOW, probe=probe)
            second = Admission(content, "policy/2", AdmissionOutcome.CRASHED, "pdfium 2", NOW, "signal 11")
            catalog.set_admission(first)
            catalog.set_admission(second)
            assert catalog.admission(content, "policy/1") == first
            assert catalog.admission(content, "policy/2") == second
            assert catalog.admission(content, "policy/3") is None
            catalog.set_admission(replace(second, outcome=AdmissionOutcome.ADMITTED, reason=None))
            again = catalog.admission(content, "policy/2")
            assert again is not None
            assert again.outcome is AdmissionOutcome.ADMITTED

    def test_an_admission_of_a_blob_that_is_not_recorded_is_refused(self) -> None:
        nobody = Admission(Digest.of(b"?"), "policy/1", AdmissionOutcome.ADMITTED, "pdfium", NOW)
        with self.open_catalog() as catalog:
            assert code_of(lambda: catalog.set_admission(nobody)) == "store_error"

    def test_a_finished_conversion_is_whole_and_current(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            assert catalog.current_representation(recorded.version.version_id) is None
            made = convert(catalog, recorded, texts=["one", "two"])
            assert catalog.representation(made.representation_id) == made
            assert catalog.current_representation(recorded.version.version_id) == made
            assert catalog.representation_by_key(made.conversion_key) == made
            conversion = catalog.conversion(made.conversion_key)
            assert conversion is not None
            assert (conversion.state, conversion.representation_id) == (ConversionState.DONE, made.representation_id)
            assert {catalog.blob_state(asset.content.digest) for asset in made.assets} == {BlobState.STORED}

    def test_one_look_at_a_version_sees_what_each_question_about_it_answers(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            version_id, content = recorded.version.version_id, recorded.version.content.digest
            bare = catalog.sight(version_id, policy="policy/1")
            assert bare is not None
            assert (bare.document, bare.version) == (recorded.document, recorded.version)
            assert (bare.admission, bare.representation, bare.stored) == (None, None, True)
            admission = Admission(content, "policy/1", AdmissionOutcome.ADMITTED, "pdfium 1", NOW)
            catalog.set_admission(admission)
            made = convert(catalog, recorded, texts=["words"])
            seen = catalog.sight(version_id, policy="policy/1")
            assert seen is not None
            assert (seen.admission, seen.representation) == (admission, made)
            other = catalog.sight(version_id, policy="policy/2")
            assert other is not None
            assert other.admission is None
            catalog.forget_versions([version_id], now_ms=NOW)
            assert catalog.sight(version_id, policy="policy/1") is None

    def test_a_new_reading_becomes_current_and_the_old_one_stays(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            old = convert(catalog, recorded, texts=["ancient words"])
            new = convert(catalog, recorded, texts=["modern words"], take=2)
            assert catalog.current_representation(recorded.version.version_id) == new
            assert catalog.representation(old.representation_id) == old
            content = recorded.version.content.digest
            assert set(catalog.representations_of(content, collection=DEFAULT_COLLECTION)) == {old, new}
            assert (found(catalog, "ancient"), found(catalog, "modern")) == ([], ["a.pdf#page=1"])
            catalog.make_current(recorded.version.version_id, old.representation_id)
            assert (found(catalog, "ancient"), found(catalog, "modern")) == (["a.pdf#page=1"], [])

    def test_a_reading_is_shared_by_versions_of_the_same_bytes_and_by_no_others(self) -> None:
        with self.open_catalog() as catalog:
            first, twin = take_in(catalog, "a.pdf", data=b"same"), take_in(catalog, "b.pdf", data=b"same")
            other = take_in(catalog, "c.pdf")
            made = convert(catalog, first, texts=["words"])
            catalog.make_current(twin.version.version_id, made.representation_id)
            assert catalog.current_representation(twin.version.version_id) == made
            assert sorted(found(catalog, "words")) == ["a.pdf#page=1", "b.pdf#page=1"]
            refused = code_of(lambda: catalog.make_current(other.version.version_id, made.representation_id))
            assert refused == "representation_mismatch"
            assert code_of(lambda: catalog.make_current("ver_1", made.representation_id)) == "version_not_found"
            assert (
                code_of(lambda: catalog.make_current(other.version.version_id, "rep_1")) == "representation_not_found"
            )

    def test_a_reading_made_in_another_collection_is_not_known_here(self) -> None:
        with self.open_catalog() as catalog:
            secret = take_in(catalog, "a.pdf", data=b"same", collection="secret")
            take_in(catalog, "a.pdf", data=b"same")
            made = convert(catalog, secret, texts=["words"])
            here = frozenset({DEFAULT_COLLECTION})
            assert catalog.representations_of(made.content, collection=DEFAULT_COLLECTION) == ()
            assert catalog.representations_of(made.content, collection="secret") == (made,)
            assert catalog.representation(made.representation_id, collections=here) is None
            assert catalog.representation(made.representation_id, collections=frozenset({"secret"})) == made

    def test_a_conversion_is_claimed_once(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            content, key = recorded.version.content.digest, key_for(recorded)
            assert claimed(catalog, recorded).attempt == 1
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=NOW) is None
            with self.open_catalog() as other:
                assert other.claim_conversion(key, content, route=ROUTE, now_ms=NOW) is None

    def test_many_threads_claim_and_one_gets_it(self) -> None:
        with self.open_catalog() as catalog, ThreadPoolExecutor(8) as threads:
            recorded = take_in(catalog, "a.pdf")
            content, key = recorded.version.content.digest, key_for(recorded)

            def claim(_: int) -> Claim | None:
                return catalog.claim_conversion(key, content, route=ROUTE, now_ms=NOW)

            claims = list(threads.map(claim, range(16)))
            assert len([claim for claim in claims if claim is not None]) == 1

    def test_a_claim_ends_and_a_renewed_one_ends_later(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            content, key = recorded.version.content.digest, key_for(recorded)
            claim = claimed(catalog, recorded)
            late = claim.expires_ms - 1
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=late) is None
            renewed = catalog.renew_claim(claim, now_ms=late)
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=claim.expires_ms) is None
            taken = catalog.claim_conversion(key, content, route=ROUTE, now_ms=renewed.expires_ms)
            assert taken is not None
            assert taken.attempt == 2

    def test_who_lost_a_claim_publishes_nothing(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            lost = claimed(catalog, recorded)
            held = claimed(catalog, recorded, now_ms=lost.expires_ms)
            made = reading_of(lost)
            versions, pins = (recorded.version.version_id,), pinned(catalog, made)

            def finish(claim: Claim = lost) -> None:
                catalog.finish_conversion(claim, made, passages=passages(["words"]), pins=pins, version_ids=versions)

            assert code_of(finish) == "store_error"
            assert code_of(lambda: catalog.fail_conversion(lost, code="engine_failed", retryable=True)) == "store_error"
            assert code_of(lambda: catalog.renew_claim(lost, now_ms=NOW)) == "store_error"
            assert catalog.representation(made.representation_id) is None
            assert found(catalog, "words") == []
            finish(held)
            assert found(catalog, "words") == ["a.pdf#page=1"]

    def test_a_conversion_that_cannot_be_current_leaves_nothing(self) -> None:
        with self.open_catalog() as catalog:
            recorded, other = take_in(catalog, "a.pdf"), take_in(catalog, "b.pdf")
            claim = claimed(catalog, recorded)
            made = reading_of(claim)
            versions = (recorded.version.version_id, other.version.version_id)
            pins = pinned(catalog, made)

            def finish(version_ids: tuple[str, ...] = versions) -> None:
                catalog.finish_conversion(claim, made, passages=passages(["words"]), pins=pins, version_ids=version_ids)

            assert code_of(finish) == "representation_mismatch"
            assert catalog.representation(made.representation_id) is None
            assert catalog.current_representation(recorded.version.version_id) is None
            assert catalog.blob_state(made.manifest.digest) is BlobState.PINNED
            assert found(catalog, "words") == []
            finish(versions[:1])
            assert catalog.current_representation(recorded.version.version_id) == made

    def test_a_failure_that_may_pass_is_tried_again_and_one_for_good_is_not(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            content, key = recorded.version.content.digest, key_for(recorded)
            catalog.fail_conversion(claimed(catalog, recorded), code="engine_failed", retryable=True)
            catalog.fail_conversion(claimed(catalog, recorded), code="corrupt_media", retryable=False)
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=NOW) is None
            failed = catalog.conversion(key)
            assert failed is not None
            assert (failed.state, failed.attempts, failed.code, failed.retryable) == (
                ConversionState.FAILED,
                2,
                "corrupt_media",
                False,
            )
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=NOW, again=True) is not None

    def test_what_is_done_is_run_again_only_when_asked(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            made = convert(catalog, recorded, texts=["words"])
            content = recorded.version.content.digest
            assert catalog.claim_conversion(made.conversion_key, content, route=ROUTE, now_ms=NOW) is None
            again = catalog.claim_conversion(made.conversion_key, content, route=ROUTE, now_ms=NOW, again=True)
            assert again is not None
            assert catalog.representation_by_key(made.conversion_key) == made
            catalog.finish_conversion(
                again,
                made,
                passages=passages(["words"]),
                pins=pinned(catalog, made),
                version_ids=(recorded.version.version_id,),
            )
            assert found(catalog, "words") == ["a.pdf#page=1"]
