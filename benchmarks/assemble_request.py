"""A request with 100 retained pictures, when nothing of it is new but the last turn, against what it is made of.

100 screenshots of full HD, kept as attachments, each in a turn of its own, for Anthropic's standard tier. The
first peer is what an agent does that keeps its files and encodes them for every request: decode, scale and encode each
with Pillow, then base64 and JSON. The second is the least there is to do: read the finished pictures, base64 and JSON.
"""

from __future__ import annotations

import base64
import io
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.measuring import scaled
from benchmarks.table import Row, in_turns
from eyeline import Eyeline
from eyeline.media.sample_pictures import make_screenshot
from eyeline.model.attachment import ImageRef
from eyeline.model.message import ImageBlock, Message, TextBlock
from eyeline.model.prepared import PreparedImage
from eyeline.request.assembling import Assembled
from eyeline.request.worlds import HostWorld

PICTURES, ROUTE, SIZE = 100, "anthropic-standard", (1456, 819)


def rows() -> list[Row]:
    """Measure."""
    count = scaled(PICTURES, least=10)
    with tempfile.TemporaryDirectory() as name, Eyeline(Path(name) / "home") as eye:
        refs = [eye.attachments.save_image(make_screenshot(1920, 1040 + n), name=f"{n}.png") for n in range(count)]
        messages = conversation(refs)
        cold = _took(lambda: eye.prepare(messages, route=ROUTE, world=HostWorld()))
        assembled = eye.prepare(messages, route=ROUTE, world=HostWorld())
        originals = [Path(eye.attachments.image_host_path(ref) or "") for ref in refs]
        finished = _finished(assembled, Path(name) / "finished")

        def ours() -> bytes:
            return eye.prepare(messages, route=ROUTE, world=HostWorld()).body_json()

        whole, prepared, body, encoding, reading = in_turns(
            ours,
            lambda: eye.prepare(messages, route=ROUTE, world=HostWorld()),
            assembled.body_json,
            lambda: _body([_encoded(path) for path in originals]),
            lambda: _body([path.read_bytes() for path in finished]),
            runs=3,
        )
    remark = f"planning, reading and texts {prepared:.0f} ms, body {body:.0f} ms; made for the first time {cold:.0f} ms"
    work = f"a request with {count} retained pictures"
    return [
        Row(work, whole, "Pillow, base64 and JSON each time", encoding, remark=remark),
        Row(work, whole, "read, base64 and JSON of the finished", reading),
        Row(f"{work}, without the body", prepared, "read, base64 and JSON of the finished", reading),
    ]


def conversation(refs: Sequence[ImageRef]) -> list[Message]:
    """A picture a turn, each answered but the last."""
    messages: list[Message] = []
    for number, ref in enumerate(refs):
        messages.append(Message("user", (TextBlock(f"question {number}"), ImageBlock(ref))))
        messages.append(Message("assistant", (TextBlock(f"answer {number}"),)))
    return messages[:-1]


def _finished(assembled: Assembled, folder: Path) -> list[Path]:
    """The pictures of a request as files."""
    folder.mkdir()
    parts = [part for message in assembled.prepared.messages for part in message.parts]
    pictures = [part.image.bytes for part in parts if isinstance(part, PreparedImage)]
    for number, data in enumerate(pictures):
        (folder / str(number)).write_bytes(data)
    return [folder / str(number) for number in range(len(pictures))]


def _encoded(path: Path) -> bytes:
    with Image.open(path) as picture:
        buffer = io.BytesIO()
        picture.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS).save(buffer, "PNG")
        return buffer.getvalue()


def _body(pictures: Sequence[bytes]) -> bytes:
    content: list[dict[str, Any]] = [
        {"type": "image", "source": {"type": "base64", "data": base64.b64encode(data).decode("ascii")}}
        for data in pictures
    ]
    return json.dumps({"messages": [{"role": "user", "content": content}]}).encode()


def _took(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000
