"""Opens that were refused before their handler ran: they leave a record in the audit log like every other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.operations.open import Caller
from eyeline.toolkit.hooks import ToolCall, ToolHooks
from eyeline.tools.calling import answer_of, principal_of
from eyeline.tools.source_open import HANDLED, NAME

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.toolkit.outcome import SafeError


class RefusedOpens(ToolHooks):
    """Records each `source_open` that its arguments, a hook or the gate refused; the operation records the others."""

    def __init__(self, eye: Eyeline) -> None:
        self._eye = eye

    def on_error(self, call: ToolCall, error: SafeError, *, cause: BaseException) -> None:
        """Record the refusal, by its code alone: what the arguments said is not kept."""
        context = call.context
        if call.name == NAME and HANDLED not in context.state:
            caller = Caller(principal_of(context, self._eye), context.surface, answer_of(context, self._eye))
            self._eye.record_refused_open(error.code, caller=caller)
