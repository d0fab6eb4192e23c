"""Sample speech, made by espeak-ng where `espeakng-loader` is installed: the same words always give the same samples.

The synthesiser keeps state of its own, so it runs in a short process that loads it and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import wave
from array import array
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from eyeline.errors import EngineFailed, MissingDependency

_LOADER = "espeakng_loader"
_LIBRARY = {"darwin": "libespeak-ng.dylib"}.get(sys.platform, "libespeak-ng.so")
_SECONDS = 60

_SYNTHESISER = """
import ctypes, sys
library, data, voice, words_a_minute, text = sys.argv[1:]
espeak = ctypes.CDLL(library)
made = bytearray()
Take = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
@Take
def take(samples, count, _events):
    if samples and count > 0:
        made.extend(ctypes.string_at(samples, 2 * count))
    return 0
rate = espeak.espeak_Initialize(2, 0, data.encode(), 0)
espeak.espeak_SetSynthCallback(take)
known = espeak.espeak_SetVoiceByName(voice.encode()) == 0
espeak.espeak_SetParameter(1, int(words_a_minute), 0)
said = text.encode()
if rate <= 0 or not known or espeak.espeak_Synth(said, len(said) + 1, 0, 1, 0, 1, None, None) != 0:
    sys.exit(1)
espeak.espeak_Synchronize()
sys.stdout.buffer.write(rate.to_bytes(4, "little") + made)
"""


@dataclass(frozen=True, slots=True)
class SampleSound:
    """Sound in one channel: signed 16-bit little-endian samples, so many a second."""

    pcm: bytes
    rate_hz: int

    @property
    def duration_ms(self) -> int:
        """Its length, in whole milliseconds rounded down."""
        return len(self.pcm) // 2 * 1000 // self.rate_hz

    def at(self, rate_hz: int) -> SampleSound:
        """The same sound at another rate, by straight lines between its samples."""
        samples = _samples(self.pcm)
        if rate_hz == self.rate_hz or len(samples) < 2:
            return SampleSound(self.pcm, rate_hz)
        made = array("h")
        for number in range((len(samples) - 1) * rate_hz // self.rate_hz):
            place, part = divmod(number * self.rate_hz, rate_hz)
            step = samples[place + 1] - samples[place]
            made.append(samples[place] + step * part // rate_hz)
        return SampleSound(_bytes(made), rate_hz)

    def wav(self, *, channels: int = 1) -> bytes:
        """A WAV file that holds the same sound in every channel."""
        samples = _samples(self.pcm)
        woven = array("h", (sample for sample in samples for _ in range(channels)))
        buffer = io.BytesIO()
        with wave.open(buffer, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(self.rate_hz)
            file.writeframes(_bytes(woven))
        return buffer.getvalue()

    def __add__(self, other: SampleSound) -> SampleSound:
        return SampleSound(self.pcm + other.at(self.rate_hz).pcm, self.rate_hz)


def has_speech() -> bool:
    """Whether speech can be made here."""
    return find_spec(_LOADER) is not None


@lru_cache(maxsize=64)
def make_speech(
    text: str, *, voice: str = "en-us", words_a_minute: int = 150, rate_hz: int | None = None
) -> SampleSound:
    """Somebody saying a text, at the synthesiser's own rate unless another is asked for.

    Raises `MissingDependency` where the synthesiser is not installed, `EngineFailed` where it cannot say this.
    """
    found = find_spec(_LOADER)
    if found is None or found.origin is None:
        raise MissingDependency("speech cannot be made here", hint="install espeakng-loader")
    folder = Path(found.origin).parent
    told = (str(folder / _LIBRARY), str(folder / "espeak-ng-data"), voice, str(words_a_minute), text)
    try:
        # the program is ours, and what it is told are arguments, never a command line for a shell
        ended = subprocess.run(
            [sys.executable, "-I", "-c", _SYNTHESISER, *told], capture_output=True, check=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as exc:
        raise EngineFailed("the speech synthesiser cannot say this", reason="crashed") from exc
    own = SampleSound(ended.stdout[4:], int.from_bytes(ended.stdout[:4], "little"))
    return own if rate_hz is None else own.at(rate_hz)


def make_silence(duration_ms: int, *, rate_hz: int = 16_000) -> SampleSound:
    """Nothing at all, for so long."""
    return SampleSound(bytes(2 * (duration_ms * rate_hz // 1000)), rate_hz)


def make_noise(duration_ms: int, *, rate_hz: int = 16_000, level: int = 2_000) -> SampleSound:
    """White noise up to a level (of 32767), always the same."""
    count = duration_ms * rate_hz // 1000
    grain = array("H")
    grain.frombytes(hashlib.shake_256(b"noise").digest(2 * count))
    return SampleSound(_bytes(array("h", (each * 2 * level // 65_536 - level for each in grain))), rate_hz)


def _samples(pcm: bytes) -> array[int]:
    samples = array("h")
    samples.frombytes(pcm)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def _bytes(samples: array[int]) -> bytes:
    if sys.byteorder == "big":
        samples = array("h", samples)
        samples.byteswap()
    return samples.tobytes()
