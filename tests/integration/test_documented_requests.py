"""The example of docs/requests.md is the file in docs_src, its command runs, and its texts are what a model gets."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from docs_src import requests_example as example
from tests.meta.tree import ROOT
from tests.support.cli import run
from tests.support.conversations import looked_at, talk

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_picture
from eyeline.model.assembly import OffloadRecord, Omission
from eyeline.request.describing import placeholder
from eyeline.request.offloading import QUANTUM
from eyeline.request.reading import json_of
from eyeline.request.targets import REDUCED_PX
from eyeline.wire import loads

PAGE = (ROOT / "docs" / "requests.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)


def words(text: str) -> str:
    """A text as one line, digests as what they are."""
    return re.sub(r"[0-9a-f]{64}", "DIGEST", " ".join(text.split()))


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    source = (ROOT / "docs_src" / "requests_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("AT-08")
def test_the_example_does_what_the_page_says() -> None:
    assert words(example.told) == words(TEXTS[0])
    assert "the provider receives these texts, and with them the path" in PAGE.lower()
    body: Any = example.body
    (message,) = body["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "text", "image"]
    assert example.cost is not None
    assert example.cost > 1560
    kinds = [item.get("role") for item in example.second.body["input"]]
    assert kinds == ["user", "assistant", "user"]
    assert example.second.report.new_steps == ()


def test_the_placeholder_of_the_page_is_the_one_a_model_gets() -> None:
    assert words(placeholder(example.picture, Omission.OFFLOADED, path=None)) == words(TEXTS[1])


def test_the_numbers_of_the_page_are_those_of_the_program() -> None:
    edges = " and of ".join(map(str, REDUCED_PX))
    assert f"{QUANTUM} at a time (fewer where a request holds few): to a longer edge of {edges} pixels" in " ".join(
        PAGE.split()
    )


@pytest.mark.requirement("XC-07")
def test_the_command_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Eyeline(home) as eye:
        ref = eye.attachments.save_image(make_picture(width=900, height=700), name="mark.png")
    (tmp_path / "conversation.json").write_text(json_of([*talk([[ref]]), *looked_at(ref)]), encoding="utf-8")
    (command,) = (line for line in PAGE.splitlines() if line.startswith("eyeline prepare"))
    done = run(home, *shlex.split(command)[1:], cwd=tmp_path)
    assert done.code == 0, done.err
    body = json.loads((tmp_path / "body.json").read_text(encoding="utf-8"))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert str(home) in json.dumps(body)
    assert loads(OffloadRecord, (tmp_path / "record.json").read_text()) == OffloadRecord()
