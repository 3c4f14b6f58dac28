"""How jobs ended, by the words of Slurm, PBS, LSF, Kubernetes and of tables: one list for all readers.

A job that was preempted did not fail: it was taken off the machine, as if it had been cancelled. A requeued one is one
of the lives of a job, which ended so; the next one has a record of its own.
"""

from __future__ import annotations

from .lives import CANCELLED, COMPLETED, FAILED

OPEN, ODD = -1, -2  # the job had not ended; a word that is not known
SLURM = {
    "completed": COMPLETED,
    **dict.fromkeys(("failed", "timeout", "out_of_memory", "node_fail", "boot_fail", "deadline"), FAILED),
    **dict.fromkeys(("cancelled", "preempted", "requeued", "revoked"), CANCELLED),
    **dict.fromkeys(("running", "pending", "suspended", "resizing"), OPEN),
}  # all that sacct(1) lists, in small letters
OTHERS = {
    **dict.fromkeys(("complete", "succeeded", "success", "successful", "pass", "passed", "done"), COMPLETED),
    **dict.fromkeys(("finished", "ok", "ended"), COMPLETED),
    **dict.fromkeys(("fail", "failure", "error", "exit", "exited", "oom", "oomkilled", "lost"), FAILED),
    **dict.fromkeys(
        ("canceled", "killed", "kill", "deleted", "aborted", "stopped", "terminated", "removed"), CANCELLED
    ),
    "evicted": CANCELLED,
    **dict.fromkeys(("configuring", "completing", "run", "pend", "queued", "waiting", "wait", "held", "hold"), OPEN),
    **dict.fromkeys(("submitted", "created", "scheduled", "psusp", "ususp", "ssusp", "zombi"), OPEN),
}
SHORT = {
    "cd": COMPLETED,
    **dict.fromkeys(("f", "to", "nf", "bf", "dl"), FAILED),
    **dict.fromkeys(("ca", "pr", "rq", "rv"), CANCELLED),
    **dict.fromkeys(("r", "pd", "q", "h", "s", "rs", "cf", "cg"), OPEN),
}  # of squeue and qstat
STATES = SLURM | OTHERS | SHORT


def slurm_state(word: str) -> int:
    """Return how a job of sacct ended, also by a word that it cut off: COMPLETED, FAILED, CANCELLED, OPEN or ODD.

    Examples
    --------
    >>> slurm_state("PREEMPTED"), slurm_state("OUT_OF_ME+"), slurm_state("RUNNING"), slurm_state("DONE")
    (5, 0, -1, -2)
    """
    word = word.lower()
    if word.endswith("+"):
        return next((status for state, status in SLURM.items() if state.startswith(word[:-1])), ODD)
    return SLURM.get(word, ODD)
