"""An anonymous log: other names, always the same ones with one key, and the proof that no name is left."""

import re
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.workload.accounting.anonymising import prove_anonymous, read_key
from paretosched.workload.accounting.lives import Numberings
from support.accounting import RECORDED, Result, import_into
from support.commands import command

ALL = RECORDED / "slurm-all.txt"
NAMES = ("anna", "bert", "physics", "chemistry", "normal", "urgent", "main", "wide", "debug")


def anonymous(folder: Path, source: Path, key: Path) -> Result:
    """Import a file with a key."""
    folder.mkdir()
    return import_into(folder, "slurm", source, "--anonymise", key)


def test_no_name_is_left_and_groups_stay_apart(tmp_path: Path) -> None:
    log = anonymous(tmp_path / "a", ALL, tmp_path / "key")
    assert "anonymous: none of 9 names is in the log or beside it" in log.remarks
    written = "".join(file.read_text() for file in (tmp_path / "a").iterdir())
    assert not any(name in written for name in NAMES)
    assert all(re.fullmatch("user-[0-9a-f]{12}", name) for name in log.names.users.values())
    plain = import_into(tmp_path, "slurm", ALL)
    same = [(a["submit"], a["run"], a["width"]) for a in log.jobs.values()]
    assert same == [(a["submit"], a["run"], a["width"]) for a in plain.jobs.values()]
    for field in ("user", "group", "queue", "partition"):
        pairs = {(a[field], b[field]) for a, b in zip(log.jobs.values(), plain.jobs.values(), strict=True)}
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_two_exports_with_one_key_agree_and_others_do_not(tmp_path: Path) -> None:
    first = anonymous(tmp_path / "a", ALL, tmp_path / "key")
    second = anonymous(tmp_path / "b", RECORDED / "slurm-requeued.txt", tmp_path / "key")
    other = anonymous(tmp_path / "c", ALL, tmp_path / "other")
    assert second.names.users == first.names.users
    assert second.names.groups == first.names.groups
    assert not {*other.names.users} & {*first.names.users}
    plain = ps.read_swf(tmp_path / "a/log.swf").epoch, import_into(tmp_path, "slurm", ALL).about["first_submit"]
    weeks, rest = divmod(plain[1] - plain[0], 52 * 7 * 86400)
    assert (rest, 1 <= weeks <= 8) == (0, True)


def test_jobs_are_numbered_anew_and_where_they_stood_stays_at_home(tmp_path: Path) -> None:
    log = anonymous(tmp_path / "a", ALL, tmp_path / "key")
    assert [*log.jobs] == [*range(1, 24)]
    assert {count.first for count in log.names.dropped} == {""}
    assert log.names.eligible.job.tolist() == [10, 12, 18, 23]


def test_the_log_is_read_as_any_other(tmp_path: Path) -> None:
    log = anonymous(tmp_path / "a", ALL, tmp_path / "key")
    w = ps.by_swf_group(ps.read_swf(tmp_path / "a/log.swf"))
    assert {*w.groups} == {*log.names.groups.values()}
    assert ps.simulate(w, "easy").start.size == 23


@pytest.mark.parametrize("groups", ["account", "user", "qos", "partition"])
def test_a_name_in_the_name_of_the_file_is_found(tmp_path: Path, groups: str) -> None:
    words = ("--groups", groups, "--anonymise", tmp_path / "key")
    outcome = command("import", "slurm", ALL, "-o", tmp_path / "physics.swf", *words)
    assert outcome.status == 2
    assert 'the log is not anonymous: 1 name of the accounting in it: "physics"; is one of them in' in outcome.err
    assert [file.name for file in tmp_path.iterdir()] == ["key"]  # nothing of the log is left


