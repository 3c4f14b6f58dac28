"""Exchange rates near a schedule, on fronts whose rates are known."""

import numpy as np
import pytest

from paretosched.wishes.exchange_rates import exchange_rates, rate_sentences
from support.fronts import made_up

WEIGHTS = np.array([4.0, 2.0, 1.0])


def front_on_a_plane(noise: float = 0.0, points: int = 900) -> object:
    """Return a front on the plane 4 f1 + 2 f2 + f3 = const with UTIL tied to the response times by the plane, too."""
    rng = np.random.default_rng(3)
    free = rng.uniform(0.97, 1.03, size=(points, 3)) * np.array([3.0, 5.0, 8.0]) * 3600
    util = 40 + (free @ WEIGHTS) / 3600  # busier costs everybody: 1 % more is 1 h of weighted response time
    util *= 1 + noise * rng.normal(size=points)
    return made_up(np.column_stack([util, free.mean(axis=1), free]), tuple("123"), "plane", "ab" * 32)


def test_the_rates_of_a_plane_are_found() -> None:
    front = front_on_a_plane()
    row = int(np.abs(front.values / np.median(front.values, axis=0) - 1).max(axis=1).argmin())
    rates = exchange_rates(front, row, np.ones(len(front), dtype=bool))
    assert rates.neighbours == 48
    for i in range(3):
        for j in range(3):
            if i != j:  # an hour less for i is paid with WEIGHTS[i] / WEIGHTS[j] hours of j
                assert rates.rate[2 + i, 2 + j] == pytest.approx(WEIGHTS[i] / WEIGHTS[j], rel=0.03)
                assert rates.low[2 + i, 2 + j] <= rates.rate[2 + i, 2 + j] * 1.01
                assert rates.high[2 + i, 2 + j] >= rates.rate[2 + i, 2 + j] * 0.99
        # an hour less for i is paid with WEIGHTS[i] per cent of use
        assert 3600 * rates.rate[2 + i, 0] == pytest.approx(WEIGHTS[i], rel=0.03)
    assert np.isnan(rates.rate[:, 1]).all()  # AWRT is a mean of the others
    assert np.isnan(np.diag(rates.rate)).all()


def test_noise_makes_intervals_wider_and_a_cloud_has_no_rates() -> None:
    rows = np.ones(900, dtype=bool)
    exact, rough = (exchange_rates(front_on_a_plane(noise), 5, rows) for noise in (0.0, 0.002))
    widths = [np.nanmean(r.high[2:, 2:] / r.low[2:, 2:]) for r in (exact, rough)]
    assert widths[1] > widths[0]
    cloud = np.random.default_rng(1).uniform(0.5, 1.5, size=(900, 5)) * 3600
    values = np.column_stack([cloud[:, 0] / 60, cloud[:, 1:4].mean(axis=1), cloud[:, 1:4]])
    none = exchange_rates(made_up(values, tuple("123"), "cloud", "ab" * 32), 5, rows)
    assert np.isnan(none.rate).mean() > 0.6


def test_too_few_rows_have_no_rates() -> None:
    front = front_on_a_plane(points=40)
    rates = exchange_rates(front, 0, np.ones(40, dtype=bool))
    assert rates.neighbours == 0
    assert np.isnan(rates.rate).all()


def test_sentences_have_the_rates_with_their_intervals_and_the_bound() -> None:
    front = front_on_a_plane()
    row = int(np.abs(front.values / np.median(front.values, axis=0) - 1).max(axis=1).argmin())
    rates = exchange_rates(front, row, np.ones(len(front), dtype=bool))
    bound = 0.5 * front.values[row]
    lines = rate_sentences(rates, front.objectives, front.values[row], bound)
    assert len(lines) == 3
    here = front.values[row, 2] / 3600
    assert lines[0].startswith("One hour less for group 1 costs group 2 2 h (2 to 2) or group 3 4 h (4 to 4)")
    assert lines[0].endswith(f"Group 1 is at {here:.3g} h; no schedule at all gets it below {here / 2:.3g} h (proved).")
    none = exchange_rates(front, row, np.zeros(len(front), dtype=bool))
    assert rate_sentences(none, front.objectives, front.values[row], None) == []
