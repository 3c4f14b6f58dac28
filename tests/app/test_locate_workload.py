"""How the page finds the workload of a run."""

import json
import shutil
from pathlib import Path

import pytest

import paretosched as ps
from paretosched.app.locate_workload import finder
from paretosched.core.errors import InputError
from support.commands import succeed


@pytest.mark.slow
def test_the_log_of_a_run_is_found_by_its_command(house: Path, tmp_path: Path) -> None:
    workload, words = finder(house / "run", ps.load_front(house / "run"))()
    assert words == [str(house / "run")]
    assert workload.source[0]["path"] == str(house / "w.swf.gz")
    assert workload.digest == ps.load_front(house / "run").digest
    succeed("front", house / "run", "-o", tmp_path / "f.parquet")
    with pytest.raises(InputError, match=r"app f\.parquet --trace TRACE"):
        finder(tmp_path / "f.parquet", ps.load_front(tmp_path / "f.parquet"))()
    succeed("generate", "lublin", "--jobs", 20, "-o", tmp_path / "other.swf")
    about = json.loads((house / "run" / "run.json").read_text())
    del about["workload"]  # as in a run of version 0.1
    about["sessions"] = [{"command": ["x", "-.swf", "../run/w.swf.gz", "--capacity", "many"]}, {"command": 3}, 4]
    shutil.copytree(house / "run", tmp_path / "odd")
    shutil.copy(house / "w.swf.gz", tmp_path / "w.swf.gz")
    (tmp_path / "odd" / "run.json").write_text(json.dumps(about))
    (tmp_path / "-.swf").touch()
    with pytest.raises(InputError, match="--trace TRACE"):
        finder(tmp_path / "odd", ps.load_front(house / "run"))()
    other = ps.read_swf(tmp_path / "other.swf")
    with pytest.raises(InputError, match="not the workload of the front"):
        finder(house / "run", ps.load_front(house / "run"), other, [str(tmp_path / "other.swf")])
