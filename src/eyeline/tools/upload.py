"""`upload`: a file of the base folder goes to a sink of the application."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyeline.model.carrying import Uploaded
from eyeline.toolkit.definition import ToolAnnotations, ToolDefinition
from eyeline.tools.presenting import PRESENTERS, SURFACES

if TYPE_CHECKING:
    from eyeline.app.courier import Courier
    from eyeline.toolkit.context import ToolContext

_DESCRIPTION = """\
Sends one file of the base folder to a sink. The answer has the `reference` under which the sink keeps it, and \
`byte_count`, `digest` and `media_type` of what was sent. At most {most} bytes; files whose name begins with a dot, or \
that lie in such a folder, are never sent. The file stays as it is.

Sinks here: {sinks}."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What and where to."""

    path: str = field(
        metadata={"description": "The file, relative to the base folder.", "min_length": 1, "max_length": 4096}
    )
    sink: str | None = field(
        default=None,
        metadata={"description": "The name of the sink; may be left out if there is only one.", "max_length": 200},
    )


def upload(courier: Courier) -> ToolDefinition[Upload, Uploaded]:
    """The tool over one courier that has sinks."""

    def handle(request: Upload, context: ToolContext) -> Uploaded:
        return courier.upload(
            request.path,
            request.sink,
            cancel=context.cancel,
            progress=lambda done, total, what: context.progress(done, total, message=what),
        )

    return ToolDefinition(
        name="upload",
        identity="eyeline/upload@1",
        description=_DESCRIPTION.format(most=courier.settings.view.max_read_bytes, sinks=", ".join(courier.sinks)),
        input_type=Upload,
        output_type=Uploaded,
        handler=handle,
        annotations=ToolAnnotations(title="Upload a file", read_only=False, idempotent=False, open_world=True),
        surfaces=SURFACES,
        presenters=PRESENTERS,
    )
