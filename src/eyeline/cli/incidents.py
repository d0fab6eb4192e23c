"""The log of the home: the causes of incidents, which are never shown on the terminal."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Generator
from pathlib import Path

from eyeline.settings import default_home

LOG = "errors.log"
"""File in the home that holds the causes of incidents."""


class IncidentLog(logging.Handler):
    """A file that appears with the first incident; `is_written` says whether one could be written."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.is_written = False

    def emit(self, record: logging.LogRecord) -> None:
        """Append one record, for the owner's eyes only."""
        text = self.format(record) + "\n"
        with contextlib.suppress(OSError):
            self._path.touch(mode=0o600)
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as log:
                log.write(text)
            self.is_written = True


@contextlib.contextmanager
def incidents_logged(home: str | None) -> Generator[IncidentLog]:
    """While inside, what the logger `eyeline` is told goes to the log of the home and not to the terminal."""
    folder = default_home() if home is None else Path(home).expanduser()
    logger = logging.getLogger("eyeline")
    log = IncidentLog(folder / LOG)
    log.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(log)
    propagating, logger.propagate = logger.propagate, False
    try:
        yield log
    finally:
        logger.propagate = propagating
        logger.removeHandler(log)
