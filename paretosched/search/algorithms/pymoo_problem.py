"""The search for schedules as a problem of pymoo, so that any algorithm of pymoo runs on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.core.problem import Problem

from ...core.arrays import Floats
from ...core.errors import InputError, one_of
from ...core.notebook import html_table
from ...encodings.weighting import Weighting
from ...fronts.dominance import costs, deciding
from ...policies.outcome import Outcome
from ...policies.policy import Policy
from ...simulation.objective import objective_table, objectives_of
from ...workload.reopening import WorkloadLike, as_workload
from ..evaluation import evaluator


class ScheduleProblem(Problem):  # type: ignore[misc]
    """A search for vectors of reals: each stands for a policy, and F for the objectives of its schedule; see `problem`.

    Attributes
    ----------
    workload, encoding
        What is simulated, and what a vector means.
    objectives
        The columns of F: UTIL with its sign changed, and the AWRT_i of the groups that have jobs.
    """

    def __init__(self, workload: WorkloadLike, encoding: str | Weighting = "weighting") -> None:
        if isinstance(encoding, str):
            one_of("encoding of a problem", encoding, ("weighting",))
            encoding = Weighting()
        if not isinstance(encoding, Weighting):
            raise InputError(f"encoding of a problem must be a weighting, but is {type(encoding).__name__}")
        encoding.check_words()
        self.workload = as_workload(workload)
        self.encoding = encoding
        table = objective_table(self.workload)
        mask = deciding(objectives_of(self.workload, Outcome(self.workload.eligible))[None], table)
        self.objectives = tuple(o for o, decides in zip(table, mask, strict=True) if decides)
        lower, upper = encoding.lower_upper(len(self.workload.groups))
        super().__init__(n_var=lower.size, n_obj=len(self.objectives), xl=lower, xu=upper)

    def __repr__(self) -> str:
        names = ", ".join(f"-{o.name}" if o.maximise else o.name for o in self.objectives)
        return f"<ScheduleProblem of {self.workload.name}: {self.n_var} genes, minimises {names}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = [(o.name, "largest" if o.maximise else "smallest", o.unit, o.label) for o in self.objectives]
        return html_table(repr(self).strip("<>"), ("objective", "best", "unit", "meaning"), rows)

    def _evaluate(self, x: Floats, out: dict[str, Any], *_: Any, **__: Any) -> None:
        """Write the costs of vectors, (k, d), into `out`, as pymoo wants it."""
        with evaluator(self.workload, self.encoding) as evaluate:
            values, _seconds = evaluate(np.ascontiguousarray(x, dtype=np.float64), 0)
        out["F"] = costs(values, objective_table(self.workload))

    def policy(self, x: Floats) -> Policy:
        """Return the policy that a vector, (d,), stands for, such as a row of a result's X.

        Raises
        ------
        InputError
            The schedule of the vector knows the future: no policy makes it.
        """
        policy = self.encoding.policy_of(np.asarray(x, dtype=np.float64), self.workload.groups)
        if policy is None:
            raise InputError(f"a vector decoded {self.encoding.decoding} knows the future: no policy makes it")
        return policy


def problem(workload: WorkloadLike, encoding: str | Weighting = "weighting") -> ScheduleProblem:
    """Return the search for schedules of a workload as a `Problem` of pymoo, for any of its algorithms.

    All objectives are minimised: UTIL with its sign changed, in per cent, and the AWRT_i of each group that has jobs,
    in seconds. AWRT is left out, because a mean of the AWRT_i never decides. UTIL is that of the papers, from the first
    start. Simulations run in threads, one a core.

    Parameters
    ----------
    workload
        What is simulated; or the path of a log or of a run directory.
    encoding
        "weighting", or a `Weighting` with other backfilling and decoding. pymoo's algorithms vary vectors of real
        numbers between two ends, and the genome of the weighting is such a vector. The other encodings have none:
        orders are whole ranks, which are few and all tried, and a sequence is a recipe of moves that start from another
        sequence of the same run. `explore` has their own search.

    Raises
    ------
    InputError
        It is another encoding, or as for `as_workload`.

    Examples
    --------
    >>> from pymoo.algorithms.moo.nsga2 import NSGA2
    >>> from pymoo.optimize import minimize
    >>> from paretosched.workload.lublin_feitelson import lublin
    >>> search = problem(lublin(jobs=60, processors=32, seed=3))
    >>> result = minimize(search, NSGA2(pop_size=8), ("n_gen", 2), seed=1)
    >>> result.F.shape[1] == len(search.objectives), search.policy(result.X[0]).backfill
    (True, 'easy')
    """
    return ScheduleProblem(workload, encoding)
