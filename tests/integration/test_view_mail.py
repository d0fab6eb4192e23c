"""Mails and books in `view_file`: bounded text of what they say."""

from __future__ import annotations

from pathlib import Path

from tests.support.books import book
from tests.support.mails import enclosing, letter

from eyeline.app.viewer import Viewer
from eyeline.model.limits import AnswerLimit
from eyeline.model.manifest import Role
from eyeline.model.viewing import ViewStatus


def test_a_mail_and_a_book_are_shown_as_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(enclosing(letter(), ("notes.md", b"zebra")).as_bytes())
    (tmp_path / "b.epub").write_bytes(book())
    with Viewer(tmp_path) as viewer:
        batch = viewer.view("a.eml", "b.epub")
    assert [item.status for item in batch.report.items] == [ViewStatus.INLINED] * 2
    mail, read = batch.parts
    assert (mail.entry.role, mail.entry.derivation_kind) == (Role.SOURCE_TEXT, "extraction")
    assert "PX-4417" in mail.text
    assert "1. notes.md" in mail.text
    assert "zebra" not in mail.text
    assert "| valve | 12 |" in read.text


def test_a_long_mail_is_cut_to_the_room_of_the_answer(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(letter("words and words\n" * 2000).as_bytes())
    with Viewer(tmp_path) as viewer:
        batch = viewer.view("a.eml", answer=AnswerLimit(max_text_chars=500))
    assert len(batch.parts[0].text) <= 500
