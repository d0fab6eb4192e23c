"""Pictures at the Files APIs of the providers: uploaded once, reused, made anew, cleared out, else sent inline."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anthropic
import pytest
from google.genai import errors as gemini_errors
from openai import BadRequestError, NotFoundError
from tests.support.asking import CORNERS, KEY, ask
from tests.support.prepared import everything, picture, plain, showing

from eyeline.errors import Cancelled, ConfigError
from eyeline.model.attachment import RequestImage
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG
from eyeline.model.prepared import PreparedImage, PreparedRequest
from eyeline.model.remote import RemotePolicy, WhyInline
from eyeline.model.route import Adapter
from eyeline.request.providers import body_of, json_of
from eyeline.request.remote import FolderIndex, Placement, RemotePictures, apis, files_of
from eyeline.request.remote.apis import Uploaded
from eyeline.request.remote.exchanging import Answer, Ask, FilesFailure
from eyeline.testing.provider_double import ProviderDouble
from eyeline.toolkit.cancel import CancelToken

APIS = {
    "anthropic": Adapter.ANTHROPIC,
    "openai": Adapter.OPENAI_RESPONSES,
    "gemini": Adapter.GEMINI,
    "deepseek": Adapter.DEEPSEEK,
}
NAMES = list(APIS)
HOUR_S = 3600


@pytest.fixture(name="double")
def a_double() -> Iterator[ProviderDouble]:
    with ProviderDouble() as double:
        yield double


class Account:
    """One account at one provider of the double, with an index of its own."""

    def __init__(self, double: ProviderDouble, name: str, folder: Path, *, key: str = KEY, **policy: int) -> None:
        self.double, self.name, self.adapter, self.key = double, name, APIS[name], key
        version = "/v1" if name in ("openai", "deepseek") else ""
        kept = RemotePolicy(**policy)
        self.api = files_of(name, key=key, base_url=double.base_url(CORNERS[self.adapter][0]) + version, policy=kept)
        self.index = FolderIndex(folder)
        self.remote = RemotePictures(self.api, self.index, policy=kept, now_ms=lambda: int(double.now() * 1000))

    def request(self, *pictures: PreparedImage) -> PreparedRequest:
        made = showing(self.adapter, *pictures) if pictures else everything(self.adapter)
        return replace(made, route=replace(made.route, files_api=self.name))

    def send(self, body: dict[str, Any]) -> str:
        return ask(self.double, self.adapter, body, key=self.key)

    def deliver(self, *pictures: PreparedImage) -> Placement:
        said, placed = self.remote.deliver(self.request(*pictures), self.send)
        assert said == "Noted."
        return placed

    @property
    def files(self) -> list[str]:
        return self.double.files(self.name, account=self.key)

    def uploads(self) -> int:
        """Requests that began an upload."""
        wanted = {"gemini": "/upload/v1beta/files"}.get(self.name, "/v1/files")
        seen = [each for each in self.double.requests if each == (self.name, "POST", wanted)]
        return len(seen) // (2 if self.name == "gemini" else 1)


def small(level: int = 90) -> PreparedImage:
    return picture(plain(40, 30, level=level), Size(40, 30))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_pictures_are_uploaded_once_and_sent_by_id_ever_after(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    account = Account(double, name, tmp_path)
    first = account.deliver()
    assert (len(first.uploaded), len(first.files), first.inline) == (2, 2, None)
    assert [sent.bytes for sent in double.calls[-1].pictures] == [plain(64, 48), plain(40, 40, level=200)]
    assert all(sent.file_id is not None for sent in double.calls[-1].pictures)
    again = Account(double, name, tmp_path).deliver()
    assert (again.uploaded, again.files) == (frozenset(), first.files)
    assert json_of(again.body) == json_of(first.body)
    assert account.uploads() == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_ten_times_the_same_picture_is_one_upload(double: ProviderDouble, tmp_path: Path, name: str) -> None:
    account = Account(double, name, tmp_path)
    assert len(account.deliver(*[small()] * 10).uploaded) == 1
    assert len(double.calls[-1].pictures) == 10
    assert len(account.files) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_an_upload_near_its_end_is_made_anew_before_the_provider_drops_it(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    lifetime_s = 48 * HOUR_S
    account = Account(double, name, tmp_path, lifetime_s=lifetime_s, margin_s=HOUR_S)
    (before,) = account.deliver(small()).files
    assert before.expires_ms is not None
    double.pass_time(lifetime_s - HOUR_S - 60)
    assert account.deliver(small()).files == (before,)
    double.pass_time(120)
    after = account.deliver(small())
    assert (len(after.uploaded), after.mended) == (1, 0)
    assert after.files[0].remote_id != before.remote_id
    assert double.refused == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_an_id_that_the_provider_does_not_know_any_more_is_made_anew_once(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    account = Account(double, name, tmp_path)
    (before, other) = account.deliver(small(1), small(2)).files
    account.api.delete(before.remote_id, cancel=CancelToken())
    mended = account.deliver(small(1), small(2))
    assert (mended.mended, len(mended.uploaded), mended.inline) == (1, 1, None)
    assert mended.files[1] == other
    assert mended.files[0].remote_id != before.remote_id
    assert [each.refusal.code for each in double.refused] == ["file_not_found"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_ids_that_stay_unknown_end_in_a_request_that_is_all_inline(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    account = Account(double, name, tmp_path)

    def losing(body: dict[str, Any]) -> str:
        for file in account.index.listed(account.api.scope):
            account.api.delete(file.remote_id, cancel=CancelToken())
        return account.send(body)

    said, placed = account.remote.deliver(account.request(small(1), small(2)), losing)
    assert (said, placed.inline, placed.files) == ("Noted.", WhyInline.STALE, ())
    assert all(sent.file_id is None for sent in double.calls[-1].pictures)
    assert placed.mended == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_when_all_ids_of_a_conversation_are_gone_they_are_made_anew_together(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    account = Account(double, name, tmp_path)
    shown = [small(level) for level in range(5)]
    for file in account.deliver(*shown).files:
        account.api.delete(file.remote_id, cancel=CancelToken())
    placed = account.deliver(*shown)
    assert (placed.inline, placed.mended, len(placed.uploaded)) == (None, 2, 5)
    assert len(double.refused) == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_ids_of_another_account_are_never_sent(double: ProviderDouble, tmp_path: Path, name: str) -> None:
    mine, theirs = Account(double, name, tmp_path), Account(double, name, tmp_path, key="key-of-another")
    (file,) = mine.deliver(small()).files
    foreign = replace(small(), remote_id=file.remote_id)
    placed = theirs.deliver(foreign)
    assert len(placed.uploaded) == 1
    assert placed.files[0].remote_id != file.remote_id
    assert double.refused == []
    inline = replace(theirs.request(foreign).route, files_api=None)
    other = theirs.remote.place(replace(theirs.request(foreign), route=inline))
    assert other.inline is WhyInline.NO_FILES_API
    assert file.remote_id.encode() not in json_of(other.body)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_without_room_the_uploads_used_longest_ago_make_it(tmp_path: Path, name: str) -> None:
    size = len(small(1).image.bytes)
    with ProviderDouble(**{name: {"file_total_bytes": 3 * size + size // 2}}) as double:
        account = Account(double, name, tmp_path)
        kept = [account.deliver(small(level)).files[0] for level in (1, 2, 3)]
        account.deliver(small(1))
        placed = account.deliver(small(4), small(1))
        assert (placed.inline, len(placed.uploaded)) == (None, 1)
        ids = {file.remote_id.rpartition("/")[2] for file in (kept[0], kept[2], placed.files[0])}
        assert set(account.files) == ids
        assert account.index.find(account.api.scope, kept[1].variant_id) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("AT-13")
def test_without_any_room_the_request_goes_inline(tmp_path: Path, name: str) -> None:
    with ProviderDouble(**{name: {"file_total_bytes": 10}}) as double:
        account = Account(double, name, tmp_path, max_parallel=1)
        placed = account.deliver(small(1), small(2))
        assert placed.inline is WhyInline.FULL
        assert account.uploads() == 1
        assert all(sent.file_id is None for sent in double.calls[-1].pictures)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", [(0, WhyInline.UNREACHABLE), (503, WhyInline.BUSY), (429, WhyInline.BUSY)])
@pytest.mark.requirement("AT-13")
def test_what_may_pass_is_tried_once_more_and_then_the_request_goes_inline(
    double: ProviderDouble, tmp_path: Path, name: str, failure: tuple[int, WhyInline]
) -> None:
    status, why = failure
    account = Account(double, name, tmp_path, max_parallel=1)
    below = "/upload" if name == "gemini" else "/v1/files"
    double.fail(name, below, status=status)
    assert account.deliver(small()).inline is None
    double.fail(name, below, status=status, times=2)
    placed = account.deliver(small(1), small(2))
    assert placed.inline is why
    assert all(sent.file_id is None for sent in double.calls[-1].pictures)
    assert account.deliver(small(1), small(2)).inline is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", [(401, WhyInline.DENIED), (403, WhyInline.DENIED), (400, WhyInline.REFUSED)])
@pytest.mark.requirement("AT-13")
def test_what_would_be_refused_again_is_asked_once(
    double: ProviderDouble, tmp_path: Path, name: str, failure: tuple[int, WhyInline]
) -> None:
    status, why = failure
    account = Account(double, name, tmp_path)
    below = "/upload" if name == "gemini" else "/v1/files"
    double.fail(name, below, status=status)
    assert account.deliver(small()).inline is why
    assert [path for _, _, path in double.requests if path.startswith(below)] == [
        "/upload/v1beta/files" if name == "gemini" else "/v1/files"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_that_is_not_about_uploads_is_raised_as_it_is_at_once(
    double: ProviderDouble, tmp_path: Path, name: str
) -> None:
    account = Account(double, name, tmp_path)
    lying = picture(plain(40, 30), Size(40, 30), media_type=JPEG)
    refusals = (anthropic.BadRequestError, BadRequestError, gemini_errors.ClientError)
    with pytest.raises(refusals):
        account.deliver(lying)
    assert len(double.refused) == 1
    assert len([each for each in double.requests if "files" not in each[2]]) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_busy_or_broken_model_is_the_callers_to_ask_again(double: ProviderDouble, tmp_path: Path, name: str) -> None:
    account = Account(double, name, tmp_path)
    paths = {"anthropic": "/v1/messages", "gemini": "/v1beta/models"}
    for status in (500, 404):
        double.fail(name, paths.get(name, "/v1/responses"), status=status)
        with pytest.raises((anthropic.APIStatusError, NotFoundError, gemini_errors.APIError, Exception)) as caught:
            account.deliver(small())
        assert caught.type.__module__.partition(".")[0] in ("anthropic", "openai", "google")
    assert double.calls == []
    assert len([each for each in double.requests if "files" not in each[2]]) == 2


def test_eight_threads_make_one_upload(double: ProviderDouble, tmp_path: Path) -> None:
    placed, start = list[Placement](), threading.Barrier(8)

    def place() -> None:
        account = Account(double, "deepseek", tmp_path)
        start.wait(30)
        placed.append(account.remote.place(account.request(small())))

    threads = [threading.Thread(target=place) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert len(placed) == 8
    assert len({each.files for each in placed}) == 1
    assert sum(len(each.uploaded) for each in placed) == 1


def test_uploads_work_where_a_loop_is_running(double: ProviderDouble, tmp_path: Path) -> None:
    account = Account(double, "anthropic", tmp_path)

    async def within() -> tuple[Placement, int]:
        placed = account.remote.place(account.request(small()))
        return placed, len(account.remote.clear())

    placed, cleared = asyncio.run(within())
    assert (placed.inline, cleared, account.files) == (None, 1, [])


def test_a_cancelled_call_uploads_nothing(double: ProviderDouble, tmp_path: Path) -> None:
    account, cancel = Account(double, "openai", tmp_path), CancelToken()
    cancel.cancel("enough")
    with pytest.raises(Cancelled):
        account.remote.place(account.request(small()), cancel=cancel)
    assert account.files == []


@pytest.mark.parametrize("name", NAMES)
def test_uploads_of_attachments_that_are_gone_can_be_cleared(double: ProviderDouble, tmp_path: Path, name: str) -> None:
    account = Account(double, name, tmp_path)
    first, second = account.deliver(small(1), small(2)).files
    assert account.remote.clear([first.variant_id]) == (first,)
    assert account.files == [second.remote_id.rpartition("/")[2]]
    account.api.delete(second.remote_id, cancel=CancelToken())
    assert account.remote.clear() == (second,)
    assert account.index.listed(account.api.scope) == []


def test_an_upload_that_cannot_be_deleted_now_stays_listed(double: ProviderDouble, tmp_path: Path) -> None:
    account = Account(double, "openai", tmp_path)
    (file,) = account.deliver(small()).files
    double.fail("openai", "/v1/files", status=500)
    assert account.remote.clear() == ()
    assert account.index.listed(account.api.scope) == [file]


def test_nothing_that_is_kept_or_shown_holds_the_key(double: ProviderDouble, tmp_path: Path) -> None:
    account = Account(double, "gemini", tmp_path)
    account.deliver(small())
    kept = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json"))
    assert kept
    assert KEY not in kept + repr(account.api) + str(account.api) + account.api.scope


def test_a_picture_is_uploaded_under_a_name_that_says_nothing_of_it(double: ProviderDouble, tmp_path: Path) -> None:
    account = Account(double, "anthropic", tmp_path)
    account.deliver(small())
    (file,) = double.dialects["anthropic"].shelf.of(KEY)
    assert file.name == f"{small().image.variant_id.hex[:32]}.png"


def test_keys_that_share_an_account_share_its_uploads(double: ProviderDouble, tmp_path: Path) -> None:
    def scope(key: str, account: str | None) -> str:
        return files_of("openai", key=key, account=account).scope

    assert scope("a", "team") == scope("b", "team")
    assert scope("a", None) != scope("b", None)
    assert scope("team", None) != scope("a", "team")
    other = files_of("openai", key="a", account="team", base_url="https://eu.example/v1").scope
    assert other != scope("a", "team")


@pytest.mark.parametrize(
    "asked",
    [
        {"name": "mistral", "key": "k"},
        {"name": "openai", "key": ""},
        {"name": "openai", "key": "k\n"},
        {"name": "openai", "key": "k", "base_url": "ftp://x"},
        {"name": "openai", "key": "k", "base_url": "https://me@x/v1"},
        {"name": "openai", "key": "k", "base_url": "https://x/v1?y=1"},
        {"name": "openai", "key": "k", "base_url": "https://[x/v1"},
        {"name": "openai", "key": "k", "base_url": "https://x:port/v1"},
    ],
)
def test_settings_that_cannot_work_are_refused_when_they_are_made(asked: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        files_of(asked["name"], key=asked["key"], base_url=asked.get("base_url"))


def test_a_request_without_pictures_asks_nothing_of_the_files_api(double: ProviderDouble, tmp_path: Path) -> None:
    account = Account(double, "openai", tmp_path)
    request = account.request(small())
    words = replace(request.messages[0], parts=request.messages[0].parts[:1])
    placed = account.remote.place(replace(request, messages=(words,)))
    assert (placed.files, placed.inline) == ((), None)
    assert body_of(placed.request) == placed.body
    assert double.requests == []


class Failing:
    """A Files API whose first upload fails while the others are under way."""

    name, scope = "openai", "remote_failing"

    def __init__(self, failure: Exception, waiting: int) -> None:
        self.failure, self.under_way = failure, threading.Barrier(waiting)
        self.begun, self.cut_off = 0, list[bool]()
        self.lock = threading.Lock()

    def upload(self, image: RequestImage, *, cancel: CancelToken) -> Uploaded:
        with self.lock:
            self.begun += 1
            is_first = self.begun == 1
        self.under_way.wait(30)
        if is_first:
            raise self.failure
        self.cut_off.append(cancel.wait(30))
        cancel.raise_if_cancelled()
        return Uploaded(f"file-{image.variant_id.hex}", None)

    def delete(self, remote_id: str, *, cancel: CancelToken) -> None:
        raise AssertionError(remote_id)


@pytest.mark.requirement("AT-13")
def test_the_first_failure_ends_every_other_upload_and_the_request_goes_inline(tmp_path: Path) -> None:
    api = Failing(FilesFailure(WhyInline.UNREACHABLE, lasts=True), 4)
    policy = RemotePolicy(max_parallel=4)
    made = showing(Adapter.OPENAI_RESPONSES, *(small(level) for level in range(12)))
    request = replace(made, route=replace(made.route, files_api="openai"))
    placed = RemotePictures(api, FolderIndex(tmp_path), policy=policy).place(request)
    assert placed.inline is WhyInline.UNREACHABLE
    assert (api.begun, api.cut_off) == (4, [True] * 3)


def test_a_wish_to_stop_reaches_uploads_that_are_under_way(tmp_path: Path) -> None:
    cancel = CancelToken()
    api = Failing(FilesFailure(WhyInline.BUSY, lasts=True), 5)
    made = showing(Adapter.OPENAI_RESPONSES, *(small(level) for level in range(4)))
    request = replace(made, route=replace(made.route, files_api="openai"))

    def stop() -> None:
        api.under_way.wait(30)
        cancel.cancel("enough")

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(Cancelled):
        RemotePictures(api, FolderIndex(tmp_path)).place(request, cancel=cancel)
    stopping.join(30)
    assert (stopping.is_alive(), api.cut_off) == (False, [True] * 3)


@pytest.mark.requirement("AT-13")
def test_a_files_api_that_takes_bytes_and_never_answers_is_asked_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        policy = RemotePolicy(max_parallel=1, timeout_ms=300)
        api = files_of("openai", key=KEY, base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", policy=policy)
        made = showing(Adapter.OPENAI_RESPONSES, small(1), small(2), small(3))
        request = replace(made, route=replace(made.route, files_api="openai"))
        placed = RemotePictures(api, FolderIndex(tmp_path), policy=policy).place(request)
        silent.setblocking(False)
        asked = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                asked += 1
    assert (placed.inline, asked) == (WhyInline.UNREACHABLE, 1)


@pytest.mark.parametrize(
    "told", ["https://{host}/up", "http://elsewhere.example/up", "//{host}/up", "http://[x/up", "http://{host}x/up", ""]
)
@pytest.mark.requirement("AT-13")
def test_bytes_go_to_the_gemini_that_was_chosen_and_nowhere_else(
    double: ProviderDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    account = Account(double, "gemini", tmp_path)
    host = urlsplit(double.base_url("gemini")).netloc
    asked = list[str]()

    def answer(ask: Ask, **_: Any) -> Answer:
        asked.append(ask.address)
        return Answer(200, {"x-goog-upload-url": told.format(host=host)}, {})

    monkeypatch.setattr(apis, "exchange", answer)
    placed = account.remote.place(account.request(small()))
    assert (placed.inline, len(asked)) == (WhyInline.REFUSED, 1)
