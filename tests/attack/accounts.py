"""Another account of this machine tries to get in: at the workers of an exploration, and at the page."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from attack.clusters import explore, wait_for_evaluations
from attack.kills import start
from attack.tally import MOST_SECONDS, REFUSED, Tally, Verdict, not_tried, tally
from support.browser import serve_page
from support.commands import ROOT, succeed
from support.house import furnish
from support.page_clients import ACT, NOBODY, Client, as_nobody

INTRUDER = ROOT / "tests" / "support" / "intruder.py"
PATHS = (
    "/front/0.bin", "/page.json", "/pulse", "/remaining.csv", "/policy/0/1.json", "/training/1.json",
    "/_dash-layout", "/_dash-dependencies", "/pulse?token=wrong",
)  # fmt: skip


def at_the_workers(work: Path) -> Iterator[Verdict]:
    """Explore with two workers while another account tries each port in each way."""
    secret = work / "secret"
    secret.touch(0o600)
    succeed("generate", "lublin", "--jobs", 1000, "--processors", 32, "--seed", 5, "-o", work / "log.swf")
    folder = work / "explored"
    folder.mkdir()
    process = start(explore(10**6, "--workers", 2), folder)
    try:
        if not wait_for_evaluations(process, folder / "run"):
            yield Verdict(f"the exploration did not begin: {(folder / '.err').read_text()[-300:]}")
            return
        ports = [str(port) for port in listening(process.pid)]
        words = [sys.executable, str(INTRUDER), str(NOBODY), str(secret), *ports]
        answer = json.loads(subprocess.check_output(words, timeout=MOST_SECONDS, text=True))
        for port, ways in answer["ports"].items():
            for way, got in ways.items():
                yield Verdict(
                    REFUSED if got is None else f"was answered: {got}", f"account {answer['uid']}, port {port}, {way}"
                )
        yield Verdict("could be read" if answer["secret"] else REFUSED, f"account {answer['uid']}, a file of mode 600")
        if not ports:
            yield Verdict("no port was found, so nothing was tried")
    finally:
        process.terminate()
        process.wait(MOST_SECONDS)


def listening(pid: int) -> list[int]:
    """Return the ports on which a process and its children listen."""
    process = psutil.Process(pid)
    return sorted(
        connection.laddr.port
        for member in (process, *process.children(recursive=True))
        for connection in member.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    )


def at_the_page(work: Path) -> Iterator[Verdict]:
    """Ask the page for everything as another account, without its token, and look into its folder."""
    front = furnish(work) / "front.parquet"
    with serve_page(front) as url:
        owner = Client(url)
        owner.act({"do": "say", "text": "AWRT1"})
        parts = urlsplit(url)
        folder = front.with_name("front.parquet.app")
        page = folder / "page.json"

        def attempts() -> list[Any]:
            answers: list[Any] = []
            for method, path in [*(("GET", path) for path in PATHS), ("POST", ACT)]:
                connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
                connection.request(method, path, b"{}" if method == "POST" else None)
                answer = connection.getresponse()
                answers.append([f"{method} {path}", answer.status, "AWRT" in answer.read().decode("utf-8", "replace")])
            readable = [[str(path), 200 if os.access(path, os.R_OK) else 401, False] for path in (folder, page)]
            return answers + readable

        for what, status, has_data in as_nobody(attempts):
            end = REFUSED if status == 401 and not has_data else f"was answered with status {status}"
            yield Verdict(end, f"account {NOBODY}: {what}")
        if owner.statuses():
            yield Verdict("a training was started", f"account {NOBODY}")


def accounts(work: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Make all attacks of another account, and return a row for each."""
    attacks = {"another account at the workers": at_the_workers, "another account at the page": at_the_page}
    if os.geteuid() != 0:
        return [not_tried(name, "only root can become another account") for name in attacks]
    rows = []
    for k, (name, attack) in enumerate(attacks.items()):
        place = work / str(k)
        place.mkdir(parents=True)
        rows.append(tally(name, attack(place)))
    tell(f"another account: {sum(row.tried for row in rows)} tried, {sum(row.broken for row in rows)} broken")
    return rows
