"""Tables of the page as CSV."""

import csv
import io

import numpy as np

from paretosched.app.csv_tables import comparison_rows, remaining_rows, step_rows, to_csv
from paretosched.app.state import pick_at
from paretosched.app.state_view import view_of
from support.page import FRONT, START


def test_tables_as_csv_are_exact_and_no_formulas() -> None:
    rows = comparison_rows(
        FRONT, {"EASY": FRONT.values[0], "A": FRONT.values[1]}, "EASY", {"A": pick_at(FRONT, 1, "A", "=cmd()")}
    )
    read = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert float(read[1]["AWRT1"]) == FRONT.values[1, 2]
    assert read[1]["note"] == "'=cmd()"
    assert (read[1]["run"], int(read[1]["evaluation"])) == (FRONT.origins[FRONT.origin[1]].name, FRONT.evaluation[1])
    assert float(read[0]["AWRT1_vs_reference"]) == 0
    among = np.arange(300) < 3
    assert [row["evaluation"] for row in remaining_rows(FRONT, among)] == [0, 3, 6]
    steps = step_rows(FRONT, view_of(START, FRONT))
    assert [row["better by 1 %"] for row in steps] == [o.name for o in FRONT.objectives]
    assert to_csv([]) == "schedule\n"
