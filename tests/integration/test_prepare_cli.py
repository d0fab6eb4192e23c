"""`eyeline prepare` as people and programs call it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import KEY, ask, post_to
from tests.support.cli import Done, invoke, run
from tests.support.conversations import looked_at, talk

from eyeline import Eyeline
from eyeline.errors import ConfigError
from eyeline.media.sample_pictures import make_picture, make_screenshot
from eyeline.model.route import Adapter
from eyeline.request.reading import json_of
from eyeline.testing.provider_double import ProviderDouble


@dataclass(frozen=True)
class Desk:
    """A home with two pictures, and a conversation about them in a file."""

    home: Path
    messages: str


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("desk")
    with Eyeline(folder / "home") as eye:
        screen = eye.attachments.save_image(make_screenshot(2000, 1200), name="screen.png")
        small = [
            eye.attachments.save_image(make_picture(width=300 + n, height=200), name=f"{n}.png") for n in range(21)
        ]
    (folder / "talk.json").write_text(json_of([*talk([[screen]]), *looked_at(small[0])]), encoding="utf-8")
    (folder / "long.json").write_text(json_of(talk([[each] for each in small])), encoding="utf-8")
    (folder / "turn.json").write_text(json_of(talk([small])), encoding="utf-8")
    return Desk(folder / "home", str(folder / "talk.json"))


def other(desk: Desk, name: str) -> str:
    return desk.messages.replace("talk.json", name)


def test_a_table_says_what_became_of_each_picture(desk: Desk) -> None:
    done = run(desk.home, "prepare", desk.messages, "--route", "claude-sonnet-4-6")
    assert done.code == 0, done.err
    lines = done.out.decode().splitlines()
    assert "became" in lines[0]
    assert any("scaled" in line for line in lines)
    assert any("sent" in line for line in lines)
    assert "anthropic-standard: at most" in done.err


def test_the_report_is_one_json_text_without_a_path(desk: Desk) -> None:
    done = run(desk.home, "prepare", desk.messages, "--route", "gpt-5.4", "--world", "host", "--json")
    assert [each["outcome"] for each in done.answer["pictures"]] == ["sent", "sent"]
    assert str(desk.home) not in done.out.decode()


@pytest.mark.requirement("AT-08")
def test_the_texts_hold_the_path_of_the_world_that_was_named(desk: Desk) -> None:
    mapped = run(desk.home, "prepare", desk.messages, "--route", "gpt-5.4", "--world", f"{desk.home}=/eye", "--texts")
    assert "`/eye/attachments/v1/" in mapped.out.decode()
    none = run(desk.home, "prepare", "-", "--route", "gpt-5.4", "--texts", given=Path(desk.messages).read_bytes())
    assert "do not search for one" in none.out.decode()
    assert str(desk.home) not in mapped.out.decode() + none.out.decode()


@dataclass(frozen=True)
class Account:
    """A home whose settings name a double in the place of the providers."""

    double: ProviderDouble
    home: Path
    talk: Path

    def prepare(self, output: str, *, route: str = "claude-opus-5", key: str = KEY) -> Done:
        arguments = ("prepare", str(self.talk), "--route", route, "--files-api", "-o", str(self.home.parent / output))
        return run(self.home, *arguments, KEY_OF_ONE=key)

    def body(self, output: str) -> Any:
        return json.loads((self.home.parent / output).read_text(encoding="utf-8"))


@pytest.fixture(name="account")
def an_account(desk: Desk, tmp_path: Path) -> Iterator[Account]:
    shutil.copytree(desk.home, tmp_path / "home")
    with ProviderDouble() as double:
        told = [
            f'[files_api.{name}]\nbase_url = "{double.base_url(name)}{version}"\nkey_env = "KEY_OF_ONE"\n'
            for name, version in (("anthropic", ""), ("deepseek", "/v1"))
        ]
        (tmp_path / "home/eyeline.toml").write_text("".join(told))
        yield Account(double, tmp_path / "home", Path(desk.messages))


@pytest.mark.requirement("AT-13")
@pytest.mark.parametrize(("corner", "model"), [("anthropic", "claude-opus-5"), ("deepseek", "deepseek-flash")])
def test_pictures_go_to_the_files_api_of_the_route_once_and_the_body_names_them(
    account: Account, corner: str, model: str
) -> None:
    first = account.prepare("first.json", route=model)
    assert first.code == 0, first.err
    assert len(account.double.files(corner, account=KEY)) == 2
    assert b"base64" not in (account.home.parent / "first.json").read_bytes()
    asked = len(account.double.requests)
    again = account.prepare("again.json", route=model)
    assert (again.code, account.body("again.json")) == (0, account.body("first.json"))
    assert len(account.double.requests) == asked
    assert post_to(account.double, corner, account.body("first.json"), model=model)[0] == 200
    (call,) = account.double.calls
    assert len(call.pictures) == 2
    assert KEY not in "".join(path.read_text() for path in (account.home / "remote").rglob("*.json"))


@pytest.mark.requirement("AT-13")
def test_a_files_api_that_fails_is_said_and_the_pictures_go_inline(account: Account) -> None:
    account.double.fail("anthropic", "/v1/files", status=503, times=9)
    done = account.prepare("body.json")
    assert (done.code, "busy" in done.err) == (0, True)
    assert post_to(account.double, "anthropic", account.body("body.json"), model="claude-opus-5")[0] == 200
    other = account.prepare("other.json", route="bedrock-claude")
    assert (other.code, "no_files_api" in other.err) == (0, True)


def test_without_a_key_nothing_is_sent_anywhere(account: Account) -> None:
    done = account.prepare("body.json", key="")
    assert (done.code, "KEY_OF_ONE" in done.err) == (30, True)
    assert account.double.requests == []
    assert not (account.home.parent / "body.json").exists()


def test_in_python_an_upload_that_is_gone_is_mended(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_ONE", KEY)
    with Eyeline(account.home) as eye:
        made = eye.prepare(account.talk.read_bytes(), route="claude-opus-5", files_api=True)
        assert made.placement is not None
        remote = eye.remote_pictures("anthropic")
        assert len(remote.clear()) == 2
        said, placed = remote.deliver(
            made.prepared, lambda body: ask(account.double, Adapter.ANTHROPIC, body, model="claude-opus-5")
        )
    assert (said, placed.inline, len(placed.uploaded)) == ("Noted.", None, 2)
    with Eyeline(account.home) as eye, pytest.raises(ConfigError):
        eye.remote_pictures("mistral")


def test_a_body_is_written_to_a_new_file_only(desk: Desk, tmp_path: Path) -> None:
    arguments = ("prepare", desk.messages, "--route", "gemini-3", "-o", str(tmp_path / "body.json"))
    assert invoke(desk.home, *arguments).exit_code == 0
    body = json.loads((tmp_path / "body.json").read_text(encoding="utf-8"))
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert invoke(desk.home, *arguments).exit_code == 11


@pytest.mark.requirement("AT-11")
def test_a_record_is_kept_from_call_to_call(desk: Desk, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    arguments = ("prepare", other(desk, "long.json"), "--route", "bedrock-claude", "--record", str(record), "--json")
    first, kept = run(desk.home, *arguments), record.read_bytes()
    again = run(desk.home, *arguments)
    assert [step["action"] for step in first.answer["new_steps"]] == ["omit"]
    assert again.answer["new_steps"] == []
    assert again.answer["pictures"] == first.answer["pictures"]
    assert record.read_bytes() == kept
    assert str(desk.home).encode() not in kept


@pytest.mark.parametrize(
    ("messages", "options", "code"),
    [
        ("talk.json", ["--route", "clawed"], 11),
        ("talk.json", ["--route", "gpt-5.4", "--world", "docker"], 11),
        ("talk.json", [], 2),
        ("gone.json", ["--route", "gpt-5.4"], 2),
        ("turn.json", ["--route", "bedrock-claude"], 12),
    ],
)
def test_what_cannot_be_prepared_ends_with_its_number(desk: Desk, messages: str, options: list[str], code: int) -> None:
    assert invoke(desk.home, "prepare", other(desk, messages), *options).exit_code == code


@pytest.mark.requirement("AT-16")
def test_a_malformed_reference_ends_with_its_code_and_its_place(desk: Desk) -> None:
    broken = Path(desk.messages).read_text(encoding="utf-8").replace("sha256:", "sha1:", 1)
    done = run(desk.home, "prepare", "-", "--route", "gpt-5.4", given=broken.encode())
    assert done.code == 11
    assert "reference" in done.err
