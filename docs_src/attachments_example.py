"""Attaching to a conversation: the example of docs/attachments.md."""

from __future__ import annotations

import tempfile

from eyeline import Eyeline
from eyeline.model.attachment import ImageRef, ImageTarget
from eyeline.model.limits import JPEG, PNG
from eyeline.request.attachments import Upload
from eyeline.testing.media import make_picture
from eyeline.wire import dumps, loads

with tempfile.TemporaryDirectory() as folder, Eyeline(folder) as eye:
    store = eye.attachments
    upload = Upload(make_picture("image/bmp", width=2000, height=1000), "plan.bmp")
    picture, notes = store.save([upload, Upload(b"Mind the gap.", "notes.txt")])
    store.hold("conversation-17", picture, notes)

    portable = dumps(picture)  # into the history of the conversation
    ref = loads(ImageRef, portable)  # and out of it, in whatever home
    told = f"{ref.name}: {ref.original.media_type}, {ref.original.width_px} x {ref.original.height_px}"

    sent = store.request_image(ref, ImageTarget(1568, 1568, 3_750_000, (PNG, JPEG)))
    again = store.request_image(ref, ImageTarget(1568, 1568, 3_750_000, (PNG, JPEG)))
    where = store.image_host_path(ref)

    kept = store.collect(grace_ms=0)  # takes nothing that somebody holds
    store.release("conversation-17")
    gone = store.collect(grace_ms=0)
