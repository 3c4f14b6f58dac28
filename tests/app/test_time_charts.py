"""The charts over time as plain values."""

from itertools import pairwise

from paretosched.app.time_charts import LONGEST_HOST, MOST_NAMED, _axis_of_nodes
from paretosched.comparison.over_time import Node


def test_nodes_with_gpus_are_named_however_few_they_are() -> None:
    nodes = [Node(f"n{k:03d}", 36, 0) for k in range(200)]
    nodes[150:152] = [Node("gpu-1", 36, 2), Node("gpu-2", 36, 2)]
    nodes.append(Node("a" * 40, 36, 4))
    axis = _axis_of_nodes(nodes)
    words = axis["ticktext"]
    assert [each for each in words if "GPU" in each] == ["gpu-2 · GPU", f"{'a' * (LONGEST_HOST - 1)}… · GPU"]
    assert MOST_NAMED - 3 <= len(words) <= MOST_NAMED + 2
    places = axis["tickvals"]
    assert places == sorted(places)
    assert min(b - a for a, b in pairwise(places)) >= 201 * 36 / (MOST_NAMED + 1)  # none is on another
    alone = _axis_of_nodes([Node("g1", 4, 1), Node("g2", 4, 1)])
    assert (alone["ticktext"], alone["tickvals"]) == (["g1 · GPU", "g2 · GPU"], [2.0, 6.0])
    assert _axis_of_nodes([]) == {}
