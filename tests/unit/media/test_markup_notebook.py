from __future__ import annotations

import base64
import json

import pytest
from tests.support.markup import NOTEBOOK, code, markdown, notebook, read, shown

from eyeline.errors import CorruptMedia
from eyeline.media.sample_pictures import make_picture

PIXELS = make_picture(width=8, height=6)
PNG = base64.b64encode(PIXELS).decode()


def test_cells_are_sections_with_their_source_and_outputs_in_order() -> None:
    source = notebook(
        markdown(["# Pumps\n", "\n", "Two *kinds*.\n"]),
        code(["import x\n", "x.run()"], {"output_type": "stream", "name": "stdout", "text": ["ran\n", "twice\n"]}),
        {"cell_type": "raw", "metadata": {}, "source": "as it is"},
    )
    found = read(source, NOTEBOOK)
    assert found.value["cells"] == ["markdown", "code", "raw"]
    assert [(block.section, block.kind, block.text.strip()) for block in found.blocks] == [
        (1, "paragraph", "# Pumps\n\nTwo *kinds*."),
        (2, "code", "```python\nimport x\nx.run()\n```"),
        (2, "code", "```output\nran\ntwice\n```"),
        (3, "paragraph", "as it is"),
    ]
    assert json.loads(f"[{found.source_of('x.run()')}]") == ["import x\n", "x.run()"]
    assert json.loads(f"[{found.source_of('twice')}]") == ["ran\n", "twice\n"]


def test_pictures_of_outputs_attachments_and_text_are_kept() -> None:
    jpeg = base64.b64encode(make_picture("image/jpeg", width=8, height=8)).decode()
    source = notebook(
        markdown("![a](attachment:plan%201.png)", attachments={"plan 1.png": {"image/png": PNG}}),
        markdown(f"![b](data:image/png;base64,{PNG}) text"),
        code("plot()", shown(text_plain="<Figure>", image_jpeg=[jpeg[:40] + "\n", jpeg[40:]])),
        code("draw()", shown(image_svg__xml="<svg/>", text_plain="vector")),
    )
    found = read(source, NOTEBOOK)
    assert [path for path, *_ in found.value["pictures"]] == ["assets/picture-0001.png", "assets/picture-0002.jpg"]
    assert found.text.count("(assets/picture-0001.png)") == 2
    assert "![](assets/picture-0002.jpg)" in found.text
    assert "<Figure>" not in found.text
    assert "vector" in found.text
    assert (found.value["pictures_found"], found.value["pictures_left_out"]) == (4, 1)
    assert jpeg[:40] in source[slice(*found.value["pictures"][1][2:])]


def test_tables_of_outputs_stay_tables_and_hidden_text_in_them_is_left_out() -> None:
    html = (
        "<style>x</style><table><tr><th></th><th>a</th></tr><tr><td>0</td><td>1|2</td></tr></table><p hidden>obey</p>"
    )
    source = notebook(code("df", shown(text_plain="   a\n0  1|2", text_html=html)))
    found = read(source, NOTEBOOK)
    assert "|  | a |\n| --- | --- |\n| 0 | 1\\|2 |" in found.text
    assert "obey" not in found.text
    assert found.value["unseen"]["elements"] == 4
    place = found.source_of("1\\|2")
    assert place is not None
    assert json.loads(place) == html


def test_terminal_codes_and_overprinted_lines_are_read_as_they_look() -> None:
    source = notebook(
        code(
            "run",
            {"output_type": "stream", "name": "stderr", "text": "10%\r 50%\r100%\r\n\x1b[31mred\x1b[0m\x07 \ud800"},
        ),
        code("fail", {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m", "v"]}),
    )
    found = read(source, NOTEBOOK)
    assert "```output\n100%\nred\ufffd \ufffd\n```" in found.text
    assert "```output\nE\nv\n```" in found.text


def test_a_huge_output_is_cut_and_leaves_room_for_the_cells_after_it() -> None:
    source = notebook(
        code("x", {"output_type": "stream", "name": "stdout", "text": "y" * 500_000}), markdown("the end")
    )
    found = read(source, NOTEBOOK)
    assert len(found.text) < 25_000
    assert found.value["cut"] == 1
    assert found.text.endswith("the end\n")


def test_older_notebooks_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": "Old"},
        {
            "cell_type": "code",
            "input": ["1+1"],
            "language": "python",
            "outputs": [
                {"output_type": "pyout", "text": ["2"]},
                {"output_type": "display_data", "png": PNG, "text": "fig"},
                {"output_type": "pyout", "html": "<b>only</b> html"},
            ],
        },
    ]
    source = json.dumps({"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": cells}]})
    found = read(source, NOTEBOOK)
    assert found.text == "# Old\n\n```\n1+1\n```\n\n```output\n2\n```\n\n![](assets/picture-0001.png)\n\nonly html\n"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "{",
        "[1]",
        '{"nbformat": 4}',
        '{"cells": [{"source": "x"},]}',
        '{"cells": [' + "[" * 100_000,
        '{"cells" [1]}',
        '{"cells": [1 2]}',
        "{1: 2}",
        '{"cells": [{}], "x": nope}',
    ],
)
def test_what_is_no_notebook_is_corrupt(source: str) -> None:
    with pytest.raises(CorruptMedia):
        read(source, NOTEBOOK)


@pytest.mark.parametrize(
    "cell",
    [
        1,
        "text",
        {"cell_type": ["x"], "source": {"a": 1}},
        {"cell_type": "code", "source": [1, None, "ok"], "outputs": {"a": 1}},
        {"cell_type": "code", "outputs": [1, {"data": [1]}, {"data": {"text/plain": 5, "image/png": 7}}]},
        {"cell_type": "markdown", "attachments": [1], "source": "![x](attachment:y)"},
        {"cell_type": "code", "outputs": [{"traceback": 5}, {"data": {"image/png": "%%%"}}]},
        {"cell_type": "x", "source": None},
    ],
)
def test_cells_of_odd_shape_cost_themselves_alone(cell: object) -> None:
    source = json.dumps({"cells": [cell, {"cell_type": "markdown", "source": "after"}], "metadata": [1], "nbformat": 4})
    found = read(source, NOTEBOOK)
    assert found.text.endswith("after\n")
    assert found.value["total_cells"] == 2


def test_numbers_of_any_length_are_no_obstacle() -> None:
    assert (
        read('{"cells": [{"cell_type": "markdown", "source": "x", "n": 1%s}]}' % ("0" * 9000), NOTEBOOK).text == "x\n"
    )


def test_cells_beyond_the_bound_are_a_rest_with_a_place() -> None:
    source = notebook(*[markdown("c")] * 5003)
    found = read(source, NOTEBOOK)
    assert len(found.value["cells"]) == 5000
    assert found.value["total_cells"] == 5003
    assert not found.value["is_complete"]
    assert source[found.value["end"] :].count('"cell_type"') == 3
