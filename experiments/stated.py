"""Numbers of documents that are no results: settings, sizes, rules, examples, and what papers say without a table."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.claims import (
    CLUSTER,
    COST,
    HOUSE,
    IMPORTING,
    PAPER000,
    PAPER002,
    READING,
    README,
    SLURM,
    SPEED,
    TOOLS,
    TUTORIAL,
)

BUYING, REACTING, SETTINGS = "docs/howto/buying.md", "docs/explanation/limits.md", "docs/howto/settings.md"
PAGE, MACHINE = "docs/howto/page.md", "docs/reference/machine.md"
FILES, INSTALLING = "docs/reference/files.md", "docs/howto/install.md"


@dataclass(frozen=True)
class Stated:
    """Words of a document whose numbers are no results, and what they are."""

    document: str
    words: str
    what: str


SETTING, SIZE, PAPER, RULE = "a setting", "a size", "a paper's number", "a rule"
STATED: tuple[Stated, ...] = tuple(
    Stated(document, words, what)
    for (document, what), all_words in {
        (README, SIZE): (
            "under thousands of schedulers",
            "## Three doors",
            "KTH, eleven months",
        ),
        (README, SETTING): ("KTH, the last 30 % | of their jobs 95 % wait at most",),
        (README, RULE): ("LGPL 2.1 or later, certifi and shtab the MPL 2.0",),
        (TUTORIAL, SIZE): ("a clock 100 times faster",),
        (PAPER000, SETTING): (
            "trained on the first 70 % of each log, measured on the last 30 %",
            "no group by more than 25 %",
            "no group at all loses more than 25 %",
        ),
        (PAPER000, PAPER): ("A training at the paper's budget, 10,515 simulations", "two weeks on 120 processors"),
        (PAPER002, PAPER): ("Its cluster needed 40 to 120 minutes",),
        (SPEED, SIZE): ("From 10,000 to 100,000 to a million jobs",),
        (READING, SETTING): ("A log of more than 4 MB is kept as numbers",),
        (READING, SIZE): ("5,000,000 jobs (which take 1 GB)",),
        (TOOLS, SETTING): (
            "in one run on 23 November 2026",
            "on 10,000 jobs of the Lublin-Feitelson model on 128 processors",
            "--jobs 10000 --processors 128 --seed 71",
            "paretosched 0.1.0, Python 3.11",
            "AccaSim 1.1.3, Python 3.9",
            "was set to 1",
            "(10,000 jobs, 128 processors, an offered load of 0.7)",
            "by default it reads 8,000 jobs",
        ),
        (COST, SIZE): (
            "| limits | not written down | 191 |",
            "of which 5 to 18 ran at once",
        ),
        (HOUSE, RULE): ("No function over 120 lines.", "together may have 6 MB"),
        (CLUSTER, SETTING): ("after 60 s without one", "it is tried again for 60 s"),
        (IMPORTING, SETTING): ("a log of 1,000 jobs without one requeue", "Less than 36 hours are remarked"),
        (IMPORTING, SIZE): ("versions 6 to 10", "also with 19 to 21 columns"),
        ("docs/reference/swf.md", RULE): (
            "is one of 1990 to 2099",
            "the first of them is second 0",
            "more than 1.2 times the work is offered",
            "counted from 0 or from 1",
            "above 4 TiB, in bytes",
        ),
        ("docs/reference/swf.md", SIZE): ("Columns 19 to 21",),
        (IMPORTING, RULE): (
            "the largest of 1/10, 1/100 and 1/1000 of which",
            "preempted, revoked and requeued 5, all others 0",
            "a key of 256 bits",
            "one to eight times 52 weeks",
        ),
        (SLURM, SETTING): (
            "at most 30 per cent of the largest priority",
            "the half-life of the policy (7 days, unless",
        ),
        (SLURM, SIZE): (
            "for 10,000 waiting jobs",
            "for 1,000 waiting jobs, and 0.5 s for 10,000",
            "over 1,000 jobs it took",
            "and over 9,990",
            "100 times faster than the clock",
            "slurmctld 22.05",
        ),
        (SLURM, RULE): (
            "in 95 of 100 draws of weeks | 0 |",
            "in as many draws | 3 |",
            "or they differ too much | 0 |",
            "is the scheduler of the machine | 0 |",
            "may have changed to 0",
            "1 at the largest age",
            "the classic factor 2^(-usage/shares)",
            "Usage begins with 0",
        ),
        (FILES, RULE): ("From 1.0 on the names", "a version 1.x reads", "goes with 2.0"),
        (INSTALLING, SIZE): (
            "explain, deploy, review; the same in Python | 353 |",
            "nodes, partitions, GPUs | 531 |",
        ),
        (BUYING, RULE): (
            "each 1,000 of price saves",
            "change lies with 95 %",
            "where that has 0 in it",
        ),
        (SETTINGS, SETTING): ("a pass each 59 s in place of 60",),
        (REACTING, RULE): ("fields 17 and 18 (preceding job",),
        (PAGE, RULE): ("95 of 100, longest and slowdown", "by more than 2 %"),
        (PAGE, SETTING): ("nobody worse than 5 %", "at most 1.05 times what is recorded"),
        (MACHINE, RULE): (
            "JobRequeue=0; a job",
            "from its beginning, 121 s later",
            "a number of jobs that is 0",
            "is task 3 of array 7",
            "at most 20 tasks of an array are planned",
            "for all tasks of array 7",
            "Fields 17 and 18 of a log in SWF",
        ),
    }.items()
    for words in all_words
)
