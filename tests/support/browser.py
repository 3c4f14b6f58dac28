"""A real browser for the tests and the benchmark of the page: Debian's Chromium, driven by Playwright."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.commands import ROOT, environment

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip


def executable() -> str | None:
    """Return the path of the browser; None without a browser or without Playwright."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return None
    path = os.environ.get("BROWSER_PATH")
    return path or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def browser() -> Iterator[Any]:
    """Start a browser, and yield it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        try:
            yield program
        finally:
            program.close()


@contextmanager
def serve_page(*arguments: object, cwd: Path | None = None, port: int = 0) -> Iterator[str]:
    """Start `paretosched app` as a process, on a free port by default, and yield its address; it gets SIGTERM."""
    with page_process(*arguments, cwd=cwd, port=port) as (_, url):
        yield url


@contextmanager
def page_process(
    *arguments: object, cwd: Path | None = None, port: int = 0
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Do as `serve_page`, and yield the process, too; it may be killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "paretosched.cli", "app", *map(str, arguments), "--port", str(port)],
        cwd=cwd or ROOT, env=environment(PYTHONUNBUFFERED="1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), (url, process.communicate(timeout=60))
        process.stdout.readline()
        wait_for(url)
        yield process, url
    finally:
        process.terminate()
        process.communicate(timeout=60)


def wait_for(url: str) -> None:
    """Wait until the page answers."""
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=60).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{url} does not answer")
