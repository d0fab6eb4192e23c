"""Files to take in, made from nothing; the same call always makes the same files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from eyeline.media.samples import SamplePage, SampleText, make_pdf, make_scan_page

LINES_A_PAGE, MAX_PAGES, MAX_LINES = 38, 6, 330


class Words:
    """Text of words from a vocabulary of 20 000."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._vocabulary = [self._word() for _ in range(20_000)]

    def _word(self) -> str:
        return "".join(self.random.choices("etaoinshrdlucmfw", k=self.random.randint(2, 10)))

    def line(self, words: int = 12) -> str:
        """A line of words."""
        return " ".join(self.random.choices(self._vocabulary, k=words))

    def lines(self) -> list[str]:
        """Up to `MAX_LINES` lines, 2 to 25 kB."""
        return [self.line() for _ in range(self.random.randint(30, MAX_LINES))]


def markdown(words: Words) -> bytes:
    return "\n\n".join(f"# {line[:20]}\n\n{line}" for line in words.lines()).encode()


def plain(words: Words) -> bytes:
    return "\n".join(words.lines()).encode()


def table(words: Words) -> bytes:
    return "\n".join(line.replace(" ", ",") for line in words.lines()).encode()


def structured(words: Words) -> bytes:
    return json.dumps(words.lines(), indent=1).encode()


def page(words: Words) -> bytes:
    body = "".join(f"<h2>{line[:20]}</h2><p>{line}</p>" for line in words.lines())
    return f"<!doctype html><html><head><title>{words.line(3)}</title></head><body>{body}</body></html>".encode()


def digital_pdf(words: Words) -> bytes:
    """One to `MAX_PAGES` full pages of text."""
    return make_pdf([_pdf_page(words) for _ in range(words.random.randint(1, MAX_PAGES))])


def _pdf_page(words: Words) -> SamplePage:
    return SamplePage(texts=tuple(SampleText(words.line(11)[:85], y_pt=72 + 16 * row) for row in range(LINES_A_PAGE)))


def scan(words: Words) -> bytes:
    """A page of a scanner with a dozen lines."""
    return make_scan_page(tuple(words.line(8) for _ in range(12)), width=1275, height=825).data


Maker = tuple[str, Callable[[Words], bytes]]
TEXTS: tuple[Maker, ...] = (("md", markdown), ("txt", plain), ("csv", table), ("json", structured), ("html", page))
PDFS: tuple[Maker, ...] = (("pdf", digital_pdf),)
MIXED: tuple[Maker, ...] = tuple(maker for text in TEXTS for maker in (text, PDFS[0], text, PDFS[0], text))
"""Three texts and two PDF files in five."""
SCANS: tuple[Maker, ...] = (("jpg", scan),)


def fill(folder: Path, makers: tuple[Maker, ...], *, count: int, seed: int = 1) -> Path:
    """Fill a new folder with files of these kinds in turn."""
    folder.mkdir(parents=True)
    words = Words(seed)
    for number in range(count):
        extension, make = makers[number % len(makers)]
        (folder / f"{number:06d}.{extension}").write_bytes(make(words))
    return folder
