"""More of what the README says in numbers, and what is said of the walk on Slurm, as it was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import mean

from experiments.claims import PAYING, README, REPLAYED, TUTORIAL, Claim
from experiments.quoted import Results, Value, ends, in_words, slurm_gains
from experiments.shown import WALK, record_of

LARGE_FIRST = "Priority large with EASY"


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


def on_slurm(results: Results) -> tuple[Value, ...]:
    """Return what the windows on a real Slurm gave: their number, those with a gain, gains, and what others paid."""
    gains = {log: slurm_gains(results, "objective", log) for log in REPLAYED}
    count = sum(map(len, gains.values()))
    return (
        in_words(count),
        *(sum(gain > 0 for log in REPLAYED for gain in gains[log]), count),
        *(mean(gains[log]) for log in REPLAYED),
        *ends(-mean(slurm_gains(results, key, log)) for log in REPLAYED for key in PAYING),
        in_words(sum(gain < 0 for gain in gains["KTH"])),
        -min(gains["KTH"]),
        *results.measurements("KTH 5 again"),
    )


def large_first(results: Results) -> tuple[float, float, float, float, float]:
    """Return the mean waits of large jobs on KTH if they go first and under EASY, h, and what middle ones lose.

    That is the growth of their mean wait, min, and their longest wait if large ones go first and under EASY, h.
    """

    def value(key: str, who: str, policy: str) -> float:
        return float(results.value("questions/large", key, policy=policy, group=who))

    first, easy = ([value("mean_s", who, policy) for who in ("large", "middle")] for policy in (LARGE_FIRST, "EASY"))
    longest = (value("worst_s", "middle", policy) / 3600 for policy in (LARGE_FIRST, "EASY"))
    return first[0] / 3600, easy[0] / 3600, (first[1] - easy[1]) / 60, *longest


README_CLAIMS: tuple[Claim, ...] = (
    Claim(
        README,
        "large jobs wait {:.1f} h in the mean, not {:.1f} h | middle jobs wait {:.0f} minutes longer in "
        "the mean, and the longest of them {:.1f} h, not {:.1f} h |",
        large_first,
    ),
    Claim(
        README,
        "KTH, the last 30 % | of their jobs 95 % wait at most {:.1f} h, not {:.1f} h, and {:.1f} h, not {:.1f} h | "
        "groups 3, 4 and 5: {:.1f} h, not {:.1f} h; {:.1f} h, not {:.1f} h; {:.1f} h, not {:.1f} h |",
        lambda r: waits_of_groups(r, "KTH", "guarded: 1, 2"),
    ),
    Claim(
        README,
        "{} windows of KTH and CTC | both groups, in {} of {}: response times {:.1f} % (KTH) and {:.1f} % (CTC) "
        "shorter | the others: {:.0f} to {:.0f} % longer; in {} window of KTH both groups, by {:.0f} % (run again: "
        "{:.1f} % shorter) |",
        on_slurm,
    ),
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
