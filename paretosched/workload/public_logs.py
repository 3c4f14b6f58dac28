"""Download public logs by name: those of the Parallel Workloads Archive, and others that are one file somewhere."""

from __future__ import annotations

import difflib
import hashlib
import http.client
import os
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from platformdirs import user_cache_path

from ..core.arguments import as_path, callback, instance, number
from ..core.errors import InputError
from ..core.files import is_file, replacing
from ..core.hosts import THIS_MACHINE
from ..core.limits import check_limit
from .log_text import LogText
from .public_catalogue import LOGS, PublicLog

BASE_URL = "https://www.cs.huji.ac.il/labs/parallel/workload"
BASE_URL_VARIABLE = "PARETOSCHED_ARCHIVE"
FOLDER_VARIABLE = "PARETOSCHED_TRACES"
CHUNK = 1 << 16
SLOWEST = 1000  # bytes a second; a server that sends less keeps the caller waiting without end
BEGINNINGS = {".gz": b"\x1f\x8b", ".zip": b"PK", ".parquet": b"PAR1"}  # of files, by how their names end
KINDS = {".gz": "gzip", ".zip": "zip", ".parquet": "Parquet"}


def fetch(
    name: str,
    directory: str | os.PathLike[str] | None = ".",
    *,
    base_url: str | None = None,
    timeout: float = 60.0,
    progress: Callable[[int, int | None], None] | None = None,
) -> Path:
    """Download a public log, unless the file exists and is intact.

    A log whose SHA-256 is not known (see `find_log`) is only checked to be a gzipped text within the limits.

    Parameters
    ----------
    name
        The log's short name, "CTC-SP2", or the name of its file; capitals do not matter.
    directory
        The folder for the file; it must exist. None: `log_folder`, which is made if it does not exist.
    base_url
        Address of a mirror with the archive's folders, and those of other logs, with https; http is accepted for this
        machine only. A server may not redirect to another scheme. Default: the environment's PARETOSCHED_ARCHIVE, else
        the address of the log itself.
    timeout
        Seconds without any answer, or with less than 1,000 bytes a second, after which the download fails.
    progress
        Called with the bytes received and the bytes in all (None if the server does not say).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        The log is not known, or cannot be downloaded or written, or only by hand: the message says where it is. Or
        the download is cut short, is a file of another kind, is larger than the limit `download`, or has another
        SHA-256 than the log. No file remains then.

    Examples
    --------
    >>> fetch("CTC-SP")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    paretosched.core.errors.InputError: log "CTC-SP" is not known; did you mean CTC-SP2 or ...? All: ANL-Intrepid, ...
    """
    log = find_log(name)
    if log.by_hand:
        raise InputError(f"{name} cannot be fetched here, but is at {log.url}: {log.how}")
    timeout = number("timeout", timeout)
    callback("progress", progress)
    target = (_make_log_folder() if directory is None else as_path(directory)) / log.file
    if is_file(target) and _fault(target, log) is None:
        return target
    base = instance("base_url", base_url or "", str) or os.environ.get(BASE_URL_VARIABLE) or ""
    if base and not _is_safe(base):
        raise InputError(
            "the archive's address must begin with https://, or with http:// and localhost for this machine, "
            f"but is {base}"
        )
    url = log.url if log.url and not base else f"{(base or BASE_URL).rstrip('/')}/{log.folder}/{log.file}"
    with replacing(target) as temporary:
        _download(url, temporary, timeout, progress)
        fault = _fault(temporary, log)
        if fault is not None:
            raise InputError(f"{url}: {fault}")
    return target


def log_folder() -> Path:
    """Return the folder of the logs that experiments and tests read; it may not exist.

    It is the environment's PARETOSCHED_TRACES, else the folder "traces" in the user's cache of paretosched.
    `fetch(name, None)` puts a log there, as `paretosched fetch NAME --cache` does.
    """
    return Path(os.environ.get(FOLDER_VARIABLE) or user_cache_path("paretosched") / "traces")


def log_file(name: str) -> Path:
    """Return the file of a public log in `log_folder`.

    Parameters
    ----------
    name
        The log's short name, "CTC-SP2", or the name of its file; capitals do not matter.

    Raises
    ------
    InputError
        The log is not known, or is not in `log_folder`; the message names the command that puts it there.
    """
    log = find_log(name)
    path = log_folder() / log.file
    if not path.is_file():
        short = next(key for key, other in LOGS.items() if other == log)
        raise InputError(
            f'{path}: no such file; "paretosched fetch {short} --cache" puts it there, '
            f"or set {FOLDER_VARIABLE} to the folder that has it"
        )
    return path


