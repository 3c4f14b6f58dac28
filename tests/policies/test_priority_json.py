"""Fair share in policy files: given back as it was, or refused in one line."""

import json
from typing import Any

import pytest

from paretosched import InputError, Priority
from paretosched.policies.fair_share import Association, FairShare
from paretosched.policies.policy_json import from_json, to_json
from paretosched.policies.priority_text import priority_text, read_priority

SITE = FairShare(
    "classic",
    (
        Association("bio", shares=20),
        Association("two words", within="bio", shares=None),
        Association("bio", "anna", shares=3),
        Association("two words", "bert", shares=None),
    ),
    60,
    2,
)
POLICY = Priority("fairshare", fair_share=SITE)


def test_a_file_and_words_give_it_back() -> None:
    value = json.loads(json.dumps(to_json(POLICY)))
    assert value["fair_share"]["associations"][1:3] == [
        {"account": "two words", "in": "bio", "shares": "parent"},
        {"account": "bio", "user": "anna", "shares": 3},
    ]
    for again in (from_json(value), read_priority(priority_text(POLICY))):
        assert isinstance(again, Priority)
        assert again.fair_share == SITE
    assert priority_text(POLICY) == (
        "order: fairshare; backfill: none; fair-share: classic every 1min damping 2; accounts: bio = 20, "
        '"two words" in bio = parent; users: anna in bio = 3, bert in "two words" = parent'
    )


def test_equal_shares_need_no_words() -> None:
    assert "fair_share" not in to_json(Priority("fairshare"))
    assert priority_text(Priority("fairshare")) == "order: fairshare; backfill: none"


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"algorithm": "none"}, "policy: fair-share algorithm must be one of tree, classic"),
        (
            {"associations": [{"account": "a", "shares": "all"}]},
            'fair_share.associations[0].shares must be a number or "p',
        ),
        ({"associations": [{"account": "a", "within": "b"}]}, "within"),
        ({"half_life": 3}, "half_life"),
    ],
)
def test_what_breaks_a_rule_is_refused(part: Any, message: str) -> None:
    value = to_json(Priority("fairshare")) | {"fair_share": {"algorithm": "tree"} | part}
    with pytest.raises(InputError) as error:
        from_json(value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fairshare; fair-share: equal", "fair-share must be one of tree, classic"),
        ("order: fairshare; accounts: a in b = 1", 'account "b" must come before "a", but does not'),
        ("order: fairshare; users: a = 1", '"="'),
        ("order: fairshare - usage", "an order must not have fairshare and usage or share, but has both"),
    ],
)
def test_words_that_break_a_rule_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_priority(text)
    assert message in str(error.value)
