"""Priority: the waiting jobs have an order, a named one or a formula, and a backfilling.

One pass at second t, after the completions and arrivals of t:

1. In the order, while the first waiting job fits, it starts. Without reservations the pass ends at the first job that
   does not fit.
2. Reservations: going on along the order, each waiting job that is entitled to one gets the earliest place that the
   expected ends of the running jobs and the earlier places allow. If this is now, it starts; else it keeps the place
   until the next pass, and when all reservations are given away or no entitled job is left, this step ends. With a
   slack, the first place of a job plus the slack is its latest start; from then on it is only promised that.
3. Backfilling: the other waiting jobs, in their own order or the same one, start if they fit beside all places for as
   long as they request. A job of a group with a longest request is left out while a job of certain groups waits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..core.arguments import instance, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.watching import unknown_starts
from ..workload.workload import Workload
from .formula import Term, check_group_name, labels, variables
from .formula_program import compiled, field_of
from .outcome import Outcome, jobs_of
from .published_orders import Ranking, ranking

ACCOUNTS = ("user", "account", "group")  # whose usage it is
WEEK = 7 * 86400
ALL = 2**31 - 1  # reservations: every waiting job has one
LONGEST_TIME = 10**10  # s, for times in a policy
