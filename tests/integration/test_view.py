"""`view`: a batch of paths and URLs under one budget, on the Python surface."""

from __future__ import annotations

import gzip
import io
import os
import threading
import wave
from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.bounded import working
from tests.support.drawings import slow_drawing
from tests.support.processes import until
from tests.support.urls import policy, watched_waits

from eyeline import Settings, Viewer
from eyeline.errors import Cancelled, ConfigError, EngineFailed, InvalidRequest, LimitExceeded
from eyeline.media.bounded.job import JobResult
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.limits import MCP_ANSWER, AnswerLimit
from eyeline.model.manifest import ContentKind, Origin, Role
from eyeline.model.viewing import Viewed, ViewLimits, ViewStatus
from eyeline.source.path import FileBoundary, OpenedFile
from eyeline.testing.hostile_ways import Exchange
from eyeline.testing.hostile_web import HostileWeb
from eyeline.testing.media import (
    encoded,
    make_animation,
    make_diagram,
    make_digital_pdf,
    make_dimension_bomb,
    make_drawing,
    make_pages,
    make_pdf,
    make_photo,
    make_picture,
    make_scan,
)
from eyeline.toolkit.cancel import CancelToken

DATA = Path(__file__).parents[1] / "data"
MIB = 1 << 20
WAIT_S = 30


@pytest.fixture(scope="module")
def web() -> Generator[HostileWeb]:
    with HostileWeb() as served:
        yield served


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    return folder


def settings(web: HostileWeb | None = None, **view: object) -> Settings:
    urls = Settings().urls if web is None else policy(web)
    return Settings(urls=urls, view=replace(ViewLimits(), **view))


def viewed(base: Path | None, *paths: str, web: HostileWeb | None = None, **options: object) -> Viewed:
    answer = options.pop("answer", None)
    assert answer is None or isinstance(answer, AnswerLimit)
    with Viewer(base, allow_urls=web is not None, settings=settings(web, **options)) as viewer:
        return viewer.view(*paths, answer=answer)


def said(batch: Viewed) -> list[tuple[str, str]]:
    return [(item.status.value, item.code) for item in batch.report.items]


