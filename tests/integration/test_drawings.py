"""SVG: drawn with our fonts and nothing else, at the resolution that is wanted; its words beside its picture."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.drawings import slow_drawing

from eyeline import Eyeline
from eyeline.errors import CorruptMedia, EngineFailed, UnsupportedMedia
from eyeline.media import fonts
from eyeline.media.bounded.job import BytesSource, JobLimits, JobResult
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import engine_for
from eyeline.media.sample_pictures import encoded, make_drawing, marked
from eyeline.model.envelope import BoundaryCode
from eyeline.model.limits import Limits
from eyeline.model.manifest import ContentKind
from eyeline.model.media_type import MediaType
from eyeline.settings import Settings

SVG = "image/svg+xml"
ADMIT, RENDER = "eyeline.media.pictures:admit", "eyeline.media.pictures:render"
BOUNDS = {"media_type": SVG, "max_pixels": 120_000_000, "max_frames": 2000}
WORDS = '<text x="10" y="100" font-size="24" font-family="{0}">Valve 4417 open</text>'


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool(max_parallel=2) as started:
        yield started


def drawn(pool: BoundedPool, data: bytes, size: tuple[int, int], **plan: object) -> tuple[Image.Image, JobResult]:
    wanted = {"size": {"width_px": size[0], "height_px": size[1]}, "media_types": ["image/png"], "max_bytes": 8 << 20}
    params: dict[str, Any] = {"media_type": SVG, "plan": {**wanted, **plan}}
    result = pool.run(RENDER, params, source=BytesSource(data))
    image = Image.open(io.BytesIO(result.outputs[0])).convert("RGB")
    assert image.size == size
    return image, result


def nested(depth: int, width: int = 10) -> bytes:
    """Copies of copies: `width` to the power of `depth` squares from a few lines."""
    inner = "".join(
        f'<g id="a{level}">' + f'<use href="#a{level - 1}"/>' * width + "</g>" for level in range(1, depth + 1)
    )
    start = '<defs><g id="a0"><rect width="1" height="1"/></g>'
    return make_drawing(10, 10, inside=f'{start}{inner}</defs><use href="#a{depth}"/>')


@pytest.mark.requirement("SA-17")
def test_a_region_is_drawn_anew_and_stays_sharp(pool: BoundedPool) -> None:
    line = '<line x1="50.5" y1="60" x2="50.5" y2="110" stroke="#000" stroke-width="1"/>'
    data = make_drawing(200, 160, inside=line)
    crop = {"x": 40_000, "y": 60_000, "w": 20_000, "h": 20_000}
    image, result = drawn(pool, data, (120, 120), crop=crop)
    row = [image.getpixel((x, 60)) for x in range(120)]
    dark = [x for x, pixel in enumerate(row) if pixel == (0, 0, 0)]
    assert dark == list(range(60, 66))
    assert {pixel for x, pixel in enumerate(row) if not 59 <= x <= 66} == {(255, 255, 255)}
    steps = {each["step"]: each["facts"] for each in result.value["transforms"]}
    assert steps["render"] == {"size": "200x160", "dpi": "576", "fonts": fonts.fonts_version()}
    assert steps["crop"] == {"box": "40,60,20,20"}
    assert result.value["scale"]["factor_x"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        ('width="240" height="160"', (240, 160)),
        ('width="1in" height="25.4mm"', (96, 96)),
        ('width="72pt" height="6pc"', (96, 96)),
        ('viewBox="0 0 300 200"', (300, 200)),
        ('width="100%" height="100%" viewBox="0 0 30 20"', (30, 20)),
        ('width="100000" height="50000"', (4096, 2048)),
    ],
)
def test_a_drawing_has_the_size_it_says_at_96_pixels_an_inch(
    pool: BoundedPool, head: str, size: tuple[int, int]
) -> None:
    box = '<rect width="1000000" height="1000000" fill="#f00"/>'
    data = f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{box}</svg>'.encode()
    probe = pool.run(ADMIT, BOUNDS, source=BytesSource(data)).value["probe"]
    assert (probe["size"]["width_px"], probe["size"]["height_px"], probe["is_drawing"]) == (*size, True)
    image, _ = drawn(pool, data, (size[0] // 2, size[1] // 2))
    assert image.getpixel((size[0] // 2 - 1, size[1] // 2 - 1)) == (255, 0, 0)


@pytest.mark.requirement("SA-17")
def test_text_is_drawn_with_our_fonts_whatever_this_machine_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = make_drawing(240, 160, inside=WORDS.format("Arial"))
    made: list[bytes] = []
    empty = tmp_path / "fonts.conf"
    empty.write_text("<fontconfig></fontconfig>")
    for value in (None, str(empty)):
        if value is not None:
            monkeypatch.setenv("FONTCONFIG_FILE", value)
            monkeypatch.setenv("HOME", str(tmp_path))
            monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        with BoundedPool(max_parallel=1) as pool:
            _, result = drawn(pool, data, (480, 320))
            made.append(result.outputs[0])
    assert made[0] == made[1]


@pytest.mark.parametrize("family", ["Arial", "Times New Roman", "Courier New", "nothing known"])
def test_every_family_finds_a_face_that_shows_the_letters(pool: BoundedPool, family: str) -> None:
    with_words, _ = drawn(pool, make_drawing(240, 160, inside=WORDS.format(family)), (480, 320))
    without, _ = drawn(pool, make_drawing(240, 160), (480, 320))
    dark = sum(a != b for a, b in zip(with_words.convert("L").tobytes(), without.convert("L").tobytes(), strict=True))
    assert 1_000 < dark < 12_000


def test_families_are_told_apart(pool: BoundedPool) -> None:
    looks = {
        family: drawn(pool, make_drawing(240, 160, inside=WORDS.format(family)), (480, 320))[1].outputs[0]
        for family in ("sans-serif", "serif", "monospace")
    }
    assert len(set(looks.values())) == 3


def test_the_digest_of_the_fonts_enters_the_keys_of_drawings_alone() -> None:
    drawing, photo = engine_for(MediaType(SVG)), engine_for(MediaType("image/jpeg"))
    assert drawing is not None
    assert photo is not None
    assert drawing.versions()["eyeline.fonts"] == fonts.fonts_version()
    assert "eyeline.fonts" not in photo.versions()


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine that notes whoever comes."""
    came: list[bytes] = []
    with socket.socket() as end:
        end.bind(("127.0.0.1", 0))
        end.listen()

        def note() -> None:
            while True:
                try:
                    visitor, _ = end.accept()
                except OSError:
                    return
                came.append(b"somebody")
                visitor.close()

        waiting = threading.Thread(target=note, daemon=True)
        waiting.start()
        yield end.getsockname()[1], came
        end.shutdown(socket.SHUT_RDWR)
    waiting.join(timeout=10)


