"""The Files API of a provider as the settings have it, with the memory of what was uploaded in the home."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.errors import ConfigError
from eyeline.settings import FilesAccount, FilesApiSettings

if TYPE_CHECKING:
    from eyeline.request.remote import RemotePictures

KEY_ENVS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
}
"""Where the provider's own client looks for its key."""


def remote_pictures(name: str, *, settings: FilesApiSettings, folder: Path) -> RemotePictures:
    """What puts pictures to the Files API of this name. Raises `ConfigError` where there is none, or no key for it."""
    from eyeline.request.remote import FolderIndex, RemotePictures, files_of

    accounts = {each: getattr(settings, each) for each in KEY_ENVS}
    if name not in accounts:
        raise ConfigError(
            f"{name[:80]!r} has no Files API", hint=f"there is one for {', '.join(accounts)}", setting="name"
        )
    account: FilesAccount = accounts[name]
    variable = account.key_env or KEY_ENVS[name]
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"the Files API of {name} needs a key and there is none",
            hint=f"set the environment variable {variable}, or another one as key_env in [files_api.{name}]",
            setting=f"files_api.{name}.key_env",
        )
    api = files_of(name, key=key, base_url=account.base_url, account=account.account, policy=settings.policy)
    return RemotePictures(api, FolderIndex(folder), policy=settings.policy)
