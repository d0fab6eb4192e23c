"""Google Gemini: `generateContent` and its Files API with resumable uploads."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from eyeline.testing.provider_double.dialect import Reply
from eyeline.testing.provider_double.refusing import Node, Refusal, indexed

if TYPE_CHECKING:
    from eyeline.testing.provider_double.dialect import Exchange, Reading
    from eyeline.testing.provider_double.shelving import Shelf, Shelved

_QUESTION = re.compile(r"/v1beta/models/([^/:]+):generateContent")
_OPTIONAL = {"systemInstruction", "generationConfig", "tools", "toolConfig", "safetySettings", "cachedContent"}
_KINDS = ("text", "inlineData", "fileData", "functionCall", "functionResponse")
_STATUS = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
_USUAL = str.maketrans("-_", "+/")
KEPT_SECONDS = 48 * 3600


@dataclass(frozen=True, slots=True)
class _Begun:
    """An upload that was announced and not yet sent."""

    account: str
    media_type: str
    name: str
    size: int


class GeminiDialect:
    """The developer API."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._begun: dict[str, _Begun] = {}

    def account(self, exchange: Exchange) -> str:
        """The key stands in a header or in the query; an upload that was begun needs none."""
        begun = self._begun.get(exchange.query.get("upload_id", ""))
        key = exchange.headers.get("x-goog-api-key") or exchange.query.get("key")
        if begun is None and not key:
            raise Refusal("no_key", "Method doesn't allow unregistered callers.", status=403)
        return key or (begun.account if begun is not None else "")

    def is_question(self, exchange: Exchange) -> bool:
        """`POST /v1beta/models/{model}:generateContent`."""
        return exchange.method == "POST" and _QUESTION.fullmatch(exchange.path) is not None

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """A part of the address."""
        found = _QUESTION.fullmatch(exchange.path)
        return found[1] if found is not None else ""

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """Each part is one thing; as many function responses follow as there were calls."""
        fields = Node(_in_camel_case(body.value), body.place).fields({"contents"}, _OPTIONAL)
        is_newer = _is_newer(reading.model)
        if "systemInstruction" in fields:
            for part in fields["systemInstruction"].fields({"parts"}, {"role"})["parts"].items():
                reading.say(part.fields({"text"})["text"])
        contents = fields["contents"].items()
        if not contents:
            raise fields["contents"].wrong("contents is not specified")
        calls = 0
        for content in contents:
            calls = _content(content, reading, calls, is_newer=is_newer)
        if calls:
            raise contents[-1].wrong("a function call turn is followed by its function responses")
        if is_newer:
            _check_signatures(contents)

    def judge_further(self, reading: Reading) -> None:
        """Nothing beyond the numbers."""

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """One short text."""
        content = {"role": "model", "parts": [{"text": "Noted."}]}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}
        return Reply({"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}], "usageMetadata": usage})

    def files(self, exchange: Exchange, account: str) -> Reply:
        """Uploads in two steps, and list, look at and delete below `/v1beta/files`."""
        match exchange.method, exchange.path.strip("/").split("/"):
            case "POST", ["upload", "v1beta", "files"]:
                return self._upload(exchange, account)
            case "GET", ["v1beta", "files"]:
                return Reply({"files": [_described(file, exchange) for file in self.shelf.of(account)]})
            case "GET", ["v1beta", "files", name]:
                return Reply(_described(self.shelf.take(name, account=account), exchange))
            case "DELETE", ["v1beta", "files", name]:
                self.shelf.drop(name, account=account)
                return Reply({})
            case _:
                raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)

    def _upload(self, exchange: Exchange, account: str) -> Reply:
        commands = exchange.headers.get("x-goog-upload-command", "").replace(" ", "").split(",")
        if commands == ["start"]:
            return self._begin(exchange, account)
        begun = self._begun.pop(exchange.query.get("upload_id", ""), None)
        if commands != ["upload", "finalize"] or begun is None:
            raise Refusal("shape", "an upload is started, then sent and finalized in one")
        if exchange.headers.get("x-goog-upload-offset") != "0" or len(exchange.body) != begun.size:
            raise Refusal("shape", f"{begun.size} bytes from offset 0 were announced")
        file = self.shelf.put(
            exchange.body,
            account=begun.account,
            media_type=begun.media_type,
            name=begun.name,
            seconds=KEPT_SECONDS,
        )
        return Reply({"file": _described(file, exchange)}, headers={"x-goog-upload-status": "final"})

    def _begin(self, exchange: Exchange, account: str) -> Reply:
        headers = exchange.headers
        size = headers.get("x-goog-upload-header-content-length", "")
        media_type = headers.get("x-goog-upload-header-content-type", "")
        if headers.get("x-goog-upload-protocol") != "resumable" or not size.isdecimal() or not media_type:
            raise Refusal("shape", "a resumable upload with size and type was expected")
        said = Node(json.loads(exchange.body or b"{}")).fields(set(), {"file"})
        name = str(said["file"].value.get("displayName", "")) if "file" in said else ""
        upload_id = hashlib.sha256(f"{len(self._begun)}{size}{name}{account}".encode()).hexdigest()[:16]
        self._begun[upload_id] = _Begun(account, media_type, name, int(size))
        address = f"{exchange.base_url}/upload/v1beta/files?upload_id={upload_id}&upload_protocol=resumable"
        return Reply({}, headers={"x-goog-upload-url": address, "x-goog-upload-status": "active"})

    def refuse(self, refusal: Refusal) -> Reply:
        """An `error` object with a canonical status; a file that is not there cannot be told from another's."""
        status, place = refusal.status, indexed(refusal.place)
        message = f"{place}: {refusal.message}" if place else refusal.message
        if refusal.code in ("file_not_found", "file_expired"):
            status = 403
            name = str(refusal.facts["file_id"]).rpartition("/")[2]
            message = f"You do not have permission to access the File {name} or it may not exist."
        elif refusal.code == "quota":
            status = 429
        error = {"code": status, "message": message, "status": _STATUS.get(status, "INVALID_ARGUMENT")}
        return Reply({"error": error}, status)


def _in_camel_case(value: Any) -> Any:
    """Names of fields are taken in both spellings; what a call holds is the caller's own."""
    if isinstance(value, list):
        return [_in_camel_case(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    return {
        re.sub(r"_([a-z])", lambda found: found[1].upper(), name): each
        if name in ("args", "response")
        else _in_camel_case(each)
        for name, each in fields.items()
    }


def _is_newer(model: str) -> bool:
    """Gemini 3 and later."""
    found = re.match(r"gemini-(\d+)", model)
    return found is not None and int(found[1]) >= 3


def _content(content: Node, reading: Reading, calls: int, *, is_newer: bool) -> int:
    """Read one content; how many calls it makes."""
    fields = content.fields({"parts"}, {"role"})
    role = fields["role"].one_of("user", "model") if "role" in fields else "user"
    parts = fields["parts"].items()
    if not parts:
        raise fields["parts"].wrong("must contain at least one part")
    made = responses = 0
    for part in parts:
        kinds = [kind for kind in _KINDS if kind in part.object()]
        if len(kinds) != 1:
            raise part.wrong("a part has exactly one initialized field")
        inner = part.fields({kinds[0]}, {"thoughtSignature", "mediaResolution"})
        if "mediaResolution" in inner and not is_newer:
            raise inner["mediaResolution"].wrong("media resolution is not taken for each part by this model")
        match kinds[0], role:
            case "text", _:
                reading.say(inner["text"])
            case "functionCall", "model":
                made += 1
                inner["functionCall"].fields({"name"}, {"args", "id"})
            case "functionResponse", "user":
                responses += 1
                _response(inner["functionResponse"], reading, is_newer=is_newer)
            case (("inlineData" | "fileData"), "user"):
                _picture(part, reading, in_result=False)
            case kind, _:
                raise part.wrong(f"{kind} has no place in a turn of the {role}")
    if responses != calls:
        raise content.wrong("the number of function response parts equals the number of function call parts")
    return made


def _response(response: Node, reading: Reading, *, is_newer: bool) -> None:
    fields = response.fields({"name", "response"}, {"id", "parts"})
    said = fields["response"]
    reading.texts += [((*said.place, key), value) for key, value in said.object().items() if isinstance(value, str)]
    if "parts" in fields:
        if not is_newer:
            raise fields["parts"].wrong("a function response holds no media for this model", code="tool_result_shape")
        for part in fields["parts"].items():
            _picture(part, reading, in_result=True)


def _picture(part: Node, reading: Reading, *, in_result: bool) -> None:
    if "fileData" in part.value:
        file = part.fields({"fileData"}, {"mediaResolution"})["fileData"].fields({"fileUri"}, {"mimeType"})
        uri = file["fileUri"]
        head, _, name = uri.text(blank=False).rpartition("/files/")
        if not head:
            raise uri.wrong("Invalid or unsupported file uri")
        reading.file(Node(name, uri.place), place=part.place, in_result=in_result)
        return
    data = part.fields({"inlineData"}, {"mediaResolution"})["inlineData"]
    inline = data.fields({"mimeType", "data"}, {"displayName"})
    # both alphabets of base64 are taken
    text = Node(inline["data"].text().translate(_USUAL), inline["data"].place)
    reading.inline(inline["mimeType"].text(), text, place=part.place, in_result=in_result)


def _check_signatures(contents: list[Node]) -> None:
    """In the current turn the first call of each step is signed; a turn starts where the user says something."""
    said = [place for place, each in enumerate(contents) if _is_said_by_user(each)]
    for content in contents[said[-1] if said else 0 :]:
        calls = [part for part in content.value["parts"] if "functionCall" in part]
        if calls and not calls[0].get("thoughtSignature"):
            raise content.wrong("function call is missing a thought_signature")


def _is_said_by_user(content: Node) -> bool:
    parts = content.value["parts"]
    return content.value.get("role", "user") == "user" and not any("functionResponse" in part for part in parts)


def _described(file: Shelved, exchange: Exchange) -> dict[str, Any]:
    assert file.expires_at is not None
    return {
        "name": f"files/{file.id}",
        "displayName": file.name,
        "mimeType": file.media_type,
        "sizeBytes": str(len(file.bytes)),
        "createTime": _time(file.created_at),
        "updateTime": _time(file.created_at),
        "expirationTime": _time(file.expires_at),
        "sha256Hash": base64.b64encode(hashlib.sha256(file.bytes).hexdigest().encode()).decode(),
        "uri": f"{exchange.base_url}/v1beta/files/{file.id}",
        "state": "ACTIVE",
        "source": "UPLOADED",
    }


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
