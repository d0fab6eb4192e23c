"""The engine of mails: jobs that admit one, read it, and hand out what it encloses.

How each kind is read is told in `media.mail_rfc822` and `media.mail_outlook`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eyeline.errors import MediaTooLarge, UnsupportedMedia
from eyeline.media.mail_message import Body, Enclosure, Message
from eyeline.media.mail_outlook import read_outlook
from eyeline.media.mail_rfc822 import read_rfc822
from eyeline.media.readable import Readable
from eyeline.media.sniffing import HEAD_BYTES, TAIL_BYTES, sniff
from eyeline.model.digest import Digest
from eyeline.model.document import AdmissionOutcome
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

DECODER = f"{platform.python_implementation().lower()} {platform.python_version()}"
MAX_MAIL_BYTES = 384 << 20
MAX_ENCLOSURES = 1_000
MAX_TOLD_NOTES = 16

Read = Callable[[bytes], Message]
_READ: dict[str, Read] = {"message/rfc822": read_rfc822, "application/vnd.ms-outlook": read_outlook}


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Read the whole mail once and decode all it holds; see `media.engines` for the contract.

    Notes of the probe: `enclosures:` with their number, and codes of what was odd: `missing_boundary`,
    `enclosure_cut_short`, `charset_guessed`, `parts_left_out`, `encrypted`, `tnef_not_read` and the like.
    """
    media_type = str(params["media_type"])
    message = _message(reader, media_type)
    for each in message.enclosures[:MAX_ENCLOSURES]:
        message.notes["enclosure_cut_short"] += not each.read()[1]
    notes = [name for name, count in message.notes.items() if count]
    probe = Probe(
        media_type=MediaType(media_type),
        notes=(f"enclosures:{len(message.enclosures)}", *dict.fromkeys([*notes, *message.gaps])),
    )
    plain = {**asdict(probe), "media_type": media_type}
    return {"outcome": AdmissionOutcome.ADMITTED.value, "reason": None, "decoder": DECODER, "probe": plain}


def read_readable(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add what the mail says to `out`; see `media.readable` for what is added and returned.

    `params`: `media_type`, `max_chars`. Sections: the header's lines, each body, the list of enclosures. Raises
    `CorruptMedia` for what is no mail, `UnsupportedMedia` for another type, `MediaTooLarge`.
    """
    message = _message(reader, str(params["media_type"]))
    readable = Readable(int(params["max_chars"]))
    readable.section("Message", "text")
    readable.lines("\n".join(f"{label}: {value}" for label, value in message.facts))
    for number, body in enumerate(message.bodies, start=1):
        kind = "markdown" if body.is_html or body.is_markdown else "text"
        readable.section("Body" if number == 1 else f"Body {number}", kind)
        _body(readable, body, message=message)
    for read in message.inline.values():
        readable.pictures.take_bytes(read()[0])
    if message.enclosures:
        readable.section("Enclosures", "text")
        readable.lines("\n".join(_line(each, message) for each in message.enclosures[:MAX_ENCLOSURES]))
        message.notes["enclosures_left_out"] += max(0, len(message.enclosures) - MAX_ENCLOSURES)
    if not any(body.text.strip() for body in message.bodies) and "encrypted" not in message.gaps:
        message.gaps.append("nothing_found")
    readable.warnings.update(message.notes)
    return readable.finish(out, more=message.gaps)


def take_enclosures(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add the bytes of enclosures to `out`, from number `first` on, as many as fit into `max_bytes` together.

    One may be larger, up to `max_one_bytes`; then it comes alone.

    Returns `taken` (number, name, claimed type; of one that is too large for a job its size, and no output), `next`
    (the number to go on with, or none), and `total`. Raises as `read_readable`.
    """
    message = _message(reader, str(params["media_type"]))
    first, room, most = int(params["first"]), int(params["max_bytes"]), int(params["max_one_bytes"])
    taken: list[dict[str, Any]] = []
    used = 0
    following: int | None = None
    for each in message.enclosures[first - 1 : MAX_ENCLOSURES]:
        data, _ = each.read()
        is_too_large = len(data) > most
        if not is_too_large and used and used + len(data) > room:
            following = each.number
            break
        told: dict[str, Any] = {"number": each.number, "name": each.name, "claimed": each.claimed, "size": len(data)}
        taken.append({**told, "is_there": not is_too_large})
        if not is_too_large:
            used += len(data)
            out.add(data)
    return {"taken": taken, "next": following, "total": len(message.enclosures)}


def _message(reader: Reader, media_type: str) -> Message:
    read = _READ.get(media_type)
    if read is None:
        raise UnsupportedMedia(f"{media_type!r} is no mail that is read here")
    if reader.size > MAX_MAIL_BYTES:
        outcome = AdmissionOutcome.OVER_MEMORY.value
        raise MediaTooLarge(f"a mail of {reader.size} bytes is over {MAX_MAIL_BYTES}", outcome=outcome)
    reader.seek(0)
    return read(reader.read())


def _body(readable: Readable, body: Body, *, message: Message) -> None:
    if not body.is_html:
        readable.lines(body.text)
        return

    def fetch(address: str) -> bytes | None:
        """A picture that the page shows by its content id; one that was shown is not shown again at the end."""
        if address[:4].lower() != "cid:":
            return None
        read = message.inline.pop(address[4:].strip("<>"), None)
        if read is None:
            return shown.get(address[4:])
        shown[address[4:]] = read()[0]
        return shown[address[4:]]

    shown = dict[str, bytes]()
    readable.html(body.text, fetch)


def _line(enclosure: Enclosure, message: Message) -> str:
    """One line of the list: number, name, type by the bytes, size, hash; and what is odd about it."""
    data, is_whole = enclosure.read()
    media_type = sniff(data[:HEAD_BYTES], size=len(data), tail=data[-TAIL_BYTES:], name=enclosure.name)
    message.notes["enclosure_cut_short"] += not is_whole
    oddity = "" if is_whole else ", cut short"
    return f"{enclosure.number}. {enclosure.name} ({media_type}, {len(data)} bytes, {Digest.of(data)}){oddity}"
