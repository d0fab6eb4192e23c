"""The double of the model providers holds their rules: each provider's own client is answered as in earnest."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import anthropic
import openai
import pytest
from botocore.exceptions import ClientError
from google import genai
from google.genai import errors as gemini_errors
from google.genai import types as gemini_types
from mistralai.client.errors import SDKError
from tests.support.asking import CORNERS, KEY, ask, post
from tests.support.prepared import everything, picture, plain, showing

from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, PNG, WEBP
from eyeline.model.media_type import MediaType
from eyeline.model.prepared import PreparedImage
from eyeline.model.route import Adapter, ResultPictures
from eyeline.request.providers import body_of, json_of
from eyeline.testing.media import cut_short, make_animation, make_photo
from eyeline.testing.provider_double import RULES, ProviderDouble

ALL = list(Adapter)
REFUSALS = (anthropic.APIStatusError, openai.APIStatusError, gemini_errors.APIError, ClientError, SDKError)


@pytest.fixture(name="double")
def a_double() -> Iterator[ProviderDouble]:
    with ProviderDouble() as double:
        yield double


def small(level: int = 90) -> PreparedImage:
    return picture(plain(40, 30, level=level), Size(40, 30))


def status(exc: Any) -> int:
    """The HTTP status behind an error of any client."""
    answer = getattr(exc, "response", None)
    if isinstance(answer, dict):
        return int(cast("dict[str, Any]", answer)["ResponseMetadata"]["HTTPStatusCode"])
    return int(getattr(exc, "status_code", None) or exc.code)


def refused(double: ProviderDouble, adapter: Adapter, body: dict[str, Any], **asked: str) -> str:
    """The double's word for why a body is refused, after the provider's client raised its own error."""
    with pytest.raises(REFUSALS) as caught:
        ask(double, adapter, body, **asked)
    assert 400 <= status(caught.value) < 500
    return double.refused[-1].refusal.code


@pytest.mark.parametrize("adapter", ALL)
@pytest.mark.requirement("AT-13")
def test_each_providers_own_client_gets_an_answer_to_a_whole_conversation(
    double: ProviderDouble, adapter: Adapter
) -> None:
    assert ask(double, adapter, body_of(everything(adapter))) == "Noted."
    call = double.calls[-1]
    assert [sent.bytes for sent in call.pictures] == [plain(64, 48), plain(40, 40, level=200)]
    assert call.model == CORNERS[adapter][1]
    assert "Look at this." in call.said


@pytest.mark.parametrize("adapter", ALL)
@pytest.mark.requirement("AT-13")
def test_the_body_as_the_wire_has_it_is_taken_too(double: ProviderDouble, adapter: Adapter) -> None:
    status, said = post(double, adapter, body_of(everything(adapter)))
    assert (status, double.refused) == (200, []), said


@pytest.mark.parametrize("adapter", ALL)
def test_a_picture_that_is_declared_as_another_type_is_refused(double: ProviderDouble, adapter: Adapter) -> None:
    lying = picture(plain(40, 30), Size(40, 30), media_type=JPEG)
    assert refused(double, adapter, body_of(showing(adapter, lying))) == "media_type_mismatch"


@pytest.mark.parametrize("adapter", ALL)
def test_a_picture_that_is_cut_short_is_refused(double: ProviderDouble, adapter: Adapter) -> None:
    photo = make_photo(320, 240)
    whole = picture(photo, Size(320, 240), media_type=JPEG)
    assert ask(double, adapter, body_of(showing(adapter, whole))) == "Noted."
    cut = picture(cut_short(photo), Size(320, 240), media_type=JPEG)
    assert refused(double, adapter, body_of(showing(adapter, cut))) == "undecodable"


@pytest.mark.parametrize(
    ("adapter", "most"),
    [(Adapter.BEDROCK, 20), (Adapter.MISTRAL, 8)],
)
def test_one_picture_more_than_a_provider_takes_is_refused(double: ProviderDouble, adapter: Adapter, most: int) -> None:
    assert ask(double, adapter, body_of(showing(adapter, *[small()] * most))) == "Noted."
    assert refused(double, adapter, body_of(showing(adapter, *[small()] * (most + 1)))) == "too_many_images"


def test_with_more_than_twenty_pictures_anthropic_refuses_each_side_above_2000(double: ProviderDouble) -> None:
    # the model of the finer tier takes the single picture in its own size
    wide = picture(plain(2001, 100), Size(2001, 100))
    body = body_of(showing(Adapter.ANTHROPIC, wide, *[small()] * 19))
    assert ask(double, Adapter.ANTHROPIC, body, model="claude-sonnet-5") == "Noted."
    body = body_of(showing(Adapter.ANTHROPIC, *[small()] * 20, wide))
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(double, Adapter.ANTHROPIC, body, model="claude-sonnet-5")
    assert caught.value.error_code == "image_dimensions_too_large"
    details: Any = caught.value.body
    assert details["error"]["details"] == {
        "error_code": "image_dimensions_too_large",
        "max_side_length_pixels": 2000,
        "paths": ["messages.0.content.21"],
    }


def test_from_fifteen_pictures_on_deepseek_refuses_sides_above_4096(double: ProviderDouble) -> None:
    wide = picture(plain(4097, 40), Size(4097, 40))
    assert ask(double, Adapter.DEEPSEEK, body_of(showing(Adapter.DEEPSEEK, wide, *[small()] * 13))) == "Noted."
    assert (
        refused(double, Adapter.DEEPSEEK, body_of(showing(Adapter.DEEPSEEK, wide, *[small()] * 14))) == "side_too_large"
    )


def test_anthropic_counts_the_characters_of_base64_and_bedrock_the_bytes() -> None:
    data = plain(40, 30)
    rules = {"max_base64_bytes": len(data) + 10}, {"max_raw_bytes": len(data) + 10}
    with ProviderDouble(anthropic=rules[0], bedrock=rules[1]) as double:
        sent = picture(data, Size(40, 30))
        assert refused(double, Adapter.ANTHROPIC, body_of(showing(Adapter.ANTHROPIC, sent))) == "image_too_large"
        assert ask(double, Adapter.BEDROCK, body_of(showing(Adapter.BEDROCK, sent))) == "Noted."


def test_a_request_above_the_size_of_a_provider_is_refused_with_its_own_status() -> None:
    limit = {"max_request_bytes": 2_000}
    sent = picture(make_photo(200, 200), Size(200, 200), media_type=JPEG)
    with ProviderDouble(anthropic=limit, openai=limit, bedrock=limit) as double:
        with pytest.raises(anthropic.APIStatusError) as caught:
            ask(double, Adapter.ANTHROPIC, body_of(showing(Adapter.ANTHROPIC, sent)))
        assert (caught.value.status_code, caught.value.type) == (413, "request_too_large")
        assert refused(double, Adapter.OPENAI_RESPONSES, body_of(showing(Adapter.OPENAI_RESPONSES, sent))) == (
            "request_too_large"
        )
        assert refused(double, Adapter.BEDROCK, body_of(showing(Adapter.BEDROCK, sent))) == "request_too_large"


def test_anthropic_refuses_what_it_would_have_to_shrink_unsaid(double: ProviderDouble) -> None:
    large = picture(plain(1920, 1080), Size(1920, 1080))
    body = body_of(showing(Adapter.ANTHROPIC, large))
    assert refused(double, Adapter.ANTHROPIC, body, model="claude-sonnet-4-6") == "oversized_for_model"
    assert ask(double, Adapter.ANTHROPIC, body, model="claude-opus-4-7") == "Noted."
    fitting = picture(plain(1456, 819), Size(1456, 819))
    body = body_of(showing(Adapter.ANTHROPIC, fitting))
    assert ask(double, Adapter.ANTHROPIC, body, model="claude-sonnet-4-6") == "Noted."


def test_a_side_below_the_least_is_refused_where_there_is_one(double: ProviderDouble) -> None:
    thin = picture(plain(400, 10), Size(400, 10))
    body = {"model": "qwen3-vl-plus", **body_of(showing(Adapter.COMPATIBLE, thin))}
    with (
        openai.OpenAI(base_url=double.base_url("qwen") + "/v1", api_key=KEY, max_retries=0) as client,
        pytest.raises(openai.BadRequestError),
    ):
        client.post("/chat/completions", body=body, cast_to=object)
    assert double.refused[-1].refusal.code == "side_too_small"


@pytest.mark.parametrize(
    ("adapter", "model"),
    [
        (Adapter.OPENAI_CHAT, "gpt-5.6"),
        (Adapter.COMPATIBLE, "qwen3-vl"),
        (Adapter.GEMINI, "gemini-2.5-pro"),
        (Adapter.BEDROCK, "mistral.pixtral-large-v1:0"),
    ],
)
@pytest.mark.requirement("AT-14")
def test_a_picture_in_a_tool_result_is_refused_where_there_is_no_place_for_it(
    double: ProviderDouble, adapter: Adapter, model: str
) -> None:
    nested = body_of(everything(adapter, where=ResultPictures.NESTED))
    if adapter in (Adapter.OPENAI_CHAT, Adapter.COMPATIBLE):
        # the adapter itself never nests there, so that the breach is made by hand
        nested["messages"][3]["content"] = nested["messages"][1]["content"]
    assert refused(double, adapter, nested, model=model) == "tool_result_shape"
    assert ask(double, adapter, body_of(everything(adapter, where=ResultPictures.NEXT_TURN)), model=model) == "Noted."


@pytest.mark.parametrize("adapter", ALL)
def test_a_call_without_a_result_is_refused(double: ProviderDouble, adapter: Adapter) -> None:
    request = everything(adapter)
    kept = (*request.messages[:3], *request.messages[4:])
    assert refused(double, adapter, body_of(replace(request, messages=kept))) == "shape"


@pytest.mark.parametrize("adapter", ALL)
def test_without_a_key_nobody_is_answered(double: ProviderDouble, adapter: Adapter) -> None:
    status, _ = post(double, adapter, body_of(showing(adapter, small())), key="")
    assert status in (401, 403)


@pytest.mark.parametrize("adapter", ALL)
def test_what_no_provider_knows_in_a_body_is_refused(double: ProviderDouble, adapter: Adapter) -> None:
    body = json.loads(json_of(body_of(showing(adapter, small()))))
    first = body[next(iter(body))][0]
    assert post(double, adapter, {**body, "invented": 1})[0] == 400
    (first.get("content") or first["parts"])[0]["invented"] = 1
    assert post(double, adapter, body)[0] == 400
    assert [each.refusal.code for each in double.refused] == ["shape", "shape"]


def test_an_animation_is_refused_by_openai_alone(double: ProviderDouble) -> None:
    moving = picture(make_animation(), Size(100, 100), media_type=MediaType("image/gif"))
    assert refused(double, Adapter.OPENAI_RESPONSES, body_of(showing(Adapter.OPENAI_RESPONSES, moving))) == "animated"
    assert ask(double, Adapter.ANTHROPIC, body_of(showing(Adapter.ANTHROPIC, moving))) == "Noted."
    assert refused(double, Adapter.GEMINI, body_of(showing(Adapter.GEMINI, moving))) == "media_type_refused"


def test_the_files_of_anthropic_by_its_client(double: ProviderDouble) -> None:
    address = double.base_url("anthropic")
    with anthropic.Anthropic(base_url=address, api_key=KEY, max_retries=0) as client:
        file = client.files.upload(file=("a.png", plain(40, 30), "image/png"), expires_in_seconds=3600)
        assert file.expires_at is not None
        assert (file.mime_type, file.size_bytes) == ("image/png", len(plain(40, 30)))
        assert [each.id for each in client.files.list()] == [file.id]
        body = body_of(showing(Adapter.ANTHROPIC, replace(small(), remote_id=file.id)))
        assert ask(double, Adapter.ANTHROPIC, body) == "Noted."
        with pytest.raises(anthropic.NotFoundError):
            ask(double, Adapter.ANTHROPIC, body, key="key-of-another")
        double.pass_time(3600)
        with pytest.raises(anthropic.NotFoundError) as caught:
            ask(double, Adapter.ANTHROPIC, body)
        assert caught.value.error_code == "file_expired"
        with pytest.raises(anthropic.BadRequestError):
            client.files.upload(file=("a.png", plain(40, 30), "image/png"), expires_in_seconds=60)


@pytest.mark.parametrize(("corner", "adapter"), [("openai", Adapter.OPENAI_RESPONSES), ("deepseek", Adapter.DEEPSEEK)])
def test_the_files_of_openai_and_deepseek_by_the_same_client(
    double: ProviderDouble, corner: str, adapter: Adapter
) -> None:
    with openai.OpenAI(base_url=double.base_url(corner) + "/v1", api_key=KEY, max_retries=0) as client:
        file = client.files.create(
            file=("a.png", plain(40, 30), "image/png"),
            purpose="user_data",
            expires_after={"anchor": "created_at", "seconds": 3600},
        )
        assert file.expires_at == file.created_at + 3600
        body = body_of(showing(adapter, replace(small(), remote_id=file.id)))
        assert ask(double, adapter, body) == "Noted."
        assert refused(double, adapter, body, key="key-of-another") == "file_not_found"
        assert client.files.delete(file.id).deleted
        assert refused(double, adapter, body) == "file_not_found"


def test_the_files_of_gemini_by_its_client(double: ProviderDouble) -> None:
    options = gemini_types.HttpOptions(base_url=double.base_url("gemini"), api_version="v1beta")
    with genai.Client(api_key=KEY, http_options=options) as client:
        config = gemini_types.UploadFileConfig(mime_type="image/png", display_name="a.png")
        file = client.files.upload(file=io.BytesIO(plain(40, 30)), config=config)
        assert file.uri is not None
        assert file.name is not None
        assert file.size_bytes == len(plain(40, 30))
        body = body_of(showing(Adapter.GEMINI, replace(small(), remote_id=file.uri)))
        assert ask(double, Adapter.GEMINI, body) == "Noted."
        double.pass_time(48 * 3600)
        with pytest.raises(gemini_errors.ClientError) as caught:
            ask(double, Adapter.GEMINI, body)
        assert caught.value.code == 403
        with pytest.raises(gemini_errors.ClientError):
            client.files.get(name=file.name)


def test_the_space_for_files_ends(double: ProviderDouble) -> None:
    size = len(plain(40, 30))
    with (
        ProviderDouble(anthropic={"file_total_bytes": size + 5}) as small_double,
        anthropic.Anthropic(base_url=small_double.base_url("anthropic"), api_key=KEY, max_retries=0) as client,
    ):
        file = client.files.upload(file=("a.png", plain(40, 30), "image/png"))
        with pytest.raises(anthropic.BadRequestError) as caught:
            client.files.upload(file=("a.png", plain(40, 30), "image/png"))
        assert caught.value.error_code == "storage_quota_exceeded"
        client.files.delete(file.id)
        client.files.upload(file=("a.png", plain(40, 30), "image/png"))
    assert double.calls == []


def test_failures_of_networks_and_busy_servers_come_when_they_are_ordered(double: ProviderDouble) -> None:
    body = body_of(showing(Adapter.ANTHROPIC, small()))
    double.fail("anthropic", "/v1/messages", status=529)
    double.fail("anthropic", "/v1/messages")
    with pytest.raises(anthropic.APIStatusError):
        ask(double, Adapter.ANTHROPIC, body)
    with pytest.raises(anthropic.APIConnectionError):
        ask(double, Adapter.ANTHROPIC, body)
    assert ask(double, Adapter.ANTHROPIC, body) == "Noted."
    assert [path for _, _, path in double.requests] == ["/v1/messages"] * 3


def test_every_provider_of_the_double_takes_png_and_jpeg() -> None:
    assert {name for name, rules in RULES.items() if not {str(PNG), str(JPEG)} <= rules.media_types} == set()
    assert str(WEBP) not in RULES["xai"].media_types
