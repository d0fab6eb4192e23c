"""Parts of paged documents: a page picture and its text, with a region a page overview and the detail."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from eyeline.model.display import shown
from eyeline.model.limits import PLAIN
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, Part, Role
from eyeline.model.reading import HIDDEN_TEXT, DerivationKind
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.planning import frame_of
from eyeline.render.subject import Answer, Room, Subject
from eyeline.render.text_parts import reading_parts, text_part

OUTLINE = "assets/outline.json"
MAX_OUTLINE_CHARS = 4000


def open_page(subject: Subject, locator: Locator, *, room: Room, maker: PictureMaker) -> Answer:
    """One page: picture and text, or characters of its text. Without a locator the first page and the outline."""
    page = Locator(page=locator.page or 1)
    frame_of(subject.probe, page)
    answer = Answer()
    if room.pictures() and locator.chars is None:
        answer.parts += _pictures(subject, page, locator, room=room, maker=maker)
    words = reading_parts(subject, replace(locator, page=page.page), room=room)
    answer.parts += words.parts
    answer.truncation += words.truncation
    if subject.reading is None:
        answer.notes.append("no_representation")
    elif words.parts and subject.reading.account.hides_text(page=page.page):
        answer.notes.append(HIDDEN_TEXT)
    if not locator:
        _outline_part(answer, subject, room=room)
    if locator.region is None and locator.chars is None:
        answer.goes_on_after(page.page or 1, count=subject.probe.page_count)
    return answer


def _pictures(subject: Subject, page: Locator, locator: Locator, *, room: Room, maker: PictureMaker) -> list[Part]:
    edge = room.served.target_edge_px
    if locator.region is None:
        return [maker.part(subject, page, role=Role.PAGE, room=room, edge_px=edge, share=1)]
    detail = maker.part(subject, locator, role=Role.DETAIL, room=room, edge_px=edge, share=2)
    small = room.served.overview_edge_px
    return [maker.part(subject, page, role=Role.OVERVIEW, room=room, edge_px=small, share=2), detail]


def _outline_part(answer: Answer, subject: Subject, *, room: Room) -> None:
    """Say how many pages there are and what the outline lists, as far as the answer has room."""
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    used = sum(len(part.text) for part in answer.parts if part.entry.content_kind is ContentKind.TEXT)
    room_left = min(MAX_OUTLINE_CHARS, room.answer.max_text_chars - used)
    if media_type is None or room_left <= 0:
        return
    text = f"pages: {subject.probe.page_count}\n{_outline(subject)}"[:room_left]
    answer.parts.append(
        text_part(text, role=Role.CONTEXT, locator=Locator(), media_type=media_type, kind=DerivationKind.EXTRACTION)
    )


def _outline(subject: Subject) -> str:
    if subject.reading is None or not subject.reading.has(OUTLINE):
        return ""
    entries: list[dict[str, Any]] = json.loads(subject.reading.file(OUTLINE))
    lines = [f"{'  ' * int(each['level'])}- {shown(str(each['title']))} ({_page_of(each)})" for each in entries]
    text = "outline:\n" + "\n".join(lines)
    return text if len(text) <= MAX_OUTLINE_CHARS else text[:MAX_OUTLINE_CHARS].rsplit("\n", 1)[0] + "\n…"


def _page_of(entry: dict[str, Any]) -> str:
    return "no page" if entry["page"] is None else f"page {entry['page']}"
