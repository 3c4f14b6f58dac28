"""More of what the README says in numbers: the walk on Slurm, as it was recorded, defaults, and numbers in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from experiments.claims import README, Claim
from experiments.quoted import Results, in_words
from experiments.shown import WALK, record_of
from paretosched.search.settings import EVALUATIONS


def of_the_walk(results: Results, *words: str) -> Iterator[float]:
    """Yield the numbers that words have in the recorded walk, where they come first; words are regular expressions."""
    record = "\n".join(record_of(results.root, WALK))
    for pattern in words:
        match = re.search(pattern, record)
        if match is None:
            raise LookupError(f"{WALK} no longer says {pattern!r}")
        yield from (float(number.replace(",", "")) for number in match.groups())


def jobs_of_the_walk(results: Results) -> tuple[float, float]:
    """Return how many jobs were imported before the policy, and how many more under it."""
    before, together = of_the_walk(results, r"\nlog\.swf\.gz: (\d+) jobs", r"\nlater\.swf\.gz: (\d+) jobs")
    return before, together - before


README_CLAIMS: tuple[Claim, ...] = (
    Claim(
        README,
        "On {:,.0f} jobs of CTC `train` took {} minutes.",
        lambda r: (
            r.value("ctc1024/baseline", "jobs", seed="0"),
            in_words(round(r.value("speed/measured", "low", name="training wall") / 60)),
        ),
    ),
    Claim(README, "# {:,.0f} schedules; kill it, the same command continues", lambda _: [EVALUATIONS]),
    Claim(
        README,
        "on a private Slurm 22.05 with {} processors, {} accounts and a clock 100 times faster: {:.0f} jobs before the "
        "policy, {:.0f} under it",
        lambda r: (
            *map(in_words, reversed([*of_the_walk(r, r"jobs of (\d+) users on (\d+) cpus")])),
            *jobs_of_the_walk(r),
        ),
    ),
    Claim(
        README,
        "Physics gained {:.1f} %; biology paid {:.1f} %, where the wish allows {:.0f} %",
        lambda r: of_the_walk(
            r,
            r"\nrecorded +\S+ +\+(\d+\.\d)",
            r"\ngroup biology .*\n +recorded +\S+ +-(\d+\.\d)",
            r"others <= 1\.(\d+)\*EASY",
        ),
    ),
)
