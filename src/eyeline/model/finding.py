"""`Finding`: something a check found that is not as it should be, under a stable code and a public name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.display import MAX_REFERENCE_CHARS, shown


class Severity(StrEnum):
    """How bad a finding is.

    `loss`: something that was taken in is not what it was, and nothing here can make it again. `damage`: something that
    can be made again is missing or wrong. `leftover`: something lies there that nothing needs. `due`: work is waiting.
    """

    LOSS = "loss"
    DAMAGE = "damage"
    LEFTOVER = "leftover"
    DUE = "due"


class FindingCode(StrEnum):
    """What was found; a closed list. `MEANINGS` says what each means and what a repair does."""

    ORIGINAL_MISSING = "original_missing"
    ORIGINAL_DAMAGED = "original_damaged"
    ATTACHMENT_MISSING = "attachment_missing"
    ATTACHMENT_DAMAGED = "attachment_damaged"
    CATALOG_DAMAGED = "catalog_damaged"
    AUDIT_BROKEN = "audit_broken"
    SEARCH_DIFFERS = "search_differs"
    DERIVED_MISSING = "derived_missing"
    DERIVED_DAMAGED = "derived_damaged"
    RECORD_DIFFERS = "record_differs"
    REPRESENTATION_DIFFERS = "representation_differs"
    WRONG_MODE = "wrong_mode"
    TREE_MISSING = "tree_missing"
    TREE_DIFFERS = "tree_differs"
    TREE_MISPLACED = "tree_misplaced"
    TREE_DANGLING = "tree_dangling"
    TREE_EXTRA = "tree_extra"
    INDEX_DIFFERS = "index_differs"
    ORPHAN_BLOB = "orphan_blob"
    ORPHAN_ATTACHMENT = "orphan_attachment"
    RECORD_WITHOUT_BLOB = "record_without_blob"
    STRAY_FILE = "stray_file"
    STAGING_LEFTOVER = "staging_leftover"
    CACHE_DAMAGED = "cache_damaged"
    CACHE_EXTRA = "cache_extra"
    UNFINISHED_FORGET = "unfinished_forget"
    ADMISSION_DUE = "admission_due"
    STALE_CONVERSION = "stale_conversion"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code says: how bad it is, what was found, what its subject is, and what a repair does about it."""

    severity: Severity
    found: str
    subject: str
    repair: str


_LOSS, _DAMAGE, _LEFTOVER, _DUE = Severity
_REBUILDS = "makes a normalised object again from its upload, if that gives the same bytes; else restore it from a copy"

