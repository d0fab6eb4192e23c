"""Prepared requests for tests: one conversation with everything in it, for any shape of body."""

from __future__ import annotations

from eyeline.model.attachment import ImageRef, RequestImage, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, PNG
from eyeline.model.media_type import MediaType
from eyeline.model.prepared import (
    PreparedImage,
    PreparedMessage,
    PreparedRequest,
    PreparedText,
    PreparedToolCall,
    PreparedToolResult,
    Rehoming,
)
from eyeline.model.route import Adapter, ResultPictures, RoutePolicy, TokenFormula, TokenRule
from eyeline.testing.media import make_raw_png

NESTING = {
    Adapter.ANTHROPIC: ResultPictures.NESTED,
    Adapter.OPENAI_RESPONSES: ResultPictures.NESTED,
    Adapter.OPENAI_CHAT: ResultPictures.NEXT_TURN,
    Adapter.GEMINI: ResultPictures.NESTED,
    Adapter.BEDROCK: ResultPictures.NESTED,
    Adapter.MISTRAL: ResultPictures.NESTED,
    Adapter.DEEPSEEK: ResultPictures.NESTED,
    Adapter.COMPATIBLE: ResultPictures.NEXT_TURN,
}


def route(adapter: Adapter, *, where: ResultPictures | None = None, detail: str | None = None) -> RoutePolicy:
    return RoutePolicy(
        name=f"{adapter}-test",
        provider=adapter.value,
        adapter=adapter,
        models=("*",),
        pictures=True,
        media_types=(PNG, JPEG),
        result_pictures=where or NESTING[adapter],
        tokens=TokenRule(TokenFormula.UNKNOWN),
        edge_px=1568,
        max_side_px=8000,
        min_side_px=1,
        max_images=100,
        max_image_bytes=5_000_000,
        counted="raw",
        max_request_bytes=20_000_000,
        detail=detail,
    )


def picture(
    data: bytes,
    size: Size,
    *,
    media_type: MediaType = PNG,
    pairing_id: str | None = None,
    remote_id: str | None = None,
) -> PreparedImage:
    digest = Digest.of(data)
    upload = UploadedImage(digest, media_type, len(data), size.width_px, size.height_px)
    ref = ImageRef(digest, media_type, len(data), size.width_px, size.height_px, "a picture", upload)
    rehoming = None
    if pairing_id is not None:
        rehoming = Rehoming(pairing_id, f"[{pairing_id} follows]", f"[{pairing_id} of this result:]")
    image = RequestImage(digest, digest, data, digest, media_type, size)
    return PreparedImage(image, ref, rehoming, remote_id)


def plain(width_px: int, height_px: int, *, level: int = 90) -> bytes:
    """A plain PNG of this size; another level is another picture."""
    return make_raw_png(width_px, height_px, rows=(b"\x00" + bytes((level, 120, 60)) * width_px) * height_px)


def everything(adapter: Adapter, *, where: ResultPictures | None = None, detail: str | None = None) -> PreparedRequest:
    """Instructions, pictures of the user and of two parallel calls, an error, texts after the results, blank texts."""
    moves = (where or NESTING[adapter]) is not ResultPictures.NESTED
    shown = picture(plain(64, 48), Size(64, 48))
    found = picture(plain(40, 40, level=200), Size(40, 40), pairing_id="pair-1" if moves else None)
    messages = (
        PreparedMessage("system", (PreparedText("Answer briefly."),)),
        PreparedMessage("user", (PreparedText("Look at this."), PreparedText("a picture, 64x48"), shown)),
        PreparedMessage(
            "assistant",
            (
                PreparedText("I look closer."),
                PreparedToolCall("call_one", "crop", '{"x": 1}'),
                PreparedToolCall("call_two", "count", "{}"),
            ),
        ),
        PreparedMessage(
            "user",
            (PreparedToolResult("call_one", "crop", (PreparedText("cropped"), PreparedText("a crop, 40x40"), found)),),
        ),
        PreparedMessage(
            "user",
            (
                PreparedToolResult("call_two", "count", (PreparedText("nothing to count"),), is_error=True),
                PreparedText("And now?"),
                PreparedText(" \n"),
            ),
        ),
        PreparedMessage("assistant", (PreparedText("It is green."),)),
        PreparedMessage("user", (PreparedText("Thank you."),)),
    )
    return PreparedRequest(route(adapter, where=where, detail=detail), messages)


def showing(adapter: Adapter, *pictures: PreparedImage, detail: str | None = None) -> PreparedRequest:
    """One user message that shows these pictures."""
    message = PreparedMessage("user", (PreparedText("Look."), *pictures))
    return PreparedRequest(route(adapter, detail=detail), (message,))
