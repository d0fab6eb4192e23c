"""The OCR lane over tesseract, in the bounded child."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyeline.convert.budgets import OcrBudget
from eyeline.convert.lanes import OcrLine, OcrReading
from eyeline.errors import MissingDependency
from eyeline.media.bounded.job import JobLimits
from eyeline.media.engines import OCR_ENGINE
from eyeline.media.ocr_models import find_models, model_folders
from eyeline.model.limits import Limits
from eyeline.model.reading import Component

if TYPE_CHECKING:
    from eyeline.media.bounded.job import Readable
    from eyeline.media.bounded.pool import BoundedPool
    from eyeline.model.media_type import MediaType
    from eyeline.toolkit.cancel import CancelToken

_GRACE_MS = 15_000
_WALL_FACTOR = 4
"""A job stops by its own clock of CPU time; the wall is there for one that does not, also on a busy machine."""


def ocr_read_paths(models: str | Path | None = None) -> tuple[Path, ...]:
    """What a bounded pool must let jobs read for this lane; to be given to it as `read_paths`."""
    return model_folders(None if models is None else Path(models))


class TesseractOcr:
    """An OCR engine over a bounded pool that was made with `read_paths=ocr_read_paths(models)`.

    `languages` are tesseract's codes, the most likely first. `models` is a folder of further models, looked into before
    the installed ones. A missing model is raised by `recognise`, not here, so that it becomes a gap and not the end.
    """

    def __init__(
        self,
        pool: BoundedPool,
        *,
        languages: tuple[str, ...] = ("eng",),
        models: str | Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._pool = pool
        self._languages = tuple(dict.fromkeys(languages))
        self._models = None if models is None else Path(models)
        self._limits = Limits() if limits is None else limits

    @property
    def components(self) -> tuple[Component, ...]:
        """Libraries by version and models by their bytes; `absent` for a model that is missing."""
        libraries = [Component(name, version) for name, version in OCR_ENGINE.versions().items()]
        return (*libraries, *(Component(f"ocr-model-{name}", self._model_version(name)) for name in self._languages))

    def recognise(
        self,
        source: Readable,
        *,
        media_type: MediaType,
        page: int | None = None,
        frame: int | None = None,
        emphasis: float = 1.0,
        cancel: CancelToken | None = None,
    ) -> OcrReading:
        """Read a picture, one of its frames (from 1), or a page of a document (from 1); see `OcrEngine`."""
        budget = OcrBudget.of(emphasis)
        models = find_models(self._languages, chosen=self._models)
        params = {
            "media_type": str(media_type),
            "page": page,
            "frame": frame,
            "languages": list(self._languages),
            "models": {model.language: str(model.path) for model in models},
            "max_pixels": budget.max_pixels,
            "cpu_ms": budget.cpu_ms,
            "max_source_pixels": self._limits.max_pixels,
            "max_frames": self._limits.max_frames,
        }
        limits = self._job_limits(budget)
        job = OCR_ENGINE.job("recognise")
        value = self._pool.run(job, params, source=source, limits=limits, cancel=cancel).value
        return _reading(value, self._languages)

    def _job_limits(self, budget: OcrBudget) -> JobLimits:
        cpu_ms = budget.cpu_ms + _GRACE_MS
        return JobLimits(
            wall_ms=cpu_ms * _WALL_FACTOR,
            cpu_ms=cpu_ms,
            memory_bytes=self._limits.job_memory_bytes,
            output_bytes=self._limits.job_output_bytes,
        )

    def _model_version(self, language: str) -> str:
        try:
            return find_models((language,), chosen=self._models)[0].version
        except MissingDependency:
            return "absent"


def _reading(value: dict[str, Any], languages: tuple[str, ...]) -> OcrReading:
    lines = (
        OcrLine(each["text"], tuple(each["box"]), each["confidence"], each["block"], each["paragraph"])
        for each in value["lines"]
    )
    width, height = value["size"]
    return OcrReading(tuple(lines), value["rotation"], width, height, languages, complete=value["complete"])
