"""Values to JSON and back: the same value gives the same text, unknown keys are refused, canonical texts stay texts."""

from __future__ import annotations

import pytest

from eyeline import wire
from eyeline.errors import InvalidDigest, InvalidLocator, InvalidRequest, UnknownInput
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, AdmissionOutcome
from eyeline.model.geometry import Size
from eyeline.model.limits import PNG
from eyeline.model.locator import Locator
from eyeline.model.probe import PageSize, Probe
from eyeline.model.reading import Gap

PROBE = Probe(PNG, size=Size(3, 4), pages=(PageSize(2, 3.5, 4),), notes=("odd",))
ADMISSION = Admission(Digest.of(b"x"), "1", AdmissionOutcome.ADMITTED, "vips", 17, probe=PROBE)


def test_a_value_comes_back_as_it_went() -> None:
    text = wire.dumps(ADMISSION)
    assert wire.loads(Admission, text) == ADMISSION
    assert wire.dumps(wire.loads(Admission, text)) == text


def test_digests_types_and_locators_travel_as_their_texts() -> None:
    plain = wire.to_plain(Gap("ocr", "failed", Locator.parse("page=2")))
    assert plain == {"lane": "ocr", "code": "failed", "locator": "page=2", "retryable": False}
    assert wire.to_plain(ADMISSION)["content"] == str(ADMISSION.content)


def test_an_unknown_key_is_refused_by_its_path_with_what_is_allowed() -> None:
    with pytest.raises(UnknownInput) as caught:
        wire.validate(Probe, {"media_type": "image/png", "size": {"width_px": 1, "height_px": 1, "depth_px": 1}})
    assert caught.value.detail["field"] == "size.depth_px"
    assert "width_px" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"lane": "a", "code": "b", "locator": "nonsense"}, InvalidLocator),
        ({"lane": "a", "code": "b", "locator": 7}, InvalidRequest),
        ({"lane": "a", "code": "b"}, InvalidRequest),
        ([], InvalidRequest),
    ],
)
def test_what_does_not_fit_is_refused_by_type(data: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        wire.validate(Gap, data)


def test_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        wire.loads(Gap, "{")


def test_a_digest_enters_only_in_its_canonical_form() -> None:
    for text in ("sha256:AB", "md5:" + "0" * 32, "0" * 64, "sha256:" + "0" * 63 + "G"):
        with pytest.raises(InvalidDigest):
            Digest.parse(text)
    assert Digest.parse("sha256:" + "0" * 64).hex == "0" * 64


def test_schemas_refuse_what_they_do_not_name() -> None:
    schema = wire.schema_of(Gap)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["locator"]["type"] == "string"
