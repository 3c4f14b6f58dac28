"""MetaCentrum's log of two clusters, whose jobs say what they ask for in a string, and where they ran."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import paretosched as ps
from paretosched.workload.more_columns import Request, request_of

LOG, MACHINE = "metacentrum-wagap-2013.swf.gz", "metacentrum-wagap-2013.machines"
NUMBER, SUBMIT, WAIT, RUN, WIDTH, LIMIT, MEMORY, USER = 0, 1, 2, 3, 4, 8, 9, 11  # places in a line
HOSTS, ASKED = 18, 20
FIRST_OF_SECOND = 1249  # hosts with lower numbers gave up to 80 processors, the others 12: so they are of two kinds
COLUMNS = (
    "job=job,submit=submit,wait=wait,run=run,limit=limit,nodes=nodes,tasks=tasks,tasks_per_node=ppn,"
    "memory_per_node=memory,constraint=constraint,exclusive=exclusive,user=user"
)


def machine_in(path: Path) -> ps.Machine:
    """Return the machine of a file with number, name, nodes, cores, speed and memory, KiB, of each cluster."""
    kinds = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if cells := line.split():
            name, nodes, cores, _, memory = cells[1:6]
            hosts = f"{name}[1-{nodes}]"
            kinds.append(ps.NodeKind(hosts, int(cores), int(memory) // 1024, features=(f"cl_{name}",)))
    return ps.Machine(tuple(kinds), name="MetaCentrum")


def jobs_in(path: Path, names: tuple[str, str]) -> pd.DataFrame:
    """Return the jobs of the log as a table for `import csv`, and the cluster on which each ran, of two `names`."""
    return pd.DataFrame(list(_rows(path, names)))


def _rows(path: Path, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if line.startswith(";") or len(cells) <= ASKED or int(cells[RUN]) < 0:
                continue
            tasks = int(cells[WIDTH])
            asked = request_of(cells[ASKED]) or Request(0, 0, 0, 0, 0, "")
            same = asked.nodes * asked.per_node == tasks
            memory = max(int(cells[MEMORY]), 0) // max(asked.nodes, 1) >> 20  # MiB a node
            cluster = next((f"cl_{name}" for name in names if f"cl_{name}" in cells[ASKED]), "")
            hosts = [int(word) for word in cells[HOSTS].strip("{}").split(",") if word.isdigit()]
            yield {
                "job": cells[NUMBER], "submit": cells[SUBMIT], "wait": cells[WAIT], "run": cells[RUN],
                "limit": cells[LIMIT], "nodes": asked.nodes if same else "", "tasks": tasks,
                "ppn": asked.per_node if same else "", "memory": f"{memory}M",
                "constraint": cluster, "exclusive": "yes" if asked.exclusive else "no", "user": cells[USER],
                "ran": "" if not hosts else names[int(hosts[0] >= FIRST_OF_SECOND)],
                "host": hosts[0] if hosts else -1,
            }  # fmt: skip


def workload_of(table: pd.DataFrame, machine: ps.Machine) -> ps.Workload:
    """Return the jobs of a table on a machine."""
    with TemporaryDirectory() as folder:
        table.to_csv(Path(folder) / "jobs.csv", index=False)
        ps.save_machine(machine, Path(folder) / "machine.toml")
        log = Path(folder) / "log.parquet"
        ps.import_log("csv", Path(folder) / "jobs.csv", log, columns=COLUMNS, machine=Path(folder) / "machine.toml")
        return ps.load_log(log)


def clusters_of(schedule: ps.Schedule, machine: ps.Machine) -> list[str]:
    """Return on nodes of which kind the first node of each job of a schedule is."""
    assert schedule.placement is not None  # noqa: S101  # on nodes
    first = schedule.placement.node[schedule.placement.piece[:-1]]
    return [machine.names[node].rstrip("0123456789") for node in first.tolist()]


def rows_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for the jobs of each cluster, and of both: recorded waits, and those of EASY, h."""
    machine = machine_in(folder / MACHINE)
    names = tuple(kind.hosts.split("[")[0] for kind in machine.kinds)
    table = jobs_in(folder / LOG, names)
    seen = table[table["host"] >= 0].groupby("ran")["host"].nunique()
    kinds = [replace(kind, hosts=f"{name}[1-{seen[name]}]") for name, kind in zip(names, machine.kinds, strict=True)]
    w, small = workload_of(table, machine), workload_of(table, ps.Machine(tuple(kinds)))
    nodes, pool, fewer = (ps.simulate(jobs, "easy").check() for jobs in (w, w.one_pool, small))
    recorded = table.set_index("job").loc[[str(job) for job in w.job.tolist()]]
    there, ran = np.array(clusters_of(nodes, machine)), recorded["ran"].to_numpy()
    for name in (*names, "both"):
        of = (ran == name) | (name == "both")
        row = {"of": name, "jobs": int(of.sum()), "hosts": int(seen.sum() if name == "both" else seen[name])}
        for words, wait in (("recorded", w.wait), ("pool", pool.wait), ("nodes", nodes.wait), ("fewer", fewer.wait)):
            row[f"wait {words}"] = round(float(wait[of].mean()) / 3600, 3)
        yield row | {"there too %": round(100 * float((there == ran)[of].mean()), 1)}
