"""Laws of showing numbers: whatever a format is, a cell has a text, and a plain format loses no digit."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from eyeline.media.office.numbers import format_number

CODES = st.text(alphabet='0#?.,%E+-"\\[]<>=$€@*_;:/ ymdhsAPGeneral1', max_size=30)
NUMBERS = st.one_of(st.floats().map(repr), st.integers().map(str), st.text(max_size=8))


@given(number=NUMBERS, code=CODES)
@example(number="1e308", code="0%")
@example(number="5", code='"No. "0')
def test_every_number_has_a_text_in_every_format(number: str, code: str) -> None:
    assert format_number(number, code).strip() or not number.strip()


@given(number=st.integers(-(10**14), 10**14), places=st.integers(0, 6))
def test_a_whole_number_keeps_every_digit(number: int, places: int) -> None:
    code = "#,##0" + ("." + "0" * places if places else "")
    shown = format_number(str(number), code)
    assert shown.replace(",", "") == f"{number:.{places}f}"
