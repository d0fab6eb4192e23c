"""What listing and searching promise on every database, as tests; used as `catalog_contract` is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.catalog.records import Filters
from eyeline.model.document import DEFAULT_COLLECTION
from eyeline.model.media_type import Family
from eyeline.testing.catalog_samples import PDF, PNG, code_of, convert, found, take_in

if TYPE_CHECKING:
    from eyeline.catalog.catalog import Catalog

HERE = Filters(collections=frozenset({DEFAULT_COLLECTION}))


class ListingContract:
    """Lists, filters and cursors."""

    def open_catalog(self) -> Catalog:
        """The database of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the database")

    def test_a_list_goes_on_where_it_stopped_though_others_come_in_between(self) -> None:
        with self.open_catalog() as catalog:
            names = [f"{index:02}.pdf" for index in range(25)]
            for name in reversed(names):
                take_in(catalog, name)
            seen: list[str] = []
            cursor = None
            while True:
                page = catalog.list_documents(cursor=cursor, limit=4)
                seen += [entry.document.reference for entry in page.entries]
                take_in(catalog, "00-before.pdf")
                cursor = page.cursor
                if cursor is None:
                    break
            assert seen == names

    def test_a_list_is_sorted_by_collection_and_reference_in_code_points(self) -> None:
        with self.open_catalog() as catalog:
            for collection, name in (("b", "a"), ("a", "é"), ("a", "z"), ("a", "Z"), ("a", "京")):
                take_in(catalog, name, collection=collection)
            listed = [(each.document.collection, each.document.reference) for each in catalog.list_documents().entries]
            assert listed == [("a", "Z"), ("a", "z"), ("a", "é"), ("a", "京"), ("b", "a")]

    def test_an_entry_says_which_reading_is_current(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            (entry,) = catalog.list_documents().entries
            assert (entry.document, entry.version) == (recorded.document, recorded.version)
            assert entry.representation_id is None
            made = convert(catalog, recorded, texts=["words"])
            (entry,) = catalog.list_documents().entries
            assert entry.representation_id == made.representation_id

    def test_filters_keep_family_type_name_and_collection(self) -> None:
        with self.open_catalog() as catalog:
            take_in(catalog, "in/Überblick_100%.pdf", title="Jahr 2024")
            take_in(catalog, "in/foto.png", media_type=PNG)
            take_in(catalog, "in/other.png", media_type=PNG, collection="secret")

            def listed(filters: Filters) -> list[str]:
                return [entry.document.reference for entry in catalog.list_documents(filters).entries]

            assert listed(Filters(family=Family.IMAGE)) == ["in/foto.png", "in/other.png"]
            assert listed(Filters(frozenset({DEFAULT_COLLECTION}), Family.IMAGE)) == ["in/foto.png"]
            assert listed(Filters(media_type=PDF)) == ["in/Überblick_100%.pdf"]
            assert listed(Filters(name="UBERBLICK")) == ["in/Überblick_100%.pdf"]
            assert listed(Filters(name="jahr")) == ["in/Überblick_100%.pdf"]
            assert (listed(Filters(name="0%")), listed(Filters(name="o_"))) == (["in/Überblick_100%.pdf"], [])
            assert listed(Filters(collections=frozenset())) == []

    def test_a_cursor_of_another_question_and_a_damaged_one_are_refused(self) -> None:
        with self.open_catalog() as catalog:
            for name in ("a.pdf", "b.pdf", "c.pdf"):
                convert(catalog, take_in(catalog, name), texts=["words"])
            of_list = catalog.list_documents(limit=1).cursor
            of_search = catalog.search("words", limit=1).cursor
            assert of_list is not None
            assert of_search is not None
            refused = [
                code_of(lambda: catalog.list_documents(HERE, cursor=of_list)),
                code_of(lambda: catalog.search("words", cursor=of_list)),
                code_of(lambda: catalog.search("other", cursor=of_search)),
                code_of(lambda: catalog.list_documents(cursor=of_search)),
                code_of(lambda: catalog.list_documents(cursor=of_list[:-2])),
                code_of(lambda: catalog.search("words", cursor="\udcff")),
            ]
            assert refused == ["invalid_request"] * len(refused)

    def test_a_limit_outside_its_range_is_refused(self) -> None:
        with self.open_catalog() as catalog:
            assert code_of(lambda: catalog.list_documents(limit=0)) == "limit_exceeded"
            assert code_of(lambda: catalog.search("words", limit=1001)) == "limit_exceeded"


class SearchContract:
    """What a query finds, and in which order."""

    def open_catalog(self) -> Catalog:
        """The database of this test, opened; the same one each time."""
        raise AssertionError("the subclass opens the database")

    def test_words_are_all_wanted_and_phrases_word_by_word(self) -> None:
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "a.pdf"), texts=["The pump has a\n serial number.", "number of the pump"])
            assert sorted(found(catalog, "pump NUMBER")) == ["a.pdf#page=1", "a.pdf#page=2"]
            assert found(catalog, '"serial number"') == ["a.pdf#page=1"]
            assert found(catalog, '"pump has a serial"') == ["a.pdf#page=1"]
            assert found(catalog, "pump valve") == []

    def test_a_dash_excludes_and_a_star_finds_beginnings(self) -> None:
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "a.pdf"), texts=["draft pump", "final pump", "pumping station"])
            assert found(catalog, "pump -draft") == ["a.pdf#page=2"]
            assert found(catalog, 'pump -"draft pump" -final') == []
            assert sorted(found(catalog, "pum*")) == ["a.pdf#page=1", "a.pdf#page=2", "a.pdf#page=3"]
            assert sorted(found(catalog, "-draft")) == ["a.pdf#page=2", "a.pdf#page=3"]

    def test_signs_are_found_as_they_are_written(self) -> None:
        texts = {
            "C++": "C and C++ and c",
            "C#": "the C# language",
            "report-2024": "see report-2024 for more",
            "it's": "it’s here",
            "NEAR(": "the function NEAR(x)",
            "*": "a lone * star",
            '"': 'a lone " quote',
            "🙂": "hello 🙂",
            "❤️": "love ❤",
            "--verbose": "call it with --verbose",
            "50%": "about 50% of it",
            "a.b": "the name a.b",
            "§": "after § 5",
        }
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "x.pdf"), texts=list(texts.values()))
            places = {query: f"x.pdf#page={page}" for page, query in enumerate(texts, start=1)}
            assert {query: found(catalog, query) for query in texts} == {
                query: [place] for query, place in places.items()
            }
            assert found(catalog, "AND") == [places["C++"]]
            assert found(catalog, "report 2024") == [places["report-2024"]]
            assert found(catalog, "-C++ c")[0] == places["C#"]
            assert [found(catalog, query) for query in ("report-202", "D++", "🙃", "\0", '""', "NEAR(y", "C++#")] == [
                []
            ] * 7

    def test_case_diacritics_ligatures_and_invisible_characters_do_not_matter(self) -> None:
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "a.pdf"), texts=["Die Stra\u00adße nach Zürich, ﬁnal e\u0301te", "other"])
            for query in ("strasse", "ZURICH", "zu\u0308rich", "Zürich", "final", "été", "ete", '"nach zurich"'):
                assert found(catalog, query) == ["a.pdf#page=1"], query

    def test_scripts_without_spaces_are_found_by_any_part(self) -> None:
        texts = ["東京タワーは三三三米", "한국어에서 찾기", "ค้นหาข้อความภาษาไทย", "カフェで会う"]
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "a.pdf"), texts=texts)
            for page, text in enumerate(texts, start=1):
                parts = {text[start:end] for start in range(len(text)) for end in range(start + 1, start + 4)}
                for part in parts:
                    if " " not in part:
                        assert f"a.pdf#page={page}" in found(catalog, part), part
            assert found(catalog, "京東") == []
            assert found(catalog, "三三") == ["a.pdf#page=1"]

    def test_documents_without_text_are_found_by_title_and_reference(self) -> None:
        with self.open_catalog() as catalog:
            take_in(catalog, "holiday/IMG_0012.png", title="Beach at noon", media_type=PNG)
            assert found(catalog, "beach") == ["holiday/IMG_0012.png"]
            assert found(catalog, "IMG_0012") == ["holiday/IMG_0012.png"]
            assert found(catalog, "holiday noon") == ["holiday/IMG_0012.png"]
            assert found(catalog, "beach -noon") == []

    def test_passages_speak_for_a_document_whose_title_matches_too(self) -> None:
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "pump.pdf"), texts=["the pump", "nothing"])
            convert(catalog, take_in(catalog, "valve.pdf"), texts=["the pump"])
            assert sorted(found(catalog, "pump")) == ["pump.pdf#page=1", "valve.pdf#page=1"]
            convert(catalog, take_in(catalog, "pump 2.pdf"), texts=["nothing"])
            assert sorted(found(catalog, "pump")) == ["pump 2.pdf", "pump.pdf#page=1", "valve.pdf#page=1"]
            assert found(catalog, "pump -nothing") == found(catalog, "pump -nothing")
            assert "pump 2.pdf" not in found(catalog, "pump -nothing")

    def test_a_match_says_where_in_the_passage_and_carries_the_passage(self) -> None:
        with self.open_catalog() as catalog:
            recorded = take_in(catalog, "a.pdf")
            made = convert(catalog, recorded, texts=["Before it, é ﬁ then\n the PUMP"])
            (match,) = catalog.search("pump").matches
            assert match.entry.version == recorded.version
            assert match.entry.representation_id == made.representation_id
            assert match.passage is not None
            assert match.passage.text[match.at :] == "PUMP"
            assert (match.passage.ordinal, str(match.passage.locator)) == (0, "page=1")

    def test_more_of_a_word_ranks_higher_and_ties_are_always_in_the_same_order(self) -> None:
        with self.open_catalog() as catalog:
            filler = [f"page {word} without it" for word in ("one", "two", "three", "four", "five", "six")]
            convert(catalog, take_in(catalog, "a.pdf"), texts=["pump " + "word " * 50, "pump pump pump", *filler])
            assert found(catalog, "pump") == ["a.pdf#page=2", "a.pdf#page=1"]
            for index in range(5):
                convert(catalog, take_in(catalog, f"{index}.pdf"), texts=["the same valve"])
            assert found(catalog, "valve") == found(catalog, "valve")
            scores = [match.score for match in catalog.search("pump valve -pump").matches]
            assert scores == sorted(scores, reverse=True)

    def test_a_search_goes_on_where_it_stopped(self) -> None:
        with self.open_catalog() as catalog:
            for index in range(7):
                convert(
                    catalog, take_in(catalog, f"{index}.pdf"), texts=["pump " * (index + 1), "c++ pump", "c + pump"]
                )
            for query, count in (("pump", 21), ("c++", 7), ("-valve", 21)):
                whole = [
                    (match.entry.document.doc_id, match.passage) for match in catalog.search(query, limit=100).matches
                ]
                pieces: list[object] = []
                cursor = None
                while True:
                    some = catalog.search(query, cursor=cursor, limit=2)
                    pieces += [(match.entry.document.doc_id, match.passage) for match in some.matches]
                    cursor = some.cursor
                    if cursor is None:
                        break
                assert (pieces, len(pieces)) == (whole, count)

    def test_a_blank_query_lists(self) -> None:
        with self.open_catalog() as catalog:
            for name in ("a.pdf", "b.pdf", "c.pdf"):
                take_in(catalog, name)
            first = catalog.search(" \n", limit=2)
            second = catalog.search(" \n", limit=2, cursor=first.cursor)
            names = [match.entry.document.reference for match in first.matches + second.matches]
            assert (names, second.cursor) == (["a.pdf", "b.pdf", "c.pdf"], None)

    def test_only_current_versions_in_visible_collections_are_searched(self) -> None:
        with self.open_catalog() as catalog:
            convert(catalog, take_in(catalog, "a.pdf", data=b"old"), texts=["ancient"])
            convert(catalog, take_in(catalog, "b.pdf", collection="secret"), texts=["ancient"])
            assert found(catalog, "ancient", filters=HERE) == ["a.pdf#page=1"]
            take_in(catalog, "a.pdf", data=b"new")
            assert found(catalog, "ancient", filters=HERE) == []
            take_in(catalog, "a.pdf", data=b"old")
            assert found(catalog, "ancient", filters=HERE) == ["a.pdf#page=1"]
            assert found(catalog, "ancient", filters=Filters(family=Family.IMAGE)) == []

    def test_a_query_that_is_too_long_is_refused_by_type(self) -> None:
        with self.open_catalog() as catalog:
            assert code_of(lambda: catalog.search("x" * 5000)) == "limit_exceeded"
            assert code_of(lambda: catalog.search(" ".join(map(str, range(65))))) == "limit_exceeded"
