"""Every catalogue and every audit log keeps the same promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.testing.audit_contract import AuditLogContract
from eyeline.testing.catalog_contract import ConversionContract, DocumentContract
from eyeline.testing.enclosure_contract import EnclosureContract
from eyeline.testing.forget_contract import ForgetContract, LeavingContract
from eyeline.testing.search_contract import ListingContract, SearchContract


class OnSqlite:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"

    def open_catalog(self) -> Catalog:
        return Catalog.open(self.home / "catalog.sqlite")


class TestDocumentsOnSqlite(OnSqlite, DocumentContract):
    pass


class TestConversionsOnSqlite(OnSqlite, ConversionContract):
    pass


class TestForgettingOnSqlite(OnSqlite, ForgetContract):
    pass


class TestLeavingOnSqlite(OnSqlite, LeavingContract):
    pass


class TestEnclosuresOnSqlite(OnSqlite, EnclosureContract):
    pass


class TestListingOnSqlite(OnSqlite, ListingContract):
    pass


class TestSearchOnSqlite(OnSqlite, SearchContract):
    pass


class TestAuditLogOnSqlite(AuditLogContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"

    def open_log(self) -> AuditLog:
        return AuditLog.open(self.home / "audit.sqlite")
