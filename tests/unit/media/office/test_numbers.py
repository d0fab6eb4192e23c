from __future__ import annotations

import pytest

from eyeline.media.office.numbers import BUILT_IN, format_number

ACCOUNTING = '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'
GRADED = '[>=1000000]0.0,,"M";[>=1000]0,"K";0'


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("0", "General", "0"),
        ("0.30000000000000004", "General", "0.3"),
        ("12345678901234567890", "General", "1.23457E+19"),
        ("12", "000", "012"),
        ("1.10", "0.0#", "1.1"),
        ("0.5", "#.##", ".5"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("1234567", "#,##0,", "1,235"),
        ("1234567", '0.0,,"M"', "1.2M"),
        ("0.000012", "0.00E+00", "1.20E-05"),
        ("-7", BUILT_IN[39], "(7.00)"),
        ("1.5", BUILT_IN[12], "1.5"),
    ],
)
def test_a_number_is_shown_with_the_digits_of_its_format(number: str, code: str, shown: str) -> None:
    assert format_number(number, code) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [("2.5", "3"), ("3.5", "4"), ("-2.5", "-3"), ("-0.2", "0"), ("1e300", f"{1e300:.0f}")]
)
def test_a_half_is_rounded_away_from_zero(number: str, shown: str) -> None:
    assert format_number(number, "0") == shown


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("0.256", "0%", "26%"),
        ("0.256", "0.0%", "25.6%"),
        ("1.005", "0.00%", "100.50%"),
        ("1234.5", "[$€-407] #,##0.00", "€ 1,234.50"),
        ("-1234.5", "[$€-407] #,##0.00", "-€ 1,234.50"),
        ("1234.5", "#,##0.00 [$€-407]", "1,234.50 €"),
        ("1234.5", "$#,##0.00", "$1,234.50"),
        ("-1234.5", ACCOUNTING, "$(1,234.50)"),
        ("0", ACCOUNTING, "$-"),
    ],
)
def test_shares_and_money_keep_their_signs(number: str, code: str, shown: str) -> None:
    assert format_number(number, code) == shown


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("5", '"No. "0', "No. 5"),
        ("5", '0 "pieces of 0"', "5 pieces of 0"),
        ("1.5", "\\x0.0", "x1.5"),
        ("7", '"No. "General', "No. 7"),
        ("5", '"a;b "0;"less"', "a;b 5"),
        ("-5", '"a;b "0;"less"', "less"),
        ("-5", "0;[Red](0)", "(5)"),
        ("0", '0;-0;"nil"', "nil"),
        ("5", GRADED, "5"),
        ("5500", GRADED, "6K"),
        ("2500000", GRADED, "2.5M"),
        ("5", "[>9]0", "5"),
    ],
)
def test_the_section_that_fits_is_taken_with_the_text_in_it(number: str, code: str, shown: str) -> None:
    assert format_number(number, code) == shown


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("46085", "dd/mm/yyyy", "2026-03-04"),
        ("46085", "[$-409]mmmm d, yyyy;@", "2026-03-04"),
        ("46085.5", "d.m.yy h:mm", "2026-03-04 12:00"),
        ("46085.9999999", "yyyy-mm-dd hh:mm:ss", "2026-03-05 00:00:00"),
        ("0.75", "h:mm AM/PM", "18:00"),
        ("0.5", 'hh"h"', "12:00"),
        ("1.26", "[h]:mm", "30:14"),
        ("1.26", "[mm]:ss", "30:14:24"),
        ("-1.26", "[h]:mm", "-30:14"),
        ("1", BUILT_IN[14], "1900-01-01"),
        ("59", BUILT_IN[14], "1900-02-28"),
        ("61", BUILT_IN[14], "1900-03-01"),
        ("0.5", BUILT_IN[14], "1899-12-31"),
    ],
)
def test_days_and_hours_come_in_iso_form(number: str, code: str, shown: str) -> None:
    assert format_number(number, code) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [("0", "1904-01-01"), ("1", "1904-01-02"), ("60", "1904-03-01"), ("44623", "2026-03-04")]
)
def test_a_workbook_that_counts_from_1904_has_other_days(number: str, shown: str) -> None:
    assert format_number(number, "yyyy-mm-dd", from_1904=True) == shown


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("-1", "yyyy-mm-dd", "-1"),
        ("3000000", "yyyy-mm-dd", "3000000"),
        ("abc", "0.0", "abc"),
        ("1e400", "0", "1e400"),
        ("nan", "0%", "nan"),
        ("inf", "General", "inf"),
        ("1e308", "0%", "1E+308"),
        ("5", "0" + "," * 250, "0"),
        ("5", ";;;", "5"),
        ("0", "#,###", "0"),
    ],
)
def test_what_a_format_cannot_show_is_still_told(number: str, code: str, shown: str) -> None:
    assert format_number(number, code) == shown
