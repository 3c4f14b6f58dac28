"""A deployment on the scripts of `fake_slurm`: one pass, the daemon until it says enough, and what it has written."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from paretosched.deployment.daemon import Plan, run_daemon
from paretosched.deployment.site_factors import lexicographic


def plan_in(folder: Path, policy: str = "sjf; backfill: easy\n") -> Plan:
    """Return a plan whose policy and folder are in a folder."""
    path = folder / "policy.txt"
    path.write_text(policy, encoding="utf-8")
    return Plan(path, folder / "kept", 1.0, None, (), "cpus", lexicographic(0), "UTC", False)


def pass_alone(plan: Plan) -> list[str]:
    """Make one pass, and return its remarks."""
    remarks: list[str] = []
    run_daemon(plan, remarks.append, once=True)
    return remarks


def daemon_until(plan: Plan, count: int) -> list[str]:
    """Run the daemon until it has said so many lines, and return them."""
    remarks: list[str] = []

    def tell(text: str) -> None:
        remarks.append(text)
        if len(remarks) == count:
            os.kill(os.getpid(), signal.SIGTERM)

    run_daemon(plan, tell)
    return remarks


def records_of(plan: Plan) -> list[dict[str, Any]]:
    """Return the lines of passes in the log."""
    lines = (plan.folder / "deploy.jsonl").read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if "all" not in record]


def numbers_of(plan: Plan) -> dict[str, float]:
    """Return the numbers for monitoring, by name; nothing if there are none yet."""
    path = plan.folder / "deploy.prom"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pairs = (line.removeprefix("paretosched_deploy_").split() for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}
