"""The files of the demo, made from nothing: the same every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eyeline.cli.demo_recordings import recordings

SCREEN_WIDTH, SCREEN_HEIGHT, LINE_PX = 1200, 3000, 20
CHOSEN_LINE = 117
"""The line of the screenshot that is looked for."""

NOTES = """\
# Pump 12

- 3 March: hums louder than it should
- 5 March: pressure falls to 3.1 bar; the valve at the outlet is tight
- 6 March: two gaskets ordered, type G-7, see the delivery note
"""

MANUAL = (
    "Pump series PX\nOperating manual\n\nRead chapter 2 before the first start.",
    "2  Starting\n\nOpen the outlet valve before the motor runs.\nThe working pressure is 4.2 bar.",
    "3  Service\n\nReplace the shaft seal every 4000 hours.\nUse gaskets of type G-7 only.",
)

LETTER = (
    (
        "Delivery note 2291",
        "",
        "Two gaskets, type G-7, for pump 12.",
        "Serial number PX-4417-B.",
        "",
        "Received whole.",
    ),
    ("Terms of delivery", "", "Goods remain ours until they are paid."),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One file: its name, what it is there for, and how to make its bytes."""

    name: str
    about: str
    make: Callable[[], bytes]


def samples() -> tuple[Sample, ...]:
    """Every file of the demo, in the order of their names."""
    files = (
        Sample("balloon.jpg", "12 MP phone photograph: lies on its side, Display P3, GPS position", _photograph),
        Sample("delivery-note.pdf", "a scan: two pages, pictures only", _scan),
        Sample("empty.txt", "nothing at all", lambda: b""),
        Sample("firmware.bin", "bytes of no known type", lambda: bytes(range(128, 256)) * 16),
        Sample("manual.pdf", "a digital PDF with an outline", _manual),
        Sample("notes.md", "Markdown", NOTES.encode),
        Sample("status.png", f"a screenshot of {SCREEN_HEIGHT // LINE_PX} lines of small print", _screenshot),
        Sample("torn.jpg", "a photograph, cut short on its way", _torn),
        *(Sample(name, about, make) for name, about, make in recordings()),
    )
    return tuple(sorted(files, key=lambda sample: sample.name))


def write_samples(folder: Path) -> None:
    """Write every file into a folder."""
    folder.mkdir(parents=True)
    for sample in samples():
        (folder / sample.name).write_bytes(sample.make())


def chosen_line() -> tuple[str, str]:
    """The text of the chosen line, and the region of the screenshot around it."""
    from eyeline.media.sample_pictures import screenshot_line

    top = (CHOSEN_LINE - 2) * LINE_PX
    return screenshot_line(CHOSEN_LINE), f"xywh=pixel:0,{top},640,{LINE_PX * 3}"


def _photograph() -> bytes:
    from eyeline.media.sample_pictures import display_p3, make_photo

    return make_photo(3024, 4032, orientation=6, gps=True, profile=display_p3())


def _scan() -> bytes:
    from eyeline.media.sample_scan import make_scan

    return make_scan(LETTER, stamp="RECEIVED")


def _manual() -> bytes:
    from eyeline.media.sample_pdf import SampleEntry, SampleFill, SamplePage, SampleText, make_pdf

    outline = (SampleEntry("Pump series PX", 1), SampleEntry("Starting", 2), SampleEntry("Service", 3))
    band, tint = SampleFill((0, 0, 612, 36), (0.13, 0.31, 0.55)), (0.60, 0.75, 0.90)
    bars = tuple(SampleFill((72 + 60 * at, 420 - tall, 36, tall), tint) for at, tall in enumerate((60, 105, 140, 168)))
    pages = [
        SamplePage(
            texts=tuple(SampleText(line, y_pt=84 + 22 * row) for row, line in enumerate(text.split("\n")) if line),
            fills=(band, *bars) if number == 2 else (band,),
        )
        for number, text in enumerate(MANUAL, start=1)
    ]
    return make_pdf(pages, outline=outline)


def _screenshot() -> bytes:
    from eyeline.media.sample_pictures import make_screenshot

    return make_screenshot(SCREEN_WIDTH, SCREEN_HEIGHT, line_px=LINE_PX)


def _torn() -> bytes:
    from eyeline.media.sample_pictures import cut_short, make_photo

    return cut_short(make_photo(1200, 900))
