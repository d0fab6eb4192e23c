"""Every error Eyeline raises, in one tree.

EyelineError
├─ InvalidRequest (ValueError)      the caller can fix it
│  ├─ InvalidDigest                 not `sha256:` and 64 lower hex digits
│  ├─ InvalidMediaType              not `type/subtype`
│  ├─ InvalidLocator                cannot be read
│  ├─ LocatorUnsupported            readable, but not a part this media has
│  ├─ LocatorOutOfRange             readable, but outside this media
│  ├─ RepresentationMismatch        a representation of other bytes
│  ├─ UnknownInput                  an argument this operation does not have
│  ├─ UrlRefused                    a URL of a kind that is never fetched: scheme, port, credentials, spelling
│  ├─ AmbiguousName                 several things answer to this name; the detail lists candidates
│  ├─ InvalidReference              not a reference to an attachment
│  ├─ AttachmentRefused             a picture or file that is not attached; the detail says the refusal
│  ├─ AttachmentHeld                somebody says to need it; the detail lists `holders`
│  ├─ PathTaken                     a file was to be made where something is already
│  └─ LimitExceeded                 which limit, allowed, asked
├─ NotFound (LookupError)
│  ├─ AttachmentNotFound            nothing is kept under this reference
│  ├─ BlobNotFound · DocumentNotFound · VersionNotFound · RepresentationNotFound
│  ├─ ToolNotFound                  no tool of that name
│  └─ PathRefused                   outside the allowed root, or not a regular file
├─ AccessDenied                     the principal may not do this
├─ AddressRefused                   a URL leads to an address that is never fetched
├─ FetchFailed                      the other side of a URL did not give what was asked for
│  └─ Unreachable                   it may do so another time
├─ MediaError                       the bytes, not us
│  ├─ UnsupportedMedia · CorruptMedia · EncryptedMedia · MediaTooLarge
├─ IntegrityError                   a digest or size differs from what was promised
├─ StoreError (OSError)             disk, database or bucket failed
├─ EngineFailed                     a bounded child died, hung or ran out of something
├─ LaneFailed                       a model endpoint did not answer usefully
├─ MissingDependency (ImportError)  names the extra to install
├─ Cancelled                        the caller's own wish
└─ ConfigError                      a setting cannot be used

An error carries a stable `code` (public contract), `retryable`, an optional `hint` (the way out) and
`detail`, a small dict of plain values. Errors know nothing of exit numbers, HTTP or JSON-RPC: each
surface has one table for that. Message text is not part of the contract and holds no host path.
"""

from __future__ import annotations

from typing import ClassVar

Plain = str | int | float | bool | None
DetailValue = Plain | list[str]