MEANINGS: dict[FindingCode, Meaning] = {
    FindingCode.ORIGINAL_MISSING: Meaning(
        _LOSS, "an original is not in the store", "digest", "nothing: take the file in again, or restore a copy"
    ),
    FindingCode.ORIGINAL_DAMAGED: Meaning(
        _LOSS, "the bytes of an original are not what came in", "digest", "nothing: restore the blob from a copy"
    ),
    FindingCode.ATTACHMENT_MISSING: Meaning(_LOSS, "an object of an attachment is gone", "its place", _REBUILDS),
    FindingCode.ATTACHMENT_DAMAGED: Meaning(
        _LOSS, "the bytes of an attachment are not what was kept", "its place", _REBUILDS
    ),
    FindingCode.CATALOG_DAMAGED: Meaning(
        _LOSS, "the database finds its own files wrong", "`catalog`", "nothing: restore the home from a copy"
    ),
    FindingCode.AUDIT_BROKEN: Meaning(
        _LOSS, "a record of the audit log does not follow from the one before", "its number", "nothing: find out who"
    ),
    FindingCode.SEARCH_DIFFERS: Meaning(
        _DAMAGE, "the search index is not what it was made from", "`catalog`", "makes the index again"
    ),
    FindingCode.DERIVED_MISSING: Meaning(
        _DAMAGE, "a file of a representation is not in the store", "digest", "converts the version again"
    ),
    FindingCode.DERIVED_DAMAGED: Meaning(
        _DAMAGE,
        "the bytes of a file of a representation are not what was made",
        "digest",
        "removes the file and converts the version again",
    ),
    FindingCode.RECORD_DIFFERS: Meaning(
        _DAMAGE, "a blob has another size than its record says", "digest", "nothing: restore the home from a copy"
    ),
    FindingCode.REPRESENTATION_DIFFERS: Meaning(
        _DAMAGE,
        "a representation is not what its manifest says",
        "representation id",
        "nothing: `convert --again` makes another one",
    ),
    FindingCode.WRONG_MODE: Meaning(
        _DAMAGE, "others may read or write what they should not", "digest or folder", "sets the mode"
    ),
    FindingCode.TREE_MISSING: Meaning(
        _DAMAGE, "something is missing in the tree", "path in the tree", "publishes the document again"
    ),
    FindingCode.TREE_DIFFERS: Meaning(
        _DAMAGE,
        "something in the tree is not what is kept",
        "path in the tree",
        "publishes it again, if what is kept is whole",
    ),
    FindingCode.TREE_MISPLACED: Meaning(
        _DAMAGE, "a link leads to another place than it should", "path in the tree", "makes the link anew"
    ),
    FindingCode.TREE_DANGLING: Meaning(
        _DAMAGE, "a link leads to a document that is not there", "path in the tree", "removes the link"
    ),
    FindingCode.TREE_EXTRA: Meaning(
        _LEFTOVER, "the tree shows something that no record names", "path in the tree", "removes it"
    ),
    FindingCode.INDEX_DIFFERS: Meaning(
        _DAMAGE,
        "a line of the index is missing, wrong or too many",
        "document id, or the file",
        "writes the file anew",
    ),
    FindingCode.ORPHAN_BLOB: Meaning(
        _LEFTOVER, "no record names a blob", "digest", "removes it, if it is older than the grace period"
    ),
    FindingCode.ORPHAN_ATTACHMENT: Meaning(
        _LEFTOVER, "no record names an attached object", "its place", "removes it, if it is older than the grace period"
    ),
    FindingCode.RECORD_WITHOUT_BLOB: Meaning(
        _LEFTOVER,
        "a blob was announced, never came, and nothing names it",
        "digest",
        "removes the record, if it is older than the grace period",
    ),
    FindingCode.STRAY_FILE: Meaning(
        _LEFTOVER, "a file lies in the store or the tree that is not ours", "its path there", "nothing: look at it"
    ),
    FindingCode.STAGING_LEFTOVER: Meaning(_LEFTOVER, "a writer died and left a file", "its path", "removes it"),
    FindingCode.CACHE_DAMAGED: Meaning(
        _LEFTOVER, "renditions in the cache are damaged", "digest of the original", "removes them"
    ),
    FindingCode.CACHE_EXTRA: Meaning(
        _LEFTOVER, "the cache holds something of an original that is not kept", "digest of the original", "removes it"
    ),
    FindingCode.UNFINISHED_FORGET: Meaning(
        _LEFTOVER, "traces of a forgotten version are left", "version id", "finishes it"
    ),
    FindingCode.ADMISSION_DUE: Meaning(
        _DUE, "a version was not decoded under the limits in force", "version id", "decodes it"
    ),
    FindingCode.STALE_CONVERSION: Meaning(
        _DUE, "a conversion was begun by a process that is gone", "version id", "converts the version"
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: its code, what it is wrong with, and whether it was repaired in this run."""

    code: FindingCode
    severity: Severity
    subject: str
    message: str
    repaired: bool = False

    @classmethod
    def of(cls, code: FindingCode, subject: str, *, repaired: bool = False, detail: str = "") -> Finding:
        """A finding with the message of its code, and what is particular about it."""
        meaning = MEANINGS[code]
        message = f"{meaning.found}: {detail}" if detail else meaning.found
        return cls(code, meaning.severity, shown(subject, max_chars=MAX_REFERENCE_CHARS), message, repaired)
