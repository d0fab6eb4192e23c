"""Reads HTML, XML and notebooks as the bounded child does, and finds blocks and their places again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.support.jobs import call

from eyeline.media.markup import read_blocks

HTML, XML, NOTEBOOK = "text/html", "application/xml", "application/x-ipynb+json"


@dataclass(frozen=True)
class Block:
    """One block: the section it stands in, its kind, its text, and what its place holds in the source."""

    section: int
    kind: str
    text: str
    source: str | None


@dataclass(frozen=True)
class Reading:
    """What a job read: readable text, blocks, the value it returned, and the pictures."""

    text: str
    blocks: tuple[Block, ...]
    value: dict[str, Any]
    pictures: tuple[bytes, ...]

    def source_of(self, text: str) -> str | None:
        """The source of the block that says something."""
        return next(block.source for block in self.blocks if text in block.text)

    def kinds(self) -> list[tuple[str, str]]:
        """Kinds and texts of the blocks, without blanks at their ends."""
        return [(block.kind, block.text.strip()) for block in self.blocks]


def read(source: str | bytes, media_type: str = HTML, **params: object) -> Reading:
    """Read a source; a text is taken as UTF-8."""
    data = source.encode() if isinstance(source, str) else source
    value, outputs = call(read_blocks, data, media_type=media_type, **params)
    return reading_of(data.decode("utf-8", "replace"), value, outputs)


def reading_of(source: str, value: dict[str, Any], outputs: tuple[bytes, ...]) -> Reading:
    """What the outputs of a job hold."""
    text, start, blocks = outputs[0].decode(), 0, list[Block]()
    for section, kind, end, first, last in json.loads(outputs[1]):
        assert end > start, "a block holds something"
        assert first == last == -1 or 0 <= first < last <= len(source), "a place lies in the source"
        blocks.append(Block(section, kind, text[start:end], None if first < 0 else source[first:last]))
        start = end
    assert start == len(text), "blocks cover the text"
    return Reading(text, tuple(blocks), value, outputs[2:])


def notebook(*cells: dict[str, Any], **top: Any) -> str:
    """A notebook of these cells, in Python."""
    language = {"kernelspec": {"language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": language, "nbformat": 4, "nbformat_minor": 5, **top}, indent=1)


def code(source: str | list[str], *outputs: dict[str, Any]) -> dict[str, Any]:
    """A code cell with its outputs."""
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": source, "outputs": outputs}


def markdown(source: str | list[str], **more: Any) -> dict[str, Any]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def shown(**kinds: Any) -> dict[str, Any]:
    """A displayed output; a media type is written with `_` for `/`."""
    data = {kind.replace("_", "/", 1).replace("__", "+"): value for kind, value in kinds.items()}
    return {"output_type": "display_data", "data": data, "metadata": {}}
