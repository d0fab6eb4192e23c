"""Draws the sound of a span: its peaks above, how loud each pitch is below, and the time under both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyvips
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from eyeline.media.recording_open import Recording
from eyeline.media.recording_sound import Shape, samples
from eyeline.model.geometry import Size
from eyeline.model.locator import Span

_LEFT_PX, _BELOW_PX = 52, 22
_LEAST = Size(160, 120)
_WINDOW = 2048
_WINDOWS_A_COLUMN = 8
_FINE_RATE_HZ, _COARSE_RATE_HZ, _FINE_MS = 32_000, 16_000, 600_000
_LOWEST_HZ = 60
_QUIET_DB, _LOUD_DB = -90.0, -20.0
_GROUND, _INK, _WAVE = (250, 250, 250), (40, 40, 40), (38, 90, 160)
_STOPS = ((0, 0, 4), (66, 10, 104), (147, 38, 103), (221, 81, 58), (252, 165, 10), (252, 255, 164))
"""Colours from quiet to loud; their lightness grows evenly, so they can be told apart without seeing colours."""

_STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
_TICK_PX = 90

Floats = NDArray[np.float32]


@dataclass(slots=True)
class _Columns:
    """What is known of each column: least and greatest sample (-1 to 1), and the power at each pitch."""

    low: Floats
    high: Floats
    power: Floats


def draw_spectrogram(recording: Recording, span: Span, *, size: Size) -> pyvips.Image:
    """A picture of exactly `size` pixels (at least 160 x 120) in sRGB. Raises as decoding sound does."""
    width, height = max(size.width_px, _LEAST.width_px), max(size.height_px, _LEAST.height_px)
    columns, room = width - _LEFT_PX, height - _BELOW_PX
    wave = room // 4
    pitch = room - wave
    assert span.end_ms is not None, "a span that is drawn has an end"
    length_ms = span.end_ms - span.start_ms
    rate = _FINE_RATE_HZ if length_ms <= _FINE_MS else _COARSE_RATE_HZ
    found = _measured(recording, span, rate, columns)
    canvas = np.full((height, width, 3), _GROUND, dtype=np.uint8)
    canvas[wave:room, _LEFT_PX:] = _coloured(found.power, rate, pitch)
    _draw_wave(canvas[:wave, _LEFT_PX:], found)
    lettered = np.asarray(_lettered(Image.fromarray(canvas), span, rate=rate, wave=wave, pitch=pitch))
    image = pyvips.Image.new_from_memory(lettered.tobytes(), width, height, 3, "uchar")
    return image.copy(interpretation="srgb")


def _measured(recording: Recording, span: Span, rate: int, columns: int) -> _Columns:
    found = _Columns(
        np.zeros(columns, np.float32), np.zeros(columns, np.float32), np.zeros((columns, _WINDOW // 2 + 1), np.float32)
    )
    shape = np.hanning(_WINDOW).astype(np.float32)
    for column, part in _by_column(recording, span, rate, columns):
        found.low[column], found.high[column] = part.min(), part.max()
        step = max(_WINDOW // 2, -(-max(1, len(part) - _WINDOW) // _WINDOWS_A_COLUMN))
        padded = part if len(part) >= _WINDOW else np.pad(part, (0, _WINDOW - len(part)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::step]
        spectra = np.abs(np.fft.rfft(windows * shape, axis=1)).astype(np.float32) / (_WINDOW / 4)
        found.power[column] = (spectra**2).mean(axis=0)
    return found


def _by_column(recording: Recording, span: Span, rate: int, columns: int) -> Iterator[tuple[int, Floats]]:
    """The samples that fall into each column, with a window's worth before them, so that short columns have a pitch."""
    stream = recording.sound()
    assert span.end_ms is not None, "a span that is drawn has an end"
    first, total = span.start_ms * rate // 1000, max(1, (span.end_ms - span.start_ms) * rate // 1000)
    kept: Floats = np.zeros(0, np.float32)
    kept_from, column = 0, 0
    for run in samples(recording, stream, span=span, shape=Shape(rate, "mono")):
        more: Floats = np.frombuffer(run.data, "<i2").astype(np.float32) * np.float32(1 / 32768)
        kept = np.concatenate([kept, more])
        reached = run.start - first + len(run.data) // 2
        while column < columns and (end := (column + 1) * total // columns) <= reached:
            start = min(column * total // columns, max(0, end - _WINDOW))
            if end > start >= kept_from:
                yield column, kept[start - kept_from : end - kept_from]
            column += 1
        spare = max(0, column * total // columns - _WINDOW) - kept_from
        if spare > _WINDOW * 16:
            kept, kept_from = kept[spare:], kept_from + spare


def _coloured(power: Floats, rate: int, height: int) -> NDArray[np.uint8]:
    """Rows from high to low pitch, evenly spaced in octaves."""
    decibels = 10 * np.log10(power + 1e-12)
    bins = np.geomspace(rate / 2, _LOWEST_HZ, height) / (rate / 2) * (power.shape[1] - 1)
    low = np.clip(bins.astype(int), 0, power.shape[1] - 2)
    share = (bins - low).astype(np.float32)
    rows = decibels[:, low] * (1 - share) + decibels[:, low + 1] * share
    level = np.clip((rows.T - _QUIET_DB) / (_LOUD_DB - _QUIET_DB), 0, 1)
    stops = np.linspace(0, 1, len(_STOPS))
    bands: list[NDArray[Any]] = [np.interp(level, stops, [stop[band] for stop in _STOPS]) for band in range(3)]
    return np.stack(bands, axis=-1).astype(np.uint8)


def _draw_wave(canvas: NDArray[np.uint8], found: _Columns) -> None:
    height = canvas.shape[0]
    middle, reach = height // 2, height // 2 - 2
    for column, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        canvas[middle - int(high * reach) : middle - int(low * reach) + 1, column] = _WAVE


def _lettered(picture: Image.Image, span: Span, *, rate: int, wave: int, pitch: int) -> Image.Image:
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(12)
    for hertz in (100, 200, 500, 1000, 2000, 5000, 10_000):
        if hertz < rate / 2:
            share = np.log(rate / 2 / hertz) / np.log(rate / 2 / _LOWEST_HZ)
            label = f"{hertz // 1000} kHz" if hertz >= 1000 else f"{hertz} Hz"
            draw.text((_LEFT_PX - 6, wave + share * pitch), label, font=font, fill=_INK, anchor="rm")
    assert span.end_ms is not None, "a span that is drawn has an end"
    start, length = span.start_ms / 1000, (span.end_ms - span.start_ms) / 1000
    room = picture.width - _LEFT_PX
    step = next((each for each in _STEPS_S if room * each / length >= _TICK_PX), _STEPS_S[-1])
    at = np.ceil(start / step) * step
    while at < start + length:
        x = _LEFT_PX + (at - start) / length * room
        draw.line((x, wave + pitch, x, wave + pitch + 4), fill=_INK)
        draw.text(
            (x, wave + pitch + 6), clock(float(at), step), font=font, fill=_INK, anchor="ma" if at > start else "la"
        )
        at += step
    return picture


def clock(seconds: float, step: float = 1) -> str:
    """A time as people write it: `1:02:03`, `2:03`, with tenths where steps are below a second."""
    whole = int(seconds)
    text = (
        f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"
    )
    return text if step >= 1 else f"{text}.{round((seconds - whole) * 10)}"
