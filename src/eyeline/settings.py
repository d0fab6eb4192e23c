"""Settings: every number and choice in one frozen value, read once from `eyeline.toml` in the home."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from eyeline.convert.transcriber import AnswerFormat
from eyeline.errors import ConfigError, InvalidRequest
from eyeline.model.attachment import AttachmentLimits
from eyeline.model.carrying import WaitLimits
from eyeline.model.limits import MCP_ANSWER, AnswerLimit, Limits, ServedSet
from eyeline.model.remote import RemotePolicy
from eyeline.model.viewing import UrlPolicy, ViewLimits
from eyeline.tree.placing import Link
from eyeline.wire import validate

FILE = "eyeline.toml"


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """The OCR lane."""

    languages: tuple[str, ...] = ("eng",)
    """Codes of tesseract, the most likely first."""

    models: str | None = None
    """Folder of further models, looked into before the installed ones."""

    max_pages: int = 500
    """Pages of one document that are read by OCR; further ones are a gap."""


@dataclass(frozen=True, slots=True)
class DescriberSettings:
    """The description lane: an OpenAI-compatible vision endpoint."""

    base_url: str | None = None
    """Where it answers, up to and without `/chat/completions`; without it the lane is off."""

    model: str = ""
    """The name the endpoint knows its model by."""

    api_key_env: str | None = None
    """Environment variable that holds the key; the key itself stands in no file of Eyeline."""

    timeout_ms: int = 60_000
    """How long one request may take as a whole."""


@dataclass(frozen=True, slots=True)
class TranscriberSettings:
    """The transcript lane: a speech model on this machine, or an OpenAI-compatible endpoint."""

    model: str | None = None
    """Folder of a whisper model, or an installed package that holds one; of an endpoint the name it knows it by."""

    base_url: str | None = None
    """Where an endpoint answers, up to and without `/audio/transcriptions`; without it, `model` is on this machine."""

    language: str | None = None
    """Code of what is spoken, such as `en`; without it the model finds it out."""

    answer: AnswerFormat = AnswerFormat.VERBOSE_JSON
    """What an endpoint is asked for; `diarized_json` tells speakers apart, `json` knows no times."""

    api_key_env: str | None = None
    """Environment variable that holds the endpoint's key; the key itself stands in no file of Eyeline."""

    timeout_ms: int = 300_000
    """How long one request to an endpoint may take as a whole."""

    max_minutes: int = 720
    """Minutes of one recording that are listened to; what comes after is a gap."""


@dataclass(frozen=True, slots=True)
class TypesettingSettings:
    """The pages of office documents, set by LibreOffice."""

    program: str = "auto"
    """`auto` takes the LibreOffice that is on the path, `off` none; else the path of its program."""

    timeout_ms: int = 90_000
    """How long it may take with one document."""

    shut_off: Literal["required", "where_possible"] = "required"
    """Whether it runs only where bubblewrap shuts it off; elsewhere documents make it open files and addresses."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """The published tree."""

    link: Link = Link.AUTO
    """How originals are placed; `auto` takes a reflink, else a hard link, else a copy."""

    max_thumbnails: int = 24
    """Pages of one document that get a thumbnail."""

    max_keyframes: int = 24
    """Frames of one video that are kept as pictures."""


@dataclass(frozen=True, slots=True)
class FilesAccount:
    """An account at one Files API."""

    key_env: str | None = None
    """Environment variable that holds the key; left out, it is the one that the provider's own client reads."""

    base_url: str | None = None
    """Where it answers, as the provider's own client has it; left out, it is the provider itself."""

    account: str | None = None
    """Who the files belong to, where several keys share them; left out, each key is an account of its own."""


@dataclass(frozen=True, slots=True)
class FilesApiSettings:
    """The Files APIs that pictures go to where a request asks for it."""

    anthropic: FilesAccount = field(default_factory=FilesAccount)
    """The account at Anthropic; `ANTHROPIC_API_KEY` holds its key."""

    openai: FilesAccount = field(default_factory=FilesAccount)
    """The account at OpenAI; `OPENAI_API_KEY` holds its key."""

    gemini: FilesAccount = field(default_factory=FilesAccount)
    """The account at Google; `GEMINI_API_KEY` holds its key."""

    deepseek: FilesAccount = field(default_factory=FilesAccount)
    """The account at DeepSeek; `DEEPSEEK_API_KEY` holds its key."""

    policy: RemotePolicy = field(default_factory=RemotePolicy)
    """How remote files are kept and used."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    limits: Limits = field(default_factory=Limits)
    """What is taken in and decoded."""

    served: ServedSet = field(default_factory=ServedSet)
    """What an open may deliver."""

    answer: AnswerLimit = field(default_factory=AnswerLimit)
    """What one answer may hold in Python and on the command line."""

    mcp_answer: AnswerLimit = MCP_ANSWER
    """What one answer may hold over MCP, where a host refuses messages of more than 1 MiB."""

    ocr: OcrSettings = field(default_factory=OcrSettings)
    """How visible text is read."""

    describer: DescriberSettings = field(default_factory=DescriberSettings)
    """Who describes pictures."""

    transcriber: TranscriberSettings = field(default_factory=TranscriberSettings)
    """Who writes down what is said."""
    typesetting: TypesettingSettings = field(default_factory=TypesettingSettings)
    """Who sets the pages of office documents."""

    tree: TreeSettings = field(default_factory=TreeSettings)
    """How the tree is published."""

    view: ViewLimits = field(default_factory=ViewLimits)
    """What a batch of `view_file` may take."""

    attachments: AttachmentLimits = field(default_factory=AttachmentLimits)
    """What may be attached to a message, and what all attachments may take."""

    files_api: FilesApiSettings = field(default_factory=FilesApiSettings)
    """Where pictures of requests are uploaded to, for requests that ask for it; nothing is uploaded without."""

    urls: UrlPolicy = field(default_factory=UrlPolicy)
    """What may be fetched from the network."""

    wait: WaitLimits = field(default_factory=WaitLimits)
    """How long the tool `wait` may wait."""

    unroutable: Literal["refuse", "keep"] = "refuse"
    """What becomes of a file that no route reads: `keep` stores it."""

    share: Literal["owner", "group", "everyone"] = "owner"
    """Who else on this machine may read the stored originals."""

    cache_bytes: int = 2 << 30
    """How large the disposable cache of renditions may grow."""

    workers: int = 2
    """How many files are taken in, or converted, at the same time."""


def default_home() -> Path:
    """`$EYELINE_HOME`, else the platform's folder for user data."""
    chosen = os.environ.get("EYELINE_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "eyeline"
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "eyeline"


def load_settings(home: Path) -> Settings:
    """The settings of a home; defaults where the file is absent. Raises `ConfigError` naming the setting."""
    try:
        text = (home / FILE).read_text("utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{FILE} cannot be read") from exc
    try:
        return with_workers(validate(Settings, tomllib.loads(text)))
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"{FILE} is not TOML: {exc}") from exc
    except InvalidRequest as exc:
        raise ConfigError(f"{FILE}: {exc.message}", hint=exc.hint) from exc


def with_workers(settings: Settings) -> Settings:
    """At least one worker, whatever the file says."""
    return settings if settings.workers >= 1 else replace(settings, workers=1)
