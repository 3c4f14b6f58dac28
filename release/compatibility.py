"""With which Pythons and which numpy it works: `python release/compatibility.py [3.12 ...]`, a table.

Each Python from 3.11 to 3.14 that is here, or that uv can fetch, gets two environments of wheels: with the oldest numpy
that fits, from 2.1 on, and with the newest one; all other dependencies as new as that allows. In each, the simulators
are used and their start times compared: `same` says that they are those of the first environment, bit for bit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = ("2.1", "2.2", "2.3", "2.4")  # the first for which there are wheels
CHECK = """
import hashlib, json, sys, tempfile, numba, numpy, pandas
import paretosched as ps
w = ps.lublin(jobs=400, processors=64, seed=7)
digest = hashlib.sha256()
for policy in ("fcfs", "list", "easy"):
    digest.update(ps.simulate(w, policy).start.astype("<i8").tobytes())
with tempfile.TemporaryDirectory() as folder:
    front = ps.explore(w, folder + "/run", evaluations=60, population=20)
    digest.update(repr(front.values.round(6).tolist()).encode())
versions = {"numpy": numpy.__version__, "numba": numba.__version__, "pandas": pandas.__version__}
print(json.dumps({"digest": digest.hexdigest(), **versions}))
"""


class Row(NamedTuple):
    """One environment."""

    python: str
    wanted: str
    numpy: str
    numba: str
    pandas: str
    result: str
    seconds: float


def main() -> int:
    """Print the table; return 1 if an environment that could be made does not work."""
    uv = Path(sys.executable).parent / "uv"
    rows: list[Row] = []
    first = ""
    for python in sys.argv[1:] or PYTHONS:
        interpreter = find_python(uv, python)
        if not interpreter:
            rows.append(Row(python, "", "", "", "", "no such Python here, and uv cannot fetch it", 0.0))
            continue
        for wanted in ("oldest", "newest"):
            row, digest = tried(uv, python, interpreter, wanted, first)
            first = first or digest
            rows.append(row)
            print(f"# {row.python} {row.wanted}: {row.result}", file=sys.stderr, flush=True)
    print("| Python | numpy | numba | pandas | result | s |")
    print("| --- | --- | --- | --- | --- | ---: |")
    for row in rows:
        numpy = f"{row.numpy} ({row.wanted})" if row.numpy else ""
        print(f"| {row.python} | {numpy} | {row.numba} | {row.pandas} | {row.result} | {row.seconds:.0f} |")
    return any(row.result.startswith(("FAILED", "DIFFERENT")) for row in rows)


def find_python(uv: Path, version: str) -> str:
    """Return the path of a Python; "" if there is none and uv cannot fetch it."""
    found = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        fetched = subprocess.run([uv, "python", "install", "--quiet", version], capture_output=True, check=False)
        if fetched.returncode != 0:
            return ""
        found = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
    return found.stdout.strip()


def tried(uv: Path, python: str, interpreter: str, wanted: str, first: str) -> tuple[Row, str]:
    """Return the row of an environment, and what its simulators computed."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="compatibility-") as folder:
        environment = Path(folder) / "env"
        subprocess.run([uv, "venv", "--quiet", "--python", interpreter, environment], check=True)
        own = environment / "bin" / "python"
        installed = False
        for numpy in OLDEST if wanted == "oldest" else ("",):
            words = ["numpy==" + numpy + ".*"] if numpy else []
            install = [
                uv,
                "pip",
                "install",
                "--quiet",
                "--python",
                own,
                "--only-binary",
                ":all:",
                "--no-binary",
                "paretosched",
            ]
            done = subprocess.run([*install, ROOT, *words], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                installed = True
                break
        if not installed:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            return Row(python, wanted, "", "", "", f"not installable: {lines[-1][:80]}", time.monotonic() - begin), ""
        done = subprocess.run([own, "-I", "-c", CHECK], cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            return Row(python, wanted, "", "", "", f"FAILED: {done.stderr.strip().splitlines()[-1][:100]}", seconds), ""
        says = json.loads(done.stdout.strip().splitlines()[-1])
        result = "works" if not first else "works, same" if says["digest"] == first else "DIFFERENT numbers"
        return Row(python, wanted, says["numpy"], says["numba"], says["pandas"], result, seconds), says["digest"]


if __name__ == "__main__":
    sys.exit(main())
