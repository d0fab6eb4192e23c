r"""References: the public spelling of a path inside a root, the same wherever and under whatever locale it is read.

Parts are joined by `/`. A name is its bytes read as UTF-8; bytes that are not UTF-8, control characters and line
separators are spelled `\xNN`, one for each byte, and a backslash is doubled. Every name has exactly one spelling and
every spelling one name.
"""

from __future__ import annotations

import re
import unicodedata

from eyeline.errors import InvalidRequest

_ESCAPED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_UNIT = re.compile(r"\\\\|\\x([0-9a-f]{2})|[^\\]", re.DOTALL)


def reference_of(path: bytes) -> str:
    """The reference of a relative path."""
    return "".join(map(_spell, path.decode("utf-8", "surrogateescape")))


def path_of(reference: str) -> bytes:
    """The relative path a reference spells; `InvalidRequest` for one that `reference_of` does not write."""
    path = bytearray()
    position = 0
    while position < len(reference):
        unit = _UNIT.match(reference, position)
        if unit is None:
            raise InvalidRequest(f"{reference[:200]!r} has a stray backslash", hint=r"write \\ or \xNN")
        if unit[1] is not None:
            path.append(int(unit[1], 16))
        else:
            path += (unit[0][0]).encode("utf-8", "surrogatepass")
        position = unit.end()
    made = bytes(path)
    if reference_of(made) != reference:
        raise InvalidRequest(f"{reference[:200]!r} is not how a reference is spelled")
    return made


def _spell(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if unicodedata.category(character) in _ESCAPED:
        return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
    return character