def picture(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.requirement("VF-03", "VF-05")
def test_what_is_wrong_with_one_item_costs_no_other(base: Path, web: HostileWeb) -> None:
    (base / "good.jpg").write_bytes(make_photo(2000, 1500))
    (base / "bomb.png").write_bytes(make_dimension_bomb())
    (base / "note.txt").write_text("three words here\n")
    (base / "paper.pdf").write_bytes(make_digital_pdf(pages=6))
    (base / "odd.png").write_bytes(b"\x00\x01\x02\x03" * 64)
    paths = (
        *(
            "good.jpg",
            "missing.png",
            f"http://10.0.0.1:{web.port}/x.png",
            "bomb.png",
            "note.txt",
            "paper.pdf",
            "odd.png",
        ),
        *(web.url("/plain"), "ftp://host.test/x.png"),
    )
    batch = viewed(base, *paths, web=web)
    assert said(batch) == [
        ("inlined", "shown"),
        ("failed", "path_refused"),
        ("failed", "address_refused"),
        ("failed", "over_pixels"),
        ("inlined", "shown"),
        ("inlined", "shown_in_part"),
        ("linked", "unknown_type"),
        ("inlined", "shown"),
        ("failed", "url_refused"),
    ]
    assert [item.index for item in batch.report.items] == list(range(1, 10))
    assert [place for item in batch.report.items for place in item.parts] == list(range(1, len(batch.parts) + 1))
    assert [part.entry for part in batch.parts] == list(batch.report.content_manifest)
    first = batch.report.items[0]
    assert (first.byte_count, str(first.media_type)) == ((base / "good.jpg").stat().st_size, "image/jpeg")
    assert first.inlined_bytes == len(batch.parts[0].bytes)
    paper = batch.report.items[5]
    assert paper.pages == 6
    roles = [batch.parts[place - 1].entry.role for place in paper.parts]
    assert roles == [Role.PAGE, Role.SOURCE_TEXT] * 4
    assert "page 1 of 6" in batch.parts[paper.parts[1] - 1].text


@pytest.mark.requirement("VF-04")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_12_12_and_3_mib_the_second_is_over_budget_whatever_finishes_first(order: tuple[int, ...]) -> None:
    sizes = [12 * MIB, 12 * MIB, 3 * MIB]
    done = [threading.Event() for _ in sizes]

    def serve(place: int) -> None:
        before = [done[earlier] for earlier in order[: order.index(place)]]

        def way(exchange: Exchange) -> None:
            exchange.head(200, "Content-Type: text/plain")
            assert all(event.wait(WAIT_S) for event in before)
            # the second has nothing that anybody waits for: it is given up when the first is in
            try:
                exchange.send(b"x" * sizes[place])
            finally:
                done[place].set()

        web.ways[f"/{place}.txt"] = way

    with HostileWeb() as web:
        for place in range(3):
            serve(place)
        batch = viewed(None, *(web.url(f"/{place}.txt") for place in range(3)), web=web)
    assert said(batch) == [("inlined", "shown_in_part"), ("skipped", "over_budget"), ("inlined", "shown_in_part")]
    assert batch.report.read.used == 15 * MIB
    assert batch.report.read.left == 5 * MIB


@pytest.mark.requirement("VF-04")
def test_local_files_of_12_12_and_3_mib_do_the_same(base: Path) -> None:
    for name, size in (("a.txt", 12), ("b.txt", 12), ("c.txt", 3)):
        (base / name).write_bytes(b"x" * size * MIB)
    batch = viewed(base, "a.txt", "b.txt", "c.txt")
    assert [code for _, code in said(batch)] == ["shown_in_part", "over_budget", "shown_in_part"]


@pytest.mark.requirement("VF-04", "VF-06")
@pytest.mark.parametrize("way", ["/endless", "/promising", "/packed-text"])
def test_a_body_without_an_end_is_given_up_when_it_is_over_the_budget(way: str) -> None:
    packed = gzip.compress(b"x" * (64 * MIB))
    with HostileWeb() as web:
        web.ways["/packed-text"] = lambda exchange: exchange.answer(packed, "Content-Encoding: gzip")
        batch = viewed(None, web.url(way), web.url("/plain"), web=web, max_read_bytes=MIB)
    assert said(batch) == [("skipped", "over_budget"), ("inlined", "shown")]
    assert batch.report.read.used == len(b"plain text")


@pytest.mark.requirement("VF-03")
def test_an_item_that_is_asked_for_twice_is_fetched_once(base: Path) -> None:
    with HostileWeb() as web:
        batch = viewed(None, web.url("/plain"), web.url("/plain"), web=web)
        assert len(web.asked) == 1
    first, second = batch.report.items
    assert (second.same_as, second.parts, second.digest) == (1, first.parts, first.digest)
    assert len(batch.parts) == 1


def test_as_many_sources_are_read_at_a_time_as_the_setting_says() -> None:
    together = threading.Barrier(4)

    def way(exchange: Exchange) -> None:
        together.wait(WAIT_S)
        exchange.answer(b"together", "Content-Type: text/plain")

    with HostileWeb() as web:
        web.ways["/together"] = way
        batch = viewed(None, *(f"{web.url('/together')}?{number}" for number in range(8)), web=web, at_once=4)
    assert {code for _, code in said(batch)} == {"shown"}


@pytest.mark.requirement("VF-07")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".env", ("skipped", "hidden")),
        (".hidden/a.png", ("skipped", "hidden")),
        ("linked.txt", ("skipped", "hidden")),
        ("note.txt", ("skipped", "not_listed")),
        ("chained.txt", ("skipped", "not_listed")),
        ("picture.txt", ("skipped", "not_listed")),
        ("shown.txt", ("inlined", "shown")),
        ("data.bin", ("skipped", "not_listed")),
        ("README", ("skipped", "not_listed")),
        ("secret.png", ("skipped", "not_listed")),
        ("empty.png", ("skipped", "empty")),
        ("../outside.png", ("failed", "path_refused")),
        ("out.png", ("failed", "path_refused")),
        ("pipe.png", ("failed", "path_refused")),
        ("folder.png", ("failed", "path_refused")),
        ("/etc/passwd.txt", ("failed", "path_refused")),
        ("a\0b.png", ("failed", "path_refused")),
        ("file:///etc/passwd", ("failed", "url_refused")),
        ("data:text/plain,x", ("failed", "url_refused")),
        ("good.png", ("inlined", "shown")),
        ("./sub/../good.png", ("failed", "path_refused")),
        ("[preview].PNG", ("inlined", "shown")),
    ],
)
def test_local_files_are_taken_by_these_rules(base: Path, path: str, expected: tuple[str, str]) -> None:
    (base / ".env").write_text("KEY=1")
    (base / ".hidden").mkdir()
    (base / ".hidden/a.png").write_bytes(make_picture())
    (base / "linked.txt").symlink_to(".env")
    (base / "id.key").write_text("a secret\n")
    (base / "note.txt").symlink_to("id.key")
    (base / "chained.txt").symlink_to("note.txt")
    (base / "picture.txt").symlink_to("secret.png")
    (base / "page.md").write_text("a page\n")
    (base / "shown.txt").symlink_to("page.md")
    (base / "data.bin").write_bytes(make_picture())
    (base / "README").write_text("no extension")
    (base / "secret.png").write_text("not a picture, but a secret\n")
    (base / "empty.png").touch()
    (base.parent / "outside.png").write_bytes(make_picture())
    (base / "out.png").symlink_to(base.parent / "outside.png")
    os.mkfifo(base / "pipe.png")
    (base / "folder.png").mkdir()
    (base / "good.png").write_bytes(make_picture())
    (base / "[preview].PNG").write_bytes(make_picture())
    batch = viewed(base, path, web=None)
    if expected[1] == "url_refused":
        assert said(batch) == [("skipped", "no_urls")]
        return
    assert said(batch) == [expected]
    assert str(base) not in str(batch.report)


