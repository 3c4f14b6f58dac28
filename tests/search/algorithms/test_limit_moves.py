"""Limits are drawn and moved within bounds; a run begins with none and today's, and goes on as if never stopped."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched import InputError
from paretosched.core.arrays import Floats
from paretosched.encodings.site_limits import SET, SiteLimits, settings_today
from paretosched.fronts.row_schedules import row_policy, schedules, why_no_policy
from paretosched.policies.policy_json import to_json
from paretosched.search.algorithms.limit_moves import LimitMoves
from support.limited_users import limited_users

W = limited_users(60, MaxJobsPU=7)
AIMS = "mean wait of top, mean wait of others"
SMALL = {"encoding": "limits", "population": 6, "seed": 4, "objectives": AIMS}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 24 evaluations that nothing disturbed."""
    run = tmp_path_factory.mktemp("whole") / "run"
    ps.explore(W, run, evaluations=24, **SMALL)  # type: ignore[arg-type]
    return run


def stored_in(run: Path) -> tuple[Floats, Floats]:
    """Return the genomes, (n, d), and the objectives, (n, m), of a run."""
    with closing(sqlite3.connect(run / "run.sqlite")) as connection:
        rows = connection.execute("select genome, objectives from evaluation order by number").fetchall()
    genomes, values = (np.array([np.frombuffer(row[k], "<f8") for row in rows]) for k in range(2))
    return genomes, values


@pytest.mark.parametrize("algorithm", ["archive", "nsga2", "random"])
def test_no_limits_and_those_of_today_are_tried_first(tmp_path: Path, algorithm: str) -> None:
    ps.explore(W, tmp_path / "run", evaluations=6, algorithm=algorithm, **SMALL)  # type: ignore[arg-type]
    genomes, values = stored_in(tmp_path / "run")
    front = ps.load_front(tmp_path / "run")
    encoding = front.origins[0].encoding
    assert isinstance(encoding, SiteLimits)
    assert {each.value for each in encoding.settings(genomes[0])} == {None}
    assert encoding.settings(genomes[1]) == settings_today(encoding, W)
    easy = ps.objectives(ps.simulate(W, "easy"), util_from="submission").array
    assert np.array_equal(values[1][: len(easy)], easy)


def test_it_goes_on_as_if_it_had_never_stopped_with_workers_too(whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    ps.explore(W, run, evaluations=9, workers=1, **SMALL)  # type: ignore[arg-type]
    ps.explore(W, run, evaluations=24)
    assert all(map(np.array_equal, stored_in(run), stored_in(whole)))
    other = dict(SMALL, seed=5)
    ps.explore(W, tmp_path / "other", evaluations=24, **other)  # type: ignore[arg-type]
    assert not np.array_equal(stored_in(tmp_path / "other")[0], stored_in(whole)[0])


def test_the_order_of_the_site_stays_that_of_the_run_when_its_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "order.txt"
    file.write_text("sjf", encoding="utf-8")
    ps.explore(W, tmp_path / "run", evaluations=6, start=[str(file)], **SMALL)  # type: ignore[arg-type]
    file.unlink()
    front = ps.explore(W, tmp_path / "run", evaluations=8)
    encoding = front.origins[0].encoding
    assert isinstance(encoding, SiteLimits)
    assert to_json(encoding.order)["order"] == "sjf"
    assert front.evaluations == 8


def test_limits_that_are_given_are_varied_and_a_run_goes_on_with_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version may choose others."""
    given = SiteLimits((), ("part MaxJobsPU 2,5,9",))
    ps.explore(W, tmp_path / "run", evaluations=6, **dict(SMALL, encoding=given))  # type: ignore[arg-type]
    assert ps.load_front(tmp_path / "run").origins[0].encoding == given
    ps.explore(W, tmp_path / "other", evaluations=6, **SMALL)  # type: ignore[arg-type]
    monkeypatch.setattr("paretosched.search.settings.site_limits", None)
    assert ps.explore(W, tmp_path / "other", evaluations=8).evaluations == 8


def test_a_row_is_a_schedule_of_any_jobs_of_the_machine_but_no_policy(whole: Path) -> None:
    front = ps.load_front(whole)
    for row, schedule in enumerate(schedules(front, range(len(front)), W)):
        found = schedule.check().objectives.array
        assert np.array_equal(found, front.values[row][: len(found)])
        assert schedule.placement is not None
    assert row_policy(front, 0) is None
    assert why_no_policy(front, 0).startswith("row 0 is limits of the site, ")
    (part,) = schedules(front, [0], W.take(np.arange(30)))
    assert len(part.workload) == 30


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"start": ["easy", "sjf"]}, "start of limits must be one order, that of the site, but is easy, sjf"),
        ({"start": ["recorded"]}, "start of limits must be an order that can run the machine"),
        ({"surrogate": True}, 'surrogate must not be given with the encoding "limits"'),
        ({"backfill": "easy"}, 'backfill must not be given with the encoding "limits"'),
    ],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, words: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ps.explore(W, tmp_path / "run", evaluations=6, **SMALL, **words)  # type: ignore[arg-type]


def test_a_run_is_no_order_of_the_site(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    with pytest.raises(InputError, match=r"must be the order of the site, such as its slurm.conf, but is"):
        ps.explore(W, tmp_path / "other", evaluations=6, start=[str(tmp_path / "run")], **SMALL)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="it is a run; a row of it becomes a policy by simulate"):
        ps.as_policy(str(tmp_path / "run"))


def test_the_first_point_sets_nothing_and_others_about_half() -> None:
    points, genomes = LimitMoves(4).first(200, np.random.default_rng(1))
    assert points.shape == genomes.shape == (200, 4)
    assert (points[0] == 1).all()
    assert 0.4 < (points[1:] < SET).mean() < 0.6
    assert ((points >= 0) & (points <= 1)).all()


def test_children_stay_in_bounds_and_reach_what_is_set_and_what_is_not() -> None:
    moves, generator = LimitMoves(3), np.random.default_rng(2)
    child, met = np.array([0.1, 0.49, 1.0]), np.zeros((3, 2), dtype=bool)
    for step in range(500):
        moves.vary(child, None if step % 2 else np.array([0.2, 1.0, 0.3]), generator)
        assert ((child >= 0) & (child <= 1)).all()
        assert not ((child >= SET) & (child < 1)).any()
        met |= np.stack([child < SET, child >= SET], axis=1)
    assert met.all()


def test_only_one_limit_can_be_varied_too() -> None:
    child = np.array([1.0])
    for seed in range(20):
        LimitMoves(1).vary(child, None, np.random.default_rng(seed))
    assert 0 <= child[0] <= 1
