"""Public logs by name, from the Parallel Workloads Archive (D. G. Feitelson, Hebrew University of Jerusalem).

Publications with results from a log must acknowledge the archive and the people named in the header of the log.
"""

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
from typing import IO, NamedTuple

from platformdirs import user_cache_path

from ..core.arguments import as_path, callback, instance, number
from ..core.errors import InputError
from ..core.files import is_file, replacing
from ..core.hosts import THIS_MACHINE
from ..core.limits import check_limit
from .log_text import LogText

BASE_URL = "https://www.cs.huji.ac.il/labs/parallel/workload"
BASE_URL_VARIABLE = "PARETOSCHED_ARCHIVE"
FOLDER_VARIABLE = "PARETOSCHED_TRACES"
CHUNK = 1 << 16
SLOWEST = 1000  # bytes a second; a server that sends less keeps the caller waiting without end


class PublicLog(NamedTuple):
    """Where a log is: its folder and file in the archive, and the file's SHA-256 where it is known.

    The SHA-256 are those of files at hand, with which experiments and tests of this package were run. The archive
    publishes none.
    """

    folder: str
    file: str
    sha256: str | None = None


LOGS = {
    "ANL-Intrepid": PublicLog("l_anl_int", "ANL-Intrepid-2009-1.swf.gz"),
    "CEA-Curie": PublicLog("l_cea_curie", "CEA-Curie-2011-2.1-cln.swf.gz"),
    "CIEMAT-Euler": PublicLog("l_ciemat_euler", "CIEMAT-Euler-2008-1.swf.gz"),
    "CTC-SP2": PublicLog(
        "l_ctc_sp2",
        "CTC-SP2-1996-3.1-cln.swf.gz",
        "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
    ),
    "HPC2N": PublicLog("l_hpc2n", "HPC2N-2002-2.2-cln.swf.gz"),
    "KIT-FH2": PublicLog("l_kit_fh2", "KIT-FH2-2016-1.swf.gz"),
    "KTH-SP2": PublicLog(
        "l_kth_sp2",
        "KTH-SP2-1996-2.1-cln.swf.gz",
        "3e152f201fd2e96808a735bced6ea6eb0bb07fdc447689cafb0750d87b264c0b",
    ),
    "LANL-CM5": PublicLog(
        "l_lanl_cm5",
        "LANL-CM5-1994-4.1-cln.swf.gz",
        "71ff3dfa301b3ee1bd30ebc63c5363b5e8ec488e75f1f9398aa46d485ef23c3c",
    ),
    "LANL-O2K": PublicLog("l_lanl_o2k", "LANL-O2K-1999-2.swf.gz"),
    "LLNL-Atlas": PublicLog("l_llnl_atlas", "LLNL-Atlas-2006-2.1-cln.swf.gz"),
    "LLNL-T3D": PublicLog("l_llnl_t3d", "LLNL-T3D-1996-2.swf.gz"),
    "LLNL-Thunder": PublicLog("l_llnl_thunder", "LLNL-Thunder-2007-1.1-cln.swf.gz"),
    "LLNL-uBGL": PublicLog("l_llnl_ubgl", "LLNL-uBGL-2006-2.swf.gz"),
    "LPC-EGEE": PublicLog("l_lpc", "LPC-EGEE-2004-1.2-cln.swf.gz"),
    "METACENTRUM-09": PublicLog("l_metacentrum", "METACENTRUM-2009-2.swf.gz"),
    "METACENTRUM-13": PublicLog("l_metacentrum2", "METACENTRUM-2013-3.swf.gz"),
    "NASA-iPSC": PublicLog(
        "l_nasa_ipsc",
        "NASA-iPSC-1993-3.1-cln.swf.gz",
        "5589ae9b2fb78e3bf92de097497cf33a91607de1ad54563e43533f7827597f29",
    ),
    "OSC-Clust": PublicLog("l_osc", "OSC-Clust-2000-3.1-cln.swf.gz"),
    "PIK-IPLEX": PublicLog("l_pik_iplex", "PIK-IPLEX-2009-1.swf.gz"),
    "RICC": PublicLog("l_ricc", "RICC-2010-2.swf.gz"),
    "SDSC-BLUE": PublicLog("l_sdsc_blue", "SDSC-BLUE-2000-4.2-cln.swf.gz"),
    "SDSC-DS": PublicLog("l_sdsc_ds", "SDSC-DS-2004-2.1-cln.swf.gz"),
    "SDSC-Par-95": PublicLog("l_sdsc_par", "SDSC-Par-1995-3.1-cln.swf.gz"),
    "SDSC-Par-96": PublicLog(
        "l_sdsc_par",
        "SDSC-Par-1996-3.1-cln.swf.gz",
        "cb1aab02b5e3c34659d1c1d6f73c002d415229c59f40c03fab4e20331abdaff7",
    ),
    "SDSC-SP2": PublicLog(
        "l_sdsc_sp2",
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        "e03fe48be50c4ab04d6bb2285296d9c3399e9c1f27ee79b754ad32a14abd9bac",
    ),
    "SHARCNET": PublicLog("l_sharcnet", "SHARCNET-2005-2.swf.gz"),
    "Sandia-Ross": PublicLog("l_sandia_ross", "Sandia-Ross-2001-1.1-cln.swf.gz"),
    "UniLu-Gaia": PublicLog("l_unilu_gaia", "UniLu-Gaia-2014-2.swf.gz"),
}


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
        Address of the archive or of a mirror with the same folders, with https; http is accepted for this machine
        only. A server may not redirect to another scheme. Default: the environment's PARETOSCHED_ARCHIVE, else the
        archive itself.
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
        The log is not known, or cannot be downloaded or written; or the download is cut short, is no gzipped log,
        is larger than the limit `download`, or has another SHA-256 than the log. No file remains then.

    Examples
    --------
    >>> fetch("CTC-SP")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    paretosched.core.errors.InputError: log "CTC-SP" is not known; did you mean CTC-SP2 or ...? All: ANL-Intrepid, ...
    """
    log = find_log(name)
    timeout = number("timeout", timeout)
    callback("progress", progress)
    target = (_make_log_folder() if directory is None else as_path(directory)) / log.file
    if is_file(target) and _fault(target, log) is None:
        return target
    base = instance("base_url", base_url or "", str) or os.environ.get(BASE_URL_VARIABLE) or BASE_URL
    if not _is_safe(base):
        raise InputError(
            "the archive's address must begin with https://, or with http:// and localhost for this machine, "
            f"but is {base}"
        )
    url = f"{base.rstrip('/')}/{log.folder}/{log.file}"
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
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return "the download is not a gzip file"
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
