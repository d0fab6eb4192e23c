"""Addresses of delivered renditions: a picture that was delivered, by the call that delivered it and its digest.

`eyeline://rendition/<version_id>/<64 lower hex>?representation_id=…&locator=…&accept=…`. Nothing is kept under an
address: to read it is to open the source again, and to hand on the part only if it is still the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from eyeline.errors import InvalidRequest
from eyeline.model.digest import Digest
from eyeline.model.envelope import Opened
from eyeline.model.manifest import ContentKind

if TYPE_CHECKING:
    from mcp_types import ContentBlock

TEMPLATE = "eyeline://rendition/{version_id}/{sha256}{?representation_id,locator,accept}"
MAX_URI_CHARS = 2_000
_INPUTS = ("representation_id", "locator", "accept")
_ADDRESS = re.compile(r"eyeline://rendition/(?P<version_id>[^/?#]+)/(?P<sha256>[0-9a-f]{64})(\?(?P<query>.*))?")


@dataclass(frozen=True, slots=True)
class RenditionAddress:
    """Which bytes, and the inputs of `source_open` that deliver them."""

    digest: Digest
    inputs: Mapping[str, Any]

    @classmethod
    def parse(cls, uri: str) -> RenditionAddress:
        """Read an address; raises `InvalidRequest` for any other text."""
        match = _ADDRESS.fullmatch(uri)
        pairs = [] if match is None else parse_qsl(match["query"] or "", keep_blank_values=True)
        given = dict(pairs)
        if match is None or given.keys() - set(_INPUTS) or len(given) < len(pairs):
            raise InvalidRequest(f"{uri[:200]!r} is no resource here", hint=f"addresses look like {TEMPLATE}")
        inputs: dict[str, Any] = {"version_id": match["version_id"], **given}
        if "accept" in inputs:
            inputs["accept"] = inputs["accept"].split(",")
        return cls(Digest(match["sha256"]), inputs)

    def __str__(self) -> str:
        given = {name: self.inputs[name] for name in _INPUTS if self.inputs.get(name) is not None}
        if "accept" in given:
            given["accept"] = ",".join(given["accept"])
        query = f"?{urlencode(given)}" if given else ""
        return f"eyeline://rendition/{self.inputs['version_id']}/{self.digest.hex}{query}"


def links(opened: Opened, inputs: Mapping[str, Any]) -> list[ContentBlock]:
    """One link for each picture of an answer to these inputs; for people: the model has the picture itself.

    Inputs too long for an address (`MAX_URI_CHARS`) give none.
    """
    from mcp_types import Annotations, ResourceLink

    found: list[ContentBlock] = []
    for place, entry in enumerate(opened.content_manifest, start=1):
        uri = str(RenditionAddress(entry.digest, inputs))
        if entry.content_kind is ContentKind.PICTURE and len(uri) <= MAX_URI_CHARS:
            link = ResourceLink(
                type="resource_link",
                name=f"part {place}: {entry.role.value}",
                uri=uri,
                mime_type=str(entry.media_type),
                size=entry.byte_count,
                annotations=Annotations(audience=["user"]),
            )
            found.append(link)
    return found
