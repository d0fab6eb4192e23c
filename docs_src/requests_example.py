"""The example of docs/requests.md: a conversation with a picture, made into requests for two providers."""

from __future__ import annotations

import tempfile
from pathlib import Path

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_screenshot
from eyeline.request.worlds import MappedWorld

with tempfile.TemporaryDirectory() as folder, Eyeline(Path(folder, "home")) as eye:
    picture = eye.attachments.save_image(make_screenshot(1920, 1080), name="panel.png")
    conversation: list[dict[str, object]] = [
        {
            "role": "user",
            "blocks": [{"type": "text", "text": "Which line is red?"}, {"type": "image", "ref": picture}],
        }
    ]
    # The agent's tools run in a container that has the home mounted at /eye.
    world = MappedWorld([(str(eye.home), "/eye")])
    first = eye.prepare(conversation, route="claude-sonnet-4-6", world=world)
    body = {"model": "claude-sonnet-4-6", "max_tokens": 500, **first.body}
    told, cost = first.texts()[1], first.report.estimated_tokens

    # The next turn, for another model: the record goes from request to request.
    conversation.append({"role": "assistant", "blocks": [{"type": "text", "text": "None of them."}]})
    conversation.append({"role": "user", "blocks": [{"type": "text", "text": "Look again."}]})
    second = eye.prepare(conversation, route="gpt-5.4", world=world, record=first.record)
