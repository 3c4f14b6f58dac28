"""From the files of an accounting to a log with its names, whatever resource manager wrote them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import closing

from ...core.arguments import as_path, callback, whole_number
from ...core.errors import InputError, one_of
from ..calendar import find_zone
from ..log_names import names_path
from ..log_parquet import ENDING
from ..machine_files import MachineLike, as_machine
from ..public_catalogue import Reading, find_reading
from .anonymising import read_key
from .importing import ImportSettings, ImportSummary, import_lives
from .lives import Block, Numberings
from .on_nodes import import_on_nodes, with_events
from .site_tables import parts_of_gpu, read_table
from .slurm_machine import read_machine
from .slurm_reservations import read_reservations
from .table_columns import TableColumns, column_map, unit_map
from .tally import Tally
from .text_lines import Watch

SOURCES = ("slurm", "pbs", "sge", "lsf", "batsim", "csv")
GROUPS = {
    "slurm": ("account", "user", "qos", "partition"),
    "pbs": ("account", "user", "group", "project", "queue"),
    "sge": ("account", "user", "group", "project", "department", "queue"),
    "lsf": ("account", "user", "project", "queue"),
    "batsim": ("account", "user", "queue"),
    "csv": ("account", "user", "queue", "qos", "partition"),
}
WIDTHS = {
    "slurm": ("cpus", "nodes", "gpus", "billing"),
    **dict.fromkeys(("pbs", "lsf", "csv"), ("cpus", "nodes", "gpus")),
    "sge": ("cpus", "gpus"),
}


def import_log(
    source: str,
    file: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    partition: str | None = None,
    width: str | None = None,
    groups: str = "account",
    capacity: int | None = None,
    zone: str | None = None,
    columns: str | None = None,
    unit: str | None = None,
    reading: str | None = None,
    anonymise: str | os.PathLike[str] | None = None,
    nodes: str | os.PathLike[str] | None = None,
    events: str | os.PathLike[str] | None = None,
    machine: MachineLike | None = None,
    reservations: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    advance: Callable[[int, int], None] | None = None,
    dash: str = "",
) -> ImportSummary:
    """Make a log from the accounting of a machine, and return what was found, dropped and assumed.

    Parameters
    ----------
    source
        "slurm": a text of sacct, best of the command that `paretosched import slurm --command` prints; "pbs": an
        accounting file, or the directory of the daily ones; "sge": the file accounting; "lsf": the file lsb.acct;
        "batsim": a workload of the simulator Batsim in JSON; "csv": a table in CSV or Parquet.
    file
        What is read; "-" is the standard input.
    path
        The log to be written, with its names beside it; None to count only.
    partition
        The only partition that is imported; None for all.
    width
        What widths count: "cpus", "nodes", "gpus" or "billing"; None for cpus, or what the `reading` says.
    groups
        What the groups of the log are: "account", "user", "qos", "partition", ...; see GROUPS.
    capacity
        Size of the machine; None for the largest use at one time.
    zone
        Time zone of the site, such as "Europe/Berlin", in which times without one are read; None for UTC.
    columns
        Of a table: which column is what, such as "submit=created,start=began,end=ended,width=cores". Of Slurm, where
        the text has no header: sacct's names of the columns in order, such as "jobidraw,submit,-,start,end,ncpus".
    unit
        Of a table: what numbers of times and durations count, "s", "ms", "us" or "min"; or that of one of them, such
        as "limit=min"; or several with commas between them. None for seconds, or what the `reading` says.
    reading
        Of a table: a public log that is read in a way that is known, such as "pm100", in place of `columns`; see
        `public_catalogue.READINGS`.
    anonymise
        A file with the secret key with which names are replaced; it is made if it does not exist. None to keep names.
    nodes, events
        Of Slurm: the outputs of the sinfo and of the `sacctmgr show event` command that `paretosched import slurm
        --command` prints, for the size of the machine and for when nodes were down; None if they are not known.
    machine
        The machine of nodes and partitions on which the jobs are, as a value or in a file as for `read_machine`. Then
        `path` is a log in Parquet, with what each job asks of the machine; None for a pool of processors.
    reservations
        The output of `scontrol show reservation`, for a machine of nodes; None if it has none.
    watch, advance
        Functions that are called with the bytes that were read, and those there are (None: not known); and with the
        number of jobs that were written, and of all. None to be told nothing.
    dash
        What stands before the name of an argument in messages: "--" on a command line.

    Raises
    ------
    InputError
        An argument breaks a rule; the accounting cannot be read, no job can be simulated, or a file cannot be written;
        or a name is left in a log that must have none.
    """
    place = os.fspath(as_path(file))
    nodes_file, events_file, output, key_file, reservations_file = (
        None if name is None else os.fspath(as_path(name)) for name in (nodes, events, path, anonymise, reservations)
    )
    texts = {"partition": partition, "width": width, "zone": zone, "columns": columns, "unit": unit, "reading": reading}
    _check_kinds(source, groups, texts, (watch, advance), dash)
    watch, advance = watch or _ignore, advance or _ignore
    table = _table(columns, unit, reading, width, groups, zone, dash) if source == "csv" else None
    if table is not None:
        width, zone = table.counted, table.zone
    elif not unit is reading is None:
        raise InputError(f"{dash}unit and {'--as' if dash else 'reading'} are only for csv")
    elif source != "slurm" and columns is not None:
        raise InputError(f"{dash}columns is only for csv and slurm")
    _check(source, width := width or "cpus", capacity, dash)
    key = None if key_file is None else _key(key_file, output, dash)
    _check_site(source, nodes, events, zone, dash)
    _check_on_nodes(dash, machine is not None, output, width, capacity, anonymise, nodes, reservations)
    known_nodes = None if machine is not None else read_machine(nodes_file, events_file, partition, width, zone, watch)
    on_nodes = None if machine is None else with_events(as_machine(machine), events_file, zone, watch)
    counted = width
    if table is not None:
        parts = parts_of_gpu(place, table, watch)
        if parts > 1:
            table, counted = table._replace(parts=parts), f"units of 1/{parts} GPU"
            capacity = None if capacity is None else capacity * parts  # --capacity counts whole ones
    settings = ImportSettings(
        source, groups, counted, partition, capacity, zone, key, known_nodes, on_nodes is not None
    )
    numberings, tally = Numberings(), Tally()
    if source == "batsim":
        from .batsim import read_batsim

        workload = read_batsim(place, groups, tally, watch)
        settings = settings._replace(capacity=capacity or workload.resources)
        blocks = (block for block in [workload.jobs])
    else:
        blocks = _blocks(place, width, table, columns, settings, numberings, tally, watch)
    with closing(blocks):
        if on_nodes is not None:
            kept = read_reservations(reservations_file, on_nodes, zone, watch)
            return import_on_nodes(blocks, numberings, tally, settings, place, output, advance, on_nodes, *kept)
        return import_lives(blocks, numberings, tally, settings, place, output, advance)


def _check_kinds(
    source: str, groups: str, texts: Mapping[str, object], functions: tuple[object, object], dash: str
) -> None:
    """Refuse arguments of the wrong kind."""
    one_of(f"{dash}source", source, SOURCES)
    one_of(f"{dash}groups", groups, GROUPS[source])
    for key, words in texts.items():
        if not isinstance(words, str | None):
            name = "as" if dash and key == "reading" else key
            raise InputError(f"{dash}{name} must be a text, but is {words!r:.60}")
    for name, function in zip(("watch", "advance"), functions, strict=True):
        callback(name, function)


def _ignore(*_: object) -> None:
    """Take what nobody wants to be told."""


def _table(
    columns: str | None,
    unit: str | None,
    reading: str | None,
    width: str | None,
    groups: str,
    zone: str | None,
    dash: str,
) -> TableColumns:
    """Return how a table is to be read, as the user says it, or as a public log is read."""
    name = "--as" if dash else "reading"
    if (columns is None) == (reading is None):
        example = f"{dash}columns submit=created,start=began,end=ended,width=cores"
        fact = "is needed for csv" if columns is None else f"and {name} say the same: give one of them"
        raise InputError(
            f"{dash}columns {fact}, such as {example}" + (f", or {name} of a public log" * (columns is None))
        )
    known = Reading("") if reading is None else find_reading(name, reading)
    counted = width or known.width
    one_of(f"{dash}width", counted, WIDTHS["csv"])
    return TableColumns(
        columns=column_map(columns or known.columns, counted),
        units=unit_map(unit or known.unit),
        counted=counted,
        groups=groups,
        zone=zone or known.zone,
        states=known.states,
        attempts=known.attempts,
    )


def _key(file: str, output: str | None, dash: str) -> bytes:
    """Return the secret key in a file, which no output may overwrite."""
    if output is None:
        raise InputError(f"{dash}anonymise is for a log that is written: {'-o FILE' if dash else 'path'} is missing")
    if os.path.realpath(file) in {os.path.realpath(each) for each in (output, names_path(output))}:
        raise InputError(f"{file}: {dash}{'output' if dash else 'path'} would overwrite the key; give it another name")
    return read_key(file)


def _check_on_nodes(
    dash: str,
    on_nodes: bool,
    output: str | None,
    width: str,
    capacity: int | None,
    anonymise: object,
    nodes: object,
    reservations: object,
) -> None:
    """Refuse arguments that do not belong to a log with nodes, or to one without."""
    is_parquet = output is not None and output.lower().endswith(ENDING)
    if not on_nodes and is_parquet:
        raise InputError(f"{output}: a log in Parquet has nodes, and needs {dash}machine, such as a slurm.conf")
    if not on_nodes and reservations is not None:
        raise InputError(f"{dash}reservations are of nodes, and need {dash}machine, such as a slurm.conf")
    if not on_nodes:
        return
    if output is not None and not is_parquet:
        raise InputError(f"{output}: a log with {dash}machine is in Parquet, and its name must end in {ENDING}")
    if width != "cpus":
        raise InputError(f"{dash}width must be cpus with {dash}machine, but is {width}")
    for name, value in (("capacity", capacity), ("anonymise", anonymise), ("nodes", nodes)):
        if value is not None:
            fact = "the names of its nodes would stay" if name == "anonymise" else "the machine says it"
            raise InputError(f"{dash}{name} does not go with {dash}machine: {fact}")


def _check_site(source: str, nodes: object, events: object, zone: str | None, dash: str) -> None:
    """Refuse what only Slurm prints of other sources, and a zone that is none."""
    if source != "slurm" and not nodes is events is None:
        raise InputError(f"{dash}nodes and {dash}events are for slurm")
    if zone is not None:
        find_zone(zone)


def _check(source: str, width: str, capacity: int | None, dash: str) -> None:
    """Refuse arguments that do not belong together."""
    widths = WIDTHS.get(source, ("cpus",))
    if width not in widths:
        raise InputError(f"{dash}width must be {' or '.join(widths)} for {source}, but is {width}")
    if capacity is not None and not 1 <= whole_number(f"{dash}capacity", capacity) < 2**31:
        raise InputError(f"{dash}capacity must be in 1..{2**31 - 1}, but is {capacity}")


def _blocks(
    file: str,
    width: str,
    table: TableColumns | None,
    columns: str | None,
    settings: ImportSettings,
    numberings: Numberings,
    tally: Tally,
    watch: Watch,
) -> Generator[Block, None, None]:
    """Return the job lives in a file."""
    source, groups = settings.source, settings.grouped_by
    if source == "slurm":
        from .slurm import Format, read_slurm, sacct_columns

        names = None if columns is None else sacct_columns(columns)
        return read_slurm(
            file, Format(width, groups, settings.zone, names, settings.on_nodes), numberings, tally, watch
        )
    if source == "pbs":
        from .pbs import read_pbs

        return read_pbs(file, width, groups, numberings, tally, watch)
    if source == "sge":
        from .sge import read_sge

        return read_sge(file, width, groups, numberings, tally, watch)
    if source == "lsf":
        from .lsf import read_lsf

        return read_lsf(file, width, groups, numberings, tally, watch)
    assert table is not None  # noqa: S101  # by `import_log`
    return read_table(file, table._replace(on_nodes=settings.on_nodes), numberings, tally, watch)
