import csv
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from paretosched.core.tables import Column, csv_cell, from_csv_cell, load_rows, plain, save_rows, table, to_json


def test_columns_are_aligned_and_undefined_is_a_dash():
    rows = [{"a": "x", "b": 1234.6}, {"a": "longer", "b": None}, {"a": "y"}, {"a": "z", "b": float("nan")}]
    assert table(rows, [Column("a", "policy"), Column("b", "AWRT s", ",.0f")]).splitlines() == [
        "policy  AWRT s",
        "------  ------",
        "x        1,235",
        "longer       -",
        "y            -",
        "z            -",
    ]


def test_a_table_without_rows_is_its_header():
    assert table([], [Column("a", "policy")]) == "policy\n------"


def test_lines_are_never_wrapped_or_shortened(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    assert table([{"a": "n" * 300}], [Column("a", "name")]).splitlines()[2] == "n" * 300


def test_text_cannot_steer_the_terminal():
    text = table([{"a": "red\x1b[31m\r\nline"}], [Column("a", "name")])
    assert len(text.splitlines()) == 3
    assert not set("\x1b\r") & set(text)


def test_wide_letters_take_two_columns():
    text = table([{"a": "計算", "b": 1}, {"a": "abcd", "b": 2}], [Column("a", "name"), Column("b", "n", "d")])
    assert text.splitlines()[2:] == ["計算  1", "abcd  2"]


def test_json_has_null_for_what_is_not_finite_and_knows_numpy():
    value = {
        "a": np.float64("nan"),
        "b": np.int64(3),
        "c": np.array([1.0, np.inf]),
        "d": (True, np.bool_(False)),
        "e": -np.inf,
    }
    assert json.loads(to_json(value)) == {"a": None, "b": 3, "c": [1.0, None], "d": [True, False], "e": None}


def test_plain_keeps_64_bit_integers_exact():
    assert plain(np.int64(2**62 + 1)) == 2**62 + 1


def test_rows_with_different_keys_are_written_and_read_again(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": 'x, "y"'}, {"c": 2.5, "a": None}]
    save_rows(rows, tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_bytes() == b'a,b,c\n1,"x, ""y""",\n,,2.5\n'
    assert load_rows(tmp_path / "rows.csv") == [
        {"a": "1", "b": 'x, "y"', "c": ""},
        {"a": "", "b": "", "c": "2.5"},
    ]
    save_rows([], tmp_path / "rows.csv")
    assert load_rows(tmp_path / "rows.csv") == []


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", *"＝＋－＠"])
def test_no_cell_of_a_csv_file_is_a_formula_and_all_are_read_again(tmp_path: Path, first: str) -> None:
    texts = [f"{first}1+cmd()", f"'{first}1+1", f"''{first}", first, "it's", "'", "a\rb", 'x, "y"', "-1.5", "+2e-9"]
    save_rows([{"n": -1.5, first + "name": text} for text in texts], tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="") as file:
        heading, *raw = list(csv.reader(file))
    assert [row[0] for row in raw] == ["-1.5"] * len(texts)  # a number is no text
    for cell in [*heading, *(row[1] for row in raw)]:
        assert cell[:1] not in ("=", "@", "\t", "\r", "\n", *"＝＋－＠")
        assert cell[:1] not in ("+", "-") or float(cell)
    assert [row[first + "name"] for row in load_rows(tmp_path / "rows.csv")] == texts


def test_marked_cells_are_unmarked_exactly() -> None:
    for letters in product("'=-\t a1", repeat=4):
        assert from_csv_cell(csv_cell("".join(letters))) == "".join(letters)
