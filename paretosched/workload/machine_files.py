"""Files that describe a machine of nodes: machine.toml, a slurm.conf, or a log that has its machine inside."""

from __future__ import annotations

import os

from ..core.arguments import as_path
from ..core.errors import InputError
from ..core.files import read_words, replacing
from ..core.parquet_files import is_parquet
from .log_parquet import load_log
from .machine import Machine
from .machine_slurm import read_slurm_machine
from .machine_toml import machine_of_text, machine_text

TOML = ".toml"

MachineLike = str | os.PathLike[str] | Machine


def read_machine(path: str | os.PathLike[str]) -> Machine:
    """Return the machine in a file.

    Parameters
    ----------
    path
        A machine.toml, as `save_machine` writes it; a log in Parquet, as `save_log` writes it; or a slurm.conf, also
        what scontrol show config, show partition and show node print, with a gres.conf beside it.

    Raises
    ------
    InputError
        The file cannot be read, or has no machine.
    """
    place = as_path(path)
    if is_parquet(place):
        machine = load_log(place, overrun="cut").machine
        assert machine is not None  # noqa: S101  # such logs have one
        return machine
    if place.suffix.lower() == TOML:
        return machine_of_text(read_words(place, "machine", "conf"), str(path))
    return read_slurm_machine(place)


def save_machine(machine: MachineLike, path: str | os.PathLike[str]) -> None:
    """Write a machine as TOML; `read_machine` reads an equal one from it.

    Parameters
    ----------
    machine
        A machine, or the path of a file that has one.
    path
        The file to be written; its name ends in .toml.

    Raises
    ------
    InputError
        The name does not end in .toml, or the file cannot be written.
    """
    place = as_path(path)
    if place.suffix.lower() != TOML:
        raise InputError(f"{path}: a machine is written as TOML, so that its name must end in {TOML}, but does not")
    text = machine_text(as_machine(machine))
    with replacing(place) as temporary:
        temporary.write_text(text, encoding="utf-8")


def as_machine(what: MachineLike) -> Machine:
    """Return a machine, given as it is or as the path of a file that has it."""
    return what if isinstance(what, Machine) else read_machine(what)
