"""Asks each provider's double with the provider's own client, where there is one, and its real address and key."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import anthropic
import openai
from botocore.config import Config
from botocore.session import Session
from google import genai
from google.genai import types as gemini_types
from mistralai.client import Mistral

from eyeline.model.route import Adapter
from eyeline.request.providers import json_of
from eyeline.testing.provider_double import ProviderDouble

KEY = "key-of-one"

CORNERS = {
    Adapter.ANTHROPIC: ("anthropic", "claude-sonnet-4-6"),
    Adapter.OPENAI_RESPONSES: ("openai", "gpt-5.6"),
    Adapter.OPENAI_CHAT: ("openai", "gpt-5.6"),
    Adapter.GEMINI: ("gemini", "gemini-3-pro"),
    Adapter.BEDROCK: ("bedrock", "anthropic.claude-sonnet-4-6-v1:0"),
    Adapter.MISTRAL: ("mistral", "mistral-medium-latest"),
    Adapter.DEEPSEEK: ("deepseek", "deepseek-flash"),
    Adapter.COMPATIBLE: ("ollama", "qwen3-vl"),
}
"""The corner of the double that speaks a shape, and a model of it."""


def ask(double: ProviderDouble, adapter: Adapter, body: dict[str, Any], *, model: str = "", key: str = KEY) -> str:
    """Send a body with the provider's client; what the model said, or what the client raises."""
    corner, usual = CORNERS[adapter]
    return _ASKING[adapter](double.base_url(corner), model or usual, key, body)


def post(double: ProviderDouble, adapter: Adapter, body: dict[str, Any], *, key: str = KEY) -> tuple[int, Any]:
    """Send a body as the wire has it, without any client; status and JSON of the answer."""
    corner, model = CORNERS[adapter]
    return post_to(double, corner, body, model=model, key=key)


def post_to(
    double: ProviderDouble, corner: str, body: dict[str, Any], *, model: str, key: str = KEY
) -> tuple[int, Any]:
    """The same to a corner that is named, for a model of it."""
    paths = {
        "anthropic": "/v1/messages",
        "gemini": f"/v1beta/models/{model}:generateContent",
        "bedrock": f"/model/{model}/converse",
    }
    usual = "/v1/responses" if "input" in body else "/v1/chat/completions"
    added = {"gemini": {}, "bedrock": {}, "anthropic": {"model": model, "max_tokens": 9}}.get(corner, {"model": model})
    headers = {"content-type": "application/json", "anthropic-version": "2026-10-21"}
    if key:
        headers |= {"authorization": f"Bearer {key}", "x-goog-api-key": key}
    address = urlsplit(double.base_url(corner) + paths.get(corner, usual))
    assert address.hostname is not None
    with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
        connection.request("POST", address.path, json_of({**added, **body}), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def _anthropic(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    with anthropic.Anthropic(base_url=address, api_key=key, max_retries=0) as client:
        create: Callable[..., Any] = client.messages.create
        answer = create(model=model, max_tokens=64, **body)
    return "".join(block.text for block in answer.content)


def _responses(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    with openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as client:
        create: Callable[..., Any] = client.responses.create
        answer = create(model=model, **body)
    return answer.output_text


def _chat(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    with openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as client:
        create: Callable[..., Any] = client.chat.completions.create
        answer = create(model=model, **body)
    return answer.choices[0].message.content


def _gemini(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    options = gemini_types.HttpOptions(base_url=address, api_version="v1beta")
    with genai.Client(api_key=key, http_options=options) as client:
        instruction = body.get("systemInstruction")
        config = gemini_types.GenerateContentConfig(system_instruction=instruction)
        return client.models.generate_content(model=model, contents=body["contents"], config=config).text or ""


def _bedrock(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    session: Any = Session()
    client = session.create_client(
        "bedrock-runtime",
        region_name="eu-west-1",
        endpoint_url=address,
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with closing(client):
        answer = client.converse(modelId=model, **body)
    return "".join(block["text"] for block in answer["output"]["message"]["content"])


def _mistral(address: str, model: str, key: str, body: dict[str, Any]) -> str:
    with Mistral(api_key=key, server_url=address) as client:
        message = client.chat.complete(model=model, **body).choices[0].message
    return str(message.content) if message is not None else ""


_ASKING: dict[Adapter, Callable[[str, str, str, dict[str, Any]], str]] = {
    Adapter.ANTHROPIC: _anthropic,
    Adapter.OPENAI_RESPONSES: _responses,
    Adapter.OPENAI_CHAT: _chat,
    Adapter.GEMINI: _gemini,
    Adapter.BEDROCK: _bedrock,
    Adapter.MISTRAL: _mistral,
    Adapter.DEEPSEEK: _responses,
    Adapter.COMPATIBLE: _chat,
}
