"""The example of docs/providers.md."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import anthropic

from eyeline import Eyeline
from eyeline.model.message import ImageBlock, Message, TextBlock
from eyeline.request.remote import FolderIndex, RemotePictures, files_of
from eyeline.testing.media import make_photo
from eyeline.testing.provider_double import ProviderDouble

KEY = "a key of the provider"

with tempfile.TemporaryDirectory() as name, ProviderDouble() as double, Eyeline(Path(name) / "home") as eye:
    # the double stands in for api.anthropic.com: without `base_url` the same lines reach the provider
    address = double.base_url("anthropic")
    photo = eye.attachments.save_image(make_photo(2400, 1600), name="pump.jpg")
    conversation = [Message("user", (TextBlock("What is in the picture?"), ImageBlock(photo)))]
    request = eye.prepare(conversation, route="claude-opus-5").prepared

    api = files_of("anthropic", key=KEY, base_url=address)
    remote = RemotePictures(api, FolderIndex(eye.home / "remote"))
    with anthropic.Anthropic(base_url=address, api_key=KEY, max_retries=0) as client:
        create: Any = client.messages.create
        answer, placed = remote.deliver(request, lambda body: create(model="claude-opus-5", max_tokens=400, **body))

said = [block.text for block in answer.content if block.type == "text"]
uploaded = [file.remote_id for file in placed.files]
