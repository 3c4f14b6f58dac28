"""Which files a run says that its workload came from."""

import json
import shutil
from pathlib import Path

import paretosched as ps
from paretosched.core.run_files import RUN_FILE
from paretosched.workload.recorded_sources import recorded_files
from paretosched.workload.reopening import record


def test_the_files_of_a_run_are_those_that_reopening_may_read(tmp_path: Path) -> None:
    log, groups, run = tmp_path / "w.swf.gz", tmp_path / "groups.csv", tmp_path / "run"
    ps.write_swf(ps.lublin(jobs=120, processors=64, seed=5, variant="two-type"), log)
    groups.write_text("1,staff\n2,guests\n")
    run.mkdir()
    (run / RUN_FILE).write_text(json.dumps({"workload": record(ps.by_csv(ps.read_swf(log), groups))}))
    assert recorded_files(run) == [log, groups]
    assert recorded_files(tmp_path) == [log, groups]  # a folder with a run in it, such as that of a plan
    assert recorded_files(log) == []
    shutil.copy(log, run)  # beside the run's files, where a run that was moved has its log
    assert recorded_files(run) == [log, run / log.name, groups]
    (run / RUN_FILE).write_text(json.dumps({"sources": [[{"function": "read_swf", "path": str(log)}], 3, [4]]}))
    assert recorded_files(run) == [log, run / log.name]
    (run / RUN_FILE).write_text("damaged")
    assert recorded_files(run) == []
