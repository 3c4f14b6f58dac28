"""Limits are set on a machine as sacctmgr would set them."""

import pytest

from paretosched import InputError, Machine, NodeKind
from paretosched.policies.set_limits import with_set_limits
from paretosched.workload.limits import Limits

NODES = (NodeKind("n[1-2]", 4, 100),)
MACHINE = Machine(
    NODES,
    limits=(
        Limits("normal", "", "", "", {"MaxJobsPU": 16, "MaxTRESPU": {"cpu": 64, "mem": 2048}}, ("DenyOnLimit",)),
        Limits("", "bio", "anna", "", {"MaxJobs": 4}),
    ),
    accounts={"bio": "root", "sea": "root"},
    homes={"anna": "bio", "ben": "sea"},
    qos={"long": 5},
)


def limits_after(command: str) -> dict[str, dict[str, object]]:
    """Return the limits of the machine after a command, by whose they are."""
    return {each.of: each.plain for each in with_set_limits(MACHINE, command).limits}


BEFORE = {each.of: each.plain for each in MACHINE.limits}


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("modify qos normal set MaxJobsPerUser=8",
         {"QOS normal": {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 64, "mem": 2048}}}),
        ("sacctmgr -i modify qos NORMAL set MaxTRESPerUser=cpu=-1,gres/gpu=2 MaxWall=60",
         {"QOS normal": {"MaxJobsPU": 16, "MaxTRESPU": {"gres/gpu": 2, "mem": 2048}, "MaxWall": 3600}}),
        ("modify qos normal set MaxTRESPU=mem=1M",
         {"QOS normal": {"MaxJobsPU": 16, "MaxTRESPU": {"cpu": 64, "mem": 1024}}}),
        ("modify qos long set GrpJobs=3", {"QOS long": {"GrpJobs": 3}}),
        ("modify account sea set GrpTRES=cpu=10", {"account sea": {"GrpTRES": {"cpu": 10}}}),
        ("modify user anna set MaxJobs=9", {"account bio, user anna": {"MaxJobs": 9}}),
        ("modify user ben set MaxJobs=2", {"account sea, user ben": {"MaxJobs": 2}}),
    ],
)  # fmt: skip
def test_a_command_changes_what_it_names_and_nothing_else(command: str, changes: dict[str, object]) -> None:
    assert limits_after(command) == BEFORE | changes


def test_limits_that_are_taken_away_are_gone() -> None:
    assert limits_after("modify user anna set MaxJobs=-1") == {"QOS normal": BEFORE["QOS normal"]}
    (normal,) = with_set_limits(
        Machine(NODES, limits=MACHINE.limits[1:]), "modify qos normal set MaxJobsPU=-1 MaxTRESPU=-1"
    ).limits
    assert (normal.plain, normal.flags) == ({}, ("DenyOnLimit",))  # of a flag the QOS stays


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("normal MaxJobs=8", "must be a command of sacctmgr such as"),
        ("delete qos normal", "must be a command of sacctmgr such as"),
        ("modify qos normal set Priority=8", "must set a limit of a QOS, or of an account or user that the log has"),
        ("modify account art set GrpJobs=8", "must set a limit of a QOS, or of an account or user that the log has"),
        ("modify qos norml set MaxJobsPU=8", 'QOS "norml" is not in the log; did you mean normal?'),
        ("modify qos normal set MaxSubmitPU=8", "MaxSubmitPU holds no job here"),
        ("modify qos normal set MaxJobsPU=eight", "MaxJobsPU must be a whole number"),
        ("modify qos normal set MaxJobsPU=$N", "has variables of a shell"),
    ],
)
def test_what_sets_nothing_is_refused(command: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        with_set_limits(MACHINE, command)
    assert says in str(error.value)