@pytest.mark.requirement("XC-01")
def test_b29_nothing_outside_the_drawing_is_read_or_asked_for(
    pool: BoundedPool, tmp_path: Path, listener: tuple[int, list[bytes]]
) -> None:
    port, came = listener
    canary = tmp_path / "canary.png"
    canary.write_bytes(encoded(Image.new("RGB", (50, 50), (0, 200, 0)), "image/png"))
    (tmp_path / "inner.svg").write_bytes(make_drawing(50, 50))
    places = [
        f"http://127.0.0.1:{port}/x.png",
        canary.as_uri(),
        str(canary),
        "canary.png",
        "inner.svg#a",
        "/etc/passwd",
    ]
    images = "".join(
        f'<image y="{60 * n}" width="50" height="50" xlink:href="{place}"/><image y="{60 * n}" href="{place}"/>'
        f'<use href="{place}"/><rect width="1" height="1" fill="url({place}#g)"/>'
        for n, place in enumerate(places)
    )
    style = f"<style>@import url(http://127.0.0.1:{port}/a.css); @import url({canary.as_uri()});</style>"
    data = make_drawing(100, 400, inside=style + images)
    doctype = f'<!DOCTYPE svg [<!ENTITY x SYSTEM "{canary.as_uri()}"><!ENTITY % y SYSTEM "http://127.0.0.1:{port}/d">]>'
    path = tmp_path / "drawing.svg"
    for content in (data, doctype.encode() + data):
        path.write_bytes(content)
        with path.open("rb") as source:
            answer = pool.run(ADMIT, BOUNDS, source=source).value
            assert answer["outcome"] == "admitted"
            assert "outside_not_followed" in answer["probe"]["notes"]
            plan = {"size": {"width_px": 100, "height_px": 400}, "media_types": ["image/png"], "max_bytes": 1 << 20}
            result = pool.run(RENDER, {"media_type": SVG, "plan": plan}, source=source)
        image = Image.open(io.BytesIO(result.outputs[0])).convert("RGB")
        colours = {colour for _, colour in image.getcolors(1 << 20) or ()}
        assert (0, 200, 0) not in colours
    assert came == []


