"""The typesetter that LibreOffice is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from eyeline.media.libreoffice import LibreOffice, find
from eyeline.model.reading import Component
from eyeline.toolkit.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class LibreOfficeTypesetter:
    """Sets pages with the LibreOffice of this machine."""

    office: LibreOffice
    timeout_ms: int

    @property
    def components(self) -> tuple[Component, ...]:
        """LibreOffice and its version."""
        return (Component("libreoffice", self.office.version),)

    def typeset(self, source: BinaryIO, *, extension: str, cancel: CancelToken) -> bytes:
        """The pages as a PDF. Raises `EngineFailed` and `Cancelled`."""
        return self.office.typeset(source, extension=extension, timeout_ms=self.timeout_ms, cancel=cancel)


def typesetter(program: str, *, timeout_ms: int, must_be_shut_off: bool) -> LibreOfficeTypesetter | None:
    """What sets pages here: `auto` for the LibreOffice on the path, `off` for none, or a program by its path.

    None, too, where it must be shut off and nothing does: no setting of its own keeps it from following what a
    document refers to.
    """
    found = find(program)
    if found is None or (must_be_shut_off and not found.is_shut_off):
        return None
    return LibreOfficeTypesetter(found, timeout_ms)
