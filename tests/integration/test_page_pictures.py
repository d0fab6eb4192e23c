"""Pictures of several pages that one job draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eyeline import Eyeline
from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.samples import SampleFill, SamplePage, SampleText, make_pdf

COLOURS = ((0.9, 0.1, 0.1), (0.1, 0.6, 0.2), (0.1, 0.2, 0.9))


def coloured(*, lost: int = 0) -> bytes:
    pages = [
        SamplePage(texts=(SampleText(f"page {number}"),), fills=(SampleFill((72, 100, 400, 500), colour),))
        for number, colour in enumerate(COLOURS, start=1)
    ]
    return make_pdf([SamplePage(lost=True) if number == lost else page for number, page in enumerate(pages, start=1)])


def plan(page: int) -> dict[str, Any]:
    size = {"width_px": 148, "height_px": 192}
    return {"size": size, "page": page, "media_types": ["image/png"], "max_bytes": 48 << 10}


def test_pages_drawn_together_are_those_drawn_alone() -> None:
    source = BytesSource(coloured())
    with BoundedPool() as pool:
        alone = [pool.run("eyeline.media.pdf:render", {"plan": plan(page)}, source=source) for page in (1, 2, 3)]
        together = pool.run(
            "eyeline.media.pdf:render_each", {"plans": [plan(page) for page in (1, 2, 3)]}, source=source
        )
    assert together.outputs == tuple(each.outputs[0] for each in alone)
    told = [{name: each.value[name] for name in ("media_type", "size", "transforms", "scale")} for each in alone]
    assert together.value["made"] == told


def test_a_page_that_cannot_be_drawn_is_none_among_those_that_can() -> None:
    plans = [plan(1), plan(2), plan(3), {**plan(3), "media_types": ["image/x-none"]}]
    with BoundedPool() as pool:
        made = pool.run("eyeline.media.pdf:render_each", {"plans": plans}, source=BytesSource(coloured(lost=2)))
    assert [each is not None for each in made.value["made"]] == [True, False, True, False]
    assert len(made.outputs) == 2


@pytest.mark.parametrize("pages", [1, 3, 20])
def test_each_page_of_a_document_has_its_thumbnail(pages: int, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf([f"page {number}" for number in range(1, pages + 1)]))
    with Eyeline(tmp_path / "home") as eye:
        (item,) = eye.ingest(tmp_path / "a.pdf").items
        folder = tmp_path / "home" / "tree" / str(item.tree_path)
        held = sorted(path.stem for path in (folder.parent / str(item.representation_id) / "assets").iterdir())
    small = [f"page-{number:04d}" for number in range(1, pages + 1)] if pages > 1 else []
    assert held == [*small, "preview"]


def test_a_lost_page_costs_no_other_page_its_thumbnail(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(coloured(lost=2))
    with Eyeline(tmp_path / "home") as eye:
        (item,) = eye.ingest(tmp_path / "a.pdf").items
        folder = tmp_path / "home" / "tree" / str(item.tree_path)
        held = sorted(path.stem for path in (folder.parent / str(item.representation_id) / "assets").iterdir())
    assert held == ["page-0001", "page-0003", "preview"]
