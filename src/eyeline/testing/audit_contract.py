"""What an audit log promises on every database, as tests; used as `catalog_contract` is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eyeline.catalog.records import AuditFilters
from eyeline.model.audit import AuditAction, AuditOutcome, AuditRecord, DeliveredPart
from eyeline.model.digest import Digest
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, Origin
from eyeline.testing.catalog_samples import code_of

if TYPE_CHECKING:
    from eyeline.catalog.audit import AuditLog

PARTS = (
    DeliveredPart(ContentKind.PICTURE, Origin.ORIGINAL, 11, Digest.of(b"picture")),
    DeliveredPart(ContentKind.TEXT, Origin.AGENT_RENDITION, 7, Digest.of(b"text"), Digest.of(b"plan")),
)
RELEASED = AuditRecord(
    at_ms=1000,
    principal="local:ann",
    surface="mcp",
    action=AuditAction.OPEN,
    outcome=AuditOutcome.RELEASED,
    version_id="ver_1",
    representation_id="rep_1",
    locator=Locator(page=3),
    parts=PARTS,
)


class AuditLogContract:
    """Subclass it and open a log."""

    def open_log(self) -> AuditLog:
        """The log of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the log")

    def test_a_record_comes_back_as_it_was_and_numbered_from_one(self) -> None:
        refused = AuditRecord(2000, "tokén", "http", AuditAction.FETCH, AuditOutcome.REFUSED, code="unknown_entity")
        with self.open_log() as log:
            assert [log.released(RELEASED), log.released(refused)] == [1, 2]
        with self.open_log() as log:
            page = log.records()
            assert [(entry.seq, entry.record) for entry in page.entries] == [(2, refused), (1, RELEASED)]
            assert page.cursor is None

    def test_several_records_are_appended_at_once_and_none_of_them_when_one_cannot_be_kept(self) -> None:
        gone = replace(RELEASED, action=AuditAction.FORGET, outcome=AuditOutcome.FORGOTTEN, parts=())
        with self.open_log() as log:
            assert list(log.append([gone, RELEASED, gone])) == [1, 2, 3]
            assert code_of(lambda: log.append([RELEASED, replace(RELEASED, principal="\ud800")])) == "invalid_request"
            assert list(log.append([])) == []
            assert log.verify_chain().entries == 3
            assert log.complete(3, AuditOutcome.FAILED, code="store_error", at_ms=2000) == 4

    def test_a_completion_names_the_record_it_ends(self) -> None:
        with self.open_log() as log:
            seq = log.released(RELEASED)
            end = log.complete(seq, AuditOutcome.FAILED, code="broken_transfer", at_ms=1500)
            (completion,) = log.records(AuditFilters(completion_of=seq)).entries
            assert (completion.seq, completion.record.version_id, completion.record.parts) == (end, "ver_1", ())
            assert (completion.record.outcome, completion.record.code) == (AuditOutcome.FAILED, "broken_transfer")
            for number in (end, 99, 0):
                with_number = partial(log.complete, number, AuditOutcome.FAILED, code=None, at_ms=1)
                assert code_of(with_number) == "invalid_request"

    def test_entries_are_filtered_and_paged_newest_first(self) -> None:
        with self.open_log() as log:
            for index in range(10):
                log.released(replace(RELEASED, at_ms=index, principal="even" if index % 2 == 0 else "odd"))
            filters = AuditFilters(principal="even", since_ms=2)
            first = log.records(filters, limit=3)
            assert [entry.record.at_ms for entry in first.entries] == [8, 6, 4]
            log.released(replace(RELEASED, at_ms=100, principal="even"))
            second = log.records(filters, cursor=first.cursor, limit=3)
            assert ([entry.record.at_ms for entry in second.entries], second.cursor) == ([2], None)
            assert code_of(lambda: log.records(cursor=first.cursor)) == "invalid_request"
            assert code_of(lambda: log.records(limit=0)) == "limit_exceeded"
            assert log.records(AuditFilters(action=AuditAction.DOWNLOAD)).entries == ()
            assert len(log.records(AuditFilters(surface="mcp", outcome=AuditOutcome.RELEASED)).entries) == 11
            assert [each.record.at_ms for each in log.records(AuditFilters(before_ms=1)).entries] == [0]

    def test_the_chain_holds_and_names_its_head(self) -> None:
        with self.open_log() as log:
            assert (log.verify_chain().entries, log.verify_chain().head) == (0, None)
            for index in range(5):
                log.released(replace(RELEASED, at_ms=index))
            chain = log.verify_chain()
            assert (chain.entries, chain.head) == (5, log.records(limit=1).entries[0].digest)

    def test_threads_and_other_logs_append_to_one_chain(self) -> None:
        with self.open_log() as log, self.open_log() as other, ThreadPoolExecutor(8) as threads:

            def append(index: int) -> int:
                return (log, other)[index % 2].released(RELEASED)

            assert sorted(threads.map(append, range(40))) == list(range(1, 41))
            assert log.verify_chain().entries == 40
