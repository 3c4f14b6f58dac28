"""More of what the README says in numbers, and what is said of the walk on Slurm, as it was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from experiments.claims import README, TUTORIAL, Claim
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


def waits_of_groups(results: Results, log: str, policy: str) -> Iterator[float]:
    """Yield for each group the 95th percentile of its waits, h, under a policy and under EASY."""
    row = results.row("online/untrained", log=log, split="last 30 %", policy=policy)
    for group in range(1, 6):
        yield from (float(row[f"wait_p95_{group}{of}"]) / 3600 for of in ("", "_easy"))


README_CLAIMS: tuple[Claim, ...] = (
    Claim(
        README,
        "On the last 30 % of the log of KTH, 95 % of the jobs of a group wait at most so long: group 1 {:.1f} hours in "
        "place of {:.1f}, group 2 {:.1f} in place of {:.1f}; the others pay, group 3 {:.1f} in place of {:.1f}, "
        "group 4 {:.1f} in place of {:.1f}, group 5 {:.1f} in place of {:.1f}",
        lambda r: waits_of_groups(r, "KTH", "guarded: 1, 2"),
    ),
    Claim(README, "# {:,.0f} schedules; kill it, the same command continues", lambda _: [EVALUATIONS]),
    Claim(
        TUTORIAL,
        "on a private Slurm 22.05 with {} processors, {} accounts and a clock 100 times faster: {:.0f} jobs before the "
        "policy, {:.0f} under it",
        lambda r: (
            *map(in_words, reversed([*of_the_walk(r, r"jobs of (\d+) users on (\d+) cpus")])),
            *jobs_of_the_walk(r),
        ),
    ),
    Claim(
        TUTORIAL,
        "Physics gained {:.1f} %; chemistry paid {:.1f} %, where the wish allows {:.0f} %",
        lambda r: of_the_walk(
            r,
            r"\nrecorded +\S+ +\+(\d+\.\d)",
            r"\ngroup chemistry .*\n +recorded +\S+ +-(\d+\.\d)",
            r"others <= 1\.(\d+)\*EASY",
        ),
    ),
)
