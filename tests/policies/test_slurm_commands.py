"""What the commands print is what the reader reads."""

import re
from pathlib import Path

from paretosched.policies.slurm_accounts import ASSOCIATIONS
from paretosched.policies.slurm_commands import COMMAND, QOS_COMMAND

PRINTED = Path(__file__).parents[1] / "data/slurm/assoc.txt"


def test_the_commands_print_the_columns_that_are_read() -> None:
    for command, needed in ((COMMAND, ("cluster", *ASSOCIATIONS, "share")), (QOS_COMMAND, ("name", "priority"))):
        match = re.search(r"format=(\S+)", command)
        assert match is not None
        assert set(needed) <= set(match.group(1).lower().split(","))
        assert match.group(1).replace(",", "|") in PRINTED.read_text(encoding="utf-8").splitlines()
