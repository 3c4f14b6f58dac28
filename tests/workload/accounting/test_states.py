from pathlib import Path

import pytest

from paretosched.workload.accounting.lives import CANCELLED, COMPLETED, FAILED
from paretosched.workload.accounting.states import OPEN, SLURM, STATES
from support.accounting import column, import_into


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("COMPLETED", COMPLETED), ("PREEMPTED", CANCELLED), ("REQUEUED", CANCELLED), ("REVOKED", CANCELLED),
        ("CANCELLED by 7", CANCELLED), ("TIMEOUT", FAILED), ("BOOT_FAIL", FAILED), ("OUT_OF_ME+", FAILED),
    ],
)  # fmt: skip
def test_a_state_means_the_same_in_a_text_of_sacct_and_in_a_table(tmp_path: Path, word: str, status: int) -> None:
    names = ("JobIDRaw", "Submit", "Start", "ElapsedRaw", "NCPUS", "State")
    cells = ("1", "1700000000", "1700000010", "60", "4", word)
    text, table = tmp_path / "sacct.txt", tmp_path / "table.csv"
    text.write_text("|".join(names) + "\n" + "|".join(cells) + "\n")
    table.write_text(",".join(names) + "\n" + ",".join(cells) + "\n")
    columns = "job=JobIDRaw,submit=Submit,start=Start,run=ElapsedRaw,width=NCPUS,state=State"
    for log in (import_into(tmp_path, "slurm", text), import_into(tmp_path, "csv", table, "--columns", columns)):
        assert column(log, "status") == {1: status}
        assert not any("state" in reason for reason in log.counts if "column" not in reason)


@pytest.mark.parametrize("word", [word.upper() for word, status in SLURM.items() if status == OPEN])
def test_a_job_of_sacct_without_an_end_is_open_by_its_state_also_if_it_was_cut_off(tmp_path: Path, word: str) -> None:
    text = tmp_path / "sacct.txt"
    text.write_text(
        f"JobIDRaw|Submit|Start|ElapsedRaw|NCPUS|State\n1|10|20|5|1|COMPLETED\n2|10|20|5|1|{word}\n"
        f"3|10|20|5|1|{word[:5]}+\n"
    )
    assert [*import_into(tmp_path, "slurm", text).jobs] == [1]


def test_no_word_has_two_meanings_and_all_are_written_as_they_are_looked_up() -> None:
    assert all(word == word.lower() and " " not in word and "-" not in word for word in STATES)
    assert {**STATES, **SLURM} == STATES