def test_b29_a_picture_inside_the_drawing_is_shown(pool: BoundedPool) -> None:
    import base64

    inner = base64.b64encode(encoded(Image.new("RGB", (5, 5), (0, 200, 0)), "image/png")).decode()
    data = make_drawing(
        100, 80, inside=f'<image x="50" y="40" width="5" height="5" href="data:image/png;base64,{inner}"/>'
    )
    image, _ = drawn(pool, data, (100, 80))
    assert image.getpixel((52, 42)) == (0, 200, 0)


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("depth", [9, 40, 400])
def test_b30_copies_of_copies_are_refused_before_any_is_drawn(pool: BoundedPool, depth: int) -> None:
    with pytest.raises(UnsupportedMedia) as refused:
        pool.run(
            RENDER,
            {
                "media_type": SVG,
                "plan": {"size": {"width_px": 9, "height_px": 9}, "media_types": ["image/png"], "max_bytes": 99999},
            },
            source=BytesSource(nested(depth)),
            limits=JobLimits(wall_ms=20_000, cpu_ms=10_000),
        )
    assert refused.value.detail["reason"] == "too_complex"


def test_copies_in_reason_are_drawn(pool: BoundedPool) -> None:
    answer = pool.run(ADMIT, BOUNDS, source=BytesSource(nested(4))).value
    assert answer["outcome"] == "admitted"


def test_a_drawing_that_refers_to_itself_ends(pool: BoundedPool) -> None:
    data = make_drawing(20, 20, inside='<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')
    assert pool.run(ADMIT, BOUNDS, source=BytesSource(data)).value["outcome"] in {"admitted", "malformed"}


@pytest.mark.requirement("XC-01")
def test_b30_a_drawing_that_takes_too_long_is_ended_at_the_limit(pool: BoundedPool) -> None:
    with pytest.raises(EngineFailed) as ended:
        pool.run(ADMIT, BOUNDS, source=BytesSource(slow_drawing()), limits=JobLimits(wall_ms=60_000, cpu_ms=1_000))
    assert ended.value.detail["reason"] == "timeout"


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(
            b'<!ENTITY a%d "%s">' % (n, (b"&a%s;" % (b"" if n == 0 else b"%d" % (n - 1))) * 10) for n in range(9)
        )
        + b']><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&a8;</text></svg>',
        make_drawing()[:-8],
        make_drawing()[:60],
        b"<svg",
        b"<svg></notsvg>",
    ],
    ids=["entities", "cut-at-the-end", "cut-early", "no-more-than-a-tag", "crossed"],
)
def test_what_is_no_well_formed_drawing_is_damage(pool: BoundedPool, data: bytes) -> None:
    assert pool.run(ADMIT, BOUNDS, source=BytesSource(data)).value["outcome"] in {"malformed", "truncated"}
    with pytest.raises(CorruptMedia):
        pool.run("eyeline.media.svg:read_words", {"media_type": SVG}, source=BytesSource(data))


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = tmp_path_factory.mktemp("inbox")
    words = "<title>Pump room</title><desc>Where the valves are</desc>" + WORDS.format("Arial")
    (inbox / "plan.svg").write_bytes(
        make_drawing(240, 160, inside=words + '<text x="9" y="140">over &lt;here&gt;</text>')
    )
    (inbox / "B08_named.png").write_bytes(make_drawing(24, 24))
    (inbox / "B30_bomb.svg").write_bytes(nested(9).replace(b"</defs>", b"<title>still to be read</title></defs>"))
    (inbox / "slow.svg").write_bytes(slow_drawing())
    settings = Settings(limits=Limits(job_cpu_ms=4_000, job_wall_ms=120_000))
    with Eyeline(tmp_path_factory.mktemp("home"), settings=settings) as eye:
        eye.ingest(inbox)
        yield eye


