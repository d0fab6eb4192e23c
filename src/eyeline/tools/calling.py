"""From the context of a call to who asks and how much one answer may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.model.access import Principal
from eyeline.model.limits import AnswerLimit
from eyeline.wire import validate

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.toolkit.context import ToolContext


def principal_of(context: ToolContext, eye: Eyeline) -> Principal:
    """The caller by the name its context gives; it sees what the application lets it see."""
    return Principal(context.principal, eye.principal.collections)


def answer_of(context: ToolContext, eye: Eyeline) -> AnswerLimit:
    """The limit of the surface the call came over, else that of the application."""
    return validate(AnswerLimit, dict(context.answer_limit)) if context.answer_limit else eye.settings.answer
