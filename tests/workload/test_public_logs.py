import gzip
import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from paretosched.core.errors import InputError
from paretosched.core.limits import reading_limits
from paretosched.workload import public_logs as archive
from paretosched.workload.public_logs import fetch, log_file, log_folder

LOG = gzip.compress(b"; MaxProcs: 4\n1 0 5 10 4 -1 -1 4 20 -1 1 3 -1 -1 -1 -1 -1 -1\n", mtime=0)
HPC2N = "/l_hpc2n/HPC2N-2002-2.2-cln.swf.gz"
CTC = "/l_ctc_sp2/CTC-SP2-1996-3.1-cln.swf.gz"


class Server:
    """A small archive: what it has, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {HPC2N: LOG, CTC: LOG}
        self.length: int | None = None
        self.redirection: str | None = None
        self.drip = 0.0
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append(self.path)
                content = outer.files.get(self.path.removeprefix("/mirror"))
                if content is None:
                    self.send_error(404, "Not Found")
                    return
                if outer.redirection is not None and "moved" not in self.path:
                    self.send_response(302)
                    self.send_header("Location", outer.redirection)
                    self.end_headers()
                    return
                self.send_response(200)
                if outer.length != -1:
                    self.send_header("Content-Length", str(outer.length or len(content)))
                self.end_headers()
                if not outer.drip:
                    self.wfile.write(content)
                    return
                with suppress(OSError):  # the client gives up
                    for letter in content:
                        self.wfile.write(bytes([letter]))
                        time.sleep(outer.drip)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/mirror"

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = Server()
    yield running
    running.close()


def test_a_log_is_fetched_once(server: Server, tmp_path: Path) -> None:
    reports: list[tuple[int, int | None]] = []
    path = fetch("hpc2n", tmp_path, base_url=server.url + "/", progress=lambda *counts: reports.append(counts))
    assert path == tmp_path / "HPC2N-2002-2.2-cln.swf.gz"
    assert path.read_bytes() == LOG
    assert reports[-1] == (len(LOG), len(LOG))
    assert fetch("HPC2N", tmp_path, base_url=server.url) == path
    assert server.requests == ["/mirror" + HPC2N]


def test_a_damaged_log_is_fetched_again(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "HPC2N-2002-2.2-cln.swf.gz"
    path.write_bytes(LOG[:-3])
    assert fetch("HPC2N", tmp_path, base_url=server.url).read_bytes() == LOG
    assert len(server.requests) == 1


def test_the_archive_may_come_from_the_environment(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARETOSCHED_ARCHIVE", server.url)
    assert fetch("HPC2N-2002-2.2-cln.swf.gz", tmp_path).read_bytes() == LOG


def test_a_server_may_keep_the_length_to_itself(server: Server, tmp_path: Path) -> None:
    server.length = -1
    reports: list[tuple[int, int | None]] = []
    fetch("HPC2N", tmp_path, base_url=server.url, progress=lambda *counts: reports.append(counts))
    assert reports[-1] == (len(LOG), None)


def test_a_known_digest_is_checked(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"CTC-SP2-1996-3\.1-cln\.swf\.gz: SHA-256 must be 9fa28ac1.*, but is "):
        fetch("CTC-SP2", tmp_path, base_url=server.url)
    assert list(tmp_path.iterdir()) == []
    log = archive.LOGS["CTC-SP2"]._replace(sha256=hashlib.sha256(LOG).hexdigest())
    monkeypatch.setitem(archive.LOGS, "CTC-SP2", log)
    assert fetch("CTC-SP2", tmp_path, base_url=server.url).read_bytes() == LOG


@pytest.mark.parametrize(
    ("content", "length", "message"),
    [
        (None, None, "the server answers 404 Not Found"),
        (LOG[:-20], len(LOG), f"the download ended after {len(LOG) - 20} of {len(LOG)} bytes"),
        (LOG[:-20], -1, "the gzip file is cut short"),
        (LOG[:20] + b"xxxx" + LOG[24:], None, "the gzip file is damaged"),
        (b"<html>moved</html>", None, "the download is not a gzip file"),
        (b"", None, "the download is not a gzip file"),
        (gzip.compress(b"\0\1"), None, "binary"),
    ],
    ids=["404", "short", "short gzip", "damaged", "html", "empty", "binary"],
)
def test_a_bad_download_leaves_nothing_behind(
    server: Server, tmp_path: Path, content: bytes | None, length: int | None, message: str
) -> None:
    if content is None:
        server.files.clear()
    else:
        server.files[HPC2N] = content
    server.length = length
    with pytest.raises(InputError, match=f"^{server.url}{HPC2N}: .*{message}") as error:
        fetch("HPC2N", tmp_path, base_url=server.url)
    assert len(str(error.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_refused_connection_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(InputError, match="cannot download: Connection refused"):
        fetch("HPC2N", tmp_path, base_url=f"http://127.0.0.1:{port}")
    assert list(tmp_path.iterdir()) == []


def test_a_silent_server_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        for timeout in (0.2, "0.2"):
            with pytest.raises(InputError, match="cannot download: timed out"):
                fetch("HPC2N", tmp_path, base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=timeout)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["file:///etc", "ftp://host/x", "nonsense", "http://host/x", "http://127.0.0.1.host/x", "http://[half"]
)
def test_only_safe_addresses_are_asked(tmp_path: Path, address: str) -> None:
    with pytest.raises(
        InputError, match="must begin with https://, or with http:// and localhost for this machine, but is "
    ):
        fetch("HPC2N", tmp_path, base_url=address)


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("https://127.0.0.1:1/x", "keep to http"),
        ("http://192.0.2.1/x", "stay on this machine"),
        ("ftp://127.0.0.1/x", "keep to http"),
    ],
)
def test_a_redirection_to_another_scheme_or_machine_is_refused(
    server: Server, tmp_path: Path, target: str, rule: str
) -> None:
    server.redirection = target
    with pytest.raises(InputError) as error:
        fetch("HPC2N", tmp_path, base_url=server.url)
    assert f"{HPC2N}: a redirection must {rule}, but this one leads to {target}" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_redirection_within_the_scheme_is_followed(server: Server, tmp_path: Path) -> None:
    server.redirection = server.url + "/moved"
    server.files["/moved"] = LOG
    assert fetch("HPC2N", tmp_path, base_url=server.url).read_bytes() == LOG


@pytest.mark.parametrize("length", [None, -1], ids=["a length that is sent", "no length"])
def test_a_download_has_a_limit(server: Server, tmp_path: Path, length: int | None) -> None:
    server.length = length
    fact = f"{len(LOG)}" if length is None else "more"
    with reading_limits(download=50), pytest.raises(InputError, match=f"at most 50 bytes, but is {fact}; --limit down"):
        fetch("HPC2N", tmp_path, base_url=server.url)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_unpacks_to_much_is_refused(server: Server, tmp_path: Path) -> None:
    server.files[HPC2N] = gzip.compress(b"\n" * (1 << 25))
    with pytest.raises(InputError, match="the unpacked size of a file must be at most 200 times"):
        fetch("HPC2N", tmp_path, base_url=server.url)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_drips_is_given_up(server: Server, tmp_path: Path) -> None:
    server.drip = 0.01
    with pytest.raises(InputError, match="cannot download: the server sends less than 1,000 bytes a second"):
        fetch("HPC2N", tmp_path, base_url=server.url, timeout=0.1)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_directory_is_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write here"):
        fetch("HPC2N", tmp_path / "no", base_url=server.url)
    assert server.requests == []


def test_unknown_names_are_answered_with_the_closest_first() -> None:
    with pytest.raises(InputError, match=r"did you mean CTC-SP2 or .*All: ANL-Intrepid, CEA-Curie"):
        archive.find_log("CTC-SP")
    with pytest.raises(InputError, match='log "zzzzzzzz" is not known; All: ANL-Intrepid'):
        archive.find_log("zzzzzzzz")


def test_every_log_is_found_by_its_names() -> None:
    for name, log in archive.LOGS.items():
        for alias in (name, name.upper(), log.file, log.file.removesuffix(".swf.gz")):
            assert archive.find_log(alias) == log
    assert archive.find_log("SDSC-Par-1996") == archive.LOGS["SDSC-Par-96"]


def test_logs_are_in_the_cache_or_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PARETOSCHED_TRACES", raising=False)
    assert log_folder() == tmp_path / "cache" / "paretosched" / "traces"
    monkeypatch.setenv("PARETOSCHED_TRACES", "")
    assert log_folder() == tmp_path / "cache" / "paretosched" / "traces"
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path))
    assert log_folder() == tmp_path


def test_a_log_that_is_not_there_names_the_command_and_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path))
    with pytest.raises(InputError) as error:
        log_file("ctc-sp2")
    assert str(error.value) == (
        f'{tmp_path}/CTC-SP2-1996-3.1-cln.swf.gz: no such file; "paretosched fetch CTC-SP2 --cache" puts it there, '
        "or set PARETOSCHED_TRACES to the folder that has it"
    )
    with pytest.raises(InputError, match='log "elsewhere" is not known'):
        log_file("elsewhere")


def test_fetching_fills_the_cache(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path / "new" / "folder"))
    path = fetch("HPC2N", None, base_url=server.url)
    assert path == log_file("HPC2N") == log_file("HPC2N-2002-2.2-cln.swf.gz")
    assert path.parent == tmp_path / "new" / "folder"
    assert path.read_bytes() == LOG
    (tmp_path / "file").touch()
    monkeypatch.setenv("PARETOSCHED_TRACES", str(tmp_path / "file" / "folder"))
    with pytest.raises(InputError, match="file/folder: cannot make this directory: Not a directory"):
        fetch("HPC2N", None, base_url=server.url)


@pytest.mark.traces
def test_the_known_digests_are_those_of_the_traces_at_hand(traces: Path) -> None:
    digests = {log.file: log.sha256 for log in archive.LOGS.values() if log.sha256 and (traces / log.file).is_file()}
    assert len(digests) == 6
    for file, digest in digests.items():
        assert hashlib.sha256((traces / file).read_bytes()).hexdigest() == digest


def test_a_table_comes_from_its_own_address_or_a_mirror(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = b"submit_time,wait_time\n1,2\n"
    known = archive.LOGS["theta"]._replace(sha256=hashlib.sha256(table).hexdigest())
    monkeypatch.setitem(archive.LOGS, "theta", known)
    server.files["/theta/data_theta.csv"] = table
    assert fetch("Theta", tmp_path, base_url=server.url).read_bytes() == table
    asked = []
    monkeypatch.delenv("PARETOSCHED_ARCHIVE", raising=False)
    monkeypatch.setattr(archive, "_download", lambda url, path, *_: asked.append(url) or path.write_bytes(table))
    fetch("theta", tmp_path)  # it is there
    (tmp_path / "data_theta.csv").write_bytes(b"changed")
    fetch("theta", tmp_path)
    assert asked == [known.url]


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("pm100", b"<html>", "the download is not a Parquet file"),
        ("helios", b"<html>", "the download is not a zip file"),
        ("openb", b"<html>", "SHA-256 must be 1ee7ed79"),
    ],
)
def test_a_page_in_place_of_a_table_is_refused(
    server: Server, tmp_path: Path, name: str, content: bytes, fact: str
) -> None:
    log = archive.LOGS[name]
    server.files[f"/{log.folder}/{log.file}"] = content
    with pytest.raises(InputError, match=fact):
        fetch(name, tmp_path, base_url=server.url)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", [name for name, log in archive.LOGS.items() if log.by_hand])
def test_what_cannot_be_fetched_says_where_it_is_and_asks_nobody(server: Server, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as error:
        fetch(name, tmp_path, base_url=server.url)
    log = archive.LOGS[name]
    assert str(error.value) == f"{name} cannot be fetched here, but is at {log.url}: {log.how}"
    assert not server.requests
