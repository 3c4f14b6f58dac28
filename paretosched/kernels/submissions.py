"""Jobs that are refused when they are submitted, and those that never come since others did not end well.

What Slurm does was seen on a real one (22.05). Limits of submitted jobs count all that wait or run, also those that
wait for others or have made way; an array counts with all its tasks, and is refused as a whole. A job that is refused
is not there: a singleton does not wait for it, and one that names it is refused, too, as it has no number to name.

One that waits for the good end of a job that made way for good, or was ended with its reservation, waits for ever. If
the site cancels such jobs (kill_invalid_depend), those that wait for any end of it come.

Each job is a batch of its own here, see `Reactions`.
"""

import numpy as np

from ..core.arrays import Int
from .compiling import njit
from .inputs import ENDS, KILLS, MEMBERS, NAMES, SECOND, TAKES
from .reacting import LOST, SEEN, Users, let_follow
from .waiting_tree import FAR

TAKEN, NAMED = 0, -1  # values of `Users.refused`; k + 1 for pool k


@njit(cache=True, nogil=True, _nrt=False)
def next_submission(users: Users) -> Int:
    """Return the second of the next submission that may be refused; FAR if there is none. `users` are only read."""
    entries, seen = users.reactions.submissions.entries, users.state[SEEN]
    return entries[seen, SECOND] if seen < entries.shape[0] - 1 else np.int64(FAR)


@njit(cache=True, nogil=True, _nrt=False)
def take_or_refuse(users: Users, t: Int) -> bool:
    """Take or refuse what is submitted until second t; return whether something was refused.

    `users` are modified in place: others may be expected that wait for nothing any more.
    """
    submissions = users.reactions.submissions
    entries = submissions.entries
    some = False
    while next_submission(users) <= t:
        e = users.state[SEEN]
        users.state[SEEN] += 1
        why = refusal_of(users, e)
        for i in range(entries[e, TAKES], entries[e + 1, TAKES] if why == TAKEN else 0):
            users.rooms[submissions.takes[i] >> 1] -= entries[e + 1, MEMBERS] - entries[e, MEMBERS]
        for i in range(entries[e, MEMBERS], entries[e + 1, MEMBERS] if why != TAKEN else 0):
            users.refused[submissions.members[i]] = why
            let_follow(users, submissions.members[i], t, np.int64(ENDS), np.int64(0))
            some = True
    return some


@njit(cache=True, nogil=True, _nrt=False)
def refusal_of(users: Users, e: Int) -> Int:
    """Return why entry e of what is submitted is refused, see `Users.refused`; `users` are only read."""
    submissions = users.reactions.submissions
    entries = submissions.entries
    for i in range(entries[e, NAMES], entries[e + 1, NAMES]):
        if users.refused[submissions.names[i]] != TAKEN:
            return np.int64(NAMED)
    tasks = entries[e + 1, MEMBERS] - entries[e, MEMBERS]
    for i in range(entries[e, TAKES], entries[e + 1, TAKES]):
        take = submissions.takes[i]
        if take & 1 and users.rooms[take >> 1] < tasks:
            return (take >> 1) + 1
    return np.int64(TAKEN)


@njit(cache=True, nogil=True, _nrt=False)
def is_refused(users: Users, row: Int) -> bool:
    """Return whether the job in a `row`, which arrives, was refused; `users` are only read."""
    return bool(users.job.size > 0 and users.refused[users.reactions.batch[users.job[row]]] != TAKEN)


@njit(cache=True, nogil=True, _nrt=False)
def see_last_end(users: Users, row: Int, t: Int, well: bool) -> None:
    """Let the job in a `row`, which ends for good in second t, count no more; cancel others if it did not end `well`.

    Where the site does so, those are cancelled that would wait for ever for it, and those that would do so for them.
    Who waits for any end of them comes. `users` are modified in place.
    """
    reactions, lost, state = users.reactions, users.lost, users.state
    b: Int = reactions.batch[users.job[row]]
    make_place(users, b)
    place: Int = state[LOST]
    while not well:
        for i in range(users.first[b], users.first[b + 1]):
            other = reactions.follower[users.pairs[i]]
            if reactions.kind[users.pairs[i]] == KILLS and users.missing[other] < FAR >> 1:
                users.missing[other] = FAR
                lost[state[LOST]] = other
                state[LOST] += 1
        if place == state[LOST]:
            return
        b = lost[place]
        place += 1
        make_place(users, b)
        let_follow(users, b, t, np.int64(ENDS), np.int64(0))


@njit(cache=True, nogil=True, _nrt=False)
def make_place(users: Users, b: Int) -> None:
    """Let the job of batch b, which has gone, count no more, so that others are taken; `users` are modified."""
    submissions = users.reactions.submissions
    if submissions.of_job.size == 0:
        return
    e = submissions.of_job[b]
    for i in range(submissions.entries[e, TAKES], submissions.entries[e + 1, TAKES]):
        users.rooms[submissions.takes[i] >> 1] += 1
