"""Parts for a function response of Gemini's generateContent.

Models from Gemini 3 on take pictures inside the response; for those before, and for sound with all of them, media
follow as parts of the same turn. Texts stand in a list of texts: in an object, a key `$ref` at any depth would be taken
for the name of a part, and the keys of an account may come from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.presenters.framing import encoded, is_one_of, is_text, left_out

if TYPE_CHECKING:
    from eyeline.model.manifest import Part
    from eyeline.presenters.framing import Framed

NESTED = frozenset({"image/png", "image/jpeg", "image/webp"})
FOLLOWING = frozenset({*NESTED, "audio/wav", "audio/mpeg"})


def function_response(
    answer: Framed, *, name: str, call_id: str | None = None, nested: bool = True
) -> list[dict[str, Any]]:
    """The parts that answer one function call. `nested`: the model takes pictures inside a function response."""
    texts, inside, after = [answer.header], list[dict[str, Any]](), list[dict[str, Any]]()
    for place, each in enumerate(answer.parts, start=1):
        shown = f"part-{place}.{each.part.entry.media_type.extension}"
        if is_text(each.part):
            texts += [each.label, each.part.text]
        elif nested and is_one_of(each.part, NESTED):
            texts.append(f"{each.label}, attached as {shown}")
            inside.append({"inlineData": {**_inline(each.part), "displayName": shown}})
        elif is_one_of(each.part, FOLLOWING):
            texts.append(f"{each.label}, after this response under: {name}: {each.label}")
            after += [{"text": f"{name}: {each.label}"}, {"inlineData": _inline(each.part)}]
        else:
            texts += [each.label, left_out(each.part, "a function response here")]
    outcome = {"error" if answer.went_wrong else "output": texts}
    return [_response(outcome, name=name, call_id=call_id, parts=inside), *after]


def function_failure(error: dict[str, Any], *, name: str, call_id: str | None = None) -> list[dict[str, Any]]:
    """The part that answers a call that went wrong."""
    return [_response({"error": error}, name=name, call_id=call_id, parts=[])]


def _response(
    response: dict[str, Any], *, name: str, call_id: str | None, parts: list[dict[str, Any]]
) -> dict[str, Any]:
    given = {} if call_id is None else {"id": call_id}
    held = {"parts": parts} if parts else {}
    return {"functionResponse": {**given, "name": name, "response": response, **held}}


def _inline(part: Part) -> dict[str, Any]:
    return {"mimeType": str(part.entry.media_type), "data": encoded(part)}
