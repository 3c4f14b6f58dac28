"""Say what the attacks of `make attack` broke: results/reliability/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common

from paretosched.core.tables import load_rows, markdown

Row = Mapping[str, str]
COUNTS = ("tried", "refused", "accepted", "broken")


def main() -> None:
    """Write the summary."""
    write(common.analysis_parser("reliability", __doc__).parse_args().results)


def write(results: Path) -> None:
    """Write the summary of a campaign whose table and provenance are there."""
    rows, provenance = load_rows(results / "attack.csv"), common.load_provenance(results)
    common.save_summary(
        results, ["# Attacks", "", *opening(rows, provenance), *heading(rows, provenance), *table(rows)]
    )


def total(rows: Sequence[Row], name: str) -> int:
    """Return the sum of a column."""
    return sum(int(row[name]) for row in rows)


def opening(rows: Sequence[Row], provenance: Mapping[str, Any]) -> list[str]:
    """Return the five sentences of the summary."""
    tried, broken = total(rows, "tried"), total(rows, "broken")
    left_out = [row["attack"] for row in rows if row["remark"]]
    times = sorted(int(row["tried"]) for row in rows if int(row["tried"]))
    return common.opening(
        "Can damaged files, absurd options, kills, lost workers, full disks or other accounts break a command?",
        f"Of {tried:,} attacks {broken or 'none'} broke anything; {total(rows, 'refused'):,} were refused in one line, "
        f"and {total(rows, 'accepted'):,} did no harm.",
        f"It is one campaign, of one seed ({provenance['seed']}); a kind of attack was tried between {times[0]:,} and "
        f"{times[-1]:,} times.",
        ("The kinds that are named broken below do harm, and nothing" if broken else "Nothing")
        + " shows that what is not in the list would be refused"
        + (f"; not tried: {', '.join(left_out)}." if left_out else "."),
        "Keep runs and pages in folders that only you can write, and report every traceback as a fault.",
    )


def heading(rows: Sequence[Row], provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about the campaign and its words."""
    return [
        f"`make attack` tried {total(rows, 'tried'):,} attacks in {provenance['seconds'] / 60:.0f} minutes on "
        f"{provenance['cores']} cores: {total(rows, 'broken') or 'none'} broke anything. Seed {provenance['seed']}; "
        f"{common.versions_text(provenance)}.",
        "",
        "*Refused*: one line that says why, and exit status 2. *Accepted*: the command did what it was asked, with the "
        "result that it has without the attack. *Broken*: a traceback, another exit status, no end within the time "
        "limit, more than 1 GiB of memory for an input, an input that was changed, a continued run that differs from "
        "one that was not killed, or another account that got in.",
        "",
    ]


def table(rows: Sequence[Row]) -> list[str]:
    """Return the table of attacks, and what broke or was not tried."""
    lines = [[row["attack"], *(f"{int(row[name]):,}" for name in COUNTS)] for row in rows]
    remarks = [
        *(f"- Broken, {row['attack']}: {row['offender']}" for row in rows if int(row["broken"])),
        *(f"- Not tried, {row['attack']}: {row['remark']}" for row in rows if row["remark"]),
    ]
    return [*markdown(["attack", *COUNTS], lines, left=1), *(["", *remarks] if remarks else [])]


if __name__ == "__main__":
    main()
