"""Algorithms of pymoo run on the search for schedules."""

from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.moo.age import AGEMOEA
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

import paretosched as ps
from paretosched.core.errors import InputError
from support.exploring import random_workload
from support.zoo import jobs

W = random_workload()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [NSGA2(pop_size=12), AGEMOEA(pop_size=12)])
def test_an_algorithm_of_pymoo_runs_on_it(algorithm: Any) -> None:
    problem = ps.problem(W)
    assert [o.name for o in problem.objectives] == ["UTIL", "AWRT1", "AWRT2", "AWRT3"]
    result = minimize(problem, algorithm, ("n_gen", 4), seed=1)
    assert result.F.shape == (len(result.X), 4)
    assert ((problem.xl <= result.X) & (problem.xu >= result.X)).all()
    for x, f in zip(result.X, result.F, strict=True):
        values = ps.objectives(ps.simulate(W, problem.policy(x)))
        assert f.tolist() == [-values["UTIL"], *values[2:].tolist()]


def test_a_group_without_jobs_is_no_objective() -> None:
    problem = ps.problem(jobs(4, (0, 3, 5, 2, 2), (1, 4, 4, 1, 0)), ps.Weighting("none"))
    assert [o.name for o in problem.objectives] == ["UTIL", "AWRT1", "AWRT3"]
    assert problem.evaluate(np.array([problem.xl])).shape == (1, 3)
    assert problem.policy(problem.xl).backfill == "none"


def test_other_encodings_are_refused() -> None:
    with pytest.raises(InputError, match='encoding of a problem must be one of weighting, but is "sequence"'):
        ps.problem(W, "sequence")
    with pytest.raises(InputError, match="must be a weighting, but is Orders"):
        ps.problem(W, ps.Orders())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="backfill must be one of"):
        ps.problem(W, ps.Weighting("some"))
    problem = ps.problem(W, ps.Weighting("easy", "earliest"))
    with pytest.raises(InputError, match="knows the future"):
        problem.policy(problem.xl)