class EyelineError(Exception):
    """Root of every error Eyeline raises."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str | None = None, **detail: DetailValue) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail: dict[str, DetailValue] = detail

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} ({self.hint})"


class InvalidRequest(EyelineError, ValueError):
    """The call cannot be answered as it was made; the caller can fix it."""

    code = "invalid_request"


class InvalidDigest(InvalidRequest):
    """A text is not a digest in its canonical form."""

    code = "invalid_digest"


class InvalidMediaType(InvalidRequest):
    """A text is not an RFC 6838 media type or range."""

    code = "invalid_media_type"


class InvalidLocator(InvalidRequest):
    """A locator text cannot be read."""

    code = "invalid_locator"


class LocatorUnsupported(InvalidRequest):
    """A locator names a kind of part that this media does not have."""

    code = "locator_unsupported"


class LocatorOutOfRange(InvalidRequest):
    """A locator lies outside this media; the detail says the real extent."""

    code = "locator_out_of_range"


class RepresentationMismatch(InvalidRequest):
    """A representation was named that belongs to other bytes than the version."""

    code = "representation_mismatch"


class UnknownInput(InvalidRequest):
    """An operation was given an input it does not have."""

    code = "unknown_input"


class AmbiguousName(InvalidRequest):
    """A name that several documents have, or several files look like; the detail lists `candidates`."""

    code = "ambiguous_name"


class PathTaken(InvalidRequest):
    """A new file was to be made where there is something already; nothing is replaced."""

    code = "path_taken"


class InvalidReference(InvalidRequest):
    """What was given is not a reference to an attachment: a field is missing, wrong or unknown."""

    code = "invalid_reference"


class AttachmentRefused(InvalidRequest):
    """A picture or file is not attached; the detail says which `refusal`, and which `index` of a batch."""

    code = "attachment_refused"


class AttachmentHeld(InvalidRequest):
    """An attachment is not deleted while somebody says to need it; the detail lists `holders`."""

    code = "attachment_held"


class UrlRefused(InvalidRequest):
    """A URL of a kind that is never fetched: its scheme, its port, credentials in it, or how it is spelled."""

    code = "url_refused"


class LimitExceeded(InvalidRequest):
    """A call asks for more than a limit allows; the detail says limit, allowed and asked."""

    code = "limit_exceeded"


class NotFound(EyelineError, LookupError):
    """What was named is not there, or not there for this principal."""

    code = "not_found"


class BlobNotFound(NotFound):
    """The store holds no blob with this digest."""

    code = "blob_not_found"


class AttachmentNotFound(NotFound):
    """Nothing is kept under this reference."""

    code = "attachment_not_found"


class DocumentNotFound(NotFound):
    """No document answers to this id, name or tree path."""

    code = "document_not_found"


class VersionNotFound(NotFound):
    """No version answers to this id."""

    code = "version_not_found"


class RepresentationNotFound(NotFound):
    """No representation answers to this id, or the version has none."""

    code = "representation_not_found"


class ToolNotFound(NotFound):
    """No tool of this name is registered."""

    code = "tool_not_found"


class PathRefused(NotFound):
    """A path leaves the allowed root or is not a regular file; from outside it looks like a missing one."""

    code = "path_refused"


class AccessDenied(EyelineError):
    """The principal lacks the scope for this operation."""

    code = "access_denied"


class AddressRefused(EyelineError):
    """A URL leads to an address that is never fetched; the message does not say which."""

    code = "address_refused"


class FetchFailed(EyelineError):
    """The other side of a URL refused, or did not give what was asked for."""

    code = "fetch_failed"


class Unreachable(FetchFailed):
    """The other side of a URL cannot be reached now, was too slow, or broke off."""

    code = "unreachable"
    retryable = True


class MediaError(EyelineError):
    """The bytes cannot be decoded as asked; the fault is theirs."""

    code = "media_error"


class UnsupportedMedia(MediaError):
    """No engine or route takes this media type."""

    code = "unsupported_media"


class CorruptMedia(MediaError):
    """The bytes are damaged, cut short, or not what their signature claims."""

    code = "corrupt_media"


class EncryptedMedia(MediaError):
    """The bytes need a password."""

    code = "encrypted_media"


class MediaTooLarge(MediaError):
    """The media is over a decoding limit (pixels, frames, pages, duration or output)."""

    code = "media_too_large"


class IntegrityError(EyelineError):
    """Bytes or records are not what was promised when they were kept. Never retried, always loud."""

    code = "integrity_error"


class StoreError(EyelineError, OSError):
    """Disk, database or bucket refused or failed."""

    code = "store_error"
    retryable = True


class EngineFailed(EyelineError):
    """A bounded child crashed, hung, or ran out of memory, time or output."""

    code = "engine_failed"


class LaneFailed(EyelineError):
    """A model endpoint of a lane refused, failed or answered nothing usable."""

    code = "lane_failed"
    retryable = True


class MissingDependency(EyelineError, ImportError):
    """An optional engine is not installed; the hint names the extra."""

    code = "missing_dependency"


class Cancelled(EyelineError):
    """The caller cancelled; the message is the caller's reason."""

    code = "cancelled"


class ConfigError(EyelineError):
    """A setting, a home or a migration cannot be used as it stands."""

    code = "config_error"
