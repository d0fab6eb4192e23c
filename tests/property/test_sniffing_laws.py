from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eyeline.media.signatures import SIGNATURES
from eyeline.media.sniffing import mismatch, sniff
from eyeline.model.media_type import MediaType

STARTS = st.sampled_from(
    [
        *(magic for offset, magic, _ in SIGNATURES if offset == 0),
        *(
            b"PK\x03\x04",
            b"PK\x05\x06",
            b"RIFF",
            b"FORM",
            b"\0\0\0\x18ftyp",
            b"OggS\0",
            b"\x1aE\xdf\xa3",
            b"ID3",
            b"\xff\xfb",
        ),
        *(
            b"\xff\xf1",
            b"BM",
            b"MZ",
            b"\0\0\1\0",
            b"BZh9",
            b"PAR1",
            b"\xca\xfe\xba\xbe",
            b"\0\1\0\0",
            b"\xff\x0a",
            b"%PDF-",
        ),
        *(
            b"<?xml",
            b"<svg",
            b"{",
            b"[",
            b"\xff\xfe",
            b"\xfe\xff",
            b"\xef\xbb\xbf",
            b"\0\0\xfe\xff",
            b"From: a\n",
            b"#!",
            b"",
        ),
    ]
)
NAMES = (
    st.none()
    | st.text(max_size=30)
    | st.sampled_from(["a.png", "a.json", "a.csv", "a.ts", "..", "/", ".md", "a.b.tar.gz"])
)


@given(start=STARTS, rest=st.binary(max_size=600), more=st.integers(0, 1 << 40), name=NAMES)
def test_any_bytes_have_a_media_type_and_none_raise(start: bytes, rest: bytes, more: int, name: str | None) -> None:
    head = start + rest
    found = sniff(head, size=len(head) + more, tail=rest[-64:], name=name)
    assert isinstance(found, MediaType)
    assert found == sniff(head, size=len(head) + more, tail=rest[-64:], name=name)
    mismatch(found, name, found)


@given(text=st.text(max_size=400), name=NAMES)
def test_any_text_of_any_name_never_raises(text: str, name: str | None) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert isinstance(sniff(data, size=len(data), name=name), MediaType)


@given(start=STARTS, rest=st.binary(max_size=300), one=NAMES, other=NAMES)
def test_a_name_never_overrides_a_binary_signature(
    start: bytes, rest: bytes, one: str | None, other: str | None
) -> None:
    data = start + rest
    types = {sniff(data, size=len(data), name=name) for name in (one, other)}
    assert len(types) == 1 or all(each.is_text or each.name == "message/rfc822" for each in types)
