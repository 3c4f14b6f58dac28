"""Calls of Slurm's commands: each ends in time, and its output is bounded."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

from ..core.errors import InputError, in_quotes

LONGEST_LINE = 200  # letters that are repeated of what a command says
MOST_BYTES = 2**22  # of an output, if nothing else is said
OF_JOBS = 24 * 2**20  # bytes of a list of jobs: 10,000 waiting jobs are 3 MB
PATIENCE = 60.0  # s, for a call that reads
NO_ANSWER = ("Unable to contact", "timed out", "Connection refused", "Zero Bytes", "configuration source")


class SlurmError(Exception):
    """Slurm does not answer, or not as it must; trying again later may help."""

    mended = "Slurm answers again"


class ClockError(SlurmError):
    """The clock of this machine cannot be right."""

    mended = "the clock is right again"


class MissingCommandError(InputError):
    """There is no such command here."""


class Answer(NamedTuple):
    """What a command of Slurm has printed.

    Attributes
    ----------
    text, errors
        Its standard output, and its standard error.
    status
        Its exit status.
    """

    text: str
    errors: str
    status: int


def call(
    words: Sequence[str],
    stdin: str = "",
    patience: float = PATIENCE,
    any_status: bool = False,
    is_output_lost: bool = False,
    most: int | None = None,
) -> Answer:
    """Return the answer of a command of Slurm.

    Parameters
    ----------
    words
        The command and its arguments.
    stdin
        What it reads.
    patience
        Seconds after which it is ended.
    any_status
        Whether it may fail; otherwise it must end with status 0.
    is_output_lost
        Whether nobody reads its standard output: scontrol repeats every line that it reads, and to take these in costs
        a third of the time.
    most
        Bytes that it may print, and as many errors; None for MOST_BYTES.

    Raises
    ------
    MissingCommandError
        There is no such command.
    SlurmError
        It did not end in time, printed too much, or failed.
    """
    # Variables such as SQUEUE_STATES or SLURM_JSON would change what is printed.
    names = ("SQUEUE_", "SPRIO_", "SINFO_", "SCONTROL_", "SLURM_JSON", "SLURM_YAML", "SLURM_BITSTR", "SLURM_CLUSTERS")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(names)}
    environment |= {"LC_ALL": "C", "SLURM_TIME_FORMAT": "%s"}
    program = shutil.which(words[0])
    if program is None:
        where = "this must run where Slurm's commands are, as on a login node"
        raise MissingCommandError(f"{words[0]}: no such command; {where}")
    try:
        process = subprocess.Popen(  # noqa: S603  # the words are our own, and no shell reads them
            [program, *words[1:]],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if is_output_lost else subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C must not break it in the middle
        )
    except OSError as error:
        raise SlurmError(f"{words[0]}: cannot start: {error.strerror}") from None
    try:
        text, errors = _exchange(process, words[0], stdin.encode(), patience, MOST_BYTES if most is None else most)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # a wrapper of a site may have children
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
    is_unsaid = not text.strip() and any(sign in errors for sign in NO_ANSWER)  # some wrappers lose the status
    if (process.returncode != 0 or is_unsaid) and not any_status:
        raise SlurmError(failure_of(words[0], process.returncode, errors.strip() or text.strip()))
    return Answer(text, errors, process.returncode)


def failure_of(name: str, status: int, said: str) -> str:
    r"""Return in one line why a command failed, and what to do if slurmctld does not answer it.

    Parameters
    ----------
    name, status
        The command, and its exit status.
    said
        What it said, in one or many lines.

    Examples
    --------
    >>> failure_of("squeue", 1, "squeue: error: a\nslurm_load_jobs error: Unable to contact slurm controller")
    'slurmctld does not answer (slurm_load_jobs error: Unable to contact slurm controller); try: scontrol ping'
    >>> failure_of("scontrol", -9, "")
    'scontrol: ended by signal 9, and said nothing'
    """
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    of_controller = () if name == "sacct" else NO_ANSWER  # sacct asks slurmdbd
    for line in lines:
        if any(sign in line for sign in of_controller):
            return f"slurmctld does not answer ({line[:LONGEST_LINE]}); try: scontrol ping"
    how = f"ended by signal {-status}" if status < 0 else f"status {status}"
    return (
        f"{name}: {how}: {in_quotes('; '.join(lines), LONGEST_LINE)}" if lines else f"{name}: {how}, and said nothing"
    )


def _exchange(process: subprocess.Popen[bytes], name: str, data: bytes, patience: float, most: int) -> tuple[str, str]:
    """Return standard output and error of a process that reads `data`; raise SlurmError if it is slow or long."""
    end = time.monotonic() + patience
    parts: dict[object, bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}  # no stdout: None
    with selectors.DefaultSelector() as selector:
        assert process.stdin is not None  # noqa: S101  # all three are pipes
        os.set_blocking(process.stdin.fileno(), False)
        if data:
            selector.register(process.stdin, selectors.EVENT_WRITE)
        else:
            process.stdin.close()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ)
        sent = 0
        while selector.get_map():
            ready = selector.select(max(0.0, end - time.monotonic()))
            if not ready and time.monotonic() >= end:
                raise SlurmError(f"{name}: no end after {patience:g} s")
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    try:
                        sent += os.write(key.fd, data[sent : sent + 65536])
                    except BrokenPipeError:
                        sent = len(data)
                    if sent == len(data):
                        selector.unregister(key.fileobj)
                        process.stdin.close()
                elif chunk := os.read(key.fd, 65536):
                    parts[key.fileobj] += chunk
                    if len(parts[key.fileobj]) > most:
                        raise SlurmError(f"{name}: more than {most:,} bytes of output")
                else:
                    selector.unregister(key.fileobj)
    try:
        process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise SlurmError(f"{name}: no end after {patience:g} s") from None
    text, errors = (part.decode("utf-8", "replace") for part in parts.values())
    return text, errors
