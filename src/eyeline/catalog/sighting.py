"""Everything known of one version, in one look: what each open, read and fetch begins with.

The questions are put together once, when the module loads: putting one together costs more than asking it.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam

from eyeline.catalog.enclosures import around, enclosed_by
from eyeline.catalog.records import BlobState, Sight
from eyeline.catalog.rows import (
    SELECT_ADMISSIONS,
    SELECT_ASSETS,
    SELECT_REPRESENTATIONS,
    admission_of,
    asset_of,
    document_of,
    representation_of,
    select_versions_with_documents,
    version_of,
)
from eyeline.catalog.schema import admissions, assets, current_representations, representations, versions
from eyeline.model.document import SourceKind

_VERSION = select_versions_with_documents().where(versions.c.version_id == bindparam("version"))
_ADMISSION = SELECT_ADMISSIONS.where(
    admissions.c.content == bindparam("bytes"), admissions.c.policy == bindparam("policy_named")
)
_CURRENT = SELECT_REPRESENTATIONS.join(
    current_representations, current_representations.c.representation_id == representations.c.representation_id
).where(current_representations.c.version_id == bindparam("version"))
_ASSETS = SELECT_ASSETS.where(assets.c.representation_id == bindparam("representation")).order_by(assets.c.ordinal)


def sight(connection: Connection, version_id: str, *, policy: str) -> Sight | None:
    """A version with its document, its admission under a policy and the representation that is current for it."""
    row = connection.execute(_VERSION, {"version": version_id}).one_or_none()
    if row is None:
        return None
    asked = {"bytes": row.content, "policy_named": policy}
    admitted = connection.execute(_ADMISSION, asked).one_or_none()
    current = connection.execute(_CURRENT, {"version": version_id}).one_or_none()
    if current is not None:
        held = connection.execute(_ASSETS, {"representation": current.representation_id})
        representation = representation_of(current, held=tuple(map(asset_of, held)))
    else:
        representation = None
    document, version = document_of(row), version_of(row)
    return Sight(
        document,
        version,
        None if admitted is None else admission_of(admitted),
        representation,
        BlobState(row.state) is BlobState.STORED,
        came_in=around(connection, version_id) if document.source_kind is SourceKind.ENCLOSED else None,
        enclosures=enclosed_by(connection, version_id) if version.content.media_type.is_mail else (),
    )
