"""Random machines on which jobs are refused when they are submitted, or wait for ever for others."""

from dataclasses import replace

import numpy as np

from paretosched import Machine, Workload
from paretosched.workload.limits import Limits
from support.limit_zoo import with_random_arrays
from support.preemption_zoo import QOS, preempting_case


def refusing_case(seed: int, n: int = 16) -> Workload:
    """Return a few jobs with limits, dependencies and arrays, of which some are cancelled for others, or refused."""
    rng = np.random.default_rng([seed, 91])
    base = preempting_case(4 * seed, n)
    if seed % 3 == 0:
        base = with_random_arrays(base, rng)
        assert base.requests is not None
        # the tasks of an array are submitted together
        first = np.where(base.requests.array > 0, base.requests.array - 1, np.arange(n))
        base = base.with_(submit=base.submit[first])
    machine = base.machine
    assert machine is not None
    rules = machine.preemption
    if rules is not None and rng.random() < 0.6:
        rules = replace(rules, mode="cancel", modes=())
    machine = replace(machine, preemption=rules, kill_invalid=bool(rng.random() < 0.5))
    return base.with_(machine=with_limits_of_submission(machine, rng) if seed % 2 else machine)


def with_limits_of_submission(machine: Machine, rng: np.random.Generator) -> Machine:
    """Return a machine with some limits of submitted jobs beside those that it has."""
    known = {each.whose: each for each in machine.limits}
    whose = [(qos, "", "", "") for qos in QOS] + [("", account, "", "") for account in "abcd"]
    whose += [("", account, user, "") for account in "bd" for user in "12"]
    for key in whose:
        names = ("GrpSubmit", "MaxSubmitPA", "MaxSubmitPU") if key[0] else ("GrpSubmit", "MaxSubmit")
        given = {name: int(rng.integers(1, 7)) for name in names if rng.random() < 0.15}
        if given:
            old = known.get(key, Limits(*key, {}))
            known[key] = replace(old, values={**old.values, **given})
    return replace(machine, limits=tuple(known.values()))