@pytest.mark.requirement("VF-07")
def test_an_absolute_path_is_taken_where_it_lies_in_the_base_folder(base: Path) -> None:
    (base / "good.png").write_bytes(make_picture())
    assert said(viewed(base, str(base / "good.png"))) == [("inlined", "shown")]


@pytest.mark.requirement("VF-07", "SA-02")
def test_a_file_under_a_wrong_extension_is_shown_by_its_bytes_with_a_note(base: Path) -> None:
    (base / "photo.png").write_bytes(make_photo(400, 300))
    (item,) = viewed(base, "photo.png").report.items
    assert (item.code, str(item.media_type)) == ("shown", "image/jpeg")
    assert any(note.startswith("type_mismatch") for note in item.notes)


@pytest.mark.requirement("VF-07")
def test_a_name_that_differs_in_its_spaces_finds_its_one_sibling(base: Path) -> None:
    (base / "Screenshot at 4.42.48\u202fPM.png").write_bytes(make_picture())
    (item,) = viewed(base, "Screenshot at 4.42.48 PM.png").report.items
    assert (item.code, item.notes[0]) == ("shown", "name_repaired")


@pytest.mark.requirement("VF-07")
@pytest.mark.parametrize("how", ["appended", "shortened", "rewritten"])
def test_a_file_that_changes_while_it_is_read_says_so(base: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    growing, before = base / "growing.txt", b"a" * MIB
    growing.write_bytes(before)
    (base / "still.txt").write_bytes(before)
    changes = {
        "appended": lambda: growing.write_bytes(before * 2),
        "shortened": lambda: os.truncate(growing, MIB // 2),
        "rewritten": lambda: os.utime(growing, (1, 1)),
    }
    opens = FileBoundary.open_inside

    def opened_and_changed(boundary: FileBoundary, relative: str | bytes, *, repair: bool = False) -> OpenedFile:
        opened = opens(boundary, relative, repair=repair)
        if relative == "growing.txt":
            changes[how]()
        return opened

    monkeypatch.setattr(FileBoundary, "open_inside", opened_and_changed)
    changed, still = viewed(base, "growing.txt", "still.txt").report.items
    assert (changed.notes, still.notes) == (("changed_while_read",), ())
    assert changed.byte_count == (MIB // 2 if how == "shortened" else MIB)


def test_without_a_base_folder_there_are_no_local_files_and_without_urls_none_of_them(base: Path) -> None:
    assert said(viewed(base, "http://host.test/x.png")) == [("skipped", "no_urls")]
    with HostileWeb() as web:
        assert said(viewed(None, "x.png", web=web)) == [("skipped", "no_base_dir")]
    with pytest.raises(ConfigError):
        Viewer()
    with pytest.raises(ConfigError):
        Viewer(base / "nowhere")


@pytest.mark.requirement("VF-03")
def test_a_batch_holds_1_to_20_items(base: Path) -> None:
    with Viewer(base) as viewer:
        with pytest.raises(LimitExceeded):
            viewer.view()
        with pytest.raises(LimitExceeded):
            viewer.view(*(f"{number}.png" for number in range(21)))
        with pytest.raises(InvalidRequest):
            viewer.view("")
        assert len(viewer.view(*(f"{number}.png" for number in range(20))).report.items) == 20


@pytest.mark.requirement("VF-05")
def test_pictures_of_every_kind_are_shown_as_pictures(base: Path) -> None:
    made: dict[str, bytes] = {
        "photo.heic": (DATA / "heic" / "turned-6.heic").read_bytes(),
        "photo.avif": make_photo(600, 400, media_type="image/avif"),
        "clip.bmp": encoded(Image.new("RGB", (300, 200), "red"), "image/bmp"),
        "wide.png": make_picture(width=8001, height=400),
        "drawing.svg": make_drawing(),
        "turned.jpg": make_picture("image/jpeg", width=300, height=200, orientation=6),
        "frames.gif": make_animation("image/gif"),
        "pages.tif": make_pages([Image.new("RGB", (200, 300), colour) for colour in ("red", "lime", "blue")]),
    }
    for name, data in made.items():
        (base / name).write_bytes(data)
    batch = viewed(base, *made)
    assert {item.status for item in batch.report.items} == {ViewStatus.INLINED}
    for item in batch.report.items:
        first = batch.parts[item.parts[0] - 1]
        assert first.entry.content_kind is ContentKind.PICTURE
        size = picture(first.bytes).size
        assert max(size) <= 1568
    by_name = {item.source: item for item in batch.report.items}
    sheet = by_name["pages.tif"]
    assert (sheet.code, sheet.pages, len(sheet.parts)) == ("shown_in_part", 3, 2)
    assert "pages: 3" in batch.parts[sheet.parts[1] - 1].text
    assert by_name["frames.gif"].frames == 3
    turned = by_name["turned.jpg"]
    assert turned.size is not None
    assert (turned.size.width_px, turned.size.height_px) == picture(batch.parts[turned.parts[0] - 1].bytes).size


@pytest.mark.requirement("VF-05")
def test_a_small_clean_picture_goes_out_as_it_is_and_sound_unchanged(base: Path) -> None:
    (base / "plain.png").write_bytes(make_diagram(400, 300))
    sound = make_beep()
    (base / "beep.wav").write_bytes(sound)
    (base / "film.mp4").write_bytes(b"\0\0\0\x1cftypisom\0\0\2\0isomiso2mp41" + b"\0" * 99)
    batch = viewed(base, "plain.png", "beep.wav", "film.mp4")
    assert said(batch) == [("inlined", "shown"), ("inlined", "shown"), ("failed", "malformed")]
    assert batch.parts[0].entry.origin is Origin.ORIGINAL
    assert batch.parts[0].bytes == (base / "plain.png").read_bytes()
    assert (batch.parts[1].entry.content_kind, batch.parts[1].bytes) == (ContentKind.AUDIO, sound)
    film = batch.report.items[2]
    assert (str(film.media_type), film.byte_count) == ("video/mp4", 127)


@pytest.mark.requirement("VF-04")
def test_pictures_step_down_a_ladder_until_the_answer_of_the_surface_holds_them(base: Path) -> None:
    names = [f"{number}.jpg" for number in range(6)]
    for seed, name in enumerate(names, 1):
        (base / name).write_bytes(make_photo(2400, 1800, seed=seed))
    wide, tight = viewed(base, *names), viewed(base, *names, answer=MCP_ANSWER)
    assert {item.edge_px for item in wide.report.items} == {1568}
    assert all(item.code == "shown" for item in tight.report.items)
    edges = [item.edge_px for item in tight.report.items]
    assert all(edge in (1280, 1024, 768, 512) for edge in edges)
    assert sum(len(part.bytes) for part in tight.parts) <= MCP_ANSWER.max_media_bytes
    for item, part in zip(tight.report.items, tight.parts, strict=True):
        assert max(picture(part.bytes).size) == item.edge_px
    again = viewed(base, *names, answer=MCP_ANSWER)
    assert [part.entry.digest for part in again.parts] == [part.entry.digest for part in tight.parts]


@pytest.mark.requirement("VF-04")
def test_what_has_no_room_at_any_size_is_skipped_and_a_smaller_one_behind_it_still_fits(base: Path) -> None:
    (base / "large.jpg").write_bytes(make_photo(2000, 1500))
    (base / "small.png").write_bytes(make_diagram(100, 80))
    room = len((base / "small.png").read_bytes()) + 10
    answer = AnswerLimit(max_media_bytes=room, max_text_chars=100)
    assert said(viewed(base, "large.jpg", "small.png", answer=answer)) == [
        ("skipped", "over_answer"),
        ("inlined", "shown"),
    ]


@pytest.mark.requirement("VF-04")
def test_texts_share_the_characters_of_an_answer(base: Path) -> None:
    (base / "long.txt").write_text("x" * 5000)
    (base / "short.txt").write_text("y" * 100)
    (base / "page.html").write_text("<h1>Title</h1><p>" + "z" * 3000 + "</p>")
    answer = AnswerLimit(max_text_chars=1100)
    batch = viewed(base, "long.txt", "short.txt", "page.html", answer=answer)
    assert [len(part.text) for part in batch.parts] == [500, 100, 500]
    assert [code for _, code in said(batch)] == ["shown_in_part", "shown", "shown_in_part"]


def test_a_notice_tells_of_text_that_the_picture_of_a_page_does_not_show(base: Path) -> None:
    (base / "page.html").write_text("<p>seen</p><p style='display:none'>unseen</p>")
    (item,) = viewed(base, "page.html").report.items
    assert "hidden_text" in item.notes


@pytest.mark.requirement("VF-05")
def test_a_picture_says_how_much_smaller_it_is_and_a_scanned_page_that_it_has_no_text(base: Path) -> None:
    (base / "wide.jpg").write_bytes(make_photo(3136, 2352))
    (base / "small.png").write_bytes(make_diagram(400, 300))
    (base / "scan.pdf").write_bytes(make_scan(pages=2))
    (base / "typed.pdf").write_bytes(make_pdf(["typed"]))
    wide, small, scan, typed = viewed(base, "wide.jpg", "small.png", "scan.pdf", "typed.pdf").report.items
    assert wide.message == "the whole, scaled from 3136x2352 to 1568x1176 pixels"
    assert [item.message for item in (small, scan, typed)] == ["in full"] * 3
    assert [note for note in scan.notes if "text_layer" in note] == ["no_text_layer: page 1", "no_text_layer: page 2"]
    assert not any("text_layer" in note for note in typed.notes)


@pytest.mark.requirement("VF-05")
def test_one_bad_page_costs_no_other(base: Path) -> None:
    (base / "locked.pdf").write_bytes(make_pdf(["one", "two"], user_password="secret"))
    (base / "two.pdf").write_bytes(make_pdf(["first page", "second page"]))
    batch = viewed(base, "locked.pdf", "two.pdf")
    assert said(batch) == [("failed", "encrypted"), ("inlined", "shown")]
    texts = [part.text for part in batch.parts if part.entry.content_kind is ContentKind.TEXT]
    assert ["first page" in texts[0], "second page" in texts[1]] == [True, True]


@pytest.mark.requirement("VF-15")
def test_viewing_makes_no_home(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = base.parent / "home"
    monkeypatch.setenv("EYELINE_HOME", str(home))
    (base / "a.png").write_bytes(make_picture())
    viewed(base, "a.png")
    assert not home.exists()


def make_beep() -> bytes:
    """A tenth of a second of silence at 8 kHz."""
    data = io.BytesIO()
    with wave.open(data, "wb") as sound:
        sound.setparams((1, 1, 8000, 800, "NONE", "not compressed"))
        sound.writeframes(b"\x80" * 800)
    return data.getvalue()


class FailingOnce(BoundedPool):
    """A pool whose first job ends like one on a machine that has too much to do."""

    reason: str | None = None

    def run(self, job: str, params: Mapping[str, Any], **options: Any) -> JobResult:
        reason, self.reason = self.reason, None
        if reason is not None:
            raise EngineFailed("the job came to nothing", reason=reason)
        return super().run(job, params, **options)


@pytest.mark.requirement("VF-05")
@pytest.mark.parametrize(("reason", "is_retryable"), [("timeout", True), ("over_memory", False), ("crashed", False)])
def test_what_one_decode_failed_at_by_chance_is_tried_again_the_next_time(
    base: Path, reason: str, is_retryable: bool
) -> None:
    (base / "good.png").write_bytes(make_picture())
    with FailingOnce() as pool, Viewer(base, pool=pool) as viewer:
        pool.reason = reason
        (first,) = viewer.view("good.png").report.items
        (again,) = viewer.view("good.png").report.items
    assert (first.code, first.retryable) == (reason, is_retryable)
    assert again.code == "shown"


class Stopping:
    """A call in a thread that is cancelled once `ready` is set."""

    def __init__(self, viewer: Viewer, *paths: str) -> None:
        self.cancel = CancelToken()
        self.raised: BaseException | None = None
        self.ended = threading.Event()
        threading.Thread(target=self._run, args=(viewer, paths), daemon=True).start()

    def _run(self, viewer: Viewer, paths: tuple[str, ...]) -> None:
        try:
            viewer.view(*paths, cancel=self.cancel)
        except Cancelled as exc:
            self.raised = exc
        finally:
            self.ended.set()

    def stop(self) -> str:
        self.cancel.cancel("the host closed the tab")
        assert self.ended.wait(WAIT_S)
        assert isinstance(self.raised, Cancelled)
        return self.raised.message


@pytest.mark.requirement("VF-08")
def test_cancelling_ends_downloads_and_what_waits_for_its_turn() -> None:
    with HostileWeb() as web, Viewer(None, allow_urls=True, settings=settings(web, at_once=1)) as viewer:
        with watched_waits(web) as stuck:
            call = Stopping(viewer, web.url("/watched-body"), web.url("/plain"))
            assert stuck.wait(WAIT_S)
        assert call.stop() == "the host closed the tab"
        assert web.signals.hung_up.wait(WAIT_S)
        assert len(web.asked) == 1


@pytest.mark.requirement("VF-08")
def test_cancelling_ends_a_slow_decode_and_leaves_no_child(base: Path) -> None:
    (base / "slow.svg").write_bytes(slow_drawing())
    (base / "good.png").write_bytes(make_picture())
    with Viewer(base) as viewer:
        viewer.view("good.png")
        call = Stopping(viewer, "slow.svg")
        until(lambda: bool(working()))
        assert call.stop() == "the host closed the tab"
        until(lambda: not working())
        assert said(viewer.view("good.png")) == [("inlined", "shown")]


@pytest.mark.requirement("VF-08")
def test_a_call_that_was_cancelled_before_it_began_reads_nothing(base: Path) -> None:
    cancel = CancelToken()
    cancel.cancel("not wanted any more")
    with HostileWeb() as web, Viewer(base, allow_urls=True, settings=settings(web)) as viewer:
        with pytest.raises(Cancelled):
            viewer.view(web.url("/plain"), cancel=cancel)
        assert web.asked == []


@pytest.mark.requirement("VF-08")
def test_a_batch_that_breaks_off_lets_nobody_wait() -> None:
    class Broken(Exception):
        pass

    raised: list[BaseException] = []

    def run() -> None:
        try:
            viewer.view(*paths, progress=break_off)
        except Broken as exc:
            raised.append(exc)

    def break_off(done: int, total: int, what: str) -> None:
        del done, total, what
        until(lambda: len(web.asked) == len(paths))
        raise Broken

    with HostileWeb() as web, Viewer(None, allow_urls=True, settings=settings(web, max_read_bytes=MIB)) as viewer:
        # the last ones have no room while those before them are not decided on
        paths = [web.url("/plain"), *(web.url(f"/of-size?bytes={MIB - 1 - place}") for place in range(4))]
        call = threading.Thread(target=run, daemon=True)
        call.start()
        call.join(WAIT_S)
        assert not call.is_alive()
    assert len(raised) == 1
