"""The commands of docs/cluster.md, as they stand there, between machines that share nothing but a slow network."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import paretosched as ps
from paretosched.fronts.front_files import load_front
from paretosched.search import run_store
from paretosched.search.exploration import explore
from support.commands import ROOT, stored_rows

RECIPE = ROOT / "docs" / "cluster.md"
HEAD, PROXY = "10.87.0.1", 8785
PLACES = {"head": HEAD, "one": "10.87.0.2", "two": "10.87.0.3", "client": "10.87.0.4", "three": "10.87.0.5"}
OWNERS = {"head": "scheduler", "one": "worker", "two": "worker", "three": "worker", "client": "client"}
NETEM = ("delay", "20ms", "loss", "1%")
LOSS = """
table ip lossy {
  chain input {
    type filter hook input priority 0;
    iifname != "lo" numgen random mod 100 0 counter drop
  }
}
"""
DELAY = Path(__file__).parents[1] / "support" / "delay.py"


def run(*words: object, place: Path | None = None) -> None:
    process = subprocess.run(
        [str(w) for w in words], cwd=place, capture_output=True, text=True, check=False, timeout=60
    )
    assert process.returncode == 0, (words, process.stderr)


def namespace(name: str) -> str:
    return f"ps{os.getpid()}{name}"


@pytest.fixture
def network() -> Iterator[bool]:
    """Five namespaces on one bridge that loses packets; whether the kernel delays them, too."""
    tools = [tool for tool in ("ip", "tc", "nft", "openssl", "mount") if shutil.which(tool) is None]
    if os.getuid() != 0 or tools:
        pytest.skip(f"NOT TESTED: docs/cluster.md needs root and network namespaces; missing here: {tools or 'root'}")
    if subprocess.run(["ip", "netns", "add", namespace("head")], capture_output=True, check=False).returncode:
        pytest.skip("NOT TESTED: docs/cluster.md needs network namespaces, which this machine does not allow")
    head = ("ip", "-n", namespace("head"))
    has_delay = True
    try:
        run(*head, "link", "add", "br0", "type", "bridge")
        run(*head, "address", "add", f"{HEAD}/24", "dev", "br0")
        for device in ("br0", "lo"):
            run(*head, "link", "set", device, "up")
        for name, address in PLACES.items():
            if name == "head":
                continue
            here = ("ip", "-n", namespace(name))
            run("ip", "netns", "add", namespace(name))
            run(*head, "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", namespace(name))
            run(*head, "link", "set", name, "master", "br0", "up")
            run(*here, "address", "add", f"{address}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                run(*here, "link", "set", device, "up")
            shape = ["tc", "-n", namespace(name), "qdisc", "add", "dev", "eth0", "root", "netem", *NETEM]
            has_delay &= subprocess.run(shape, capture_output=True, check=False).returncode == 0
        if not has_delay:  # a kernel without netem loses packets by its filter
            for name in PLACES:
                subprocess.run(nft(name, "-f", "-"), input=LOSS, text=True, check=True, timeout=60)
        yield has_delay
    finally:
        for name in PLACES:
            subprocess.run(["ip", "netns", "delete", namespace(name)], capture_output=True, check=False)


def nft(name: str, *words: str) -> list[str]:
    """The words that change or show the packet filter of a place."""
    return ["ip", "netns", "exec", namespace(name), "nft", *words]


def lost_packets(name: str) -> int:
    """How many packets to a place the filter has lost."""
    rules = subprocess.check_output(nft(name, "list", "chain", "ip", "lossy", "input"), text=True)
    return int(re.findall(r"counter packets (\d+)", rules)[0])


def open_ports(name: str) -> set[str]:
    """The ports of a place that others can reach."""
    sockets = subprocess.check_output(["ip", "netns", "exec", namespace(name), "ss", "-ltnH"], text=True)
    return {
        port
        for address, _, port in (line.split()[3].rpartition(":") for line in sockets.splitlines())
        if address != "127.0.0.1"
    }


class Machines:
    """The places of the recipe, each a folder that the others do not see, with what runs there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen[bytes]] = []
        for name in PLACES:
            (folder / name).mkdir()

    def start(self, name: str, line: str) -> subprocess.Popen[bytes]:
        """Start a command in its network and folder; all other folders are empty there."""
        others = [self.folder / other for other in ("keys", *PLACES) if other != name]
        script = "".join(f"mount -t tmpfs none {place} && " for place in others) + "exec " + line
        own = {"HOME": str(self.folder / name), "PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder / name)}
        bin_ = str(Path(sys.executable).parent)
        log = (self.folder / name / "log").open("ab")
        with log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", namespace(name), "sh", "-c", script],
                cwd=self.folder / name,
                env=os.environ | own | {"PATH": f"{bin_}:{os.environ['PATH']}"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def log(self, name: str) -> str:
        file = self.folder / name / "log"
        return file.read_text(errors="replace") if file.exists() else "not started"

    def wait_for(self, name: str, words: str, times: int = 1) -> None:
        """Wait until the log of a place has these words so many times."""
        deadline = time.monotonic() + 60
        while self.log(name).count(words) < times:
            assert time.monotonic() < deadline, (
                words,
                {place: self.log(place) for place in PLACES if place != "client"},
            )
            time.sleep(0.1)

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def machines(tmp_path: Path, network: bool) -> Iterator[Machines]:
    there = Machines(tmp_path)
    try:
        yield there
    finally:
        there.end()


class Recipe(NamedTuple):
    """The commands of docs/cluster.md for this network; without the kernel's delay, a proxy delays the scheduler."""

    scheduler: str
    worker: str
    exploration: str


def prepare(machines: Machines, network: bool) -> Recipe:
    """Make the keys, start the scheduler, and return all commands."""
    keys, *texts = re.findall(r"```sh\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.DOTALL)
    folder = machines.folder
    (folder / "keys").mkdir()
    run("sh", "-ec", keys, place=folder / "keys")
    for name, owner in OWNERS.items():
        for file in ("ca.pem", f"{owner}.pem", f"{owner}.key"):
            shutil.copy(folder / "keys" / file, folder / name)
    port = "8786" if network else str(PROXY)
    recipe = Recipe(
        *(
            text.strip().replace("tls://head:8786", f"tls://{HEAD}:{port}").replace("tls://head", f"tls://{HEAD}")
            for text in texts
        )
    )
    machines.start("head", recipe.scheduler)
    machines.wait_for("head", "Scheduler at")
    if not network:
        machines.start("head", f"{sys.executable} {DELAY} 0.02 {HEAD} {PROXY} {HEAD} 8786")
    return recipe


@pytest.mark.slow
@pytest.mark.long
def test_the_recipe_explores_the_same_front_on_other_machines(machines: Machines, network: bool) -> None:
    """Then once more, and longer, while one machine joins, one leaves and one is slow."""
    recipe = prepare(machines, network)
    folder = machines.folder
    log = folder / "client" / "w.swf.gz"
    ps.write_swf(ps.lublin(jobs=300, processors=64, seed=5), log)
    leaving, slow = (machines.start(name, recipe.worker) for name in ("one", "two"))
    machines.wait_for("head", "Register worker", times=2)
    ports = {name: open_ports(name) for name in ("head", "one", "two")}
    assert ports["head"] == {"8786"} | (set() if network else {str(PROXY)})
    assert [len(ports[name]) for name in ("one", "two")] == [2, 2]  # a nanny and its worker, and no page
    exploring = machines.start("client", recipe.exploration)
    assert exploring.wait(120) == 0, machines.log("client")
    assert "trusts everybody" not in machines.log("client")
    assert not any((folder / name / "run").exists() for name in ("head", "one", "two"))
    explore(log, folder / "alone", evaluations=200, population=20)
    assert stored_rows(folder / "client" / "run") == stored_rows(folder / "alone")
    secret = (folder / "keys" / "client.key").read_bytes().splitlines()[1]
    assert all(secret not in file.read_bytes() for file in (folder / "client" / "run").iterdir())
    if not network:
        assert sum(map(lost_packets, PLACES)) > 0
    check_late_lost_and_slow_machines(machines, recipe, leaving, slow)


def check_late_lost_and_slow_machines(
    machines: Machines, recipe: Recipe, leaving: subprocess.Popen[bytes], slow: subprocess.Popen[bytes]
) -> None:
    """Check that a machine that joins late, one that leaves and one that is slow change nothing.

    The slow one simulates ten times as slowly as the others: it works for a tenth of the time and is stopped for the
    rest.
    """
    folder = machines.folder
    log, run_folder = folder / "client" / "large.swf.gz", folder / "client" / "long"
    ps.write_swf(ps.lublin(jobs=3000, processors=64, seed=5), log)
    settings = {"evaluations": 1200, "population": 60, "algorithm": "archive"}
    options = " ".join(f"--{key} {value}" for key, value in settings.items())
    words = f"{log.name} -o {run_folder.name} {options}"
    exploration = recipe.exploration.replace("w.swf.gz -o run --evaluations 200 --population 20", words)
    assert exploration != recipe.exploration
    exploring = machines.start("client", exploration)
    store = run_folder / "run.sqlite"
    ended = threading.Event()
    brake = threading.Thread(target=slow_down, args=(slow, ended))
    brake.start()
    try:
        wait_until(lambda: run_store.count(store) or 0, 200, machines, exploring)
        machines.start("three", recipe.worker)
        machines.wait_for("head", "Register worker", times=3)
        joined_at = run_store.count(store) or 0
        wait_until(lambda: run_store.count(store) or 0, joined_at + 150, machines, exploring)
        os.killpg(leaving.pid, signal.SIGKILL)
        left_at = run_store.count(store) or 0
        assert exploring.wait(300) == 0, machines.log("client")
    finally:
        ended.set()
        brake.join()
    assert 200 <= joined_at < left_at < settings["evaluations"]
    explore(log, folder / "long", **settings)
    assert stored_rows(run_folder) == stored_rows(folder / "long")
    assert load_front(run_folder).values.tobytes() == load_front(folder / "long").values.tobytes()


def wait_until(count: Callable[[], int], least: int, machines: Machines, process: subprocess.Popen[bytes]) -> None:
    """Wait until there are so many evaluations, while the client goes on."""
    deadline = time.monotonic() + 240
    while count() < least:
        assert process.poll() is None, machines.log("client")
        assert time.monotonic() < deadline
        time.sleep(0.05)


def slow_down(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    """Stop a process and its children for nine tenths of the time, until it has ended."""
    while not ended.is_set():
        for action, seconds in ((signal.SIGSTOP, 0.09), (signal.SIGCONT, 0.01)):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, action)
            ended.wait(seconds)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGCONT)