@pytest.mark.parametrize(
    ("header", "line", "names", "fact"),
    [
        ("; Note: Anna\n", "1 2\n", {"anna"}, '1 name of the accounting in it: "anna"'),
        ("; Note: a.Main.b\n", "1 2\n", {"main"}, '"main"'),
        ("; Note\n", "1 anna\n", {"x"}, "a job line must be numbers"),
    ],
)
def test_what_is_left_is_found(tmp_path: Path, header: str, line: str, names: set[str], fact: str) -> None:
    (tmp_path / "log").write_text(header + line)
    (tmp_path / "beside").write_text("{}")
    with pytest.raises(ps.InputError, match=re.escape(fact)):
        prove_anonymous(tmp_path / "log", tmp_path / "beside", names, "")
    (tmp_path / "beside").write_text('{"dropped": [{"reason": "the lab of anna"}]}')
    (tmp_path / "log").write_text("; Note\n1 2\n")
    with pytest.raises(ps.InputError, match="lab of"):
        prove_anonymous(tmp_path / "log", tmp_path / "beside", {"lab of anna"}, "")


def test_names_beside_the_log_must_have_been_made_with_a_key(tmp_path: Path) -> None:
    """A name that is a number cannot be found among numbers; so whatever stands for a name must look as it should."""
    (tmp_path / "log").write_text("; Note\n1 2\n")
    for name in ("20417", "user-0123", "group-0123456789AB", ""):
        (tmp_path / "beside").write_text(f'{{"users": {{"1": "user-0123456789ab", "2": "{name}"}}}}')
        with pytest.raises(ps.InputError, match=f'must be such as user-3fa9c1d2e4b5, but are "{name}"'):
            prove_anonymous(tmp_path / "log", tmp_path / "beside", {"20417"}, "")


def test_numbers_and_words_in_other_letters_are_names_too(tmp_path: Path) -> None:
    text = ALL.read_text().replace("|anna|", "|20417|").replace("|physics|", "|Größe Ⅻ|").replace("|main|", "|a,b|")
    (tmp_path / "in").write_text(text)
    log = anonymous(tmp_path / "a", tmp_path / "in", tmp_path / "key")
    assert all(name.startswith("user-") for name in log.names.users.values())
    written = "".join(file.read_text() for file in (tmp_path / "a").iterdir()).lower()
    assert not any(name in written for name in ("20417", "größe", "ⅻ", "a,b"))


def test_names_that_are_numbers_or_words_of_the_format_are_listed_and_not_counted(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("; Note: users\n1 2\n")
    (tmp_path / "beside").write_text('{"users": {}}')
    text = prove_anonymous(tmp_path / "log", tmp_path / "beside", {"users", "anna", "1", "20417"}, "")
    assert text == (
        "anonymous: none of 1 name is in the log or beside it; not told from words of the format: users; "
        "not told from numbers: 1, 20417"
    )


def test_a_key_is_made_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    key = read_key(tmp_path / "key")
    assert len(key) == 32
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert read_key(tmp_path / "key") == key
    assert read_key(tmp_path / "other") != key


@pytest.mark.parametrize("text", ["", "secret", "0" * 63, f"{'0' * 64}\n{'1' * 64}\n"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(ps.InputError, match="must have one line of 64 hexadecimal digits, but has not"):
        read_key(tmp_path / "key")


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    read_key(tmp_path / "key")
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(ps.InputError, match="others can read this key"):
        read_key(tmp_path / "key")
    with pytest.raises(ps.InputError, match="cannot write a new key here"):
        read_key(tmp_path / "missing" / "key")


def test_a_name_in_a_list_that_is_too_long_for_a_log_is_found(tmp_path: Path) -> None:
    """Slurm lists the partitions of a job that waits: it is no job of the log, but says which names there are."""
    numberings = Numberings()
    numberings.partition.meet([",".join(["secret", *(f"part{number}" for number in range(99))])], "x:1")
    (tmp_path / "log.swf").write_text("; Note: secret\n1 0 0 1 1\n")
    (tmp_path / "beside").write_text("{}")
    with pytest.raises(ps.InputError, match='1 name of the accounting in it: "secret"'):
        prove_anonymous(tmp_path / "log.swf", tmp_path / "beside", numberings.names_met, "Note")
