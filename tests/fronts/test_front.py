"""Fronts: dominance against brute force, merging, measuring, and files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.dominance import costs, deciding, first_of_equals, nondominated_rows
from paretosched.fronts.front import Front, Origin, extremes, front_of, genome
from paretosched.fronts.front_files import load_front, save_front
from paretosched.fronts.front_tables import frame
from paretosched.fronts.merging import merge
from paretosched.fronts.row_schedules import row_policy
from paretosched.policies.policy_json import to_json
from paretosched.simulation.objective import objective_table
from support.fronts import random_front

ONE = objective_table(("1",))
TWO = objective_table(("1", "2"))


def brute_force(points: np.ndarray) -> list[bool]:
    """A row stays unless another is at least as good everywhere and better somewhere, or equal and earlier."""
    keep = []
    for i, p in enumerate(points):
        worse = any((q <= p).all() and (q < p).any() for q in points)
        keep.append(not worse and not any((q == p).all() for q in points[:i]))
    return keep


def same(one: Front, other: Front) -> bool:
    arrays = ("values", "genomes", "origin", "evaluation")
    return all(getattr(one, a).tobytes() == getattr(other, a).tobytes() for a in arrays) and (
        (one.origins, one.groups, one.workload, one.digest)
        == (other.origins, other.groups, other.workload, other.digest)
    )


@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.integers(1, 5))
def test_the_non_dominated_rows_are_those_of_brute_force(seed: int, rows: int, levels: int) -> None:
    values = np.random.default_rng(seed).integers(0, levels, (rows, 4)).astype(float)
    before = values.copy()
    expected = brute_force(np.column_stack([-values[:, 0], values[:, 2:]]))
    assert nondominated_rows(values, TWO).tolist() == expected
    assert (values == before).all()


def test_a_large_set_agrees_with_brute_force_too() -> None:
    values = np.random.default_rng(1).integers(0, 12, (600, 7)).astype(float)
    expected = brute_force(np.column_stack([-values[:, 0], values[:, 2:]]))
    assert nondominated_rows(values, objective_table(tuple("12345"))).tolist() == expected


def test_awrt_never_decides() -> None:
    better_awrt_only = [[50.0, 1.0, 9.0, 9.0], [60.0, 99.0, 8.0, 9.0]]
    assert nondominated_rows(better_awrt_only, TWO).tolist() == [False, True]
    assert deciding(better_awrt_only, TWO).tolist() == [True, False, True, True]
    assert costs(better_awrt_only, TWO).tolist() == [[-50.0, 9.0, 9.0], [-60.0, 8.0, 9.0]]


def test_an_undefined_group_takes_no_part() -> None:
    values = [[50.0, 5.0, 5.0, np.nan], [50.0, 4.0, 4.0, np.nan]]
    assert nondominated_rows(values, TWO).tolist() == [False, True]


@pytest.mark.parametrize(("bad", "fact"), [(np.nan, "row 1 has AWRT1 nan"), (np.inf, "row 1 has AWRT1 inf")])
def test_rows_that_are_not_finite_are_refused(bad: float, fact: str) -> None:
    with pytest.raises(InputError, match=f"objective values must be finite, but {fact}"):
        nondominated_rows([[1.0, 1.0, 1.0, 1.0], [2.0, 1.0, bad, 1.0]], TWO)


def test_a_wrong_number_of_columns_is_refused() -> None:
    with pytest.raises(InputError, match=r"values must have shape \(k, 4\), but have shape \(1, 3\)"):
        nondominated_rows([[1.0, 2.0, 3.0]], TWO)


def test_equal_points_are_kept_once_and_counted() -> None:
    values = np.array([[50.0, 5, 5], [60, 6, 6], [50, 5, 5], [50, 7, 7], [50, 5, 5]])
    genomes = np.arange(5 * 15).reshape(5, 15) / 100.0
    front = front_of(values, genomes, Origin("a", "nsga2", 0, 5, Weighting("easy")), ("1",))
    assert front.values.tolist() == [[50, 5, 5], [60, 6, 6]]
    assert front.evaluation.tolist() == [0, 1]
    assert front.genomes.tolist() == genomes[:2].tolist()
    assert (front.origins[0].evaluations, front.origins[0].points, front.origins[0].duplicates) == (5, 2, 2)


def test_one_row_and_no_row() -> None:
    one = random_front(1, rows=1)
    assert len(one) == 1
    assert same(merge([one]), one)
    none = random_front(1, rows=0)
    assert len(none) == 0
    assert extremes(none) == []
    assert same(merge([none, none]), none)


@pytest.mark.slow
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.randoms())
def test_merging_is_free_of_order_and_repetition(seeds: list[int], shuffle) -> None:  # type: ignore[no-untyped-def]
    fronts = [random_front(seed) for seed in seeds]
    whole = merge(fronts)
    again = [*fronts, *fronts, whole]
    shuffle.shuffle(again)
    assert same(merge(again), whole)
    assert same(merge([merge(fronts[:1]), *fronts[1:]]), whole)
    values = np.concatenate([f.values for f in fronts])
    assert {tuple(v) for v in whole.values.tolist()} == {
        tuple(v) for v in values[nondominated_rows(values, TWO)].tolist()
    }
    assert nondominated_rows(whole.values, TWO).all()


def test_fronts_may_be_given_one_by_one() -> None:
    a, b, c = (random_front(seed) for seed in (1, 2, 3))
    assert same(merge(a, b, c), merge([a, b, c]))
    assert same(merge(a, [b, c]), merge([a, b, c]))
    with pytest.raises(InputError, match="there is no front to merge"):
        merge([], [])


def test_merged_rows_know_their_run() -> None:
    fronts = [random_front(seed, backfill=backfill) for seed, backfill in ((1, "easy"), (2, "none"))]
    whole = merge(fronts)
    assert {o.seed for o in whole.origins} == {1, 2}
    assert whole.evaluations == 60
    for row in range(len(whole)):
        origin = whole.origins[whole.origin[row]]
        source = fronts[origin.seed - 1]
        there = int(np.flatnonzero(source.evaluation == whole.evaluation[row])[0])
        assert source.values[there].tolist() == whole.values[row].tolist()
        policy = row_policy(whole, row)
        assert policy is not None
        assert isinstance(origin.encoding, Weighting)
        assert policy.backfill == origin.encoding.backfill
        assert policy.genes.ravel().tolist() == source.genomes[there][:-3].tolist()
        assert policy.provenance["seed"] == origin.seed


def test_the_longer_one_of_the_same_run_is_named() -> None:
    short, long = random_front(1, rows=20), random_front(1, rows=40, name="moved")
    for order in ([short, long], [long, short]):
        whole = merge(order)
        assert [(o.name, o.evaluations) for o in whole.origins] == [("moved", 40)]


def test_fronts_of_different_workloads_do_not_merge() -> None:
    with pytest.raises(
        InputError, match=r"fronts must belong to one workload, but .*run1.* and .*run2.* are different"
    ):
        merge([random_front(1), random_front(2, digest="other")])
    with pytest.raises(InputError, match="there is no front to merge; give one or more"):
        merge([])


def test_extremes_are_the_best_rows() -> None:
    front = random_front(7)
    best_row = {objective.name: row for objective, row in extremes(front)}
    assert front.values[best_row["UTIL"], 0] == front.values[:, 0].max()
    for column, name in enumerate(("AWRT", "AWRT1", "AWRT2"), 1):
        assert front.values[best_row[name], column] == front.values[:, column].min()


def test_a_row_is_an_evaluation_with_its_objectives_and_its_policy() -> None:
    front = random_front(3)
    for row, each in enumerate(front):
        assert dict(each.objectives) == dict(zip((o.name for o in front.objectives), front.values[row], strict=True))
        assert each.policy is not None
        assert to_json(each.policy) == to_json(row_policy(front, row))
        assert each.name == each.policy.name == f"{front.origins[0].name}#{front.evaluation[row]}"
        assert each.genome.tolist() == genome(front, row)[1].tolist()
    assert front[-1].name == front[len(front) - 1].name != front[-2].name
    for row in (len(front), -len(front) - 1):
        with pytest.raises(InputError, match="row must be in 0"):
            front[row]
    with pytest.raises(InputError, match="row must be a whole number"):
        front["AWRT"]  # type: ignore[index]


def test_a_row_that_is_not_there_is_refused() -> None:
    front = random_front(7)
    with pytest.raises(InputError, match=rf"row must be in 0..{len(front) - 1}, but is {len(front)}"):
        row_policy(front, len(front))


def test_a_saved_front_comes_back_and_equal_fronts_are_equal_files(tmp_path: Path) -> None:
    front = merge([random_front(1), random_front(2, backfill="none")])
    save_front(front, tmp_path / "a.parquet")
    save_front(merge([random_front(2, backfill="none"), random_front(1)]), tmp_path / "b.parquet")
    assert same(load_front(tmp_path / "a.parquet"), front)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    (tmp_path / "run").mkdir()
    save_front(front, tmp_path / "run" / "front.parquet")
    assert same(load_front(tmp_path / "run"), front)


def test_other_programs_can_read_the_columns_of_the_file(tmp_path: Path) -> None:
    import pandas as pd

    front = random_front(3)
    save_front(front, tmp_path / "a.parquet")
    table = pd.read_parquet(tmp_path / "a.parquet")
    assert list(table) == ["UTIL", "AWRT", "AWRT1", "AWRT2", *Weighting().gene_labels(2), "run", "evaluation"]
    assert table["AWRT2"].tolist() == front.values[:, 3].tolist()


def test_an_undefined_group_survives_the_file(tmp_path: Path) -> None:
    values = np.array([[50.0, 5.0, 5.0, np.nan], [40.0, 4.0, 4.0, np.nan]])
    front = front_of(values, np.zeros((2, 21)), Origin("a", "nsga2", 0, 5, Weighting("easy")), ("1", "2"))
    save_front(front, tmp_path / "a.parquet")
    assert same(load_front(tmp_path / "a.parquet"), front)
    assert [o.name for o, _ in extremes(front)] == ["UTIL", "AWRT", "AWRT1"]


@pytest.mark.parametrize("damage", ["empty", "text", "half", "turned", "other"])
def test_a_damaged_file_is_one_line(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.parquet"
    save_front(random_front(3), path)
    whole = path.read_bytes()
    if damage == "other":
        import pandas as pd

        pd.DataFrame({"x": [1]}).to_parquet(path)
    else:
        from pyarrow import parquet

        column = parquet.ParquetFile(path).metadata.row_group(0).column(3)
        begin = column.dictionary_page_offset or column.data_page_offset
        data = bytearray(whole)
        data[begin + column.total_compressed_size - 1] ^= 0xFF  # in a page of data, which has a checksum
        path.write_bytes(
            {"empty": b"", "text": b"not a front\n", "half": whole[: len(whole) // 2], "turned": data}[damage]
        )
    with pytest.raises(InputError, match="not a readable front") as error:
        load_front(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "\udcff"])
def test_metadata_that_is_not_json_is_said_so(tmp_path: Path, text: str) -> None:
    from pyarrow import parquet

    path = tmp_path / "front.parquet"
    save_front(random_front(1), path)
    metadata = {b"paretosched": text.encode("utf-8", "surrogateescape")}
    parquet.write_table(parquet.read_table(path).replace_schema_metadata(metadata), path)
    with pytest.raises(InputError, match=r"front\.parquet: not a readable front: its metadata is not JSON$"):
        load_front(path)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.parquet: no such file"):
        load_front(tmp_path / "nowhere.parquet")
    with pytest.raises(InputError, match=r"must hold front.parquet, but there is none"):
        load_front(tmp_path)


def test_the_frame_has_the_columns_of_the_file() -> None:
    front = random_front(3)
    table = frame(front)
    assert list(table.columns)[:2] == ["UTIL", "AWRT"]
    assert len(table) == len(front)
    assert table["AWRT1"].tolist() == front.values[:, 2].tolist()
    assert table["evaluation"].tolist() == front.evaluation.tolist()
    assert set(table["run"]) == {front.origins[i].name for i in front.origin}


@pytest.mark.parametrize("empty_group", [False, True])
def test_the_first_ones_of_equal_rows_that_none_dominates_are_the_front(empty_group: bool) -> None:
    values = np.random.default_rng(4).integers(-3, 4, size=(300, 5)).astype(float)
    if empty_group:
        values[:, 3] = np.nan
    table = objective_table(("1", "2", "3"))
    rows = np.flatnonzero(nondominated_rows(values, table, equal=True))
    first = rows[first_of_equals(values[rows], table)]
    assert first.tolist() == np.flatnonzero(nondominated_rows(values, table)).tolist()
    assert 1 < len(first) < len(rows)


def test_a_front_that_is_known_in_part_is_the_front_of_all() -> None:
    generator = np.random.default_rng(3)
    values = generator.integers(40, 90, size=(400, 4)).astype(float)
    values[200:] = values[:200]
    genomes = generator.random((400, 21))
    run, groups = Origin("a", "nsga2", 0, 5, Weighting("easy")), ("1", "2")
    rows = np.arange(0)
    for known in range(0, 400, 50):
        among = np.concatenate([rows, np.arange(known, known + 50)])
        rows = among[nondominated_rows(values[among], objective_table(groups), equal=True)]
        whole = front_of(values[: known + 50], genomes[: known + 50], run, groups)
        part = front_of(values[: known + 50], genomes[: known + 50], run, groups, among=rows)
        assert part.evaluation.tolist() == whole.evaluation.tolist()
        assert part.origins == whole.origins


def front_with(name: str, util_from: str, decoding: str, more: tuple[tuple[str, str], ...] = ()) -> Front:
    """Two rows, online or not, with UTIL from the first submission or the first start."""
    begun = (("util_from", util_from), *more) if util_from == "submission" else ()
    values = np.array([[90.0, 200.0, 200.0], [75.0, 100.0, 100.0]]) + len(name)
    encoding = Weighting(decoding=decoding)
    return front_of(values, np.zeros((2, 15)), Origin(name, "nsga2", 0, 5, encoding, begun), ("1",))


def test_fronts_whose_utilisation_counts_from_different_times_merge_if_the_schedules_of_one_kind_are_online() -> None:
    early, papers = front_with("a", "submission", "earliest"), front_with("bb", "start", "earliest")
    online_early, online_papers = front_with("ccc", "submission", "online"), front_with("dddd", "start", "online")
    assert [f.util_from for f in (early, papers)] == ["submission", "start"]
    for fronts, expected in (
        ([early, online_papers], "submission"),
        ([papers, online_early], "start"),
        ([online_early, online_papers], "submission"),
        ([merge([early, online_papers]), early, online_early], "submission"),
    ):
        assert {merge(fronts).util_from, merge(fronts[::-1]).util_from} == {expected}
    wrong = (
        [early, papers],
        [online_early, papers, early],
        [online_papers, papers, early],
        [merge([early, online_papers]), papers],
    )
    for fronts in wrong:
        with pytest.raises(
            InputError, match=r"UTIL must count from the same time, but in .* explore one of them again"
        ):
            merge(fronts)


def test_online_schedules_have_two_utilisations_if_no_job_can_run_at_once() -> None:
    late = front_with("a", "submission", "online", (("online_late", "True"),))
    assert merge([late, late]).util_from == "submission"
    with pytest.raises(InputError, match="UTIL must count from the same time"):
        merge([late, front_with("bb", "start", "online")])


def test_a_front_file_says_from_when_on_utilisation_counts(tmp_path: Path) -> None:
    for kind in ("submission", "start"):
        save_front(front_with("a", kind, "earliest"), tmp_path / "front.parquet")
        front = load_front(tmp_path / "front.parquet")
        assert (front.util_from, front.objectives) == (kind, objective_table(("1",), kind))
    save_front(front_with("a", "submission", "earliest", (("util_from", "noon"),)), tmp_path / "odd.parquet")
    with pytest.raises(InputError, match='util_from of a run must be one of submission, start, but is "noon"'):
        load_front(tmp_path / "odd.parquet")
    assert [objective_table(("1",), kind)[0].label for kind in ("start", "submission")] == [
        "utilisation",
        "utilisation, from the first submission",
    ]
