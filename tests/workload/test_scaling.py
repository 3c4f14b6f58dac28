from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.scaling import PAPER_FACTORS, scale
from paretosched.workload.swf import read_swf, write_swf
from paretosched.workload.user_groups import by_consumption, by_queue
from paretosched.workload.workload import Workload

SEEDS = range(5)
# the numbers of jobs of the papers' scaled workloads
PUBLISHED = {
    "CTC-SP2": 136471,
    "KTH-SP2": 167375,
    "SDSC-SP2": 310745,
    "SDSC-Par-96": 66185,
    "NASA-iPSC": 188986,
}
FILES = {
    "CTC-SP2": "CTC-SP2-1996-3.1-cln",
    "KTH-SP2": "KTH-SP2-1996-2.1-cln",
    "LANL-CM5": "LANL-CM5-1994-4.1-cln",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "SDSC-Par-96": "SDSC-Par-1996-3.1-cln",
    "NASA-iPSC": "NASA-iPSC-1993-3.1-cln",
}


def standard_error(factor: float, jobs: int) -> float:
    """Of the number of jobs per original job: widened or not, and one copy more or not."""
    fraction = factor % 1
    return (((factor - 1) ** 2 / 4 + fraction * (1 - fraction) / 2) / jobs) ** 0.5


def small(n: int = 2000) -> Workload:
    return lublin(n, 128, seed=3)


def test_numbers_of_the_papers_standard_errors() -> None:
    for key, jobs, error in [("CTC-SP2", 79302, 0.0029), ("KTH-SP2", 28490, 0.029), ("NASA-iPSC", 42264, 0.0170)]:
        assert standard_error(PAPER_FACTORS[key], jobs) == pytest.approx(error, rel=0.02)


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.45, 8.0, 10.71])
def test_numbers_of_jobs_lie_within_four_standard_errors(factor: float) -> None:
    w = small(10_000)
    for seed in SEEDS:
        ratio = len(scale(w, 1024, factor, seed)) / len(w)
        assert ratio == pytest.approx((1 + factor) / 2, abs=4 * standard_error(factor, len(w)))


def test_work_grows_by_the_factor() -> None:
    # widths that 2.5 multiplies exactly, and all jobs alike, so that only the number of copies is random
    n = 20_000
    w = Workload(np.arange(n), np.full(n, 7), np.full(n, 9), np.full(n, 4), 8)
    larger = scale(w, 64, 2.5, seed=1)
    assert larger.work / w.work == pytest.approx(2.5, abs=4 * (0.125 / n) ** 0.5)
    assert larger.estimate.tolist() == [9] * len(larger)


@given(st.integers(0, 2**32), st.integers(0, 4000), st.sampled_from([0.0, 0.3, 0.5]))
def test_the_exact_number_of_jobs_is_exact(seed: int, more: int, probability: float) -> None:
    w = WORKLOAD
    larger = scale(w, 1024, 2.45, seed, jobs=len(w) + more, probability=probability)
    assert len(larger) == len(w) + more
    # as many jobs as the probability says are widened, the others stand as evenly often as possible
    copies = np.bincount(np.searchsorted(w.submit, larger.submit), minlength=len(w))
    assert copies.min() >= 1
    repeats = round((1 - probability) * len(w))
    assert np.sort(copies)[len(w) - repeats] >= (len(w) + more - (len(w) - repeats)) // repeats
    assert copies.max() <= (len(w) + more - (len(w) - repeats)) // repeats + 1


N = 500
WORKLOAD = Workload(np.arange(N) * 3, np.full(N, 7), np.full(N, 9), 1 + np.arange(N) % 128, 128, user=np.arange(N) % 9)


def test_a_job_is_widened_or_stands_several_times_at_once() -> None:
    w = WORKLOAD
    larger = scale(w, 1024, 2.45, seed=4)
    original = larger.submit // 3
    assert np.all(np.diff(original) >= 0)
    assert np.array_equal(larger.user, w.user[original])
    assert np.array_equal(larger.run, w.run[original])
    assert larger.job.tolist() == list(range(1, len(larger) + 1))
    assert np.all(larger.wait == -1)
    copies = np.bincount(original, minlength=N)
    before = w.width[original]
    wide = np.floor(2.45 * before + 0.5)
    assert np.all(np.where(copies[original] > 1, larger.width == before, larger.width == wide))
    assert set(copies.tolist()) == {1, 2, 3}


def test_widths_end_at_the_machines_and_it_is_reported() -> None:
    larger = scale(WORKLOAD, 200, 2.0, seed=4, probability=1.0)
    assert larger.width.max() == 200
    assert larger.repairs[-1].jobs == int((WORKLOAD.width > 100).sum())
    assert larger.repairs[-1].first.startswith("job 101, job 102, job 103, ...")


