"""`wait`: until something has happened, or some time has passed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyeline.model.carrying import Waited
from eyeline.toolkit.definition import ToolAnnotations, ToolDefinition
from eyeline.tools.presenting import PRESENTERS, SURFACES

if TYPE_CHECKING:
    from eyeline.app.courier import Courier
    from eyeline.toolkit.context import ToolContext

_DESCRIPTION = """\
Waits for a condition to hold, or only for a number of seconds. One call waits {bound} seconds at most; `ended` says \
what ended it: `met` (the condition holds), `never` (it will not come to hold), `time` (the seconds are over), `bound` \
(it does not hold yet: call again to wait longer, or do something else). `message` is the last that is known of the \
condition.

{conditions}"""


@dataclass(frozen=True, slots=True)
class Wait:
    """How long, and what for."""

    seconds: float | None = field(
        default=None, metadata={"description": "How long at most; as long as one call may if left out.", "gt": 0}
    )
    condition: str | None = field(
        default=None, metadata={"description": "The name of what to wait for.", "max_length": 200}
    )
    subject: str = field(
        default="", metadata={"description": "What the condition is about, such as an id.", "max_length": 2000}
    )


def wait(courier: Courier) -> ToolDefinition[Wait, Waited]:
    """The tool over one courier."""

    def handle(request: Wait, context: ToolContext) -> Waited:
        return courier.wait(
            request.seconds,
            condition=request.condition,
            subject=request.subject,
            cancel=context.cancel,
            progress=lambda done, total, what: context.progress(done, total, message=what),
        )

    names = ", ".join(courier.conditions)
    conditions = f"Conditions here: {names}." if names else "There are no conditions here, only time."
    bound = courier.settings.wait.max_wait_ms / 1000
    return ToolDefinition(
        name="wait",
        identity="eyeline/wait@1",
        description=_DESCRIPTION.format(bound=f"{bound:g}", conditions=conditions),
        input_type=Wait,
        output_type=Waited,
        handler=handle,
        annotations=ToolAnnotations(title="Wait", read_only=True, idempotent=True, open_world=bool(names)),
        surfaces=SURFACES,
        presenters=PRESENTERS,
    )
