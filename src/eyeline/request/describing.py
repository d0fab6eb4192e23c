"""The texts a model gets beside a picture, in place of one, and for a file. Pure; a path comes in, none is stored.

Names are text from outside: they are neutralised and quoted, so that none can pass for a path or a sentence of ours.
"""

from __future__ import annotations

import json

from eyeline.model.assembly import Omission
from eyeline.model.attachment import AttachmentRef, FileRef, ImageRef
from eyeline.model.display import shown
from eyeline.model.geometry import Size

_NO_FILE = (
    "No file of it exists in this environment: do not search for one. To work with the file itself, ask the user to "
    "put it where your tools can read it, or to attach it again."
)
_WHY = {
    Omission.OFFLOADED: "left out of this request to keep it within its size",
    Omission.NO_PICTURES: "not shown: this model takes no pictures",
    Omission.NOT_IN_THIS_ROLE: "not shown: pictures are shown in user messages and results of tools only",
    Omission.MISSING: "not shown: what was stored of it is missing",
    Omission.DAMAGED: "not shown: what was stored of it is damaged",
    Omission.UNREADABLE: "not shown: it could not be read just now",
    Omission.NOT_FITTING: "not shown: it cannot be made to fit this request",
}
_GONE = (Omission.MISSING, Omission.DAMAGED)


def descriptor(ref: ImageRef, *, delivered: Size, content: Size, path: str | None) -> str:
    """What stands before a picture. `content` is the size of the picture in what is `delivered`, without padding."""
    padded = "" if content == delivered else f", of which the left upper {_px(content)} are the picture"
    return (
        f"[Picture {_name(ref)}, shown below at {_px(delivered)}{padded}. {_stored(ref, path)} "
        f"{_scale(ref, content, 'below')} {_resized(ref, 'the picture below')}]"
    )


def repeated(ref: ImageRef, *, delivered: Size, path: str | None) -> str:
    """The shorter text for a picture that this conversation holds under this name once more."""
    file = "No file of it exists in this environment." if path is None else f"Read-only file: `{path}`."
    return f"[Picture {_name(ref)}, shown below at {_px(delivered)}. {file}]"


def placeholder(ref: ImageRef, omission: Omission, *, path: str | None) -> str:
    """What stands in the place of a picture."""
    begin = f"[Picture {_name(ref)}, {_full_id(ref)}, {_WHY[omission]}."
    if omission in _GONE:
        return f"{begin} Its file is of no use: do not search for it; ask the user to attach the picture again.]"
    checked = "" if path is None else " That the file is there was not checked for this request."
    return f"{begin} {_stored(ref, path)}{checked} {_resized(ref, 'what was shown of it')}]"


def file_text(ref: FileRef, *, path: str | None) -> str:
    """What stands for an attached file."""
    facts = f"{ref.media_type}, {ref.byte_count} bytes"
    return f"[File {_name(ref)}: {facts}, exactly as attached. {_file(path, _extension(ref))}]"


def pointer(pairing_id: str) -> str:
    """What stands in a tool result in the place of a picture that follows elsewhere."""
    return f"[The picture follows after the results of tools, as {pairing_id}.]"


def caption(pairing_id: str, *, call_id: str, tool: str) -> str:
    """What stands before a picture that belongs to a tool result."""
    return f"[{pairing_id}, from the result of call {_quoted(call_id)} of tool {_quoted(tool)}:]"


def _stored(ref: ImageRef, path: str | None) -> str:
    facts = f"The stored object is {_px(ref.size)}, {ref.media_type}."
    return f"{facts} {_file(path, ref.media_type.extension)}"


def _file(path: str | None, extension: str) -> str:
    if path is None:
        return _NO_FILE
    ending = f" whose name ends in .{extension}" if extension else ""
    return f"Its file is `{path}`, read-only: to edit it, first copy it to a file{ending} and edit the copy."


def _scale(ref: ImageRef, content: Size, where: str) -> str:
    """How coordinates map back, exactly, on each axis."""
    if content == ref.size == _upload(ref):
        return f"One pixel {where} is one pixel of the stored object and of the upload."
    stored, upload = _factors(ref.size, content), _factors(_upload(ref), content)
    if stored == upload:
        return f"Pixels {where} times {stored} are pixels of the stored object and of the upload."
    return f"Pixels {where} times {stored} are pixels of the stored object, times {upload} those of the upload."


def _factors(to: Size, of: Size) -> str:
    return f"{to.width_px}/{of.width_px} (x) and {to.height_px}/{of.height_px} (y)"


def _resized(ref: ImageRef, preview: str) -> str:
    upload = ref.original
    return (
        f"Both the stored object and {preview} may have been resized or re-encoded; the upload was "
        f"{_px(_upload(ref))}, {upload.media_type}, {upload.byte_count} bytes."
    )


def _upload(ref: ImageRef) -> Size:
    return Size(ref.original.width_px, ref.original.height_px)


def _px(size: Size) -> str:
    return f"{size.width_px}×{size.height_px} px"


def _name(ref: AttachmentRef) -> str:
    """The name, quoted; the full id for what has none."""
    return _quoted(ref.name) if ref.name.strip() else _full_id(ref)


def _full_id(ref: AttachmentRef) -> str:
    return str(ref.attachment_id)


def _quoted(text: str) -> str:
    return json.dumps(shown(text), ensure_ascii=False)


def _extension(ref: FileRef) -> str:
    return shown(ref.name.rpartition(".")[2]) if "." in ref.name.strip(".") else ""
