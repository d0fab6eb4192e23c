"""The describer against a real endpoint on loopback: what leaves, what comes back, and what every failure becomes."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from eyeline.convert.budgets import DescriptionBudget
from eyeline.convert.describer import MAX_DESCRIPTION_CHARS, EndpointDescriber
from eyeline.convert.endpoint import MAX_ANSWER_BYTES
from eyeline.convert.lanes import run_description
from eyeline.errors import Cancelled, ConfigError, LaneFailed
from eyeline.media.sample_pictures import make_picture, make_screenshot, screenshot_line
from eyeline.model.media_type import MediaType
from eyeline.testing.moods import Mood
from eyeline.testing.vision_endpoint import VisionEndpoint
from eyeline.toolkit.cancel import CancelToken

PNG, JPEG = MediaType("image/png"), MediaType("image/jpeg")
PICTURE = make_picture()
KEY_NAME = "EYELINE_TEST_DESCRIBER_KEY"
KEY = "sk-test-0123456789"


@pytest.fixture
def endpoint() -> Iterator[VisionEndpoint]:
    with VisionEndpoint() as endpoint:
        yield endpoint
        assert endpoint.complaints == []


def describer(endpoint: VisionEndpoint, **settings: Any) -> EndpointDescriber:
    given: dict[str, Any] = {"model": "looker-1", "timeout_ms": 20_000, **settings}
    return EndpointDescriber(endpoint.base_url, **given)


def failure(endpoint: VisionEndpoint, mood: Mood, **settings: Any) -> LaneFailed:
    endpoint.mood = mood
    with pytest.raises(LaneFailed) as caught:
        describer(endpoint, **settings).describe(PICTURE, PNG)
    return caught.value


def test_the_request_holds_our_prompt_and_the_picture_once(endpoint: VisionEndpoint) -> None:
    picture = make_screenshot(600, 200)
    described = describer(endpoint).describe(picture, PNG)
    (asked,) = endpoint.asked
    assert (described.text, described.model, described.host) == ("A plain picture.", "looker-1", "127.0.0.1")
    assert (asked.width_px, asked.height_px) == (600, 200)
    assert asked.picture == picture
    assert asked.body.count(base64.b64encode(picture)) == 1
    assert screenshot_line(1).encode() not in asked.body
    said = {"host", "content-type", "content-length", "accept", "accept-encoding", "connection", "user-agent"}
    assert set(asked.headers) == said


def test_the_picture_goes_out_as_what_it_is(endpoint: VisionEndpoint) -> None:
    picture = make_picture("image/jpeg", width=300, height=200)
    describer(endpoint).describe(picture, JPEG)
    assert endpoint.asked[0].question["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/jpeg;")


@pytest.mark.requirement("SA-09")
def test_emphasis_sets_how_long_the_answer_may_be_and_is_never_nothing(endpoint: VisionEndpoint) -> None:
    for emphasis in (0.0, 0.5, 1.0):
        describer(endpoint).describe(PICTURE, PNG, emphasis=emphasis)
    asked = [each.question["max_tokens"] for each in endpoint.asked]
    assert asked == [DescriptionBudget.of(emphasis).max_tokens for emphasis in (0.0, 0.5, 1.0)]
    assert 0 < asked[0] < asked[1] < asked[2]


def test_the_key_comes_from_the_environment_and_goes_into_one_header(monkeypatch: pytest.MonkeyPatch) -> None:
    with VisionEndpoint(key=KEY) as endpoint:
        asking = describer(endpoint, api_key_env=KEY_NAME)
        monkeypatch.setenv(KEY_NAME, KEY)
        asking.describe(PICTURE, PNG)
        (asked,) = endpoint.asked
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert KEY.encode() not in asked.body
        monkeypatch.setenv(KEY_NAME, "another")
        with pytest.raises(LaneFailed) as caught:
            asking.describe(PICTURE, PNG)
        assert (caught.value.detail["reason"], caught.value.detail["status"]) == ("refused", 401)
        assert KEY not in f"{caught.value}{asking.components}{vars(asking)}"


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "schlüssel"])
def test_without_a_key_nothing_is_sent(endpoint: VisionEndpoint, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(KEY_NAME, value)
    outcome = run_description(describer(endpoint, api_key_env=KEY_NAME), PICTURE, PNG)
    assert (outcome.code, outcome.retryable, endpoint.asked) == ("failed", True, [])
    assert KEY_NAME in outcome.reason


def test_no_key_is_sent_that_was_not_named(endpoint: VisionEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    describer(endpoint).describe(PICTURE, PNG)
    assert "authorization" not in endpoint.asked[0].headers


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(
    ("mood", "reason", "status", "retryable"),
    [
        (Mood.FAILING, "server_error", 500, True),
        (Mood.BUSY, "busy", 429, True),
        (Mood.DENYING, "refused", 403, False),
        (Mood.REDIRECTING, "refused", 307, False),
        (Mood.GARBAGE, "malformed", None, True),
        (Mood.WRONG_SHAPE, "malformed", None, True),
        (Mood.PACKED, "malformed", None, True),
        (Mood.EMPTY, "empty", None, True),
        (Mood.HUGE, "too_long", None, False),
        (Mood.BREAKING_OFF, "unreachable", None, True),
    ],
)
def test_every_failure_has_a_reason_and_is_a_gap(
    endpoint: VisionEndpoint, mood: Mood, reason: str, *, status: int | None, retryable: bool
) -> None:
    error = failure(endpoint, mood)
    assert (error.detail["reason"], error.detail.get("status")) == (reason, status)
    outcome = run_description(describer(endpoint), PICTURE, PNG)
    assert (outcome.value, outcome.code, outcome.retryable) == (None, "failed", retryable)
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize("mood", [Mood.SILENT, Mood.TRICKLING])
def test_an_endpoint_that_never_comes_to_an_end_is_left_in_time(endpoint: VisionEndpoint, mood: Mood) -> None:
    assert failure(endpoint, mood, timeout_ms=300).detail["reason"] == "timeout"


def test_an_address_where_nobody_listens_is_unreachable() -> None:
    with VisionEndpoint() as endpoint:
        asking = describer(endpoint)
    with pytest.raises(LaneFailed) as caught:
        asking.describe(PICTURE, PNG)
    assert caught.value.detail["reason"] == "unreachable"


@pytest.mark.parametrize("mood", [Mood.SILENT, Mood.TRICKLING])
def test_a_request_that_waits_is_cut_off_when_the_caller_cancels(endpoint: VisionEndpoint, mood: Mood) -> None:
    endpoint.mood = mood
    cancel = CancelToken()

    def give_up() -> None:
        assert endpoint.arrived.wait(30)
        cancel.cancel()

    other = threading.Thread(target=give_up)
    other.start()
    with pytest.raises(Cancelled):
        run_description(describer(endpoint, timeout_ms=60_000), PICTURE, PNG, cancel=cancel)
    other.join(30)


def test_a_token_that_has_fired_sends_nothing(endpoint: VisionEndpoint) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        describer(endpoint).describe(PICTURE, PNG, cancel=cancel)
    assert endpoint.asked == []


async def _inside_a_loop(asking: EndpointDescriber) -> str:
    return asking.describe(PICTURE, PNG).text


def test_it_works_where_a_loop_is_already_running(endpoint: VisionEndpoint) -> None:
    import asyncio

    assert asyncio.run(_inside_a_loop(describer(endpoint))) == "A plain picture."


def test_an_answer_in_parts_is_joined(endpoint: VisionEndpoint) -> None:
    endpoint.mood, endpoint.text = Mood.PARTS, "First part.\nSecond part."
    assert describer(endpoint).describe(PICTURE, PNG).text == "First part.\nSecond part."


def test_an_answer_that_was_cut_short_says_so(endpoint: VisionEndpoint) -> None:
    endpoint.mood = Mood.CUT_SHORT
    described = describer(endpoint).describe(PICTURE, PNG)
    assert (described.complete, described.prompt_tokens, described.answer_tokens) == (False, 321, 3)


def test_what_a_model_writes_cannot_steer_a_terminal_or_hide(endpoint: VisionEndpoint) -> None:
    endpoint.text = "\x1b[31mRed\x1b[0m\r\nline\u2028end \u202eeslaf\u202c \u200bzero\ufeff\x00\tTab"
    assert describer(endpoint).describe(PICTURE, PNG).text == "[31mRed[0m\nline\nend eslaf zero Tab"


def test_a_long_answer_is_cut(endpoint: VisionEndpoint) -> None:
    endpoint.text = "word " * (MAX_ANSWER_BYTES // 8)
    assert 0 < len(describer(endpoint).describe(PICTURE, PNG).text) <= MAX_DESCRIPTION_CHARS


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "127.0.0.1:1/v1",
        "ftp://host/v1",
        "http:///v1",
        "http://user:pw@host/v1",
        "http://host/v1?key=1",
        "http://host/v1#part",
        "http://host:port/v1",
        "http://[::1/v1",
    ],
)
def test_an_address_that_cannot_work_is_said_at_once_and_not_repeated(base_url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        EndpointDescriber(base_url, model="looker-1")
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("settings", [{"model": " "}, {"timeout_ms": 0}])
def test_settings_that_cannot_work_are_said_at_once(settings: dict[str, Any]) -> None:
    given: dict[str, Any] = {"model": "looker-1", **settings}
    with pytest.raises(ConfigError):
        EndpointDescriber("http://127.0.0.1:1/v1", **given)


def test_model_and_host_are_part_of_the_key_and_the_port_is_not() -> None:
    parts = EndpointDescriber("http://127.0.0.1:8080/v1/", model="looker-1").components
    assert [(each.name, each.execution) for each in parts] == [
        ("description-prompt", "local"),
        ("description-model", "127.0.0.1"),
    ]
    assert parts[1].version == "looker-1"


@pytest.mark.parametrize("spoilt", ["messages", "max_tokens", "temperature", "model"])
def test_the_double_is_strict(spoilt: str) -> None:
    import httpx2

    with VisionEndpoint() as endpoint:
        describer(endpoint).describe(PICTURE, PNG)
        question = dict(endpoint.asked[0].question)
        del question[spoilt]
        answer = httpx2.post(
            f"{endpoint.base_url}/chat/completions",
            content=json.dumps(question),
            headers={"content-type": "application/json"},
        )
        assert (answer.status_code, len(endpoint.asked), len(endpoint.complaints)) == (400, 1, 1)
