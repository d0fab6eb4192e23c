"""Finding: passages with locators that open exactly what matched, and lists with filters and a cursor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.homes import fill_inbox

from eyeline import Eyeline, Principal
from eyeline.errors import InvalidRequest, LimitExceeded
from eyeline.model.manifest import Role


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = fill_inbox(tmp_path_factory.mktemp("inbox"))
    (inbox / "zh.txt").write_text("水泵的序列号是 4417\nC++ and report-2024, it's here\n")
    with Eyeline(tmp_path_factory.mktemp("home")) as eye:
        eye.ingest(inbox)
        yield eye


def test_a_hit_opens_at_the_place_that_matched(eye: Eyeline) -> None:
    hit = eye.find("valves", family="document")[0]
    assert hit.locator.page == 2
    assert hit.locator.region is not None
    opened = eye.open(hit.version_id, locator=hit.locator)
    text = next(part.text for part in opened.parts if part.entry.role is Role.SOURCE_TEXT)
    assert "about valves" in text
    assert hit.evidence_mode == "source_expression"


def test_a_hit_in_a_text_names_its_line(eye: Eyeline) -> None:
    hit = eye.find("serial number")[0]
    assert str(hit.locator) == "line=3,3"
    assert "PX-4417" in hit.excerpt


@pytest.mark.parametrize(
    "query", ["水泵", "序列号", "泵", "C++", "report-2024", "it's", '"serial number is"', "PX-4417", "valv*"]
)
def test_words_are_found_as_they_are_written(eye: Eyeline, query: str) -> None:
    assert len(eye.find(query)) >= 1


@pytest.mark.parametrize("query", ['"', "*", "NEAR(", "AND", "(((", "\x00", "-", "C--"])
def test_no_query_is_an_error(eye: Eyeline, query: str) -> None:
    assert eye.find(query).passages is not None


def test_titles_are_found_without_derived_text(eye: Eyeline) -> None:
    assert eye.find("mark.png")[0].source.name == "mark.png"


def test_an_empty_query_lists_with_filters_and_a_cursor(eye: Eyeline) -> None:
    names: list[str] = []
    cursor: str | None = None
    while True:
        found = eye.find("", limit=2, cursor=cursor)
        names += [passage.source.name for passage in found]
        cursor = found.cursor
        if cursor is None:
            break
    assert sorted(names) == ["data.csv", "manual.pdf", "mark.png", "note.md", "zh.txt"]
    assert [each.source.name for each in eye.find("", media_type="text/csv")] == ["data.csv"]
    with pytest.raises(InvalidRequest):
        eye.find("", cursor="not ours")
    with pytest.raises(LimitExceeded):
        eye.find("", limit=1000)


def test_nothing_found_is_an_honest_answer(eye: Eyeline) -> None:
    found = eye.find("unobtainium")
    assert len(found) == 0
    assert found.negative is not None


def test_what_a_principal_may_not_see_is_not_found(eye: Eyeline) -> None:
    with Eyeline(eye.home, principal=Principal("stranger", frozenset({"other"}))) as stranger:
        assert len(stranger.find("serial")) == 0
        assert len(stranger.find("")) == 0


def test_a_source_handle_tells_what_can_be_done(eye: Eyeline) -> None:
    handle = eye.find("", name="manual.pdf")[0].source
    assert handle.pages == 3
    assert handle.readiness.agent_view_ready
    assert handle.version_id in handle.next_action
    assert handle.tree_path.endswith("/original.pdf")
