"""Table 4 with several seeds: how much of it is luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paretosched.core.tables import markdown

Rows = Sequence[Mapping[str, str]]


def by_seed(table4: Rows, others: Rows) -> dict[str, Rows]:
    """Return the rows of Table 4 by their seed; the first one is 0."""
    return {"0": table4} | {
        seed: [row for row in others if row["seed"] == seed] for seed in dict.fromkeys(row["seed"] for row in others)
    }


def section(
    of_seeds: Mapping[str, Rows], verdicts: Mapping[str, Sequence[Sequence[str]]], paper: Mapping[tuple[str, str], str]
) -> list[str]:
    """Return the section about several seeds.

    Parameters
    ----------
    of_seeds
        The rows of Table 4 by seed.
    verdicts
        By seed: the claim, the paper's number, ours, and whether it holds.
    paper
        The paper's numbers, by item and quantity.
    """
    rows = []
    for name in [row["row"] for row in of_seeds["0"]]:
        of_row = [next(row for row in table if row["row"] == name) for table in of_seeds.values()]
        cells = [name, str(paper.get((name, "NoS"), "-")), *spread([float(row["front"]) for row in of_row], ",.0f")]
        final = [float(table_row(table, "final")["front"]) for table in of_seeds.values()]
        shares = [100 * float(row["in_final"]) / whole for row, whole in zip(of_row, final, strict=True)]
        volumes = [float(row["hypervolume"]) for row in of_row]
        rows.append([*cells, *spread(shares, ".1f"), *spread(volumes, ".4f")])
    count = len(of_seeds)
    held = {lines[0][0]: [line[-1] == "holds" for line in lines] for lines in zip(*verdicts.values(), strict=True)}
    always = [claim for claim, holds in held.items() if all(holds)]
    never = [claim for claim, holds in held.items() if not any(holds)]
    mixed = [f"{claim} ({sum(holds)} of {count})" for claim, holds in held.items() if any(holds) and not all(holds)]
    return [
        f"## Table 4 with {count} seeds",
        "",
        *markdown(
            ["row", "NoS paper", "NoS median", "least to most", "of the final %", "least to most", "hypervolume",
             "least to most"],
            rows,
            left=1,
        ),
        "",
        f"{count} seeds, each with all rows of the table and a final front of its own, which is the box of its "
        "hypervolumes: from its best to 1.5 times EASY in every group. Start solutions are all orders there are, so "
        "that no seed changes them. "
        f"Of the {len(held)} claims above {len(always)} hold with every seed and {len(never)} with none"
        + (f"; it depends on the seed: {', '.join(mixed)}." if mixed else "; none depends on the seed."),
        "",
    ]  # fmt: skip


def table_row(rows: Rows, name: str) -> Mapping[str, str]:
    """Return the row of a table with this name."""
    return next(row for row in rows if row["row"] == name)


def spread(values: Sequence[float], spec: str) -> list[str]:
    """Return the median of some values, and the least and the greatest, in words.

    Examples
    --------
    >>> spread([3.0, 1.0, 2.0], ".1f"), spread([2.0, 2.0], ".0f")
    (['2.0', '1.0 to 3.0'], ['2', '2'])
    """
    least, most = format(min(values), spec), format(max(values), spec)
    return [format(float(np.median(values)), spec), least if least == most else f"{least} to {most}"]
