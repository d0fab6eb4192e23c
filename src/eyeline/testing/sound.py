"""Builders of sound for tests: speech, silence and noise, made from nothing."""

from __future__ import annotations

from eyeline.media.sample_speech import SampleSound, has_speech, make_noise, make_silence, make_speech

__all__ = ["SampleSound", "has_speech", "make_noise", "make_silence", "make_speech"]
