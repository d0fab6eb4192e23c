"""Mails as mail programs write them, and as they never should."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from email.message import EmailMessage

from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_pictures import make_picture

PICTURE = make_picture(width=40, height=30)
MANUAL = make_pdf(["the gasket of the pump"])


def letter(
    body: str = "The pump serial number is PX-4417.\n> quoted before\n", *, html: str | None = None
) -> EmailMessage:
    """A mail with a header and a text, and an HTML form of it."""
    mail = EmailMessage()
    mail["From"] = "Ana Müller <ana@example.org>"
    mail["To"] = "Bo <bo@example.org>"
    mail["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    mail["Subject"] = "Pump report für Bo"
    mail["Message-ID"] = "<1@example.org>"
    mail.set_content(body)
    if html is not None:
        mail.add_alternative(html, subtype="html")
    return mail


def page(html: str, *, pictures: dict[str, bytes] | None = None) -> EmailMessage:
    """A mail that is HTML alone, with the pictures it shows by their content ids."""
    mail = letter()
    mail.set_content(html, subtype="html")
    for name, data in (pictures or {}).items():
        mail.add_related(data, "image", "png", cid=f"<{name}>")
    return mail


def enclosing(mail: EmailMessage, *files: tuple[str, bytes]) -> EmailMessage:
    """With files enclosed under these names."""
    for name, data in files:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail


def forwarding(mail: EmailMessage, inner: EmailMessage) -> EmailMessage:
    """With another mail enclosed, byte for byte as it is."""
    mail.add_attachment(inner)
    return mail


def fixed(mail: EmailMessage) -> bytes:
    """The bytes of a mail, the same ones each time."""
    containers = [part for part in mail.walk() if part.is_multipart() and part.get_content_maintype() == "multipart"]
    for number, part in enumerate(containers):
        part.set_boundary(f"=== {number} ===")
    return mail.as_bytes()


def raw(*lines: str) -> bytes:
    """A mail by its lines."""
    return "\r\n".join(["From: a@example.org", "To: b@example.org", "Date: today", *lines]).encode()


def many_parts(count: int) -> bytes:
    """A mail of that many parts, each a file that nothing reads."""
    part = 'Content-Type: application/octet-stream; name="n.bin"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAwQF'
    parts = "".join(f"--b\r\n{part}\r\n" for _ in range(count))
    return raw('Content-Type: multipart/mixed; boundary="b"', "", parts + "--b--\r\n")


def deep(levels: int) -> bytes:
    """A mail of containers in containers, with one word at the bottom."""
    lines: list[str] = []
    for level in range(levels):
        lines += [f'Content-Type: multipart/mixed; boundary="level {level}"', "", f"--level {level}"]
    ends = [f"--level {level}--" for level in reversed(range(levels))]
    return raw(*lines, "Content-Type: text/plain", "", "the bottom word", *ends)


def nested_mails(levels: int) -> EmailMessage:
    """Mails in mails, the innermost with one file."""
    mail = enclosing(letter("innermost\n"), ("deep.txt", b"deepest words"))
    for level in range(levels):
        mail = forwarding(letter(f"around {level}\n"), mail)
    return mail


def base64_part(name: str, data: bytes, *, keep: int | None = None) -> Sequence[str]:
    """A part in base64, as far as `keep` characters of it."""
    text = base64.b64encode(data).decode()[:keep]
    return [f'Content-Type: application/octet-stream; name="{name}"', "Content-Transfer-Encoding: base64", "", text]