def test_copies_and_their_log_fields_refer_to_no_preceding_job(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_text(
        "; MaxProcs: 4\n; UnixStartTime: 0\n; TimeZoneString: UTC\n"
        "9 5 3 10 4 -1 -1 4 20 -1 1 3 -1 -1 -1 -1 -1 -1\n"
        "10 6 3 10 2 -1 -1 2 20 -1 1 3 6 -1 2 -1 9 77\n"
    )
    w = read_swf(tmp_path / "a.swf")
    larger = scale(w, 16, probability=0.0)
    write_swf(larger, tmp_path / "b.swf")
    lines = (tmp_path / "b.swf").read_text().splitlines()
    assert lines[-1] == "8 6 -1 10 2 -1 -1 2 20 -1 1 3 6 -1 2 -1 -1 -1"
    assert "; MaxProcs: 16" in lines
    note = "; Note: scaled by paretosched from 2 jobs on 4 processors (a) to 16 processors: factor 4, probability of"
    assert any(line.startswith(note) for line in lines)
    assert read_swf(tmp_path / "b.swf").digest == larger.digest


def test_the_same_seed_gives_the_same_workload() -> None:
    for jobs in (None, 5000):
        digests = [scale(small(), 1024, 2.45, seed, jobs=jobs).digest for seed in (0, 0, 1)]
        assert digests[0] == digests[1] != digests[2]


def test_a_factor_of_one_on_the_same_machine_is_the_identity() -> None:
    w = small()
    assert scale(w, 128) is w
    assert scale(w, 128, jobs=len(w)) is w
    assert len(scale(w, 128, jobs=len(w) + 1)) == len(w) + 1


def test_groups_by_consumption_are_made_anew_and_others_stay() -> None:
    w = lublin(2000, variant="two-type")
    assert scale(by_queue(w), 1024).groups == ("interactive", "batch")
    # user 1 has 9 % of the work, and 18 / (18 + 223) of the scaled: width 1 becomes 2, and 91 becomes 223
    w = by_consumption(Workload([0, 0], [9, 1], [9, 1], [1, 91], 91, user=[1, 2]))
    assert w.group.tolist() == [0, 0]
    assert scale(w, 1024, 2.45, probability=1.0).group.tolist() == [1, 0]
    own = w.with_(groups=("a", "b"))
    assert scale(own, 1024, 2.45, probability=1.0).group.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"processors": 0}, "processors must be in 1..2147483647, but is 0"),
        ({"processors": 64}, "factor must be in 1..20000000, but is 0.5, the ratio of 64 to 128 processors"),
        ({"factor": 0.9}, "factor must be in 1..20000000, but is 0.9"),
        ({"factor": float("nan")}, "factor must be"),
        ({"factor": float("inf")}, "factor must be"),
        ({"factor": 1e6}, "at most 20000000 jobs, but this one would have 250000250"),
        ({"jobs": 499}, "jobs must be at least the 500 there are, but is 499"),
        ({"jobs": 10**12}, "at most 20000000 jobs, but this one would have 1e"),
        ({"jobs": 501, "probability": 1.0}, "jobs cannot be 501: with probability 1 none"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"probability": 1.5}, "probability must be in 0..1, but is 1.5"),
    ],
)
def test_absurd_arguments_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scale(WORKLOAD, **arguments)  # type: ignore[arg-type]


@pytest.mark.traces
@pytest.mark.parametrize("key", FILES)
def test_real_logs_scale_to_the_expected_numbers(traces: Path, key: str) -> None:
    w = read_swf(traces / f"{FILES[key]}.swf.gz")
    factor = PAPER_FACTORS[key]
    if key == "LANL-CM5":
        assert scale(w, 1024, factor) is w
        return
    for seed in SEEDS if key == "CTC-SP2" else (0,):
        larger = scale(w, 1024, factor, seed)
        ratio = len(larger) / len(w)
        assert ratio == pytest.approx((1 + factor) / 2, abs=4 * standard_error(factor, len(w)))
        assert larger.work / w.work == pytest.approx(factor, rel=0.02)
    assert len(scale(w, 1024, factor, jobs=PUBLISHED[key])) == PUBLISHED[key]


@pytest.mark.traces
def test_scaling_ctc_leaves_the_groups_as_they_are(traces: Path) -> None:
    w = read_swf(traces / f"{FILES['CTC-SP2']}.swf.gz")
    before = dict(zip(w.user.tolist(), w.group.tolist(), strict=True))
    for seed in SEEDS:
        larger = scale(w, 1024, PAPER_FACTORS["CTC-SP2"], seed)
        same = larger.group == np.array([before[user] for user in larger.user.tolist()])
        work = larger.run * larger.width
        assert work[same].sum() / work.sum() > 0.95


def test_copies_are_eligible_as_long_after_their_submission_as_their_job() -> None:
    w = lublin(200, 64, 1)
    later = w.with_(eligible=w.submit + w.job % 3 * 1000)
    for result in (scale(later, 128, seed=2), scale(later, 64, 2.5, jobs=500)):
        # the user and the submission name the job: there is no other copy of it
        after = {
            key: e - key[1] for key, e in zip(zip(w.user, w.submit, w.run, strict=True), later.eligible, strict=True)
        }
        keys = zip(result.user, result.submit, result.run, strict=True)
        assert (result.eligible - result.submit).tolist() == [after[key] for key in keys]
    assert not scale(w, 128).has_later_jobs


def test_numbers_may_be_text() -> None:
    as_text = scale(small(), 300, "2.5", probability="0.25")  # type: ignore[arg-type]
    assert as_text.digest == scale(small(), 300, 2.5, probability=0.25).digest
