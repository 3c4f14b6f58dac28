"""Machines and jobs for cases by hand, written in a few words."""

from collections.abc import Mapping

from support.naive_machine import Busy, Job, Node
from support.recorded_scenes import job_of


def nodes_of(text: str) -> list[Node]:
    """Return nodes of a text such as "n1 8, g1 8 gpus=4 weight=5 features=a+b memory=100"."""
    nodes = []
    for part in text.split(", "):
        name, cpus, *words = part.split()
        values = dict(word.split("=") for word in words)
        kinds = (pair.partition(":") for pair in values.get("gpus", "").split("+") if pair)
        gpus = {kind if count else "gpu": int(count or kind) for kind, _, count in kinds}
        features = frozenset(values.get("features", "").split("+")) - {""}
        numbers = {key: int(values.get(key, usual)) for key, usual in (("weight", 1), ("threads", 1), ("disk", 0))}
        nodes.append(Node(name, int(cpus), int(values.get("memory", 8000)), gpus, features, **numbers))
    return nodes


def jobs_of(*lines: str) -> list[Job]:
    """Return jobs of lines such as "60 600 -n4 -t30": second, run time, and what sbatch says; usually 1 MB."""
    jobs = []
    for row, line in enumerate(lines):
        second, run, options = line.split(" ", 2)
        jobs.append(job_of(row, int(second), int(run), options if "--mem" in options else f"{options} --mem=1"))
    return jobs


def begins(runs: Mapping[int, Busy], jobs: list[Job]) -> list[int | None]:
    """Return when jobs start, None for one that never does."""
    return [runs[job.row].begin if job.row in runs else None for job in jobs]


def places(runs: Mapping[int, Busy], jobs: list[Job]) -> list[str]:
    """Return the nodes of jobs."""
    return ["+".join(runs[job.row].held) if job.row in runs else "" for job in jobs]
