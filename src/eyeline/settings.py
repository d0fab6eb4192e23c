"""Settings: every number and choice in one frozen value, read once from `eyeline.toml` in the home."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from eyeline.errors import ConfigError, InvalidRequest
from eyeline.model.limits import MCP_ANSWER, AnswerLimit, Limits, ServedSet
from eyeline.tree.placing import Link
from eyeline.wire import validate

FILE = "eyeline.toml"


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """The OCR lane: language codes of tesseract, a folder of further models, and how many pages of one document."""

    languages: tuple[str, ...] = ("eng",)
    models: str | None = None
    max_pages: int = 500


@dataclass(frozen=True, slots=True)
class DescriberSettings:
    """An OpenAI-compatible vision endpoint; without a base URL the description lane is off.

    `api_key_env` names the environment variable that holds the key; the key itself never stands in a file of ours.
    """

    base_url: str | None = None
    model: str = ""
    api_key_env: str | None = None
    timeout_ms: int = 60_000


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """The published tree: how originals are placed, and how many page thumbnails a document gets."""

    link: Link = Link.AUTO
    max_thumbnails: int = 24


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. `unroutable = "keep"` stores what has no route; `share` widens modes of originals."""

    limits: Limits = field(default_factory=Limits)
    served: ServedSet = field(default_factory=ServedSet)
    answer: AnswerLimit = field(default_factory=AnswerLimit)
    mcp_answer: AnswerLimit = MCP_ANSWER
    ocr: OcrSettings = field(default_factory=OcrSettings)
    describer: DescriberSettings = field(default_factory=DescriberSettings)
    tree: TreeSettings = field(default_factory=TreeSettings)
    unroutable: Literal["refuse", "keep"] = "refuse"
    share: Literal["owner", "group", "everyone"] = "owner"
    cache_bytes: int = 2 << 30
    workers: int = 2


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
