"""The Python of docs/cluster.md: workers that are jobs on a real Slurm explore the same front."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

import paretosched as ps
from paretosched.search.exploration import explore
from support.commands import ROOT, stored_rows
from support.slurm_cluster import slurm_cluster

pytestmark = [pytest.mark.slow, pytest.mark.long]
RECIPE = ROOT / "docs" / "cluster.md"
HOST = "127.0.0.1"


def test_workers_that_are_jobs_explore_the_same_front(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED: workers on Slurm need openssl")
    text = RECIPE.read_text(encoding="utf-8")
    keys, *_ = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    subprocess.run(["sh", "-ec", keys], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    # two workers, not eight, on any port of this machine
    for before, after in (('"head"', f'"{HOST}"'), ('"port": 8786', '"port": 0'), ("jobs=8", "jobs=2")):
        assert before in program
        program = program.replace(before, after)
    said = "print(cluster.scheduler_address, flush=True)\n        input("
    (tmp_path / "workers.py").write_text(program.replace("input(", said), encoding="utf-8")
    log = tmp_path / "w.swf.gz"
    ps.write_swf(ps.lublin(jobs=200, processors=64, seed=5), log)
    with slurm_cluster(nodes=2, cpus=2) as cluster, (tmp_path / "workers.err").open("wb") as errors:
        own = {"DASK_TEMPORARY_DIRECTORY": ".", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
        workers = subprocess.Popen(
            [sys.executable, "workers.py"],
            cwd=tmp_path,
            env=os.environ | cluster.environment | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            assert workers.stdout is not None
            address = workers.stdout.readline().strip()
            assert address.startswith(f"tls://{HOST}:"), (tmp_path / "workers.err").read_text()
            cluster.wait_until(lambda: cluster.call("squeue", "-h", "-t", "R").count("\n") == 2, 60)
            words = ["explore", log, "-o", tmp_path / "run", "--evaluations", 60, "--population", 20]
            words += [
                "--scheduler",
                address,
                "--tls-ca",
                "ca.pem",
                "--tls-cert",
                "client.pem",
                "--tls-key",
                "client.key",
            ]
            done = subprocess.run(
                [sys.executable, "-m", "paretosched", *map(str, words)],
                cwd=tmp_path,
                env=os.environ | own,
                capture_output=True,
                text=True,
                check=False,
                timeout=150,
            )
            assert done.returncode == 0, (done.stderr, [file.read_text() for file in tmp_path.glob("slurm-*.out")])
            assert "trusts everybody" not in done.stderr
            workers.communicate("\n", timeout=60)
            assert workers.returncode == 0
            cluster.wait_until(lambda: not cluster.call("squeue", "-h").strip(), 60)
        finally:
            workers.kill()
            workers.communicate(timeout=60)
    explore(log, tmp_path / "alone", evaluations=60, population=20)
    assert stored_rows(tmp_path / "run") == stored_rows(tmp_path / "alone")
    tables = [parquet.read_table(tmp_path / run / "front.parquet") for run in ("run", "alone")]
    assert tables[0].replace_schema_metadata().equals(tables[1].replace_schema_metadata())
    secret = (tmp_path / "worker.key").read_bytes().splitlines()[1]
    outputs = [file for file in tmp_path.iterdir() if file.suffix in (".out", ".err")]
    assert outputs
    assert all(secret not in file.read_bytes() for file in outputs)