def version(eye: Eyeline, name: str) -> str:
    return next(each.version_id for each in eye.find(name=name) if each.source.name == name)


@pytest.mark.requirement("SA-07", "SA-17")
def test_the_words_of_a_drawing_stand_beside_both_lanes(eye: Eyeline) -> None:
    opened = eye.open(version(eye, "plan.svg"), accept=("text/*",))
    texts = {part.entry.derivation_kind: part.text for part in opened.parts}
    assert "title: Pump room\ndescription: Where the valves are\nValve 4417 open\nover <here>\n" in texts["extraction"]
    assert "Valve 4417 open" in texts["ocr"]
    assert len(eye.find("4417")) >= 1


@pytest.mark.requirement("SA-17")
def test_a_drawing_opens_as_a_picture_up_to_the_page_resolution(eye: Eyeline) -> None:
    (part,) = eye.open(version(eye, "plan.svg")).parts
    image = Image.open(io.BytesIO(part.bytes))
    assert image.size == (750, 500)
    assert image.convert("RGB").getpixel((375, 5)) == (255, 0, 0)
    overview, detail = eye.open(version(eye, "plan.svg"), locator="xywh=pixel:0,80,120,40").parts
    assert (overview.entry.role, detail.entry.role) == ("overview", "detail")
    assert Image.open(io.BytesIO(detail.bytes)).size == (750, 250)


@pytest.mark.requirement("SA-05")
def test_b08_a_drawing_that_is_named_a_png_opens_as_what_it_is(eye: Eyeline) -> None:
    opened = eye.open(version(eye, "B08_named.png"))
    assert opened.envelope.source is not None
    assert opened.envelope.source.media_type.name == SVG
    assert opened.parts[0].entry.media_type.name == "image/png"


@pytest.mark.requirement("SA-05", "XC-01")
@pytest.mark.parametrize("name", ["B30_bomb.svg", "slow.svg"])
def test_b30_what_cannot_be_drawn_still_opens_as_its_words(eye: Eyeline, name: str) -> None:
    shown = eye.show(version(eye, name))
    assert shown.source.admission == "admitted"
    assert shown.admission_reason
    assert shown.probe is not None
    assert (shown.probe.size, "not_drawn" in shown.probe.notes) == (None, True)
    opened = eye.open(version(eye, name), accept=("image/png",))
    assert opened.envelope.boundary is not None
    assert opened.envelope.boundary.code is BoundaryCode.NOTHING_ACCEPTABLE
    assert {str(member) for member in opened.envelope.boundary.members} == {"text/markdown", "text/plain"}


def test_b30_the_words_of_a_bomb_are_delivered(eye: Eyeline) -> None:
    parts = eye.open(version(eye, "B30_bomb.svg")).parts
    assert [part.entry.content_kind for part in parts] == [ContentKind.TEXT]
    assert parts[0].text == "title: still to be read\n"


def test_marked_samples_and_drawings_agree(pool: BoundedPool) -> None:
    image, _ = drawn(pool, make_drawing(120, 80), (120, 80))
    assert image.tobytes() == marked(120, 80).tobytes()
