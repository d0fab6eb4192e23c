"""Messages with the chosen pictures put in, their descriptors before them, and placeholders where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eyeline.model.assembly import Omission, PictureOutcome, PictureRecord
from eyeline.model.attachment import RequestImage
from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.ids import derive
from eyeline.model.message import FileBlock, ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.model.prepared import (
    PreparedImage,
    PreparedMessage,
    PreparedPart,
    PreparedText,
    PreparedToolCall,
    PreparedToolResult,
    Rehoming,
)
from eyeline.model.route import ResultPictures, RoutePolicy
from eyeline.request import describing
from eyeline.request.access import Bridge
from eyeline.request.occurrences import Standing
from eyeline.request.tokens import image_tokens, text_tokens


@dataclass(frozen=True, slots=True)
class Chosen:
    """One occurrence with the picture that was made for it, or why there is none."""

    standing: Standing
    image: RequestImage | Omission
    level: int


class Composer:
    """Composes the messages of one request in order; each picture of the conversation is asked for once, in order."""

    def __init__(self, route: RoutePolicy, bridge: Bridge, chosen: Sequence[Chosen]) -> None:
        self.route = route
        self.records: list[PictureRecord] = []
        self.texts: list[str] = []
        self._bridge = bridge
        self._chosen = iter(chosen)
        self._named: set[tuple[Digest, str]] = set()

    def message(self, message: Message) -> PreparedMessage:
        """One message."""
        parts: list[PreparedPart] = []
        for block in message.blocks:
            if isinstance(block, ToolCallBlock):
                self.texts.append(block.name + block.arguments)
                parts.append(PreparedToolCall(block.call_id, block.name, block.arguments))
            elif isinstance(block, ToolResultBlock):
                parts.append(self._result(block))
            else:
                parts += self._parts(block)
        return PreparedMessage(message.role, tuple(parts))

    def _result(self, block: ToolResultBlock) -> PreparedToolResult:
        parts = [
            part
            for place, each in enumerate(block.blocks)
            for part in self._parts(each, rehoming=self._rehoming(block, place))
        ]
        return PreparedToolResult(block.call_id, block.name, tuple(parts), block.is_error)

    def _parts(
        self, block: TextBlock | ImageBlock | FileBlock, *, rehoming: Rehoming | None = None
    ) -> list[PreparedText | PreparedImage]:
        if isinstance(block, TextBlock):
            return [self._text(block.text)]
        if isinstance(block, FileBlock):
            return [self._text(describing.file_text(block.ref, path=self._bridge.path_of(block.ref)))]
        chosen = next(self._chosen)
        if isinstance(chosen.image, Omission):
            return [self._placeholder(chosen, chosen.image)]
        return self._picture(chosen, chosen.image, rehoming=rehoming)

    def _text(self, text: str) -> PreparedText:
        self.texts.append(text)
        return PreparedText(text)

    def _placeholder(self, chosen: Chosen, omission: Omission) -> PreparedText:
        ref = chosen.standing.ref
        text = self._text(describing.placeholder(ref, omission, path=self._bridge.path_of(ref)))
        self.records.append(
            PictureRecord(
                occurrence=chosen.standing.occurrence,
                message=chosen.standing.message + 1,
                outcome=PictureOutcome.OMITTED,
                text_tokens=text_tokens(text.text, self.route.tokens),
                omission=omission,
                level=chosen.level,
            )
        )
        return text

    def _picture(
        self, chosen: Chosen, image: RequestImage, *, rehoming: Rehoming | None
    ) -> list[PreparedText | PreparedImage]:
        text = self._descriptor(chosen, image)
        texts = [text, *([] if rehoming is None else [rehoming.pointer, rehoming.caption])]
        self.texts += texts
        ref, changed = chosen.standing.ref, bool(image.transforms)
        self.records.append(
            PictureRecord(
                occurrence=chosen.standing.occurrence,
                message=chosen.standing.message + 1,
                outcome=PictureOutcome.SCALED if changed else PictureOutcome.SENT,
                text_tokens=sum(text_tokens(each, self.route.tokens) for each in texts),
                image_tokens=image_tokens(image.size, self.route.tokens),
                level=chosen.level,
                variant_id=image.variant_id,
                media_type=image.media_type,
                byte_count=len(image.bytes),
                size=image.size,
                pairing_id=None if rehoming is None else rehoming.pairing_id,
            )
        )
        return [PreparedText(text), PreparedImage(image, ref, rehoming)]

    def _descriptor(self, chosen: Chosen, image: RequestImage) -> str:
        ref = chosen.standing.ref
        path = self._bridge.path_of(ref)
        name = (ref.attachment_id, ref.name)
        if name in self._named:
            return describing.repeated(ref, delivered=image.size, path=path)
        self._named.add(name)
        return describing.descriptor(ref, delivered=image.size, content=self._content(chosen, image), path=path)

    def _content(self, chosen: Chosen, image: RequestImage) -> Size:
        """The size of the picture itself in what is delivered: padding lies right of it and below."""
        padding = [step.facts["from"] for step in image.transforms if step.step == "pad"]
        if not padding:
            return image.size
        width, _, height = padding[-1].partition("x")
        return Size(int(width), int(height))

    def _rehoming(self, result: ToolResultBlock, place: int) -> Rehoming | None:
        """What keeps a picture at a place of a tool result paired with it; none where it is nested."""
        if self.route.result_pictures is ResultPictures.NESTED:
            return None
        pairing_id = derive("picture", result.call_id, str(place))
        return Rehoming(
            pairing_id,
            describing.pointer(pairing_id),
            describing.caption(pairing_id, call_id=result.call_id, tool=result.name),
        )