def _make_log_folder() -> Path:
    """Return `log_folder`, after making it if it does not exist."""
    folder = log_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot make this directory: {error.strerror}") from None
    return folder


def find_log(name: str) -> PublicLog:
    """Return a public log by its short name or the name of its file.

    Raises
    ------
    InputError
        No log has this name; the message lists the names, the closest first.
    """
    word = instance("name of a log", name, str).lower()
    by_name = {key.lower(): key for key in LOGS}
    by_file = {log.file.lower(): key for key, log in LOGS.items()}
    aliases = by_file | {file.removesuffix(".swf.gz"): key for file, key in by_file.items()} | by_name
    # the papers' and the archive's names of the two Paragon logs differ
    aliases |= {"sdsc-par-1995": "SDSC-Par-95", "sdsc-par-1996": "SDSC-Par-96"}
    if word in aliases:
        return LOGS[aliases[word]]
    close = [by_name[key] for key in difflib.get_close_matches(word, by_name, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise InputError(f'log "{name}" is not known; {hint}All: {", ".join(LOGS)}')


def _is_safe(url: str) -> bool:
    """Return whether what comes from an address cannot be changed on its way: https, or http within this machine."""
    try:
        parts = urllib.parse.urlsplit(url)
        return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in THIS_MACHINE)
    except ValueError:  # half an IPv6 address
        return False


class _SameScheme(urllib.request.HTTPRedirectHandler):
    """Follows a redirection unless it leads to another scheme, or out of this machine by http."""

    def redirect_request(  # type: ignore[no-untyped-def]  # as its base
        self, req, fp, code, msg, headers, newurl
    ) -> urllib.request.Request | None:
        """Return the request that follows, see `HTTPRedirectHandler`."""
        is_other = urllib.parse.urlsplit(newurl).scheme != req.type
        if is_other or not _is_safe(newurl):
            fp.close()  # the answer, which holds the connection
            rule = f"keep to {req.type}" if is_other else "stay on this machine"
            raise InputError(f"{req.full_url}: a redirection must {rule}, but this one leads to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _download(url: str, path: Path, timeout: float, progress: Callable[[int, int | None], None] | None) -> None:
    """Write the file at an address to a path."""
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "paretosched"})  # noqa: S310  the scheme is checked
        opener = urllib.request.build_opener(_SameScheme)
        with opener.open(request, timeout=timeout) as answer, path.open("wb") as file:
            length = answer.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() and len(length) < 16 else None
            check_limit(url, "download", total or 0, exact=True)
            size = _receive(answer, file, url, timeout, lambda done: progress and progress(done, total))
    except InputError:  # it is a ValueError, too
        raise
    except urllib.error.HTTPError as error:
        error.close()  # the error is also the answer, and holds the connection
        raise InputError(f"{url}: the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise InputError(f"{url}: cannot download: {getattr(error.reason, 'strerror', None) or error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise InputError(f"{url}: cannot download: {error}") from None
    if total is not None and size < total:
        raise InputError(f"{url}: the download ended after {size} of {total} bytes")


def _receive(
    answer: http.client.HTTPResponse, file: IO[bytes], url: str, timeout: float, progress: Callable[[int], object]
) -> int:
    """Write an answer to a file, and return its number of bytes; raise InputError if it is too long or too slow."""
    size, before, since = 0, 0, time.monotonic()
    while chunk := answer.read1(CHUNK):
        file.write(chunk)
        size += len(chunk)
        check_limit(url, "download", size)
        progress(size)
        seconds = time.monotonic() - since
        if seconds > timeout:
            if size - before < SLOWEST * seconds:
                raise InputError(f"{url}: cannot download: the server sends less than {SLOWEST:,} bytes a second")
            before, since = size, since + seconds
    return size


def _fault(path: Path, log: PublicLog) -> str | None:
    """Return what is wrong with a downloaded file; None if it is intact."""
    ending = Path(log.file).suffix
    begin = BEGINNINGS.get(ending, b"")
    try:
        with path.open("rb") as file:
            if file.read(len(begin)) != begin:
                return f"the download is not a {KINDS[ending]} file"
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"cannot read: {error.strerror}"
    if log.sha256 is not None:
        return None if digest == log.sha256 else f"SHA-256 must be {log.sha256}, but is {digest}"
    try:
        for _ in LogText(path).blocks():
            pass
    except InputError as error:
        return str(error).removeprefix(f"{path}: ")
    return None
