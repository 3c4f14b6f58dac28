"""A report for the tests of pages."""

import pytest

from paretosched.report.comparison_report import report
from support.fronts import a_comparison, a_front


@pytest.fixture(scope="module")
def page() -> str:
    front = a_front(60)
    return report(front, a_comparison(front))
